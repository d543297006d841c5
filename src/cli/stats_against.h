/* SPDX-License-Identifier: MIT */
/* stats_against.h: what a machine's caches did beside what a simulated design does. */
#ifndef SPOOR_CLI_STATS_AGAINST_H
#define SPOOR_CLI_STATS_AGAINST_H

#include "cli/option.h"
#include "spoor/cache.h"
#include "spoor/machine_stats.h"

struct against {
    struct spoor_cache_system *system; /* NULL: nothing is simulated */
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS];
    size_t count;
    struct spoor_references references;
};

/* The design that the words describe; false: an error has been printed. */
int against_open(struct against *against, const struct list *levels, uint64_t memory);
void against_close(struct against *against);
/* Simulates a batch; false if memory runs out. */
bool against_feed(struct against *against, const struct spoor_batch *batch);
/* Adds `against` and `against_sets` to the report of the statistics. */
void against_report(struct against *against, const struct spoor_machine_stats *stats, size_t top,
                    struct spoor_result *result);

#endif
