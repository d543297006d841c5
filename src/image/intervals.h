/* SPDX-License-Identifier: MIT */
/*
 * intervals.h: finds which of many address ranges covers an address.
 *
 * Ranges may nest and overlap.  The one that begins last wins; of several that begin at one address
 * the shortest; of equal ones the one that was added last.  Building sorts once; a lookup is a
 * binary search.
 */
#ifndef SPOOR_IMAGE_INTERVALS_H
#define SPOOR_IMAGE_INTERVALS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interval {
    uint64_t low, high; /* `high` is the address after the last */
    uint32_t id, order;
};

/* `id` covers the addresses from `start` to the next segment. */
struct segment {
    uint64_t start;
    uint32_t id;
};

#define INTERVAL_NONE UINT32_MAX

struct intervals {
    struct interval *items; /* freed by intervals_build() */
    size_t count, capacity;
    struct segment *segments;
    size_t segment_count;
    bool failed; /* memory ran out: some ranges are missing */
};

/* Adds a range; empty ranges are ignored. */
void intervals_add(struct intervals *intervals, uint64_t low, uint64_t high, uint32_t id);
/* Builds the segments.  Call it after the last range, before the first lookup. */
void intervals_build(struct intervals *intervals);
/* Returns the id of the range that covers the address; INTERVAL_NONE if none does. */
uint32_t intervals_find(const struct intervals *intervals, uint64_t address);
void intervals_free(struct intervals *intervals);

#endif
