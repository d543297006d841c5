/* SPDX-License-Identifier: MIT */
/*
 * level_sweep.h: --sweep of the keys of caches and TLBs: each combination is a system of its own,
 * and all of them are fed in one pass over the trace.
 */
#ifndef SPOOR_CLI_LEVEL_SWEEP_H
#define SPOOR_CLI_LEVEL_SWEEP_H

#include "cli/references.h"
#include "cli/simpoints.h"
#include "cli/sweep_axes.h"
#include "spoor/cache.h"

enum { MAX_LEVEL_SWEEP = 1024 };

struct level_sweep {
    const struct settings *common;
    const struct reference_settings *references;
    const struct sweep *sweep;
    const char *const *levels; /* descriptions, "NAME:A,B,C[,KEY=VALUE...]" */
    size_t level_count;
    const char *places[3]; /* the keys of A, B and C: size, ways, block */
    struct spoor_cache_options options;
    enum spoor_cache_takes takes; /* of every level; 0: as described */
    enum spoor_status (*parse)(struct spoor_cache_level *level, const char *words,
                               struct spoor_error *error);
    void (*report)(const struct spoor_cache_system *system, size_t index, struct spoor_result *row);
};

/* Runs all combinations; its context is a struct level_sweep.  A key is of the first level, or of
 * that of "NAME.KEY".  A result has a row for each combination and level: the keys, the level's
 * name, all its counts. */
extern const struct interval_simulator level_sweep_simulator;

#endif
