/* SPDX-License-Identifier: MIT */
/* report.c: the counts of a system as a result. */
#include "model/options.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/system.h"
#include "spoor/tlb.h"

static uint64_t cache_sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned op = 0; op < SPOOR_CACHE_KINDS; op++) all += counts[op];
    return all;
}

/* ---- caches ---- */

uint64_t spoor_cache_system_instructions(const struct spoor_cache_system *system)
{
    uint64_t all = 0;
    for (size_t cpu = 0; cpu < spoor_cache_system_cpu_count(system); cpu++)
        all += system_of_cpu(system, cpu)->instructions;
    return all;
}

/* `data`: the trace states data accesses; instructions 0: it states none. */
static void cache_report_usual(const struct cache *cache, const struct spoor_cache_counts *counts,
                               bool data, uint64_t instructions, struct spoor_result *row)
{
    const uint64_t accesses = cache_sum(counts->accesses), misses = cache_sum(counts->misses);
    const bool known = data || accesses > 0, classed = known && cache->shadow;
    spoor_result_text(row, "name", cache->name);
    spoor_result_unsigned_if(row, "fetches", known, counts->accesses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned_if(row, "reads", data, counts->accesses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned_if(row, "writes", data, counts->accesses[SPOOR_REFERENCE_WRITE]);
    spoor_result_unsigned_if(row, "fetch_misses", known, counts->misses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned_if(row, "read_misses", data, counts->misses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned_if(row, "write_misses", data, counts->misses[SPOOR_REFERENCE_WRITE]);
    spoor_result_unsigned_if(row, "hits", known, accesses - misses);
    spoor_result_unsigned_if(row, "misses", known, misses);
    spoor_result_real_if(row, "miss_ratio", known, accesses ? (double)misses / (double)accesses : 0,
                         4);
    if (instructions)
        spoor_result_real_if(row, "mpki", known, 1000.0 * (double)misses / (double)instructions, 4);
    spoor_result_unsigned_if(row, "evictions", known, counts->evictions);
    spoor_result_unsigned_if(row, "writebacks", data, counts->writebacks);
    spoor_result_unsigned_if(row, "bytes_in", known, counts->bytes_in);
    spoor_result_unsigned_if(row, "bytes_out", data, counts->bytes_out);
    spoor_result_unsigned_if(row, "compulsory_misses", classed, cache_sum(counts->compulsory));
    spoor_result_unsigned_if(row, "capacity_misses", classed, cache_sum(counts->capacity));
    spoor_result_unsigned_if(row, "conflict_misses", classed, cache_sum(counts->conflict));
}

/* Counts that only some systems have: each key is in all rows or in none. */
struct cache_extras {
    bool misc, blocks, prefetches, crossings, unsized, sharing, recalls, policy, prefetcher;
};

static struct cache_extras cache_extras_of(const struct spoor_cache_system *system)
{
    struct cache_extras extras = {0};
    for (size_t i = 0; i < system->count; i++) {
        const struct cache *cache = &system->caches[i];
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        extras.misc |= counts->accesses[SPOOR_REFERENCE_MISC] != 0;
        extras.blocks |= cache->sub_bits != cache->block_bits;
        extras.prefetches |= cache->prefetcher != NULL;
        extras.crossings |= counts->crossings != 0;
        extras.unsized |= counts->unsized != 0;
        extras.sharing |= cache->coherence != NULL;
        extras.recalls |= cache->inclusion == SPOOR_CACHE_INCLUSIVE;
        extras.policy |= cache->policy_bits != 0;
        extras.prefetcher |= cache->prefetcher_bits != 0;
    }
    return extras;
}

static void cache_report_prefetches(const struct spoor_cache_counts *counts,
                                    struct spoor_result *row)
{
    spoor_result_unsigned(row, "prefetches", cache_sum(counts->prefetches));
    spoor_result_unsigned(row, "prefetch_misses", cache_sum(counts->prefetch_misses));
    spoor_result_unsigned(row, "prefetch_useful", counts->prefetch_useful);
    spoor_result_unsigned(row, "prefetch_requests", cache_sum(counts->prefetch_requests));
    spoor_result_unsigned(row, "prefetch_request_misses",
                          cache_sum(counts->prefetch_request_misses));
}

static void cache_report_extras(const struct cache *cache, const struct spoor_cache_counts *counts,
                                const struct cache_extras *extras, struct spoor_result *row)
{
    if (extras->misc) {
        spoor_result_unsigned(row, "others", counts->accesses[SPOOR_REFERENCE_MISC]);
        spoor_result_unsigned(row, "other_misses", counts->misses[SPOOR_REFERENCE_MISC]);
    }
    if (extras->blocks) spoor_result_unsigned(row, "block_misses", cache_sum(counts->block_misses));
    if (extras->prefetches) cache_report_prefetches(counts, row);
    if (extras->crossings) spoor_result_unsigned(row, "crossings", counts->crossings);
    if (extras->unsized) spoor_result_unsigned(row, "unsized", counts->unsized);
    if (extras->sharing) {
        spoor_result_unsigned(row, "invalidations", counts->invalidations);
        spoor_result_unsigned(row, "true_sharing", counts->true_sharing);
        spoor_result_unsigned(row, "false_sharing", counts->false_sharing);
        spoor_result_unsigned(row, "upgrades", counts->upgrades);
        spoor_result_unsigned(row, "interventions", counts->interventions);
    }
    if (extras->recalls)
        spoor_result_unsigned(row, "back_invalidations", counts->back_invalidations);
    if (extras->policy)
        spoor_result_unsigned_if(row, "policy_storage_bits", cache->policy_bits,
                                 cache->policy_bits);
    if (extras->prefetcher)
        spoor_result_unsigned_if(row, "prefetcher_storage_bits", cache->prefetcher_bits,
                                 cache->prefetcher_bits);
}

void spoor_cache_system_hide_data(struct spoor_cache_system *system)
{
    system->hides_data = true;
}

void spoor_cache_system_report_row(const struct spoor_cache_system *system, size_t index,
                                   struct spoor_result *row)
{
    const struct cache_extras extras = cache_extras_of(system);
    const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, index);
    cache_report_usual(&system->caches[index], counts, !system->hides_data,
                       spoor_cache_system_instructions(system), row);
    cache_report_extras(&system->caches[index], counts, &extras, row);
}

void spoor_cache_system_report_cpu(const struct spoor_cache_system *system, size_t index,
                                   size_t cpu, struct spoor_result *row)
{
    const struct cache_extras extras = cache_extras_of(system);
    const struct spoor_cache_system *one = system_of_cpu(system, cpu);
    const struct cache *cache = &system->caches[index];
    const struct spoor_cache_counts *counts = cache_system_counts_of(system, cpu, index);
    if (cpu < system->machines.count) cpus_put_name(&system->machines, cpu, row);
    if (one->instructions) spoor_result_unsigned(row, "instructions", one->instructions);
    cache_report_usual(cache, counts, !system->hides_data, one->instructions, row);
    cache_report_extras(&system->caches[index], counts, &extras, row);
}

enum spoor_status spoor_cache_system_report(const struct spoor_cache_system *system, size_t maximum,
                                            bool list_sets, struct spoor_result *result)
{
    const size_t cpus = spoor_cache_system_cpu_count(system);
    const uint64_t instructions = spoor_cache_system_instructions(system);
    uint64_t unserved = 0;
    if (instructions) spoor_result_unsigned(result, "instructions", instructions);
    struct spoor_result *caches = spoor_result_array(result, "caches");
    for (size_t i = 0; i < system->count; i++) {
        struct spoor_result *row = spoor_result_object(caches, NULL);
        spoor_cache_system_report_row(system, i, row);
        if (cpus == 1) attribution_report(&system->caches[i], maximum, list_sets, row);
    }
    struct spoor_result *rows = cpus > 1 ? spoor_result_array(result, "cpus") : NULL;
    for (size_t i = 0; rows && i < system->count; i++)
        for (size_t cpu = 0; cpu < cpus; cpu++) {
            struct spoor_result *row = spoor_result_object(rows, NULL);
            spoor_cache_system_report_cpu(system, i, cpu, row);
            attribution_report(&system_of_cpu(system, cpu)->caches[i], maximum, list_sets, row);
        }
    for (size_t cpu = 0; cpu < cpus; cpu++) unserved += system_of_cpu(system, cpu)->unserved;
    if (unserved) spoor_result_unsigned(result, "references_not_taken", unserved);
    return result_status(result);
}

/* ---- TLBs ---- */

static void tlb_report_counts(const struct cache *cache, const struct spoor_cache_counts *counts,
                              bool prefetches, uint64_t instructions, struct spoor_result *row)
{
    const uint64_t lookups = cache_sum(counts->accesses), misses = cache_sum(counts->misses);
    spoor_result_text(row, "name", cache->name);
    spoor_result_unsigned(row, "entries", cache->sets * cache->ways);
    spoor_result_size(row, "page_size", cache_block_size(cache));
    spoor_result_size(row, "reach", cache->sets * cache->ways * cache_block_size(cache));
    spoor_result_unsigned(row, "lookups", lookups);
    spoor_result_unsigned(row, "misses", misses);
    spoor_result_real(row, "miss_ratio", lookups ? (double)misses / (double)lookups : 0, 6);
    if (instructions)
        spoor_result_real(row, "mpki", 1000.0 * (double)misses / (double)instructions, 4);
    spoor_result_unsigned(row, "fetch_misses", counts->misses[SPOOR_REFERENCE_FETCH]);
    spoor_result_unsigned(row, "read_misses", counts->misses[SPOOR_REFERENCE_READ]);
    spoor_result_unsigned(row, "write_misses", counts->misses[SPOOR_REFERENCE_WRITE]);
    if (prefetches) cache_report_prefetches(counts, row);
    if (!cache->shadow) return;
    spoor_result_unsigned(row, "compulsory_misses", cache_sum(counts->compulsory));
    spoor_result_unsigned(row, "capacity_misses", cache_sum(counts->capacity));
    spoor_result_unsigned(row, "conflict_misses", cache_sum(counts->conflict));
}

void spoor_tlb_report_row(const struct spoor_cache_system *system, size_t index,
                          struct spoor_result *row)
{
    tlb_report_counts(&system->caches[index], spoor_cache_system_counts(system, index),
                      cache_extras_of(system).prefetches, spoor_cache_system_instructions(system),
                      row);
}

void spoor_tlb_report_cpu(const struct spoor_cache_system *system, size_t index, size_t cpu,
                          struct spoor_result *row)
{
    const struct spoor_cache_system *one = system_of_cpu(system, cpu);
    const struct cache *cache = &system->caches[index];
    const struct spoor_cache_counts *counts = cache_system_counts_of(system, cpu, index);
    if (cpu < system->machines.count) cpus_put_name(&system->machines, cpu, row);
    if (one->instructions) spoor_result_unsigned(row, "instructions", one->instructions);
    tlb_report_counts(cache, counts, cache_extras_of(system).prefetches, one->instructions, row);
}

enum spoor_status spoor_tlb_report(const struct spoor_cache_system *system,
                                   struct spoor_result *result)
{
    const size_t cpus = spoor_cache_system_cpu_count(system);
    const uint64_t instructions = spoor_cache_system_instructions(system);
    uint64_t walks = 0;
    if (instructions) spoor_result_unsigned(result, "instructions", instructions);
    struct spoor_result *tlbs = spoor_result_array(result, "tlbs");
    for (size_t i = 0; i < system->count; i++) {
        spoor_tlb_report_row(system, i, spoor_result_object(tlbs, NULL));
        if (!system->caches[i].parent)
            walks += cache_sum(spoor_cache_system_counts(system, i)->misses);
    }
    struct spoor_result *rows = cpus > 1 ? spoor_result_array(result, "cpus") : NULL;
    for (size_t i = 0; rows && i < system->count; i++)
        for (size_t cpu = 0; cpu < cpus; cpu++)
            spoor_tlb_report_cpu(system, i, cpu, spoor_result_object(rows, NULL));
    spoor_result_unsigned(result, "walks", walks);
    return result_status(result);
}
