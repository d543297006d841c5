/* SPDX-License-Identifier: MIT */
/*
 * mix.h: the instruction mix of a program: a fold over batches of records of any format.
 *
 * Definitions are those of the CIS501 course where it has one (a macro-op begins at step 1; an
 * instruction's size is its fall-through less its pc; the bits of a branch's distance are 2 +
 * floor(log2 |pc - target|); classes load, store, unconditional, conditional, other, the first that
 * applies; a fused pair is a flag-writing micro-op directly before a conditional branch), the
 * working set of Denning (1968), and strides as in MICA (Hoste and Eeckhout 2007).
 */
#ifndef SPOOR_MIX_H
#define SPOOR_MIX_H

#include "batch.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_mix_options {
    size_t struct_size; /* sizeof this struct */
    uint64_t window;    /* references in a window of the working set; 0: 100,000 */
    uint64_t page;      /* bytes of a page, a power of two; 0: 4,096 */
    unsigned top;       /* opcodes and registers to report; 0: 20 */
};

struct spoor_mix;

/* On SPOOR_OK the caller owns *mix.  SPOOR_EUSAGE: the page is no power of two. */
enum spoor_status spoor_mix_new(struct spoor_mix **mix, const struct spoor_mix_options *options,
                                struct spoor_error *error);
void spoor_mix_free(struct spoor_mix *mix);
/* Adds a batch; call it with the batches in order. */
enum spoor_status spoor_mix_feed(struct spoor_mix *mix, const struct spoor_batch *batch,
                                 struct spoor_error *error);
/* The trace ends. */
enum spoor_status spoor_mix_end(struct spoor_mix *mix, struct spoor_error *error);
/* Writes a bar for a share from 0 to 1 into `text`, of `capacity` bytes; the callback chooses its
 * maximum length. */
typedef void spoor_mix_bar(void *context, double share, char *text, size_t capacity);
/* Fills `result` (an object) with the keys of spoor-mix(1).  `bar` (or NULL) adds a last column of
 * bars to every histogram. */
enum spoor_status spoor_mix_report(const struct spoor_mix *mix, struct spoor_result *result,
                                   spoor_mix_bar *bar, void *context);

#ifdef __cplusplus
}
#endif

#endif
