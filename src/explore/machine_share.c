/* SPDX-License-Identifier: MIT */
/* machine_share.c: what the statistics of the machine's own parts share: distributions, maps of
 * bounded size, the records of one address. */
#include "explore/machine_share.h"

#include <stdlib.h>

/* ---- distributions ---- */

static size_t bucket_of(uint64_t value)
{
    if (value < 16) return (size_t)value;
    const unsigned exponent = 63 - (unsigned)__builtin_clzll(value);
    return 16 + (exponent - 4) * 8 + (size_t)(value >> (exponent - 3) & 7);
}

static uint64_t lowest_of(size_t bucket)
{
    if (bucket < 16) return bucket;
    const unsigned exponent = (unsigned)(bucket - 16) / 8 + 4;
    return (8 + (bucket - 16) % 8) << (exponent - 3);
}

void spread_add(struct spread *spread, uint64_t value)
{
    if (spread->count == 0 || value < spread->lowest) spread->lowest = value;
    if (value > spread->highest) spread->highest = value;
    spread->count++;
    spread->sum += value;
    spread->buckets[bucket_of(value)]++;
}

uint64_t spread_percentile(const struct spread *spread, unsigned percent)
{
    uint64_t before = 0;
    const uint64_t wanted = (spread->count * percent + 99) / 100;
    for (size_t i = 0; i < SPREAD_BUCKETS; i++) {
        before += spread->buckets[i];
        if (before < wanted || before == 0) continue;
        const uint64_t value = lowest_of(i);
        return value < spread->lowest ? spread->lowest : value;
    }
    return spread->highest;
}

void spread_report(const struct spread *spread, struct spoor_result *row)
{
    spoor_result_unsigned(row, "count", spread->count);
    spoor_result_unsigned(row, "lowest", spread->lowest);
    if (spread->count)
        spoor_result_real(row, "mean", (double)spread->sum / (double)spread->count, 1);
    else
        spoor_result_null(row, "mean");
    spoor_result_unsigned(row, "median", spread_percentile(spread, 50));
    spoor_result_unsigned(row, "p90", spread_percentile(spread, 90));
    spoor_result_unsigned(row, "p99", spread_percentile(spread, 99));
    spoor_result_unsigned(row, "highest", spread->highest);
}

/* ---- for the kinds ---- */

void *machine_distinct(struct spoor_machine_stats *stats, struct hash_map *map, uint64_t key,
                       size_t size)
{
    bool added;
    void *item = hash_map_find(map, key, size);
    if (item) return item;
    if (map->count >= MACHINE_DISTINCT) {
        stats->untracked++;
        return NULL;
    }
    item = hash_map_add(map, key, size, &added);
    stats->failed |= !item;
    return item;
}

const char *machine_name(const struct spoor_machine_stats *stats, spoor_name name)
{
    return spoor_names_text(stats->names, name, NULL);
}

struct spoor_result *machine_table(const struct spoor_machine_stats *stats,
                                   struct spoor_result *result, const char *name)
{
    const char *only = stats->options.table;
    return only && strcmp(only, name) != 0 ? NULL : spoor_result_array(result, name);
}

uint64_t machine_region(const struct spoor_machine_stats *stats, spoor_name region)
{
    struct spoor_slice text;
    text.bytes = spoor_names_text(stats->names, region, &text.size);
    return spoor_region_bytes(text);
}

void machine_note(struct spoor_machine_stats *stats, const struct spoor_record *record,
                  uint64_t number, spoor_name unit, uint64_t detail)
{
    struct machine_history *history = &stats->history;
    if (history->count == MACHINE_HISTORY) {
        history->left_out++;
        return;
    }
    if (!array_reserve(&history->items, &history->capacity, history->count + 1)) {
        stats->failed = true;
        return;
    }
    history->items[history->count++] = (struct machine_moment){
        .record = number,
        .time = record->time,
        .detail = detail,
        .cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : SPOOR_NO_NAME,
        .unit = unit,
        .op = record->op,
        .timed = record->has & SPOOR_HAS_TIME,
    };
}

void *machine_sorted(struct spoor_machine_stats *stats, const struct hash_map *map, size_t size,
                     int (*compare)(const void *, const void *))
{
    size_t count = 0;
    if (map->count == 0) return NULL;
    char *items = malloc(map->count * size);
    if (!items) {
        stats->failed = true;
        return NULL;
    }
    for (const void *item = NULL; (item = hash_map_next(map, item, size));)
        memcpy(items + size * count++, item, size);
    qsort(items, count, size, compare);
    return items;
}
