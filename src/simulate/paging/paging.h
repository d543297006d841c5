/* SPDX-License-Identifier: MIT */
/* paging.h: the frames of a memory, and the page replacement policies. */
#ifndef SPOOR_SIMULATE_PAGING_H
#define SPOOR_SIMULATE_PAGING_H

#include "base/hash_map.h"
#include "simulate/cache/block_map.h"
#include "simulate/component.h"
#include "simulate/future.h"
#include "spoor/paging.h"

#define NO_FRAME UINT32_MAX

struct frame {
    uint64_t page;
    uint64_t accessed;     /* ordinal of the last access, from 1 */
    uint64_t next;         /* opt: ordinal of the next access */
    uint32_t newer, older; /* lru, fifo: a ring */
    uint16_t bits;         /* nfu */
    bool referenced, dirty;
};

/* A replacement policy.  `hit` and `load` report an access to a frame; `tick` is called for every
 * access, after its hit and before its replacement.  NULL: nothing to do.  Its state are members of
 * the frames and of `paging`, which has the values of its keys. */
struct page_policy {
    struct component component;
    bool needs_future;
    void (*hit)(struct spoor_paging *paging, uint32_t frame);
    void (*tick)(struct spoor_paging *paging);
    uint32_t (*victim)(struct spoor_paging *paging); /* all frames hold pages */
    void (*load)(struct spoor_paging *paging, uint32_t frame);
};

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
    struct component_setup setup; /* of the policy */
    unsigned offset_bits, shifts[SPOOR_PAGE_LEVELS];
    bool widens, widened;  /* an address of more bits adds levels at the top; it has done so */
    struct hash_map pages; /* to the index in `states` */
    struct page_state *states;
    size_t state_capacity;
    struct hash_map tables[SPOOR_PAGE_LEVELS]; /* the allocated tables of each level */
    struct frame *frames;
    size_t frame_count, frame_capacity;
    uint32_t newest, hand; /* frames */
    struct translation *tlb;
    uint32_t tlb_count;
    uint64_t *recent; /* the pages accessed last, latest first; NULL: not stored */
    uint32_t recent_count;
    struct future future;
    uint64_t now; /* the ordinal of the current access */
    struct spoor_paging_counts counts;
};

#endif
