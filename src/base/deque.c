/* SPDX-License-Identifier: MIT */
/* deque.c: a deque in contiguous memory. */
#include "base/deque.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

enum { MIN_CAPACITY = 256, MIN_DROP = 1024 };

void *deque_reserve(struct deque *deque, size_t more)
{
    const size_t wanted = deque->count + more;
    if (wanted > deque->capacity &&
        !array_grow(&deque->bytes, &deque->capacity, wanted < MIN_CAPACITY ? MIN_CAPACITY : wanted,
                    deque->item_size))
        return NULL;
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
