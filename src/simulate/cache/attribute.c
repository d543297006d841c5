/* SPDX-License-Identifier: MIT */
/* attribute.c: attribution of misses. */
#include "simulate/cache/attribute.h"

#include <stdlib.h>
#include <string.h>

enum { USUAL_REGION_BITS = 12 };

static bool tally_add(struct tally *tally, uint64_t key)
{
    bool added;
    uint32_t *place = block_map_add(&tally->places, key, &added);
    if (!place) return false;
    if (added) {
        if (tally->count == tally->room) {
            const size_t room = tally->room ? 2 * tally->room : 256;
            struct tally_item *items = realloc(tally->items, room * sizeof *items);
            if (!items) return false;
            tally->items = items;
            tally->room = room;
        }
        *place = (uint32_t)tally->count;
        tally->items[tally->count++] = (struct tally_item){.key = key};
    }
    tally->items[*place].misses++;
    return true;
}

static void tally_free(struct tally *tally)
{
    block_map_free(&tally->places);
    free(tally->items);
    *tally = (struct tally){0};
}

bool blame_start(struct cache *cache, const struct spoor_cache_options *options)
{
    if (!options->by_pc && !options->by_region && !options->by_set) return true;
    struct blame *blame = cache->blame = calloc(1, sizeof *blame);
    if (!blame) return false;
    blame->by_pc = options->by_pc;
    blame->by_region = options->by_region;
    blame->region_bits =
        options->region ? (unsigned)__builtin_ctz(options->region) : USUAL_REGION_BITS;
    if (options->by_set) blame->sets = calloc(cache->sets, sizeof *blame->sets);
    return !options->by_set || blame->sets;
}

void blame_miss(struct cache *cache, const struct request *request)
{
    struct blame *blame = cache->blame;
    bool good = true;
    if (blame->by_pc && request->has_pc) good = tally_add(&blame->pcs, request->pc);
    if (!request->has_pc) blame->without_pc++;
    if (blame->by_region)
        good = good && tally_add(&blame->regions, request->address >> blame->region_bits);
    if (blame->sets) blame->sets[cache_set_of(cache, request->address >> cache->block_bits)]++;
    if (!good) cache_out_of_memory(cache);
}

void blame_free(struct cache *cache)
{
    struct blame *blame = cache->blame;
    if (!blame) return;
    tally_free(&blame->pcs);
    tally_free(&blame->regions);
    free(blame->sets);
    free(blame);
}

/* By descending misses; equal counts by key, so that the order is deterministic. */
static int by_misses(const void *a, const void *b)
{
    const struct tally_item *left = a, *right = b;
    if (left->misses != right->misses) return left->misses < right->misses ? 1 : -1;
    return left->key < right->key ? -1 : left->key > right->key;
}

static void report_tally(const struct tally *tally, size_t most, const char *name, const char *key,
                         unsigned shift, struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, name);
    struct tally_item *sorted = malloc((tally->count + 1) * sizeof *sorted);
    if (!sorted) {
        spoor_result_null(result, "out_of_memory");
        return;
    }
    if (tally->count) memcpy(sorted, tally->items, tally->count * sizeof *sorted);
    qsort(sorted, tally->count, sizeof *sorted, by_misses);
    for (size_t i = 0; i < tally->count && i < most; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, key, sorted[i].key << shift);
        spoor_result_unsigned(row, "misses", sorted[i].misses);
    }
    free(sorted);
}

void blame_report(const struct cache *cache, size_t most, bool list_sets,
                  struct spoor_result *result)
{
    const struct blame *blame = cache->blame;
    if (!blame) return;
    if (blame->by_pc) {
        report_tally(&blame->pcs, most, "pcs", "pc", 0, result);
        spoor_result_unsigned(result, "misses_without_pc", blame->without_pc);
    }
    if (blame->by_region)
        report_tally(&blame->regions, most, "regions", "address", blame->region_bits, result);
    if (!blame->sets || !list_sets) return;
    struct spoor_result *sets = spoor_result_array(result, "sets");
    for (uint64_t set = 0; set < cache->sets; set++)
        spoor_result_unsigned(sets, NULL, blame->sets[set]);
}
