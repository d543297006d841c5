/* SPDX-License-Identifier: MIT */
/*
 * prediction.h: run one or more branch predictors over a trace: a fold over its branches.
 *
 * The predictors are independent: several in one pass give the same results as each alone.  Each
 * cpu (or thread) of the trace has predictors of its own, unless they are shared, as if its
 * branches were a trace alone: a part, a warm-up and windows are of each.  Memory does not grow
 * with the trace.  With `by_branch` it grows with the number of branches in the program, by about
 * 200 bytes each, for the first 262,144 branches of each cpu; the report says how often the others
 * were executed.
 */
#ifndef SPOOR_PREDICTION_H
#define SPOOR_PREDICTION_H

#include "batch.h"
#include "predictor.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_prediction;

struct spoor_prediction_options {
    size_t struct_size;       /* sizeof this struct */
    const char *const *specs; /* the predictors; see spoor_predictor_new() */
    size_t count;             /* 1 to 64 */
    const char *defaults;     /* see spoor_predictor_new_with(); NULL: "" */
    uint64_t warmup;          /* branches at the beginning that train the predictors and are not
                               * counted */
    bool part;                /* use only a part of the trace: */
    uint64_t first, last;     /* with `part`: the branches from `first` to `last`, both included and
                               * counted from 0.  The warm-up begins at `first` */
    bool unconditional;       /* predict every branch as if it were conditional */
    bool by_branch;           /* count for each branch of the program */
    bool shared;              /* all cpus of the trace share one set of predictors */
    uint64_t memory; /* bytes that the predictors may take in this machine's memory; 0: half
                      * of what it has */
};

/* On SPOOR_OK the caller owns *prediction; else `error` has a message. */
enum spoor_status spoor_prediction_new(struct spoor_prediction **prediction,
                                       const struct spoor_prediction_options *options,
                                       struct spoor_error *error);
void spoor_prediction_free(struct spoor_prediction *prediction);

/* Adds the next branches of the trace. */
enum spoor_status spoor_prediction_feed(struct spoor_prediction *prediction,
                                        const struct spoor_branch *branches, size_t count,
                                        struct spoor_error *error);
/* A warm-up whose length is not known in advance, instead of the options' `warmup`: begin it before
 * the first branch, which then only trains the predictors, as the following ones do; end it before
 * the first branch that counts. */
void spoor_prediction_begin_warmup(struct spoor_prediction *prediction);
void spoor_prediction_end_warmup(struct spoor_prediction *prediction);
/* Goes on with the predictors that `before` has trained, on an earlier part of the same program;
 * call it before the first branch.  The counts of both stay.  `before` gets the untrained
 * predictors and is only good for reports then.  SPOOR_EUSAGE: the predictors, or values of their
 * keys, differ; nothing has changed. */
enum spoor_status spoor_prediction_continue(struct spoor_prediction *prediction,
                                            struct spoor_prediction *before,
                                            struct spoor_error *error);
/* The trace has ended; it had `instructions` instructions (struct spoor_branches).  With `part`,
 * the instructions of the part are the sum over its branches of the branch and its gap. */
enum spoor_status spoor_prediction_end(struct spoor_prediction *prediction, uint64_t instructions,
                                       struct spoor_error *error);

/* Names the cpus of a trace that has several, and states the instructions of each: of the cpu whose
 * name in the stream is I, instructions[I], for I below `count` (struct spoor_branch_block).  Call
 * it before the report.  Without it the report numbers them, in the order in which they came, and
 * their instructions end with their last branches. */
void spoor_prediction_name_cpus(struct spoor_prediction *prediction,
                                const struct spoor_stream *stream, const uint64_t *instructions,
                                size_t count);
/* The number of cpus that had branches; 1 where they share predictors. */
size_t spoor_prediction_cpu_count(const struct spoor_prediction *prediction);

/* Fills an object: `branches` and `conditional` (counted ones), `taken` (of the conditional),
 * `instructions`, and `predictors`, an array of `spec`, `asked` (branches that it predicted),
 * `mispredictions`, `rate` (of those predicted) and `mpki` (mispredictions per 1000 instructions;
 * null without instructions), `storage_bits`; with `by_branch`, `branches_left_out`: executions of
 * branches that came after the first 262,144 of a cpu and have no row, where there are any.  Of a
 * trace with several cpus these are sums, and an array `cpus` has a row of the same for each cpu
 * and predictor. */
enum spoor_status spoor_prediction_report(const struct spoor_prediction *prediction,
                                          struct spoor_result *result);

/* Mispredictions over time: windows of the same number of branches each (the last may be shorter),
 * at most 64. */
enum { SPOOR_PREDICTION_WINDOWS = 64 };
size_t spoor_prediction_window_count(const struct spoor_prediction *prediction);
/* True if it is known how many branches a predictor was to predict, and so its mispredictions: if
 * the trace states the kind of no branch, only of predictors that every taken branch asks. */
bool spoor_prediction_known(const struct spoor_prediction *prediction, size_t predictor);
/* MPKI of a predictor in a window; 0 where it has no instructions. */
double spoor_prediction_window_mpki(const struct spoor_prediction *prediction, size_t window,
                                    size_t predictor);
/* An array `over_time`: `first_branch`, `branches`, `instructions`, `mpki_1`, `mpki_2` ... in the
 * order of the predictors; of several cpus, `cpu` before these. */
enum spoor_status spoor_prediction_report_windows(const struct spoor_prediction *prediction,
                                                  struct spoor_result *result);

/* An array `hardest` of at most `maximum` branches, those with the highest number of mispredictions
 * of the first predictor: `pc`, `executed`, `taken` (share), `entropy` (of its outcomes, in bits: 0
 * always the same, 1 random), `local_entropy` (the same, given its last four outcomes: a bound for
 * predictors that see only this branch; compare Yokota, Ootsu, Baba 2008), `share` (of all
 * mispredictions of the first predictor), `wrong_1`, `wrong_2` ...  Of several cpus, as many of
 * each, with `cpu` and its share of the mispredictions of that cpu.  Needs by_branch. */
enum spoor_status spoor_prediction_report_hardest(const struct spoor_prediction *prediction,
                                                  size_t maximum, struct spoor_result *result);
/* An object `comparison` of the first two predictors: `both_right`, `only_first_right`,
 * `only_second_right`, `both_wrong` (executions of conditional branches), and an array `differing`
 * of at most `maximum` branches, those where they differ by the highest number: `pc`, `executed`,
 * `wrong_1`, `wrong_2`, `difference` (of the second from the first); of several cpus, as many of
 * each, with `cpu`.  Needs by_branch and two predictors. */
enum spoor_status spoor_prediction_report_comparison(const struct spoor_prediction *prediction,
                                                     size_t maximum, struct spoor_result *result);

#ifdef __cplusplus
}
#endif

#endif
