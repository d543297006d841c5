/* SPDX-License-Identifier: MIT */
/*
 * digest.h: what a batch contributes to its segment, made by the thread that decoded it, while the
 * records are in its cache.
 *
 * A digest depends on the records of its batch alone, before what they inherit from earlier batches
 * is resolved.  It lists the pages that they touch, the writes of registers that no later write of
 * the batch covers, and the records that may open or close a call.  The ordered stage adds digests
 * to the segment, with the same result as if it added each record.  A batch with records that
 * cannot be digested has no digest and is added record by record.
 */
#ifndef SPOOR_INDEX_DIGEST_H
#define SPOOR_INDEX_DIGEST_H

#include "index/index.h"
#include "index/line_set.h"

enum {
    DIGEST_REGISTERS = 256,
    DIGEST_FLAGS = DIGEST_REGISTERS, /* number of the flags of micro-ops */
    DIGEST_CPUS = 32,                /* a batch with more has no digest */
};

/* Lines of a page that are in a set; a page may come several times. */
struct digest_page {
    uint64_t page; /* number plus 1; the set is in the high byte */
    uint64_t lines;
};
#define DIGEST_SET_SHIFT 56

/* A virtual page and its physical page, as an address of each. */
struct digest_tie {
    uint64_t va, pa;
    uint8_t space;
};

struct digest_write {
    uint32_t record; /* index in the batch; NO_RECORD: another write covers it */
    uint32_t cpu;    /* number in `cpus` */
};

/* A record to be added to the calls. */
struct digest_event {
    uint32_t record;
    uint32_t passed; /* CONTINUES: instructions before it that are not listed, one after another */
    uint8_t cpu;     /* number in `cpus` */
    bool continues;  /* an instruction that the last one of its processor leads to */
    bool halves;     /* it, or one that is not listed, has two bytes and no stated set */
};

/* In batch->view. */
struct digest {
    bool whole;     /* all records are in it; else it has nothing */
    bool micro_ops; /* they are micro-ops, without times and processors */
    bool addresses; /* some name an address that is in no set */
    bool agents;
    uint64_t pc_low, pc_high; /* low > high: there are no instructions */
    struct digest_page *pages;
    struct digest_tie *ties;
    struct digest_event *events;
    size_t page_count, tie_count, event_count;
    /* Micro-ops: registers in the order of their first writes, and their last writers. */
    uint16_t registers[DIGEST_REGISTERS + 1];
    uint32_t writers[DIGEST_REGISTERS + 1]; /* by number: index of the record, plus 1; 0: none */
    uint32_t register_count;
    /* Other records: the first write of each register, for its name, and the writes that count. */
    uint32_t *names;
    struct digest_write *writes;
    size_t name_count, write_count;
    /* The processors: index of the first record that names each.  Number 0 is the processor named
     * last before the batch, whose records come before cpus[1]. */
    uint32_t cpus[DIGEST_CPUS];
    unsigned cpu_count;
};
#define NO_RECORD UINT32_MAX

/* Makes the batch's digest; batch->out_of_memory is set if memory runs out.  `names`: those that
 * the records refer to. */
void digest_batch(struct spoor_batch *batch, const struct spoor_names *names);

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
