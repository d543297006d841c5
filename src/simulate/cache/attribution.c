/* SPDX-License-Identifier: MIT */
/* attribution.c: attribution of misses. */
#include "simulate/cache/attribution.h"

#include <stdlib.h>

#include "base/hash_map.h"

enum { USUAL_REGION_BITS = 12 };

/* Misses by key. */
struct tally {
    uint64_t key, misses;
};

static bool tally_add(struct hash_map *tallies, uint64_t key)
{
    bool added;
    struct tally *tally = hash_map_add(tallies, key, sizeof *tally, &added);
    if (tally) tally->misses++;
    return tally;
}

bool attribution_start(struct cache *cache, const struct spoor_cache_options *options)
{
    if (!options->by_pc && !options->by_region && !options->by_set) return true;
    struct attribution *attribution = cache->attribution = calloc(1, sizeof *attribution);
    if (!attribution) return false;
    attribution->by_pc = options->by_pc;
    attribution->by_region = options->by_region;
    attribution->region_bits =
        options->region ? (unsigned)__builtin_ctz(options->region) : USUAL_REGION_BITS;
    if (options->by_set) attribution->sets = calloc(cache->sets, sizeof *attribution->sets);
    return !options->by_set || attribution->sets;
}

void attribution_add_miss(struct cache *cache, const struct request *request)
{
    struct attribution *attribution = cache->attribution;
    bool good = true;
    if (attribution->by_pc && request->has_pc) good = tally_add(&attribution->pcs, request->pc);
    if (!request->has_pc) attribution->without_pc++;
    if (attribution->by_region)
        good =
            good && tally_add(&attribution->regions, request->address >> attribution->region_bits);
    if (attribution->sets)
        attribution->sets[cache_set_of(cache, request->address >> cache->block_bits)]++;
    if (!good) *cache->out_of_memory = true;
}

/* By descending misses; equal counts by key, so that the order is deterministic. */
static int tally_by_misses(const void *a, const void *b)
{
    const struct tally *left = a, *right = b;
    if (left->misses != right->misses) return left->misses < right->misses ? 1 : -1;
    return left->key < right->key ? -1 : left->key > right->key;
}

static void attribution_report_tallies(const struct hash_map *tallies, size_t maximum,
                                       const char *name, const char *key, unsigned shift,
                                       struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, name);
    struct tally *sorted = malloc((tallies->count + 1) * sizeof *sorted), *tally = NULL;
    size_t count = 0;
    if (!sorted) spoor_result_fail(result);
    while (sorted && (tally = hash_map_next(tallies, tally, sizeof *tally)) != NULL)
        sorted[count++] = *tally;
    if (count) qsort(sorted, count, sizeof *sorted, tally_by_misses);
    for (size_t i = 0; i < count && i < maximum; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, key, sorted[i].key << shift);
        spoor_result_unsigned(row, "misses", sorted[i].misses);
    }
    free(sorted);
}

void attribution_report(const struct cache *cache, size_t maximum, bool list_sets,
                        struct spoor_result *result)
{
    const struct attribution *attribution = cache->attribution;
    if (!attribution) return;
    if (attribution->by_pc) {
        attribution_report_tallies(&attribution->pcs, maximum, "pcs", "pc", 0, result);
        spoor_result_unsigned(result, "misses_without_pc", attribution->without_pc);
    }
    if (attribution->by_region)
        attribution_report_tallies(&attribution->regions, maximum, "regions", "address",
                                   attribution->region_bits, result);
    if (!attribution->sets || !list_sets) return;
    struct spoor_result *sets = spoor_result_array(result, "sets");
    for (uint64_t set = 0; set < cache->sets; set++)
        spoor_result_unsigned(sets, NULL, attribution->sets[set]);
}
