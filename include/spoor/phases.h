/* SPDX-License-Identifier: MIT */
/*
 * phases.h: the phases of a program, and the intervals that stand for them, as SimPoint finds them
 * (Sherwood, Perelman, Hamerly, Calder, ASPLOS 2002; SimPoint 3.2).
 *
 *     struct spoor_phases *phases;
 *     spoor_phases_new(&phases, &options, &error);
 *     for each batch, in order: spoor_phases_feed(phases, batch, &error);
 *     spoor_phases_end(phases, &error);           finds the phases
 *     spoor_phases_report(phases, true, result);
 *     spoor_phases_free(phases);
 *
 * The trace is divided into intervals of equally many instructions; interval N ends with the basic
 * block in which instruction (N + 1) * interval is reached.  A basic block begins after a taken
 * branch, which is seen where the next instruction is not the next one in memory, and after every
 * branch that a micro-op trace marks.  The vector of an interval has the share of each block in its
 * instructions, projected on a few random directions.  k-means groups the vectors; the number of
 * groups is the smallest whose score (the Bayesian information criterion) reaches a share of the
 * range of scores.  The interval nearest to the centre of each group is its simpoint, and the
 * weight of the simpoint is the share of the group in all instructions.  The same options and trace
 * give the same result on every machine of IEEE arithmetic.
 *
 * Instructions are INSN records, first micro-ops of macro-ops, or fetches where a trace has
 * neither, but not those of a bus. Memory: 8 bytes per dimension and interval, about 50 bytes per
 * block.
 */
#ifndef SPOOR_PHASES_H
#define SPOOR_PHASES_H

#include "batch.h"
#include "error.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_phases_options {
    size_t struct_size;  /* sizeof this struct */
    uint64_t interval;   /* instructions; 0: 100,000 */
    unsigned dimensions; /* of the projected vectors; 0: 15; at most 256 */
    unsigned clusters;   /* maximum number of phases; 0: 100; at most 1,000 */
    unsigned starts;     /* random starts of k-means, of which the best counts; 0: 5 */
    unsigned iterations; /* maximum of each start; 0: 100 */
    double threshold;    /* share of the range of scores; 0: 0.95 */
    uint64_t seed;       /* of the projection and of the starts */
    bool keep_vectors;   /* keep what spoor_phases_bbv() gives: memory grows with the trace */
};

struct spoor_phases;

/* On SPOOR_OK the caller owns *phases.  SPOOR_EUSAGE: an option is out of range. */
enum spoor_status spoor_phases_new(struct spoor_phases **phases,
                                   const struct spoor_phases_options *options,
                                   struct spoor_error *error);
void spoor_phases_free(struct spoor_phases *phases);
/* Adds a batch; batches come in order. */
enum spoor_status spoor_phases_feed(struct spoor_phases *phases, const struct spoor_batch *batch,
                                    struct spoor_error *error);
/* The trace has ended: groups its intervals. */
enum spoor_status spoor_phases_end(struct spoor_phases *phases, struct spoor_error *error);
/* Fills an object: interval, instructions, intervals, blocks, phases (their number), `search` (each
 * number of groups that was tried, with its score), `simpoints`, and with `over_time` the phase of
 * each interval. */
enum spoor_status spoor_phases_report(const struct spoor_phases *phases, bool over_time,
                                      struct spoor_result *result);

/* The number of intervals. */
size_t spoor_phases_intervals(const struct spoor_phases *phases);
struct spoor_simpoint {
    size_t interval;       /* its number, from 0 */
    uint64_t first, last;  /* its records, both included */
    uint64_t instruction;  /* the number of its first instruction, from 0 */
    uint64_t instructions; /* its length */
    size_t intervals;      /* in its phase */
    double weight;         /* of its phase, 0 to 1; those of all simpoints add up to 1 */
};
/* The simpoint of a phase; false past the end. */
bool spoor_phases_simpoint(const struct spoor_phases *phases, size_t phase,
                           struct spoor_simpoint *simpoint);
/* The phase of an interval, and its projected vector of `*dimensions` numbers. */
size_t spoor_phases_of(const struct spoor_phases *phases, size_t interval);
const double *spoor_phases_vector(const struct spoor_phases *phases, size_t interval,
                                  unsigned *dimensions);
/* The vectors before the projection, as SimPoint reads them: for each interval a line
 * "T:BLOCK:INSTRUCTIONS :BLOCK:INSTRUCTIONS ..." with blocks numbered from 1 in order of first use;
 * `*size` bytes that belong to `phases`.  NULL without `keep_vectors`. */
const char *spoor_phases_bbv(const struct spoor_phases *phases, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
