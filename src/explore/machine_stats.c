/* SPDX-License-Identifier: MIT */
/*
 * machine_stats.c: statistics of the machine's own caches, walks, TLBs and bus: the fold that runs
 * one of the kinds.
 */
#include "explore/machine_share.h"

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
    if (stats->failed) spoor_result_fail(result);
}
