/* SPDX-License-Identifier: MIT */
/*
 * paging.h: multi-level page tables, a TLB in front of them, and page replacement, simulated on the
 * addresses of a trace.
 *
 * An address of `address_bits` is cut from the top into one index for each level of the table; what
 * is left is the offset in the page.  Frames are given out in order, from 0; where there are fewer
 * than pages, a policy says which page goes.  The variants that operating-systems courses published
 * (see each policy) hold access for access.
 */
#ifndef SPOOR_PAGING_H
#define SPOOR_PAGING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "error.h"
#include "result.h"

enum { SPOOR_PAGE_LEVELS = 8 };

struct spoor_paging_options {
    unsigned address_bits; /* 1 to 64; 0: 32 */
    unsigned
        level_bits[SPOOR_PAGE_LEVELS]; /* of each level's index, from the top; each at least 1 */
    size_t levels;                     /* at least 1; the offset keeps at least one bit */
    uint64_t frames;                   /* 0: as many as there are pages */
    const char *policy;                /* spoor_page_policy_name(); NULL: "lru" */
    uint32_t tlb;        /* entries, fully associative, least recently used goes; 0: none */
    uint32_t tlb_recent; /* only the so many pages accessed last are looked at for the entry to go
                          * (a course: 10); 0: all */
    uint32_t interval;   /* of nfu: accesses between ticks; 0: 10 */
    uint32_t age;        /* of wsclock: accesses until a page is old; 0: 10 */
};

/* The replacement policies; NULL behind the last. */
const char *spoor_page_policy_name(size_t index);
const char *spoor_page_policy_title(size_t index);

struct spoor_paging;

/* What an access did. */
struct spoor_page_access {
    uint64_t address, page, frame;
    uint64_t physical; /* frame and offset */
    uint64_t count;    /* accesses of the page so far, this one included */
    bool tlb_hit, page_hit;
    bool replaced; /* a page had to go: */
    uint64_t replaced_page;
    uint32_t bits; /* nfu: its string of ages */
};

/* On SPOOR_OK the caller owns *paging.  SPOOR_EUSAGE: the options make no sense, with a sentence.
 */
enum spoor_status spoor_paging_new(struct spoor_paging **paging,
                                   const struct spoor_paging_options *options,
                                   struct spoor_error *error);
void spoor_paging_free(struct spoor_paging *paging);

/* Whether the policy must be told all addresses beforehand (opt). */
bool spoor_paging_needs_future(const struct spoor_paging *paging);
/* Tell the next address that will come; after the last one, call with count 0.  False without
 * memory. */
bool spoor_paging_foresee(struct spoor_paging *paging, const uint64_t *addresses, size_t count);

/* One access.  SPOOR_EINPUT: the address has more than address_bits, with a sentence; SPOOR_ENOMEM.
 */
enum spoor_status spoor_paging_access(struct spoor_paging *paging, uint64_t address, bool write,
                                      struct spoor_page_access *access, struct spoor_error *error);

struct spoor_paging_counts {
    uint64_t accesses, tlb_hits;
    uint64_t page_hits; /* without those that the TLB answered */
    uint64_t misses, frames, replacements;
    uint64_t table_entries; /* of all tables that were needed */
};
struct spoor_paging_counts spoor_paging_count(const struct spoor_paging *paging);

/* Bytes of a page; the mask of a level's index; the index of an address. */
uint64_t spoor_paging_page_size(const struct spoor_paging *paging);
uint64_t spoor_paging_mask(const struct spoor_paging *paging, size_t level);
uint64_t spoor_paging_index(const struct spoor_paging *paging, uint64_t address, size_t level);

/* Add accesses, tlb_hits, page_hits, misses, frames, replacements and what else is known. */
void spoor_paging_report(const struct spoor_paging *paging, struct spoor_result *result);

#endif
