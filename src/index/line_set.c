/* SPDX-License-Identifier: MIT */
/* line_set.c: sets of lines: a hash map of pages while they are filled, a sorted list afterwards.
 */
#include "index/line_set.h"

#include <stdlib.h>

void line_set_add_page(struct line_set *set, uint64_t page, uint64_t lines)
{
    bool added;
    struct line_page *found = hash_map_add(&set->pages, page, sizeof *found, &added);
    if (!found) {
        set->failed = true;
        return;
    }
    found->lines |= lines;
    set->last = found;
}

static int line_set_by_page(const void *a, const void *b)
{
    const uint64_t one = ((const struct line_page *)a)->page,
                   other = ((const struct line_page *)b)->page;
    return one < other ? -1 : one > other;
}

/* Sorts the pages of a set in place; nothing may be added until the set is emptied. */
static const struct line_page *line_set_sorted(struct line_set *set)
{
    struct line_page *pages = hash_map_gather(&set->pages, sizeof *pages);
    if (pages) qsort(pages, set->pages.count, sizeof *pages, line_set_by_page);
    return pages;
}

void line_set_pack(struct line_set *set, struct text *text)
{
    const size_t count = set->pages.count;
    const struct line_page *pages = line_set_sorted(set);
    text_varint(text, count);
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        text_varint(text, pages[i].page - before);
        text_varint(text, pages[i].lines);
        before = pages[i].page;
    }
    hash_map_clear(&set->pages, sizeof *pages);
    set->last = NULL;
}

void line_set_free(struct line_set *set)
{
    hash_map_free(&set->pages);
    *set = (struct line_set){0};
}

bool lines_have(struct unpacker *from, uint64_t first, uint64_t last)
{
    const uint64_t first_line = first >> LINE_SHIFT, last_line = last >> LINE_SHIFT;
    uint64_t page = 0;
    bool found = false;
    for (uint64_t count = unpack(from); count > 0 && !from->failed; count--) {
        page += unpack(from);
        uint64_t lines = unpack(from);
        if (page < first_line / 64 || page > last_line / 64) continue;
        if (page == first_line / 64) lines &= UINT64_MAX << (first_line % 64);
        if (page == last_line / 64) lines &= UINT64_MAX >> (63 - last_line % 64);
        found |= lines != 0;
    }
    return found;
}

void lines_add(struct unpacker *from, struct line_set *set)
{
    uint64_t page = 0;
    for (uint64_t count = unpack(from); count > 0 && !from->failed; count--) {
        page += unpack(from);
        line_set_add_page(set, page, unpack(from));
    }
}

bool line_set_each(struct line_set *set,
                   bool (*function)(void *context, uint64_t address, uint64_t size), void *context)
{
    const size_t count = set->pages.count;
    const struct line_page *pages = line_set_sorted(set);
    uint64_t begin = 0, end = 0; /* first and last line of the current run */
    for (size_t i = 0; i < 64 * count; i++) {
        const uint64_t line = 64 * pages[i / 64].page + i % 64;
        if (!(pages[i / 64].lines >> (i % 64) & 1)) continue;
        if (end > begin && line != end) {
            if (!function(context, begin << LINE_SHIFT, (end - begin) << LINE_SHIFT)) return false;
            begin = line;
        }
        if (end == begin) begin = line;
        end = line + 1;
    }
    return end == begin || function(context, begin << LINE_SHIFT, (end - begin) << LINE_SHIFT);
}

void lines_pass(struct unpacker *from)
{
    for (uint64_t count = unpack(from); count > 0 && !from->failed; count--) {
        unpack(from);
        unpack(from);
    }
}
