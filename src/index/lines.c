/* SPDX-License-Identifier: MIT */
/* lines.c: sets of lines: a hash table of pages while they are filled, a sorted list afterwards. */
#include "index/lines.h"

#include <stdlib.h>

#include "base/hash.h"

enum { MIN_PAGES = 256 };

static struct line_page *find(const struct line_set *set, uint64_t page)
{
    size_t at = (size_t)hash_mix(0, page) & (set->capacity - 1);
    while (set->pages[at].page && set->pages[at].page != page + 1)
        at = (at + 1) & (set->capacity - 1);
    return &set->pages[at];
}

static bool grow(struct line_set *set)
{
    struct line_set larger = {.capacity = set->capacity ? 2 * set->capacity : MIN_PAGES,
                              .count = set->count,
                              .failed = set->failed};
    larger.pages = calloc(larger.capacity, sizeof *larger.pages);
    if (!larger.pages) return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->pages[i].page) *find(&larger, set->pages[i].page - 1) = set->pages[i];
    free(set->pages);
    *set = larger;
    return true;
}

void line_set_add_page(struct line_set *set, uint64_t page, uint64_t lines)
{
    if (set->count * 2 >= set->capacity && !grow(set)) {
        set->failed = true;
        return;
    }
    struct line_page *found = find(set, page);
    set->count += found->page == 0;
    found->page = page + 1;
    found->lines |= lines;
    set->last = found;
}

static int by_page(const void *a, const void *b)
{
    const uint64_t one = ((const struct line_page *)a)->page,
                   other = ((const struct line_page *)b)->page;
    return one < other ? -1 : one > other;
}

void line_set_pack(struct line_set *set, struct text *text)
{
    size_t count = 0;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->pages[i].page) set->pages[count++] = set->pages[i];
    if (count) qsort(set->pages, count, sizeof *set->pages, by_page);
    text_varint(text, count);
    uint64_t before = 0;
    for (size_t i = 0; i < count; i++) {
        text_varint(text, set->pages[i].page - 1 - before);
        text_varint(text, set->pages[i].lines);
        before = set->pages[i].page - 1;
    }
    if (set->capacity) memset(set->pages, 0, set->capacity * sizeof *set->pages);
    set->count = 0;
    set->last = NULL;
}

void line_set_free(struct line_set *set)
{
    free(set->pages);
    *set = (struct line_set){0};
}

/* Returns the lines of a page that lie in a range of lines. */
static uint64_t lines_within(uint64_t page, uint64_t first, uint64_t last)
{
    uint64_t lines = UINT64_MAX;
    if (page < first / 64 || page > last / 64) return 0;
    if (page == first / 64) lines &= UINT64_MAX << (first % 64);
    if (page == last / 64) lines &= UINT64_MAX >> (63 - last % 64);
    return lines;
}

bool lines_have(struct unpacker *from, uint64_t first, uint64_t last)
{
    uint64_t page = 0;
    bool found = false;
    for (uint64_t count = unpack(from); count > 0 && !from->failed; count--) {
        page += unpack(from);
        const uint64_t lines = unpack(from);
        found |= lines & lines_within(page, first >> LINE_SHIFT, last >> LINE_SHIFT);
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
    size_t count = 0;
    uint64_t begin = 0, end = 0; /* first and last line of the current run */
    for (size_t i = 0; i < set->capacity; i++)
        if (set->pages[i].page) set->pages[count++] = set->pages[i];
    if (count) qsort(set->pages, count, sizeof *set->pages, by_page);
    for (size_t i = 0; i < 64 * count; i++) {
        const uint64_t line = 64 * (set->pages[i / 64].page - 1) + i % 64;
        if (!(set->pages[i / 64].lines >> (i % 64) & 1)) continue;
        if (end > begin && line != end) {
            if (!function(context, begin << LINE_SHIFT, (end - begin) << LINE_SHIFT)) return false;
            begin = line;
        }
        if (end == begin) begin = line;
        end = line + 1;
    }
    return end == begin || function(context, begin << LINE_SHIFT, (end - begin) << LINE_SHIFT);
}

uint64_t lines_count(struct unpacker *from)
{
    uint64_t lines = 0;
    for (uint64_t count = unpack(from); count > 0 && !from->failed; count--) {
        unpack(from);
        lines += (uint64_t)__builtin_popcountll(unpack(from));
    }
    return lines;
}
