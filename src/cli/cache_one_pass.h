/* SPDX-License-Identifier: MIT */
/* cache_one_pass.h: the verb `cache` with --curve and --sweep: many caches in one pass. */
#ifndef SPOOR_CLI_CACHE_ONE_PASS_H
#define SPOOR_CLI_CACHE_ONE_PASS_H

#include "cli/references.h"
#include "spoor/curve.h"
#include "spoor/sweep.h"

struct one_pass {
    const struct settings *common;
    const struct reference_settings *references;
    const char *sweep, *rate; /* the values of the options; NULL: not given */
    bool curve, csv;
    uint32_t block, unknown_size;
    uint64_t seed;
};

/* Simulates one trace; its result goes to `all` unless that is NULL.  Returns the exit code. */
int one_pass_run(const struct one_pass *pass, const char *path, bool *shown,
                 struct spoor_result *all);

#endif
