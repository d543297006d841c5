/* SPDX-License-Identifier: MIT */
/* explore/coverage.h: the data that coverage.c collects and coverage_report.c prints. */
#ifndef SPOOR_EXPLORE_COVERAGE_H
#define SPOOR_EXPLORE_COVERAGE_H

#include "base/hash_map.h"
#include "explore/pc_counts.h"
#include "image/strings.h"
#include "spoor/coverage.h"

/* A row of each list: what is not of its kind is zero.  Rows that are equal up to `number` are
 * combined. */
struct covered {
    const char *file, *name; /* interned; NULL: unknown.  Of a processor: its name */
    uint32_t line;
    bool branch;     /* of an address: a conditional branch */
    uint64_t number; /* address; of a part: its offset in the function, wherever that is loaded; of
                      * a branch: its index among those of the line, by address */
    uint64_t count, taken, not_taken;
    uint64_t size; /* bytes of a function, or of an instruction, 0: not stated; of a processor: its
                    * distinct addresses */
};

struct covered_rows {
    struct covered *items;
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
    /* parts: the executed instructions of functions */
    struct covered_rows addresses, lines, functions, parts, branches, cpus;
};

#endif
