/* SPDX-License-Identifier: MIT */
/* report.c: the counts of a system as a result. */
#include "model/options.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/system.h"

static uint64_t sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned op = 0; op < SPOOR_CACHE_KINDS; op++) all += counts[op];
    return all;
}

/* A number, or null if it was not counted. */
static void put(struct spoor_result *row, const char *key, bool counted, uint64_t value)
{
    if (counted)
        spoor_result_unsigned(row, key, value);
    else
        spoor_result_null(row, key);
}

/* `data`: the trace states data accesses. */
static void report_usual(const struct cache *cache, bool data, struct spoor_result *row)
{
    const struct spoor_cache_counts *counts = &cache->counts;
    const uint64_t accesses = sum(counts->accesses), misses = sum(counts->misses);
    const bool known = data || accesses > 0, classed = known && cache->shadow;
    spoor_result_text(row, "name", cache->name);
    put(row, "fetches", known, counts->accesses[SPOOR_REFERENCE_FETCH]);
    put(row, "reads", data, counts->accesses[SPOOR_REFERENCE_READ]);
    put(row, "writes", data, counts->accesses[SPOOR_REFERENCE_WRITE]);
    put(row, "fetch_misses", known, counts->misses[SPOOR_REFERENCE_FETCH]);
    put(row, "read_misses", data, counts->misses[SPOOR_REFERENCE_READ]);
    put(row, "write_misses", data, counts->misses[SPOOR_REFERENCE_WRITE]);
    put(row, "misses", known, misses);
    if (known)
        spoor_result_real(row, "miss_ratio", accesses ? (double)misses / (double)accesses : 0, 4);
    else
        spoor_result_null(row, "miss_ratio");
    put(row, "writebacks", data, counts->writebacks);
    put(row, "bytes_in", known, counts->bytes_in);
    put(row, "bytes_out", data, counts->bytes_out);
    put(row, "compulsory", classed, sum(counts->compulsory));
    put(row, "capacity", classed, sum(counts->capacity));
    put(row, "conflict", classed, sum(counts->conflict));
}

/* Counts that only some systems have: each key is in all rows or in none. */
struct more {
    bool misc, blocks, prefetches, crossings, unsized, sharing, recalls;
};

static struct more more_of(const struct spoor_cache_system *system)
{
    struct more more = {0};
    for (size_t i = 0; i < system->count; i++) {
        const struct cache *cache = &system->caches[i];
        more.misc |= cache->counts.accesses[SPOOR_REFERENCE_MISC] != 0;
        more.blocks |= cache->sub_bits != cache->block_bits;
        more.prefetches |= cache->prefetcher != NULL;
        more.crossings |= cache->counts.crossings != 0;
        more.unsized |= cache->counts.unsized != 0;
        more.sharing |= cache->sharing != NULL;
        more.recalls |= cache->inclusion == SPOOR_CACHE_INCLUSIVE;
    }
    return more;
}

static void report_more(const struct cache *cache, const struct more *more,
                        struct spoor_result *row)
{
    const struct spoor_cache_counts *counts = &cache->counts;
    if (more->misc) {
        spoor_result_unsigned(row, "others", counts->accesses[SPOOR_REFERENCE_MISC]);
        spoor_result_unsigned(row, "other_misses", counts->misses[SPOOR_REFERENCE_MISC]);
    }
    if (more->blocks) spoor_result_unsigned(row, "block_misses", sum(counts->block_misses));
    if (more->prefetches) {
        spoor_result_unsigned(row, "prefetches", sum(counts->prefetches));
        spoor_result_unsigned(row, "prefetch_misses", sum(counts->prefetch_misses));
        spoor_result_unsigned(row, "prefetch_useful", counts->prefetch_useful);
    }
    if (more->crossings) spoor_result_unsigned(row, "crossings", counts->crossings);
    if (more->unsized) spoor_result_unsigned(row, "unsized", counts->unsized);
    if (more->sharing) {
        spoor_result_unsigned(row, "invalidations", counts->invalidations);
        spoor_result_unsigned(row, "true_sharing", counts->true_sharing);
        spoor_result_unsigned(row, "false_sharing", counts->false_sharing);
        spoor_result_unsigned(row, "upgrades", counts->upgrades);
        spoor_result_unsigned(row, "interventions", counts->interventions);
    }
    if (more->recalls) spoor_result_unsigned(row, "back_invalidations", counts->back_invalidations);
}

void spoor_cache_system_hide_data(struct spoor_cache_system *system)
{
    system->hides_data = true;
}

void spoor_cache_system_report_row(const struct spoor_cache_system *system, size_t index,
                                   struct spoor_result *row)
{
    const struct more more = more_of(system);
    report_usual(&system->caches[index], !system->hides_data, row);
    report_more(&system->caches[index], &more, row);
}

enum spoor_status spoor_cache_system_report(const struct spoor_cache_system *system, size_t maximum,
                                            bool list_sets, struct spoor_result *result)
{
    const struct more more = more_of(system);
    struct spoor_result *caches = spoor_result_array(result, "caches");
    for (size_t i = 0; i < system->count; i++) {
        struct spoor_result *row = spoor_result_object(caches, NULL);
        report_usual(&system->caches[i], !system->hides_data, row);
        report_more(&system->caches[i], &more, row);
        attribution_report(&system->caches[i], maximum, list_sets, row);
    }
    if (system->unserved) spoor_result_unsigned(result, "references_not_taken", system->unserved);
    return result_status(result);
}
