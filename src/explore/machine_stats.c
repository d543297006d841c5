/* SPDX-License-Identifier: MIT */
/*
 * machine_stats.c: statistics of the machine's own caches, walks, TLBs and bus: what the kinds
 * share.
 */
#include "explore/machine_stats.h"

#include <stdio.h>
#include <stdlib.h>

static const struct machine_kind *const kinds[] = {
    [SPOOR_MACHINE_CACHE] = &machine_cache_kind,
    [SPOOR_MACHINE_WALK] = &machine_walk_kind,
    [SPOOR_MACHINE_TLB] = &machine_tlb_kind,
    [SPOOR_MACHINE_BUS] = &machine_bus_kind,
};

const char *spoor_machine_kind_name(size_t kind)
{
    return kind < SPOOR_MACHINE_KINDS ? kinds[kind]->name : NULL;
}

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
    return spoor_names_text(stats->stream->names, name, NULL);
}

struct spoor_result *machine_table(const struct spoor_machine_stats *stats,
                                   struct spoor_result *result, const char *name)
{
    const char *only = stats->options.table;
    return only && strcmp(only, name) != 0 ? NULL : spoor_result_array(result, name);
}

void machine_note(struct spoor_machine_stats *stats, const struct spoor_batch *batch, size_t index,
                  spoor_name unit, uint64_t detail)
{
    struct machine_history *history = &stats->history;
    const struct spoor_record *record = &batch->records[index];
    if (history->count == MACHINE_HISTORY) {
        history->left_out++;
        return;
    }
    if (!array_reserve(&history->items, &history->capacity, history->count + 1)) {
        stats->failed = true;
        return;
    }
    history->items[history->count++] = (struct machine_moment){
        .record = batch->first + index,
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

/* ---- the fold ---- */

struct spoor_machine_stats *spoor_machine_stats_new(enum spoor_machine_kind kind,
                                                    const struct spoor_machine_options *options)
{
    struct spoor_machine_stats *stats = calloc(1, sizeof *stats);
    if (!stats) return NULL;
    stats->kind = kinds[kind];
    stats->options = *options;
    stats->state = calloc(1, stats->kind->size);
    if (stats->state) return stats;
    free(stats);
    return NULL;
}

void spoor_machine_stats_free(struct spoor_machine_stats *stats)
{
    if (!stats) return;
    stats->kind->free(stats->state);
    free(stats->state);
    free(stats->history.items);
    free(stats);
}

static void note_time(struct spoor_machine_stats *stats, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    if (!(record->has & SPOOR_HAS_TIME)) return;
    if (!stats->timed) {
        snprintf(stats->unit, sizeof stats->unit, "%s", spoor_record_unit(batch, record));
        stats->first_time = stats->last_time = record->time;
    }
    stats->timed = true;
    if (record->time < stats->first_time) stats->first_time = record->time;
    if (record->time > stats->last_time) stats->last_time = record->time;
}

bool spoor_machine_stats_feed(struct spoor_machine_stats *stats, const struct spoor_batch *batch)
{
    const struct machine_kind *kind = stats->kind;
    const uint32_t wanted = kind->counted | kind->seen;
    stats->stream = batch->stream;
    for (size_t i = 0; i < batch->count && !stats->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!(wanted >> record->kind & 1)) continue;
        if (kind->counted >> record->kind & 1) {
            if (stats->options.where && !spoor_select_match(stats->options.where, batch, i))
                continue;
            stats->records++;
            note_time(stats, batch, record);
        }
        kind->add(stats, stats->state, batch, i);
    }
    return !stats->failed;
}

uint64_t spoor_machine_stats_records(const struct spoor_machine_stats *stats)
{
    return stats->records;
}

static void report_history(const struct spoor_machine_stats *stats, struct spoor_result *result)
{
    const struct machine_history *history = &stats->history;
    if (!stats->options.has_address) return;
    if (history->left_out) spoor_result_unsigned(result, "history_left_out", history->left_out);
    struct spoor_result *array = machine_table(stats, result, "history");
    for (size_t i = 0; i < history->count; i++) {
        const struct machine_moment *moment = &history->items[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        const struct spoor_record as = {.op = moment->op,
                                        .kind = (uint8_t)__builtin_ctz(stats->kind->counted)};
        spoor_result_unsigned(row, "record", moment->record);
        if (moment->timed)
            spoor_result_unsigned(row, "time", moment->time);
        else
            spoor_result_null(row, "time");
        spoor_result_text(row, "cpu", moment->cpu ? machine_name(stats, moment->cpu) : NULL);
        spoor_result_text(row, "op", spoor_op_name(&as));
        spoor_result_text(row, "unit", moment->unit ? machine_name(stats, moment->unit) : NULL);
        spoor_result_hex(row, "detail", moment->detail);
    }
}

void spoor_machine_stats_report(struct spoor_machine_stats *stats, struct spoor_result *result)
{
    spoor_result_unsigned(result, "records", stats->records);
    if (stats->records == 0) return;
    if (stats->timed) {
        spoor_result_text(result, "unit_of_time", stats->unit);
        spoor_result_unsigned(result, "span", stats->last_time - stats->first_time);
    }
    if (stats->untracked) spoor_result_unsigned(result, "untracked", stats->untracked);
    report_history(stats, result);
    stats->kind->report(stats, stats->state, result);
}
