/* SPDX-License-Identifier: MIT */
/* annotate_misses.h: misses of simulated caches, by the instruction that made the access. */
#ifndef SPOOR_CLI_ANNOTATE_MISSES_H
#define SPOOR_CLI_ANNOTATE_MISSES_H

#include "base/hash_map.h"
#include "cli/option.h"
#include "spoor/cache.h"

enum { MISS_DEPTHS = 3 };
struct pc_misses {
    uint64_t pc;                  /* the key */
    uint64_t misses[MISS_DEPTHS]; /* of the level that an access enters, of the next one, ... */
};
struct misses {
    struct spoor_cache_system *system; /* NULL: nothing is simulated */
    struct spoor_references references;
    struct hash_map pcs;
    bool failed;
};

/* False: an error has been printed. */
int misses_open(struct misses *misses, const struct list *levels, uint64_t memory);
void misses_close(struct misses *misses);
/* Simulates a batch; false if memory runs out. */
bool misses_feed(struct misses *misses, const struct spoor_batch *batch);
uint64_t misses_of(const struct misses *misses, uint64_t pc, unsigned depth);

#endif
