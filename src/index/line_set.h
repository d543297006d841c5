/* SPDX-License-Identifier: MIT */
/*
 * line_set.h: sets of 64-byte lines of memory: one word holds the 64 lines of a page.
 *
 * A set is filled from addresses, then packed page by page in order.  Each page is packed as its
 * distance from the previous one and the mask of its lines.  Queries read the packed form.
 */
#ifndef SPOOR_INDEX_LINE_SET_H
#define SPOOR_INDEX_LINE_SET_H

#include "base/hash_map.h"
#include "base/varint.h"

enum { LINE_SHIFT = 6, LINES_PAGE_SHIFT = 12 };

struct line_page {
    uint64_t page, lines;
};
struct line_set {
    struct hash_map pages;  /* struct line_page */
    struct line_page *last; /* page of the last addition; the next one often is the same */
    bool failed;            /* memory ran out */
};

void line_set_add_page(struct line_set *set, uint64_t page, uint64_t lines);
/* Returns the number of the next line; the first follows the last. */
static inline uint64_t line_after(uint64_t line)
{
    return (line + 1) & (UINT64_MAX >> LINE_SHIFT);
}
static inline void line_set_add(struct line_set *set, uint64_t address, uint64_t size)
{
    const uint64_t first = address >> LINE_SHIFT, last = (address + size - 1) >> LINE_SHIFT;
    if (first == last && set->last && set->last->page == address >> LINES_PAGE_SHIFT) {
        set->last->lines |= UINT64_C(1) << (first % 64);
        return;
    }
    for (uint64_t line = first;; line = line_after(line)) {
        line_set_add_page(set, line / 64, UINT64_C(1) << (line % 64));
        if (line == last) break;
    }
}
/* Appends the set to the text and empties it. */
void line_set_pack(struct line_set *set, struct text *text);
void line_set_free(struct line_set *set);

/* True if a packed set contains a line of the range of addresses, both ends included.  `from` is at
 * the beginning of the set, and after it on return. */
bool lines_have(struct unpacker *from, uint64_t first, uint64_t last);
/* Adds a packed set to another. */
void lines_add(struct unpacker *from, struct line_set *set);
/* Calls the function with the first address and the size of every run of adjacent lines, in order;
 * stops if it returns false.  This sorts the set; nothing may be added afterwards. */
bool line_set_each(struct line_set *set,
                   bool (*function)(void *context, uint64_t address, uint64_t size), void *context);
/* Continues after the set. */
void lines_pass(struct unpacker *from);

#endif
