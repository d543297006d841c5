/* SPDX-License-Identifier: MIT */
/*
 * mix.h: what a program's instructions are like: a fold over batches of records of any format.
 *
 * Definitions are those of the CIS501 course where it has one (a macro-op begins at step 1; an
 * instruction's size is its fall-through less its pc; the bits of a branch's distance are 2 +
 * floor(log2 |pc - target|); classes load, store, unconditional, conditional, other, the first that
 * fits; a fused pair is a flag-writing micro-op directly before a conditional branch), the working
 * set of Denning (1968), and strides as in MICA (Hoste and Eeckhout 2007).
 */
#ifndef SPOOR_MIX_H
#define SPOOR_MIX_H

#include "batch.h"
#include "result.h"

struct spoor_mix_options {
    uint64_t window; /* references in a window of the working set; 0: 100,000 */
    uint64_t page;   /* bytes of a page, a power of two; 0: 4,096 */
    unsigned top;    /* opcodes and registers to report; 0: 20 */
};

struct spoor_mix;

/* NULL without memory. */
struct spoor_mix *spoor_mix_new(const struct spoor_mix_options *options);
void spoor_mix_free(struct spoor_mix *mix);
/* Take a batch in; batches come in order. */
enum spoor_status spoor_mix_feed(struct spoor_mix *mix, const struct spoor_batch *batch,
                                 struct spoor_error *error);
/* Add what `behind` has seen, which follows on `mix` in the trace, with options that are the same.
 * Then `mix` is what it would be had it seen all, macro-ops, pairs, registers' lives and strides
 * across the seam too, with two exceptions.  A window of the working set ends at the seam (and its
 * row says how many references it has) unless all of `behind` still fits in it; and where only the
 * order tells which instruction made an access (lackey, some Tarmac), accesses of `behind` before
 * its first instruction have none. */
enum spoor_status spoor_mix_merge(struct spoor_mix *mix, const struct spoor_mix *behind,
                                  struct spoor_error *error);

/* A bar for a share from 0 to 1, into `text`; how long it is at most is the caller's. */
typedef void spoor_mix_bar(void *context, double share, char *text, size_t room);
/* Put the account into `result` (an object): the keys of spoor-mix(1).  `bar` (or NULL) makes a
 * last column of bars for every histogram. */
void spoor_mix_report(const struct spoor_mix *mix, struct spoor_result *result, spoor_mix_bar *bar,
                      void *context);

#endif
