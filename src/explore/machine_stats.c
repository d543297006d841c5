/* SPDX-License-Identifier: MIT */
/*
 * machine_stats.c: statistics of the machine's own caches, walks, TLBs and bus: the fold that runs
 * one of the kinds.
 */
#include "explore/machine_share.h"

#include <stdio.h>
#include <stdlib.h>

#include "model/layout.h"
#include "model/options.h"

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

enum spoor_status spoor_machine_stats_new(struct spoor_machine_stats **stats,
                                          const struct spoor_machine_stats_options *options,
                                          struct spoor_error *error)
{
    struct spoor_machine_stats_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if ((unsigned)own.kind >= SPOOR_MACHINE_KINDS)
        return spoor_error_set(error, SPOOR_EUSAGE, "statistics: no kind has the number %u",
                               (unsigned)own.kind);
    struct spoor_machine_stats *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->kind = kinds[own.kind];
    made->options = own;
    made->state = calloc(1, made->kind->size);
    made->names = spoor_names_new();
    if (!made->state || !made->names) {
        spoor_machine_stats_free(made);
        return memory_status(false, error);
    }
    *stats = made;
    return SPOOR_OK;
}

void spoor_machine_stats_free(struct spoor_machine_stats *stats)
{
    if (!stats) return;
    if (stats->state) stats->kind->free(stats->state);
    free(stats->state);
    if (stats->names) spoor_names_free(stats->names);
    free(stats->ids.ids);
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

static bool rename_one(struct spoor_machine_stats *stats, spoor_name *name)
{
    struct machine_ids *ids = &stats->ids;
    if (*name == SPOOR_NO_NAME || *name == SPOOR_NAMES_FULL) return true;
    if (!array_reserve_zeroed(&ids->ids, &ids->count, *name + (size_t)1)) return false;
    spoor_name *own = &ids->ids[*name];
    if (!*own) {
        size_t size;
        const char *text = spoor_names_text(ids->of, *name, &size);
        *own = spoor_names_intern(stats->names, text, size);
    }
    *name = *own;
    return !spoor_names_out_of_memory(stats->names);
}

/* Gives a record of another table of names the ids of the statistics; false: memory ran out. */
static bool rename_names(struct spoor_machine_stats *stats, const struct spoor_names *from,
                         struct spoor_record *record)
{
    if (stats->ids.of != from) {
        free(stats->ids.ids);
        stats->ids = (struct machine_ids){.of = from};
    }
    bool good = rename_one(stats, &record->cpu);
    for (const uint8_t *at = record_layouts[record->kind].names; *at && good; at++)
        good = rename_one(stats, layout_name(record, *at));
    stats->failed |= !good;
    return good;
}

enum spoor_status spoor_machine_stats_feed(struct spoor_machine_stats *stats,
                                           const struct spoor_batch *batch,
                                           struct spoor_error *error)
{
    const struct machine_kind *kind = stats->kind;
    const uint32_t wanted = kind->counted | kind->seen;
    const struct spoor_select *where = stats->options.where;
    for (size_t i = 0; i < batch->count && !stats->failed; i++) {
        struct spoor_record record;
        const unsigned of = batch->records[i].kind;
        if (!(wanted >> of & 1)) continue;
        if (where && (kind->counted >> of & 1) && !spoor_select_match(where, batch, i)) continue;
        record = batch->records[i];
        if (!rename_names(stats, batch->stream->names, &record)) break;
        if (kind->counted >> of & 1) {
            stats->records++;
            note_time(stats, batch, &batch->records[i]);
        }
        kind->add(stats, stats->state, &record, batch->first + i);
    }
    return memory_status(!stats->failed, error);
}

enum spoor_status spoor_machine_stats_end(struct spoor_machine_stats *stats,
                                          struct spoor_error *error)
{
    return memory_status(!stats->failed, error);
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

enum spoor_status spoor_machine_stats_report(struct spoor_machine_stats *stats,
                                             struct spoor_result *result)
{
    spoor_result_unsigned(result, "records", stats->records);
    if (stats->records == 0) return result_status(result);
    if (stats->timed) {
        spoor_result_text(result, "unit_of_time", stats->unit);
        spoor_result_unsigned(result, "span", stats->last_time - stats->first_time);
    }
    if (stats->untracked) spoor_result_unsigned(result, "untracked", stats->untracked);
    report_history(stats, result);
    stats->kind->report(stats, stats->state, result);
    if (stats->failed) spoor_result_fail(result);
    return result_status(result);
}
