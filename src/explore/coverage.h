/* SPDX-License-Identifier: MIT */
/* explore/coverage.h: what coverage.c gathers and coverage_report.c shows. */
#ifndef SPOOR_EXPLORE_COVERAGE_H
#define SPOOR_EXPLORE_COVERAGE_H

#include "base/hash_map.h"
#include "image/strings.h"
#include "spoor/coverage.h"
#include "spoor/view.h"

/* An instruction that ran. */
struct executed {
    uint64_t pc, count, taken, not_taken;
    uint32_t size; /* bytes; 0: not stated */
    bool branch;   /* conditional */
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
/* An instruction of a function that ran, wherever the program was loaded. */
struct covered_part {
    const char *file, *name; /* the function's */
    uint32_t line, size;
    uint64_t offset; /* in the function */
};
struct covered_branch {
    const char *file;
    uint32_t line, ordinal; /* among the branches of the line, by address */
    uint64_t taken, not_taken;
};

/* A growing array. */
struct rows_of {
    void *items;
    size_t count, capacity;
};

enum { PATTERNS = 64 };

struct spoor_coverage {
    struct strings strings; /* file and function names, interned: equal ones are one */
    const char *patterns[PATTERNS];
    size_t pattern_count;
    bool failed; /* memory ran out */
    /* the trace at hand */
    struct hash_map executed; /* of struct executed, by pc */
    struct spoor_references references;
    struct spoor_branches branches_of_trace;
    /* all traces */
    uint64_t traces, instructions;
    struct rows_of addresses, lines, functions, parts, branches;
};

#endif
