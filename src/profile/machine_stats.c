/* SPDX-License-Identifier: MIT */
/*
 * machine_stats.c: statistics of the machine's own caches, walks, TLBs and bus: the fold that runs
 * one of the kinds.
 */
#include <stdio.h>
#include <stdlib.h>

#include "model/options.h"
#include "profile/machine_rows.h"
#include "query/where_status.h"

const char *spoor_machine_kind_name(size_t kind)
{
    return kind < SPOOR_MACHINE_KINDS ? machine_kinds[kind].name : NULL;
}

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
    made->kind = &machine_kinds[own.kind];
    made->options = own;
    made->state = calloc(1, made->kind->size + 1);
    for (size_t i = 0; i < MACHINE_SETS; i++) made->sets[i].set = made->kind->sets[i];
    made->sets[MACHINE_HISTORY].set = machine_history_set;
    if (!made->state) {
        spoor_machine_stats_free(made);
        return memory_status(false, error);
    }
    *stats = made;
    return SPOOR_OK;
}

void spoor_machine_stats_free(struct spoor_machine_stats *stats)
{
    if (!stats) return;
    for (size_t i = 0; i < MACHINE_SETS; i++) {
        hash_map_free(&stats->sets[i].map);
        free(stats->sets[i].items);
    }
    free(stats->state);
    free(stats);
}

enum spoor_status spoor_machine_stats_feed(struct spoor_machine_stats *stats,
                                           const struct spoor_batch *batch,
                                           struct spoor_error *error)
{
    const struct machine_kind *kind = stats->kind;
    const struct spoor_select *where = stats->options.where;
    if (!stats->names) stats->names = batch->stream->names;
    if (stats->names != batch->stream->names)
        return spoor_error_set(error, SPOOR_EUSAGE, "statistics: a batch is of another stream");
    for (size_t i = 0; i < batch->count && !stats->failed; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool counted = kind->counted >> record->kind & 1;
        if (!counted && !(kind->seen >> record->kind & 1)) continue;
        if (counted && where && !spoor_select_match(where, batch, i)) continue;
        stats->records += counted;
        if (counted && (record->has & SPOOR_HAS_TIME)) {
            if (!stats->timed) {
                snprintf(stats->unit, sizeof stats->unit, "%s", spoor_record_unit(batch, record));
                stats->first_time = stats->last_time = record->time;
            }
            stats->timed = true;
            if (record->time < stats->first_time) stats->first_time = record->time;
            if (record->time > stats->last_time) stats->last_time = record->time;
        }
        kind->add(stats, record, batch->first + i);
    }
    return where_status(!stats->failed, where, error);
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

enum spoor_status spoor_machine_stats_report(struct spoor_machine_stats *stats,
                                             struct spoor_result *result)
{
    spoor_result_unsigned(result, "records", stats->records);
    if (stats->records == 0) return result_status(result);
    if (stats->timed) {
        spoor_result_text(result, "time_unit", stats->unit);
        spoor_result_unsigned(result, "span", stats->last_time - stats->first_time);
    }
    if (stats->untracked) spoor_result_unsigned(result, "untracked", stats->untracked);
    if (stats->history_left_out)
        spoor_result_unsigned(result, "history_left_out", stats->history_left_out);
    if (stats->options.has_address) machine_view_report(stats, &machine_history_view, result);
    if (stats->kind->finish) stats->kind->finish(stats, result);
    for (const struct machine_view *view = stats->kind->views; view->name; view++)
        machine_view_report(stats, view, result);
    if (stats->failed) spoor_result_fail(result);
    return result_status(result);
}
