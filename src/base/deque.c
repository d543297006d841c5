/* SPDX-License-Identifier: MIT */
/* deque.c: a deque in contiguous memory. */
#include "base/deque.h"

#include <stdlib.h>
#include <string.h>

enum { MIN_CAPACITY = 256, MIN_DROP = 1024 };

void *deque_reserve(struct deque *deque, size_t more)
{
    if (deque->capacity - deque->count < more) {
        size_t capacity = deque->capacity ? deque->capacity : MIN_CAPACITY;
        while (capacity - deque->count < more) capacity += capacity / 2;
        char *bytes = realloc(deque->bytes, capacity * deque->item_size);
        if (!bytes) return NULL;
        deque->bytes = bytes;
        deque->capacity = capacity;
    }
    return deque->bytes + deque->count * deque->item_size;
}

void deque_drop(struct deque *deque, uint64_t ordinal)
{
    if (ordinal <= deque->first) return;
    size_t gone = (size_t)(ordinal - deque->first);
    if (gone < MIN_DROP || gone < deque->count / 2) return;
    deque->count -= gone;
    deque->first = ordinal;
    if (deque->count)
        memmove(deque->bytes, deque->bytes + gone * deque->item_size,
                deque->count * deque->item_size);
}

void deque_free(struct deque *deque)
{
    free(deque->bytes);
    deque->bytes = NULL;
    deque->count = deque->capacity = 0;
}
