/* SPDX-License-Identifier: MIT */
/* report.c: the counts of a system as a result. */
#include "model/options.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/system.h"
#include "spoor/tlb.h"

static uint64_t sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned op = 0; op < SPOOR_CACHE_KINDS; op++) all += counts[op];
    return all;
}

static double ratio(uint64_t misses, uint64_t accesses)
{
    return accesses ? (double)misses / (double)accesses : 0;
}

/* ---- caches ---- */

/* `data`: the trace states data accesses. */
static void report_usual(const struct cache *cache, bool data, struct spoor_result *row)
{
    const struct spoor_cache_counts *counts = &cache->counts;
    const uint64_t accesses = sum(counts->accesses), misses = sum(counts->misses);
    const bool known = data || accesses > 0, classed = known && cache->shadow;
    spoor_result_text(row, "name", cache->name);
    spoor_result_unsigned_if(row, "fetches", known, counts->accesses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned_if(row, "reads", data, counts->accesses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned_if(row, "writes", data, counts->accesses[SPOOR_REFERENCE_WRITE]);
    spoor_result_unsigned_if(row, "fetch_misses", known, counts->misses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned_if(row, "read_misses", data, counts->misses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned_if(row, "write_misses", data, counts->misses[SPOOR_REFERENCE_WRITE]);
    spoor_result_unsigned_if(row, "misses", known, misses);
    spoor_result_real_if(row, "miss_ratio", known, ratio(misses, accesses), 4);
    spoor_result_unsigned_if(row, "writebacks", data, counts->writebacks);
    spoor_result_unsigned_if(row, "bytes_in", known, counts->bytes_in);
    spoor_result_unsigned_if(row, "bytes_out", data, counts->bytes_out);
    spoor_result_unsigned_if(row, "compulsory", classed, sum(counts->compulsory));
    spoor_result_unsigned_if(row, "capacity", classed, sum(counts->capacity));
    spoor_result_unsigned_if(row, "conflict", classed, sum(counts->conflict));
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

/* ---- TLBs ---- */

static void report_tlb(const struct cache *cache, struct spoor_result *row)
{
    const struct spoor_cache_counts *counts = &cache->counts;
    const uint64_t lookups = sum(counts->accesses), misses = sum(counts->misses);
    spoor_result_text(row, "name", cache->name);
    spoor_result_unsigned(row, "entries", cache->sets * cache->ways);
    spoor_result_size(row, "page_size", cache_block_size(cache));
    spoor_result_size(row, "reach", cache->sets * cache->ways * cache_block_size(cache));
    spoor_result_unsigned(row, "lookups", lookups);
    spoor_result_unsigned(row, "misses", misses);
    spoor_result_real(row, "miss_ratio", ratio(misses, lookups), 6);
    spoor_result_unsigned(row, "fetch_misses", counts->misses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned(row, "read_misses", counts->misses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned(row, "write_misses", counts->misses[SPOOR_REFERENCE_WRITE]);
    if (!cache->shadow) return;
    spoor_result_unsigned(row, "compulsory", sum(counts->compulsory));
    spoor_result_unsigned(row, "capacity", sum(counts->capacity));
    spoor_result_unsigned(row, "conflict", sum(counts->conflict));
}

void spoor_tlb_report_row(const struct spoor_cache_system *system, size_t index,
                          struct spoor_result *row)
{
    report_tlb(&system->caches[index], row);
}

enum spoor_status spoor_tlb_report(const struct spoor_cache_system *system,
                                   struct spoor_result *result)
{
    uint64_t walks = 0;
    struct spoor_result *tlbs = spoor_result_array(result, "tlbs");
    for (size_t i = 0; i < system->count; i++) {
        report_tlb(&system->caches[i], spoor_result_object(tlbs, NULL));
        if (!system->caches[i].parent) walks += sum(system->caches[i].counts.misses);
    }
    spoor_result_unsigned(result, "walks", walks);
    return result_status(result);
}
