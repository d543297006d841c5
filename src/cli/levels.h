/* SPDX-License-Identifier: MIT */
/*
 * levels.h: shared by `cache` and `tlb`: the simulation of a system of levels, or of one for each
 * combination of --sweep, all fed in one pass over the trace.
 */
#ifndef SPOOR_CLI_LEVELS_H
#define SPOOR_CLI_LEVELS_H

#include "cli/misses.h"
#include "cli/references.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"
#include "spoor/cache.h"

struct levels {
    const struct settings *common;
    const struct reference_settings *references;
    struct sweep sweep;       /* of any key of a level: without axes there is one system */
    const char *const *items; /* descriptions, "NAME:A,B,C[,KEY=VALUE...]" */
    size_t count;
    const char *places[3]; /* the keys of A, B and C: size, ways, block */
    struct spoor_cache_options options;
    bool counts_physical; /* references whose addresses are physical */
    enum spoor_status (*parse)(struct spoor_cache_level *level, const char *words,
                               struct spoor_error *error);
    /* What the verb's other options change in every level, or refuse. */
    enum spoor_status (*adjust)(const struct levels *levels, struct spoor_cache_level *level,
                                struct spoor_error *error);
    void (*report_row)(const struct spoor_cache_system *system, size_t index,
                       struct spoor_result *row);
    void (*report_cpu)(const struct spoor_cache_system *system, size_t index, size_t cpu,
                       struct spoor_result *row);
    /* Adds the result of one system; `physical`: see counts_physical. */
    void (*report)(const struct levels *levels, struct spoor_cache_system *system,
                   const struct trace_input *input, uint64_t physical, struct spoor_result *result);
    /* Prints the result of one system on a whole trace; NULL: as it is. */
    int (*show)(const struct levels *levels, const struct spoor_cache_system *system,
                const struct spoor_cache_level *parsed, const struct spoor_result *result);
    const void *settings;  /* the verb's, for these functions */
    struct misses *misses; /* what `options` writes requests to, for one system; NULL: nothing */
};

/* Opens the caches that the levels of an option describe, and keeps these in `parsed`; where there
 * are none, *caches stays as it is.  The policy opt is refused with a reason.  Returns the exit
 * code. */
int levels_open_caches(struct spoor_cache_system **caches,
                       struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS],
                       const struct list *levels, const struct spoor_cache_options *how,
                       const char *option, const char *no_opt);
/* Simulates on each trace.  A key of the sweep is of the first level, or of that of "NAME.KEY"; the
 * result then has a row for each combination and level: the keys, the level's name, all its
 * counts.  Returns the exit code. */
int levels_run(struct levels *levels, const struct list *sweep, bool has_addresses);

#endif
