/* SPDX-License-Identifier: MIT */
/* cache_drcachesim.h: the verb `cache` with --like drcachesim. */
#ifndef SPOOR_CLI_CACHE_DRCACHESIM_H
#define SPOOR_CLI_CACHE_DRCACHESIM_H

#include "cli/cli.h"

/* Simulates one trace; its result goes to `all` unless that is NULL.  Returns the exit code. */
int cache_like_drcachesim(const struct settings *settings, bool by_cpu, const char *path,
                          bool *shown, struct spoor_result *all);

#endif
