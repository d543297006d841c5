/* SPDX-License-Identifier: MIT */
/* digest_pages.h: what the two passes that make digests share: lists of pages. */
#ifndef SPOOR_INDEX_DIGEST_PAGES_H
#define SPOOR_INDEX_DIGEST_PAGES_H

#include "index/digest.h"
#include "index/index.h"
#include "index/line_set.h"

/* ---- digest_records.c ---- */

/* Adds records of any kind but micro-ops; false: the batch has no digest. */
bool digest_records(struct digest *digest, const struct spoor_batch *batch,
                    const struct spoor_names *names);

/* ---- lists of pages, while they are collected ---- */

enum { RECENT_PAGES = 16 };
struct page_collector {
    struct digest *digest;
    struct line_page recent[INDEX_SETS][RECENT_PAGES]; /* by the low bits of the page */
};
static inline void list_page(struct digest *digest, unsigned set, const struct line_page *page)
{
    digest->pages[digest->page_count++] =
        (struct digest_page){page->page | (uint64_t)set << DIGEST_SET_SHIFT, page->lines};
}
/* Adds some lines of a page.  A page that gives way goes to the list. */
static inline void collect_lines(struct page_collector *collector, unsigned set, uint64_t page,
                                 uint64_t lines)
{
    struct line_page *recent = &collector->recent[set][page % RECENT_PAGES];
    if (recent->page != page + 1) {
        if (recent->page) list_page(collector->digest, set, recent);
        *recent = (struct line_page){.page = page + 1};
    }
    recent->lines |= lines;
}
static inline void collect_byte(struct page_collector *collector, unsigned set, uint64_t address)
{
    collect_lines(collector, set, address >> LINES_PAGE_SHIFT,
                  UINT64_C(1) << (address >> LINE_SHIFT) % 64);
}
/* Lists what is left. */
static inline void collect_end(struct page_collector *collector)
{
    for (unsigned set = 0; set < INDEX_SETS; set++)
        for (size_t i = 0; i < RECENT_PAGES; i++)
            if (collector->recent[set][i].page)
                list_page(collector->digest, set, &collector->recent[set][i]);
}

#endif
