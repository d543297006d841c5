/* SPDX-License-Identifier: MIT */
/*
 * coverage.h: which instructions, lines, functions and branches of a program ran, and which never.
 *
 *     struct spoor_coverage *coverage = spoor_coverage_new();
 *     for each trace:
 *         for each batch, in order: spoor_coverage_feed(coverage, batch);
 *         spoor_coverage_end_trace(coverage, images);
 *     spoor_coverage_report(coverage, SPOOR_COVERAGE_FUNCTIONS, false, result);
 *     spoor_coverage_free(coverage);
 *
 * An executed instruction counts, also one whose condition fails; in a trace that has no
 * instructions, a fetch does.  The count of a line is that of its most executed instruction: a
 * loop's line counts its turns.  The count of a function is that of its first instruction.
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

/* NULL if memory runs out. */
struct spoor_coverage *spoor_coverage_new(void);
void spoor_coverage_free(struct spoor_coverage *coverage);

/* Of files, only those whose name fits one of the shell patterns (fnmatch) are counted; before the
 * first trace.  The pattern must outlive the coverage. */
bool spoor_coverage_only(struct spoor_coverage *coverage, const char *pattern);

/* Counts only these instructions; only those of the processor of this name.  Before the first
 * trace; what they point at must outlive the coverage. */
void spoor_coverage_select(struct spoor_coverage *coverage, const struct spoor_select *where);
void spoor_coverage_cpu(struct spoor_coverage *coverage, const char *cpu);

/* Adds batches of one trace, in order.  False: memory ran out. */
bool spoor_coverage_feed(struct spoor_coverage *coverage, const struct spoor_batch *batch);
/* Call it at the end of a trace: adds the instructions that it executed in the images (NULL: only
 * addresses) to the totals.  Traces of one program are added, whatever its load address. */
bool spoor_coverage_end_trace(struct spoor_coverage *coverage, struct spoor_images *images);

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
void spoor_coverage_report(const struct spoor_coverage *coverage, enum spoor_coverage_unit unit,
                           bool missing, struct spoor_result *result);

/* lcov's tracefile, as genhtml reads it; a string that the caller frees, NULL if memory runs out.
 */
char *spoor_coverage_to_lcov(const struct spoor_coverage *coverage, size_t *size);

#ifdef __cplusplus
}
#endif

#endif
