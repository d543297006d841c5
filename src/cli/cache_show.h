/* SPDX-License-Identifier: MIT */
/* cache_show.h: printing the results of the verb `cache`. */
#ifndef SPOOR_CLI_CACHE_SHOW_H
#define SPOOR_CLI_CACHE_SHOW_H

#include "cli/cli.h"
#include "spoor/cache.h"

struct cache_show {
    bool sfsu;
};

/* Prints the result of one trace; returns the exit code. */
int cache_show(const struct cache_show *show, const struct settings *common,
               const struct spoor_cache_system *system, const struct spoor_cache_level *levels,
               const struct spoor_result *result);

#endif
