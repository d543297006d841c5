/* SPDX-License-Identifier: MIT */
/*
 * sampling.h: many short intervals that stand for a trace, weighted by what is known of all of it;
 * and what caches and predictors remember of the records between them.
 *
 *     struct spoor_sampling *sampling;
 *     spoor_sampling_new(&sampling, &options, &error);
 *     for each batch, in order: spoor_sampling_feed(sampling, batch, &error);
 *     spoor_sampling_end(sampling, &error);          chooses the intervals
 *     for (size_t i = 0; spoor_sampling_sample(sampling, i, &sample); i++) ...
 *     spoor_sampling_free(sampling);
 *
 * The trace is divided into intervals of equally many records.  For each, the fold counts what the
 * speed of a machine depends on: instructions, accesses, conditional branches, the accesses that
 * LRU caches of several sizes miss (stack distances); and what pilot machines do that run the whole
 * trace: mispredictions of bimodal, gshare and TAGE-SC-L, misses of caches of 16 KiB to 1 MiB and
 * of TLBs, the cycles of a pipeline (preset `general`).  Two results follow from these counts.
 *
 *   The intervals are chosen with probabilities that grow with how much of all counts they have,
 *   at equal steps of the sum of probabilities along the trace (systematic sampling with unequal
 *   probabilities: Madow, Ann. Math. Stat. 20, 1949).  Rare bursts of misses are so in the sample.
 *
 *   The weights are the inverse probabilities, changed as little as possible so that the weighted
 *   sample has the exact counts of the whole trace (calibration; Deville, Sarndal, JASA 87, 1992;
 *   here raking, whose weights are positive).  A number that depends on the counts, such as the CPI
 *   of a machine or the misses of a cache, is then nearly that of the whole.
 *
 * The same options and trace give the same sample.  Memory: 320 bytes per interval, and that of
 * stack distances for each line of 64 bytes that the trace uses.
 */
#ifndef SPOOR_SAMPLING_H
#define SPOOR_SAMPLING_H

#include "batch.h"
#include "cache.h"
#include "error.h"
#include "pipeline.h"
#include "result.h"
#include "view.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_sampling_options {
    size_t struct_size; /* sizeof this struct */
    uint64_t interval;  /* records; an interval ends before the next instruction; 0: 1,000 */
    size_t size;        /* intervals to choose; 0: 100 */
    uint64_t seed;      /* of the first step along the trace */
};

struct spoor_sampling;

/* On SPOOR_OK the caller owns *sampling. */
enum spoor_status spoor_sampling_new(struct spoor_sampling **sampling,
                                     const struct spoor_sampling_options *options,
                                     struct spoor_error *error);
void spoor_sampling_free(struct spoor_sampling *sampling);
/* Adds a batch; batches come in order. */
enum spoor_status spoor_sampling_feed(struct spoor_sampling *sampling,
                                      const struct spoor_batch *batch, struct spoor_error *error);
/* The trace has ended: chooses the intervals, all of them where there are fewer than `size`. */
enum spoor_status spoor_sampling_end(struct spoor_sampling *sampling, struct spoor_error *error);
/* Fills an object: interval, instructions (of the trace), intervals, seed, sampled (their number),
 * and `simpoints`: weight, interval, first_record, last_record and instructions of each. */
enum spoor_status spoor_sampling_report(const struct spoor_sampling *sampling,
                                        struct spoor_result *result);

/* The number of intervals of the trace, and that of its instructions. */
size_t spoor_sampling_intervals(const struct spoor_sampling *sampling);
uint64_t spoor_sampling_instructions(const struct spoor_sampling *sampling);
/*
 * Replicates of the sample, by which the error of any number that is computed from it is estimated
 * (the delete-a-group jackknife: Kott, J. Official Statistics 17, 2001).  The intervals that chance
 * chose are divided into groups: each has every 16th of them, in the order of the trace.  A
 * replicate leaves out one group, and calibrates the weights of the others again.  The variance of
 * an estimate is 15/16 of the sum of the squares of the differences between the estimates of the
 * replicates and that of the sample (spoor_combine_confidence()).
 */
enum { SPOOR_SAMPLING_REPLICATES = 16 };

