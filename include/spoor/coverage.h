/* SPDX-License-Identifier: MIT */
/*
 * coverage.h: which instructions, lines, functions and branches of a program ran, and which never.
 *
 *     struct spoor_coverage *coverage;
 *     spoor_coverage_new(&coverage, &options, &error);
 *     for each trace:
 *         for each batch, in order: spoor_coverage_feed(coverage, batch, &error);
 *         spoor_coverage_end(coverage, images, &error);
 *     spoor_coverage_report(coverage, SPOOR_COVERAGE_FUNCTIONS, false, result);
 *     spoor_coverage_free(coverage);
 *
 * An executed instruction counts, also one whose condition fails; in a trace that has no
 * instructions, a fetch does that is none of a bus.  The count of a line is that of its most
 * executed instruction: a loop's line counts its turns.  The count of a function is that of its
 * first instruction.
 */
#ifndef SPOOR_COVERAGE_H
#define SPOOR_COVERAGE_H

#include "batch.h"
#include "image.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_coverage;
struct spoor_index;

struct spoor_coverage_options {
    size_t struct_size;               /* sizeof this struct */
    const struct spoor_select *where; /* count only these instructions; NULL: all */
    const char *cpu;                  /* those of the processor of this name; NULL: of all */
    const char *const *files;         /* shell patterns (fnmatch): count only files whose name
                                       * fits one of them; NULL: all */
    size_t file_count;
    bool keeps_modules; /* for spoor_coverage_to_drcov(): note which image has each instruction */
};

/* On SPOOR_OK the caller owns *coverage.  What the options point at must outlive it. */
enum spoor_status spoor_coverage_new(struct spoor_coverage **coverage,
                                     const struct spoor_coverage_options *options,
                                     struct spoor_error *error);
void spoor_coverage_free(struct spoor_coverage *coverage);

/* Adds a batch of a trace; batches come in order. */
enum spoor_status spoor_coverage_feed(struct spoor_coverage *coverage,
                                      const struct spoor_batch *batch, struct spoor_error *error);
/* The whole trace from an index (index.h, whose rules hold), instead of spoor_coverage_feed(). */
enum spoor_status spoor_coverage_use_index(struct spoor_coverage *coverage,
                                           const struct spoor_index *index,
                                           struct spoor_error *error);
/* The trace ends: adds the instructions that it executed in the images (NULL: only addresses) to
 * the totals.  Another trace may follow.  Traces of one program are added, whatever its load
 * address. */
enum spoor_status spoor_coverage_end(struct spoor_coverage *coverage, struct spoor_images *images,
                                     struct spoor_error *error);

/* The number of traces, the one that has not ended included. */
uint64_t spoor_coverage_traces(const struct spoor_coverage *coverage);

enum spoor_coverage_unit {
    SPOOR_COVERAGE_SUMMARY,
    SPOOR_COVERAGE_FILES,
    SPOOR_COVERAGE_FUNCTIONS,
    SPOOR_COVERAGE_LINES,
    SPOOR_COVERAGE_BRANCHES,
    SPOOR_COVERAGE_ADDRESSES,
    SPOOR_COVERAGE_CPUS,
};
/* Reports totals, and a row for each unit; `missing`: only units that never ran, and branches that
 * went only one way. */
enum spoor_status spoor_coverage_report(const struct spoor_coverage *coverage,
                                        enum spoor_coverage_unit unit, bool missing,
                                        struct spoor_result *result);

/* A tracefile of lcov, as genhtml reads it: a string of `*size` bytes that the caller frees; NULL
 * if memory runs out. */
char *spoor_coverage_to_lcov(const struct spoor_coverage *coverage, size_t *size);
/* A log of DynamoRIO's drcov, version 2, as Lighthouse reads it: a block for each instruction, in
 * the image that has it.  Those that no image has are in modules of 4 GiB of addresses.  For a
 * coverage with `keeps_modules`; as above. */
char *spoor_coverage_to_drcov(const struct spoor_coverage *coverage, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
