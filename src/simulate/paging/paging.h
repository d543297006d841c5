/* SPDX-License-Identifier: MIT */
/* paging.h: the frames of a memory, and the page replacement policies. */
#ifndef SPOOR_SIMULATE_PAGING_H
#define SPOOR_SIMULATE_PAGING_H

#include "base/hash_map.h"
#include "simulate/cache/block_map.h"
#include "spoor/paging.h"

#define NO_PAGE UINT64_MAX

struct frame {
    uint64_t page;
    uint64_t accessed;     /* ordinal of the last access, from 1 */
    uint64_t next;         /* opt: ordinal of the next access */
    uint32_t newer, older; /* lru, fifo: a ring */
    uint16_t bits;         /* nfu */
    bool referenced, dirty;
};

/* A replacement policy.  `hit` and `load` report an access to a frame; `tick` is called for every
 * access, after its hit and before its replacement.  NULL: nothing to do. */
struct page_policy {
    const char *name, *title;
    bool needs_future;
    bool reports_bits; /* of a replaced page */
    void (*hit)(struct spoor_paging *paging, uint32_t frame);
    void (*tick)(struct spoor_paging *paging);
    uint32_t (*victim)(struct spoor_paging *paging); /* all frames hold pages */
    void (*load)(struct spoor_paging *paging, uint32_t frame);
};
extern const struct page_policy *const page_policies[]; /* NULL-terminated */

/* The entries of a TLB, in no order. */
struct translation {
    uint64_t page, accessed;
};

/* The state of a page: its frame and its number of accesses. */
struct page_state {
    uint64_t count;
    uint32_t frame; /* plus one; 0: not in memory */
};

struct spoor_paging {
    struct spoor_paging_options options;
    const struct page_policy *policy;
    unsigned offset_bits, shifts[SPOOR_PAGE_LEVELS];
    struct hash_map pages; /* to the index in `states` */
    struct page_state *states;
    size_t state_capacity;
    struct hash_map tables[SPOOR_PAGE_LEVELS]; /* the allocated tables of each level */
    struct frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t newest, hand;
    struct translation *tlb;
    uint32_t tlb_count;
    uint64_t *recent; /* the pages accessed last, latest first; NULL: not stored */
    uint32_t recent_count;
    uint64_t *future; /* future pages, then the ordinals of their next accesses */
    size_t future_count, future_capacity;
    uint64_t now; /* the ordinal of the current access */
    struct spoor_paging_counts counts;
};

/* ---- ring.c: frames from newest to oldest ---- */

void ring_insert(struct spoor_paging *paging, uint32_t frame);
void ring_touch(struct spoor_paging *paging, uint32_t frame);
/* Removes the oldest frame. */
uint32_t ring_remove_oldest(struct spoor_paging *paging);

/* ---- translation.c: the TLB ---- */

bool tlb_start(struct spoor_paging *paging);
/* The bytes that its entries take. */
uint64_t tlb_memory(const struct spoor_paging_options *options);
/* True if the page's translation is present; counts as an access. */
bool tlb_access(struct spoor_paging *paging, uint64_t page);
void tlb_fill(struct spoor_paging *paging, uint64_t page);
void tlb_drop(struct spoor_paging *paging, uint64_t page);

/* ---- opt.c ---- */

bool future_pages_add(struct spoor_paging *paging, uint64_t page);
bool future_pages_solve(struct spoor_paging *paging);

#endif