/* An interval that was chosen. */
struct spoor_sample {
    size_t interval;       /* its number, from 0 */
    uint64_t first, last;  /* its records, both included */
    uint64_t instructions; /* its length */
    double share;          /* of the trace's instructions that it stands for, 0 to 1; those of all
                            * samples add up to 1 */
    double weight;         /* the number of intervals that it stands for, above 0 */
    const double *replicates; /* SPOOR_SAMPLING_REPLICATES numbers, 0 or more: its weight in each
                               * replicate, divided by `weight`; valid until the sampling is freed;
                               * NULL: fewer intervals than that were chosen by chance */
};
/* The sample of this number, in the order of the trace; false past the end. */
bool spoor_sampling_sample(const struct spoor_sampling *sampling, size_t number,
                           struct spoor_sample *sample);

/* ---- the history before an interval ---- */

/*
 * What caches and predictors remember of the records between two intervals, packed.
 *
 * A cache with LRU replacement has, after any accesses, the blocks that were used last: of each
 * line of memory, only the last use in the gap matters.  An interval that follows the last uses, in
 * their order, begins with the same contents in caches of every size and associativity whose blocks
 * are lines or larger, and in TLBs (the memory timestamp record of Barr, Pan, Zhang, Asanovic:
 * Accelerating Multiprocessor Simulation with a Memory Timestamp Record, ISPASS 2005).  The last
 * fetch of each line of 64 bytes, its last read or write, and its last write are kept, so that
 * lines are modified that were.  Below a first level, and with another policy, the contents are
 * nearly the same.
 *
 * A predictor learns from each branch and from their order: all of them can be kept.  The branch
 * that a program executes next depends on the one before, but for few: a conditional branch takes
 * about one bit.  So a predictor that counts the gaps and the intervals has the mispredictions of
 * the whole trace.
 *
 * Store sets learn from loads that issued before an older store to the same address was done, a few
 * in 10,000 micro-ops.  Which do, depends on the machine; a good predictor that runs far ahead has
 * nearly all that others have.
 *
 * Of micro-ops only: the branches of other records are known by the instruction that follows.
 *
 *     struct spoor_history *history;
 *     spoor_history_new(&history, &options, &error);
 *     for each gap:
 *         spoor_history_begin(history, false, &error);
 *         for each batch of it: spoor_history_feed(history, batch, from, to, &error);
 *         spoor_history_end(history, &error);
 *     bytes = spoor_history_pack(history, &size);
 *     spoor_history_free(history);
 *
 * Caches and TLBs of usual shapes have their misses for the whole trace: the references of all gaps
 * are kept, without those that no such cache misses (enum spoor_reduced).
 *
 * Memory: what is packed, about one byte for each branch and three for each reference of those, 80
 * bytes for each branch of the program with its outcome and target, and 40 bytes for each line that
 * a gap uses; of the last 2^20 references, 400 bytes for each line and 24 for each that is kept.
 */
struct spoor_history_options {
    size_t struct_size; /* sizeof this struct */
    bool branches;      /* keep all branches */
    bool violations;    /* keep the violations of the memory order in a pipeline (preset `general`
                         * with TAGE-SC-L), which runs all records of the gaps */
};

struct spoor_history;

/* On SPOOR_OK the caller owns *history. */
enum spoor_status spoor_history_new(struct spoor_history **history,
                                    const struct spoor_history_options *options,
                                    struct spoor_error *error);
void spoor_history_free(struct spoor_history *history);
/* A gap begins; spoor_history_end() has ended the one before.  `whole`: all references are kept, as
 * they are, so that caches can simulate its records and not only remember them. */
enum spoor_status spoor_history_begin(struct spoor_history *history, bool whole,
                                      struct spoor_error *error);
/* Adds the records of a batch with the indexes `from` to `to` - 1, at most the batch's count;
 * batches come in order.  Records other than micro-ops are passed over. */
enum spoor_status spoor_history_feed(struct spoor_history *history, const struct spoor_batch *batch,
                                     size_t from, size_t to, struct spoor_error *error);
/* The gap has ended. */
enum spoor_status spoor_history_end(struct spoor_history *history, struct spoor_error *error);
/* The gaps that have ended, as the bytes of a file that spoor_replay_open() reads
 * (docs/formats/history.md); NULL: memory ran out.  Valid until the next call for this history. */
