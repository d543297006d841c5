/* SPDX-License-Identifier: MIT */
/*
 * paging.h: multi-level page tables, a TLB in front of them, and page replacement, simulated on the
 * addresses of a trace.
 *
 * An address of `address_bits` is split from the top into one index for each level of the table;
 * the remaining bits are the offset in the page.  Frames are assigned in order, from 0.  When no
 * frame is free, a policy chooses the page to replace.  The variants that operating-systems courses
 * published (see each policy) are reproduced access for access.
 */
#ifndef SPOOR_PAGING_H
#define SPOOR_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "component.h"
#include "error.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { SPOOR_PAGE_LEVELS = 16 };

struct spoor_paging_options {
    size_t struct_size;                     /* sizeof this struct */
    unsigned address_bits;                  /* 1 to 64; 0: 32, and more as addresses have them, by
                                             * further levels at the top */
    unsigned level_bits[SPOOR_PAGE_LEVELS]; /* of each level's index, from the top; minimum 1 */
    size_t levels;                          /* at least 1; the offset has at least one bit */
    uint64_t frames;                        /* 0: unlimited */
    const char *policy;                     /* a spec (component.h), as in "nfu:interval=20"; NULL:
                                             * "lru" */
    uint32_t tlb;        /* entries, fully associative, LRU replacement; 0: no TLB */
    uint32_t tlb_recent; /* consider only this many pages accessed last when an entry is replaced (a
                          * course: 10); 0: all */
    uint32_t interval;   /* nfu: its key `interval`, unless the spec has it; 0: 10 */
    uint32_t age;        /* wsclock: its key `age`, unless the spec has it; 0: 10 */
    uint64_t memory;     /* bytes that the TLB may take in this machine's memory; 0: half of what it
                          * has */
};

struct spoor_paging;

/* The outcome of an access. */
struct spoor_page_access {
    uint64_t address, page, frame;
    uint64_t physical; /* frame and offset */
    uint64_t count;    /* accesses of the page so far, this one included */
    bool tlb_hit, page_hit;
    bool replaced; /* a page was replaced: */
    uint64_t replaced_page;
    uint32_t bits; /* nfu: the age bits of the page */
};

/* On SPOOR_OK the caller owns *paging.  SPOOR_EUSAGE with a message: invalid options. */
enum spoor_status spoor_paging_new(struct spoor_paging **paging,
                                   const struct spoor_paging_options *options,
                                   struct spoor_error *error);
void spoor_paging_free(struct spoor_paging *paging);

/* The replacement policy. */
const struct spoor_component *spoor_paging_policy(const struct spoor_paging *paging);
/* True if the policy needs all addresses in advance (opt). */
bool spoor_paging_needs_future(const struct spoor_paging *paging);
/* Announces the next addresses; after the last one, call with count 0. */
enum spoor_status spoor_paging_foresee(struct spoor_paging *paging, const uint64_t *addresses,
                                       size_t count, struct spoor_error *error);

/* Accesses an address.  SPOOR_EINPUT with a message: it has more than the `address_bits` bits that
 * the options state. */
enum spoor_status spoor_paging_access(struct spoor_paging *paging, uint64_t address, bool write,
                                      struct spoor_page_access *access, struct spoor_error *error);
/* Accesses the addresses of references; then the trace ends. */
enum spoor_status spoor_paging_feed(struct spoor_paging *paging,
                                    const struct spoor_reference *references, size_t count,
                                    struct spoor_error *error);
/* A warm-up ends: pages, tables and the TLB stay as they are, and all counts are zero again. */
void spoor_paging_end_warmup(struct spoor_paging *paging);
enum spoor_status spoor_paging_end(struct spoor_paging *paging, struct spoor_error *error);

/* All counts since the beginning, or since the end of the warm-up. */
struct spoor_paging_counts {
    uint64_t accesses, tlb_hits;
    uint64_t page_hits; /* without those that hit in the TLB */
    uint64_t misses, frames, replacements;
    uint64_t table_entries; /* entries of all tables that were allocated */
};
struct spoor_paging_counts spoor_paging_count(const struct spoor_paging *paging);

/* Bytes of a page; the mask of a level's index; the index of an address. */
uint64_t spoor_paging_page_size(const struct spoor_paging *paging);
uint64_t spoor_paging_mask(const struct spoor_paging *paging, size_t level);
uint64_t spoor_paging_index(const struct spoor_paging *paging, uint64_t address, size_t level);

/* Adds accesses, tlb_hits, page_hits, misses, frames, replacements and derived values. */
enum spoor_status spoor_paging_report(const struct spoor_paging *paging,
                                      struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
