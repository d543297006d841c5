/* SPDX-License-Identifier: MIT */
/*
 * slide.h: a deque in contiguous memory: items are appended at the end and dropped at the front.
 *
 * Items are identified by ordinals, counted from the first item ever appended.  An ordinal stays
 * valid when the array moves; a pointer is valid until the next append or drop.
 */
#ifndef SPOOR_BASE_SLIDE_H
#define SPOOR_BASE_SLIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct slide {
    char *bytes;
    size_t item_size;
    uint64_t first;     /* ordinal of the item at bytes[0] */
    size_t count, room; /* items */
};

/* Ensure capacity for `more` items after the last; NULL if memory runs out.  They are not counted
 * yet. */
void *slide_reserve(struct slide *slide, size_t more);
/* Drop the items before `ordinal`.  The memory is moved only when that pays. */
void slide_drop(struct slide *slide, uint64_t ordinal);
void slide_free(struct slide *slide);

/* The ordinal after the last item. */
static inline uint64_t slide_end(const struct slide *slide)
{
    return slide->first + slide->count;
}
static inline void *slide_at(const struct slide *slide, uint64_t ordinal)
{
    return slide->bytes + (size_t)(ordinal - slide->first) * slide->item_size;
}

#endif