const char *spoor_history_pack(struct spoor_history *history, size_t *size);

/*
 * References of all gaps, which come one after another, without those that no cache of some shapes
 * misses.  Fed to such caches, they cause the misses, evictions and write-backs of all references.
 * Fetches and accesses to data enter at different caches if nothing else is stated; the caches
 * below them have any shape.  Fully associative LRU caches are among those of SPOOR_REDUCED_USUAL
 * and UNIFIED from 512 blocks on, LARGE from 256, SMALL from 64, PAGES from 16.  Where misses are
 * classified, each cache has as many blocks, and is not FIFO.
 */
enum spoor_reduced {
    SPOOR_REDUCED_NONE,
    SPOOR_REDUCED_USUAL,   /* LRU caches of 64 sets or a multiple, 8 ways or more, and blocks of 64
                            * bytes */
    SPOOR_REDUCED_LARGE,   /* the same with 4 ways or more */
    SPOOR_REDUCED_SMALL,   /* caches of 32 sets or a multiple and blocks of 64 bytes, or 16 sets and
                            * 128 bytes, any ways, and a policy that a second use of a block leaves as
                            * it is: LRU, PLRU, FIFO, random */
    SPOOR_REDUCED_UNIFIED, /* as USUAL, but where fetches and data enter at the same caches */
    SPOOR_REDUCED_PAGES, /* LRU TLBs of 4 sets or a multiple and 4 ways or more, with pages of 4, 16
                          * or 64 KiB or 2 MiB; of 16 sets and 2 ways or more, with 4 KiB */
    SPOOR_REDUCED_KINDS
};
/* The references that give the caches of a system their counts for the whole trace, with
 * spoor_cache_system_complete(); SPOOR_REDUCED_NONE: all of them are needed. */
enum spoor_reduced spoor_reduced_for(const struct spoor_cache_system *system);

/* Reads a file of the bytes that spoor_history_pack() returned. */
struct spoor_replay;

/* On SPOOR_OK the caller owns *replay, which has the file in memory.  Without `branches`, it has no
 * branches, and is opened in less time.  SPOOR_EINPUT: the file cannot be read, it is no history,
 * or damaged, or one of another layout. */
enum spoor_status spoor_replay_open(struct spoor_replay **replay, const char *path, bool branches,
                                    struct spoor_error *error);
void spoor_replay_close(struct spoor_replay *replay);
/* The number of gaps. */
size_t spoor_replay_gaps(const struct spoor_replay *replay);
/* True if the history was collected with branches. */
bool spoor_replay_has_branches(const struct spoor_replay *replay);
/* The instructions of a gap. */
uint64_t spoor_replay_instructions(const struct spoor_replay *replay, size_t number);
/* Goes to the beginning of a gap, from 0; past the last, there is nothing to read. */
void spoor_replay_begin(struct spoor_replay *replay, size_t number);
/* The next branches of the gap, in order: at most 1,024, which stay valid until the next call;
 * NULL: there are no more.  Their `gap` is 0. */
const struct spoor_branch *spoor_replay_branches(struct spoor_replay *replay, size_t *count);
/* The same for its references: fetches, reads and writes of one byte at the beginning of a line; of
 * a gap that was kept whole, those of spoor_references_add(). */
const struct spoor_reference *spoor_replay_references(struct spoor_replay *replay, size_t *count);
/* Goes to the first of the reduced references of all gaps: spoor_replay_references() reads on from
 * there.  SPOOR_EINPUT: they cannot be read, or are damaged. */
enum spoor_status spoor_replay_begin_reduced(struct spoor_replay *replay, enum spoor_reduced kind,
                                             struct spoor_error *error);
/* The accesses of all gaps, to blocks of 64 bytes and more; valid until the replay is closed. */
const struct spoor_access_totals *spoor_replay_totals(const struct spoor_replay *replay);
/* The violations of the memory order in a gap (spoor_pipeline_learn()), at any time; NULL: it has
 * none.  Valid until the replay is closed. */
const struct spoor_memory_violation *spoor_replay_violations(const struct spoor_replay *replay,
                                                             size_t number, size_t *count);

#ifdef __cplusplus
}
#endif

#endif
