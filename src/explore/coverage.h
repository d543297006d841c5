/* SPDX-License-Identifier: MIT */
/* explore/coverage.h: the data that coverage.c collects and coverage_report.c prints. */
#ifndef SPOOR_EXPLORE_COVERAGE_H
#define SPOOR_EXPLORE_COVERAGE_H

#include "base/hash_map.h"
#include "explore/pc_counts.h"
#include "image/strings.h"
#include "spoor/coverage.h"

/* An executed instruction. */
struct executed {
    uint64_t pc, count, taken, not_taken;
    uint32_t size; /* bytes; 0: not stated */
    bool branch;   /* a conditional branch */
};

struct covered_line {
    const char *file;
    uint32_t line;
    uint64_t count;
};
struct covered_function {
    const char *file; /* NULL: unknown */
    const char *name;
    uint32_t line;
    uint64_t count, size;
};
/* An executed instruction of a function, independent of the load address. */
struct covered_part {
    const char *file, *name; /* the function's */
    uint32_t line, size;
    uint64_t offset; /* offset in the function */
};
struct covered_branch {
    const char *file;
    uint32_t line, ordinal; /* ordinal: index among the branches of the line, by address */
    uint64_t taken, not_taken;
};

/* The instructions that a processor executed. */
struct covered_cpu {
    const char *name;
    uint64_t instructions, addresses;
};

/* A growing array. */
struct rows_of {
    void *items;
    size_t count, capacity;
};

struct spoor_coverage {
    struct strings strings; /* file and function names, interned: equal names are one string */
    struct spoor_coverage_options options;
    bool failed; /* memory ran out */
    /* the current trace */
    struct machine machine;
    const struct machine *names; /* of its processors: NULL before its first batch */
    bool started;                /* `machine` is to be freed */
    struct pc_counts counts;
    /* all traces */
    uint64_t traces, instructions;
    struct rows_of addresses, lines, functions, parts, branches, cpus;
};

/* Uses the counts of an index's section instead of batches; `machine` has the names of the
 * processors, and must outlive spoor_coverage_end().  False: the bytes are damaged, or memory
 * ran out. */
bool coverage_use_section(struct spoor_coverage *coverage, const struct machine *machine,
                          const uint8_t *bytes, size_t size);

#endif
