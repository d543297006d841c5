/* SPDX-License-Identifier: MIT */
/*
 * stats_against.c: simulate a design on the accesses of a trace, and compare its misses with the
 * fills that the trace recorded.
 *
 * A level is compared with all caches whose unit has its name in the part after the last dot:
 * l1d with cpu.cpu0.l1dcache.
 */
#include "cli/stats_against.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"

int against_open(struct against *against, const struct list *levels, uint64_t memory)
{
    struct spoor_error error = {0};
    const struct spoor_cache_options options = {.by_set = true, .memory = memory};
    enum spoor_status status = SPOOR_OK;
    *against = (struct against){.count = levels->count};
    if (levels->count == 0) return EXIT_CLEAN;
    if (levels->count > SPOOR_CACHE_LEVELS)
        return complain_for(EXIT_USAGE, "--against: found %zu levels, expected at most %d",
                            levels->count, SPOOR_CACHE_LEVELS);
    for (size_t i = 0; i < levels->count && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&against->levels[i], levels->items[i], &error);
    if (status == SPOOR_OK)
        status = spoor_cache_system_new(&against->system, against->levels, against->count, &options,
                                        &error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(against->system))
        status = spoor_error_set(&error, SPOOR_EUSAGE, "the policy opt is none of a machine");
    return status == SPOOR_OK ? EXIT_CLEAN : fail_option("--against", &error);
}

void against_close(struct against *against)
{
    spoor_cache_system_free(against->system);
    spoor_references_free(&against->references);
}

bool against_feed(struct against *against, const struct spoor_batch *batch)
{
    const struct spoor_reference_options options = {.physical = true};
    if (!against->system) return true;
    against->references.count = 0;
    if (spoor_references_add(&against->references, batch, &options, NULL) != SPOOR_OK) return false;
    return spoor_cache_system_feed(against->system, against->references.items,
                                   against->references.count, NULL) == SPOOR_OK;
}

/* Copies a name in lower case, cut to the capacity. */
static void against_copy_lower(char to[SPOOR_CACHE_NAME], const char *from)
{
    size_t size = 0;
    for (; from[size] && size + 1 < SPOOR_CACHE_NAME; size++)
        to[size] = (char)tolower((unsigned char)from[size]);
    to[size] = '\0';
}

/* True if the level is the one of that unit: "L1D" of "cpu0.l1d_cache". */
static bool against_is_of_unit(const char *level, const char *unit)
{
    const char *dot = strrchr(unit, '.');
    char name[SPOOR_CACHE_NAME], own[SPOOR_CACHE_NAME];
    against_copy_lower(name, dot ? dot + 1 : unit);
    against_copy_lower(own, level);
    return strstr(name, own) != NULL;
}

static uint64_t against_misses(const struct spoor_cache_counts *counts)
{
    uint64_t misses = 0;
    for (size_t i = 0; i < SPOOR_CACHE_KINDS; i++) misses += counts->misses[i];
    return misses;
}

static void against_put_difference(struct spoor_result *row, uint64_t recorded, uint64_t simulated)
{
    spoor_result_signed(row, "difference", (int64_t)(simulated - recorded));
    spoor_result_real_if(row, "difference_ratio", recorded,
                         ((double)simulated - (double)recorded) / (double)recorded, 4);
}

/* ---- levels ---- */

static void against_report_levels(const struct against *against,
                                  const struct spoor_machine_stats *stats,
                                  struct spoor_result *result)
{
    struct spoor_result *array = spoor_result_array(result, "against");
    for (size_t i = 0; i < against->count; i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(against->system, i);
        struct spoor_machine_cache cache;
        uint64_t fills = 0, writebacks = 0;
        for (size_t j = 0; spoor_machine_stats_cache(stats, j, &cache); j++) {
            if (!against_is_of_unit(against->levels[i].name, cache.unit)) continue;
            fills += cache.fills;
            writebacks += cache.writebacks;
        }
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "level", against->levels[i].name);
        spoor_result_unsigned(row, "recorded_fills", fills);
        spoor_result_unsigned(row, "simulated_misses", against_misses(counts));
        against_put_difference(row, fills, against_misses(counts));
        spoor_result_unsigned(row, "recorded_writebacks", writebacks);
        spoor_result_unsigned(row, "simulated_writebacks", counts->writebacks);
    }
}

/* ---- sets ---- */

struct set_difference {
    const char *level;
    size_t set;
    uint64_t recorded, simulated;
};

static uint64_t against_distance(const struct set_difference *set)
{
    return set->recorded < set->simulated ? set->simulated - set->recorded
                                          : set->recorded - set->simulated;
}

static int against_by_distance(const void *left, const void *right)
{
    const struct set_difference *a = left, *b = right;
    if (against_distance(a) != against_distance(b))
        return against_distance(a) < against_distance(b) ? 1 : -1;
    return a->set < b->set ? -1 : a->set > b->set;
}

void against_report(struct against *against, const struct spoor_machine_stats *stats, size_t top,
                    struct spoor_result *result)
{
    if (!against->system) return;
    spoor_cache_system_end(against->system, NULL);
    against_report_levels(against, stats, result);
    struct spoor_result *array = spoor_result_array(result, "against_sets");
    for (size_t i = 0; i < against->count; i++) {
        size_t sets = 0;
        const uint64_t *misses = spoor_cache_system_set_misses(against->system, i, &sets);
        struct set_difference *rows = misses ? calloc(sets + 1, sizeof *rows) : NULL;
        struct spoor_machine_cache cache;
        bool any = false;
        for (size_t k = 0; rows && k < sets; k++)
            rows[k] = (struct set_difference){against->levels[i].name, k, 0, misses[k]};
        for (size_t j = 0; rows && spoor_machine_stats_cache(stats, j, &cache); j++) {
            if (!against_is_of_unit(against->levels[i].name, cache.unit) || !cache.sets) continue;
            any = true;
            for (size_t k = 0; k < cache.sets && k < sets; k++)
                rows[k].recorded += spoor_machine_stats_set_fills(stats, j, k);
        }
        if (any) qsort(rows, sets, sizeof *rows, against_by_distance);
        for (size_t k = 0; any && k < sets && k < top && against_distance(&rows[k]); k++) {
            struct spoor_result *row = spoor_result_object(array, NULL);
            spoor_result_text(row, "level", rows[k].level);
            spoor_result_unsigned(row, "set", rows[k].set);
            spoor_result_unsigned(row, "recorded_fills", rows[k].recorded);
            spoor_result_unsigned(row, "simulated_misses", rows[k].simulated);
            against_put_difference(row, rows[k].recorded, rows[k].simulated);
        }
        free(rows);
    }
}
