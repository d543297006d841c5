/* SPDX-License-Identifier: MIT */
/*
 * deque.h: a deque in contiguous memory: items are appended at the end and dropped at the front.
 *
 * Items are identified by ordinals, counted from the first item ever appended.  An ordinal stays
 * valid when the array moves; a pointer is valid until the next append or drop.
 */
#ifndef SPOOR_BASE_DEQUE_H
#define SPOOR_BASE_DEQUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct deque {
    char *bytes;
    size_t item_size;
    uint64_t first;         /* ordinal of the item at bytes[0] */
    size_t count, capacity; /* items */
};

/* Ensures capacity for `more` items after the last; NULL if memory runs out.  They are not counted
 * yet. */
void *deque_reserve(struct deque *deque, size_t more);
/* Drops the items before `ordinal`.  The memory is moved only when that pays. */
void deque_drop(struct deque *deque, uint64_t ordinal);
void deque_free(struct deque *deque);

/* The ordinal after the last item. */
static inline uint64_t deque_end(const struct deque *deque)
{
    return deque->first + deque->count;
}
static inline void *deque_at(const struct deque *deque, uint64_t ordinal)
{
    return deque->bytes + (size_t)(ordinal - deque->first) * deque->item_size;
}

#endif
