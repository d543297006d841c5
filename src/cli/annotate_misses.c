/* SPDX-License-Identifier: MIT */
/* annotate_misses.c: simulate caches on the accesses of a trace and count misses by instruction. */
#include "cli/annotate_misses.h"

#include "cli/cli.h"

int misses_open(struct misses *misses, const struct list *levels, uint64_t memory)
{
    struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS];
    const struct spoor_cache_options options = {.classify = false, .memory = memory};
    struct spoor_error error = {0};
    enum spoor_status status = SPOOR_OK;
    *misses = (struct misses){.system = NULL};
    if (levels->count == 0) return EXIT_CLEAN;
    if (levels->count > SPOOR_CACHE_LEVELS)
        return complain_for(EXIT_USAGE, "--misses: found %zu levels, expected at most %d",
                            levels->count, SPOOR_CACHE_LEVELS);
    for (size_t i = 0; i < levels->count && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&parsed[i], levels->items[i], &error);
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&misses->system, parsed, levels->count, &options, &error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(misses->system))
        status = spoor_error_set(&error, SPOOR_EUSAGE,
                                 "the policy opt needs all accesses in advance: see `spoor cache`");
    return status == SPOOR_OK ? EXIT_CLEAN : fail_option("--misses", &error);
}

void misses_close(struct misses *misses)
{
    spoor_cache_system_free(misses->system);
    spoor_references_free(&misses->references);
    hash_map_free(&misses->pcs);
}

bool misses_feed(struct misses *misses, const struct spoor_batch *batch)
{
    const struct spoor_reference_options options = {.pc_by_order = true};
    if (!misses->system) return true;
    misses->references.count = 0;
    if (spoor_references_add(&misses->references, batch, &options, NULL) != SPOOR_OK) return false;
    for (size_t i = 0; i < misses->references.count; i++) {
        const struct spoor_reference *reference = &misses->references.items[i];
        const unsigned depth = spoor_cache_system_access(misses->system, reference);
        bool added;
        if (depth == 0 || !(reference->has & SPOOR_REFERENCE_HAS_PC)) continue;
        struct pc_misses *pc = hash_map_add(&misses->pcs, reference->pc, sizeof *pc, &added);
        if (!pc) return false;
        for (unsigned j = 0; j < depth && j < MISS_DEPTHS; j++) pc->misses[j]++;
    }
    return !spoor_cache_system_out_of_memory(misses->system);
}

uint64_t misses_of(const struct misses *misses, uint64_t pc, unsigned depth)
{
    const struct pc_misses *found = hash_map_find(&misses->pcs, pc, sizeof *found);
    return found ? found->misses[depth] : 0;
}
