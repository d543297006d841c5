/* SPDX-License-Identifier: MIT */
/*
 * intervals.c: converts overlapping ranges to disjoint segments.
 *
 * A sweep over the ranges, sorted by beginning, keeps a stack of the open ones.  The top of the
 * stack covers the addresses until it ends or another range begins.
 */
#include "image/intervals.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/sorted.h"

void intervals_add(struct intervals *intervals, uint64_t low, uint64_t high, uint32_t id)
{
    if (low >= high || intervals->failed) return;
    if (!array_reserve(&intervals->items, &intervals->capacity, intervals->count + 1)) {
        intervals->failed = true;
        return;
    }
    intervals->items[intervals->count] =
        (struct interval){low, high, id, (uint32_t)intervals->count};
    intervals->count++;
}

static int interval_order(const void *left, const void *right)
{
    const struct interval *a = left, *b = right;
    if (a->low != b->low) return a->low < b->low ? -1 : 1;
    if (a->high != b->high) return a->high > b->high ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static void intervals_put_segment(struct intervals *intervals, uint64_t start, uint32_t id)
{
    if (!intervals->segments) return;
    struct segment *last =
        intervals->segment_count ? &intervals->segments[intervals->segment_count - 1] : NULL;
    if (last && last->start == start) {
        last->id = id;
        return;
    }
    if (last && last->id == id) return;
    intervals->segments[intervals->segment_count++] = (struct segment){start, id};
}

/* Closes the open ranges that end at or before `limit`. */
static size_t intervals_close_until(struct intervals *intervals, uint32_t *open, size_t depth,
                                    uint64_t limit)
{
    const struct interval *items = intervals->items;
    while (depth && items[open[depth - 1]].high <= limit) {
        uint64_t end = items[open[--depth]].high;
        while (depth && items[open[depth - 1]].high <= end) depth--;
        intervals_put_segment(intervals, end, depth ? items[open[depth - 1]].id : INTERVAL_NONE);
    }
    return depth;
}

void intervals_build(struct intervals *intervals)
{
    const size_t count = intervals->count;
    if (!count) return;
    size_t sorted = 1;
    while (sorted < count &&
           interval_order(&intervals->items[sorted - 1], &intervals->items[sorted]) <= 0)
        sorted++;
    if (sorted < count) qsort(intervals->items, count, sizeof *intervals->items, interval_order);
    uint32_t *open = calloc(count, sizeof *open);
    intervals->segments = calloc(2 * count + 1, sizeof *intervals->segments);
    intervals->failed |= !open || !intervals->segments;
    size_t depth = 0;
    for (size_t i = 0; open && intervals->segments && i < count; i++) {
        const struct interval *item = &intervals->items[i];
        depth = intervals_close_until(intervals, open, depth, item->low);
        open[depth++] = (uint32_t)i;
        intervals_put_segment(intervals, item->low, item->id);
    }
    if (open && intervals->segments) intervals_close_until(intervals, open, depth, UINT64_MAX);
    free(open);
    free(intervals->items);
    intervals->items = NULL;
    intervals->count = intervals->capacity = 0;
}

uint32_t intervals_find(const struct intervals *intervals, uint64_t address)
{
    const size_t low = SORTED_UP_TO(intervals->segments, intervals->segment_count, start, address);
    return low ? intervals->segments[low - 1].id : (uint32_t)INTERVAL_NONE;
}

void intervals_free(struct intervals *intervals)
{
    free(intervals->items);
    free(intervals->segments);
    *intervals = (struct intervals){0};
}
