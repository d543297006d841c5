/* SPDX-License-Identifier: MIT */
/*
 * slide.h: an array whose front is dropped as its end grows: a queue that lies in one piece.
 *
 * Items are named by ordinals that count from the first ever put, so a name stays good while the
 * array moves; a pointer is good until the next put or drop.
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

/* Room for `more` items behind the last; NULL without memory.  They are not counted yet. */
void *slide_reserve(struct slide *slide, size_t more);
/* Items before `ordinal` are no longer needed.  They go where that pays. */
void slide_drop(struct slide *slide, uint64_t ordinal);
void slide_free(struct slide *slide);

/* Ordinal behind the last item. */
static inline uint64_t slide_end(const struct slide *slide)
{
    return slide->first + slide->count;
}
static inline void *slide_at(const struct slide *slide, uint64_t ordinal)
{
    return slide->bytes + (size_t)(ordinal - slide->first) * slide->item_size;
}

#endif
