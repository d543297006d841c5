/* SPDX-License-Identifier: MIT */
/* machine_add.c: adds records to statistics, from a trace or from the log of a part. */
#include <stdio.h>
#include <stdlib.h>

#include "explore/machine_share.h"
#include "model/layout.h"
#include "model/options.h"

static void note_time(struct spoor_machine_stats *stats, const struct spoor_record *record,
                      const char *unit)
{
    if (!(record->has & SPOOR_HAS_TIME)) return;
    if (!stats->timed) {
        if (unit != stats->unit) snprintf(stats->unit, sizeof stats->unit, "%s", unit);
        stats->first_time = stats->last_time = record->time;
    }
    stats->timed = true;
    if (record->time < stats->first_time) stats->first_time = record->time;
    if (record->time > stats->last_time) stats->last_time = record->time;
}

void machine_add(struct spoor_machine_stats *stats, const struct spoor_record *record,
                 uint64_t number, const char *unit)
{
    if (stats->kind->counted >> record->kind & 1) {
        stats->records++;
        note_time(stats, record, unit);
    }
    if (stats->options.mergeable)
        record_log_add(&stats->log.records, &stats->log.bytes, record, number);
    stats->kind->add(stats, stats->state, record, number);
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

bool machine_rename(struct spoor_machine_stats *stats, const struct spoor_names *from,
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

static enum spoor_status damaged(struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT, "the records of a part are damaged");
}

enum spoor_status machine_add_log(struct spoor_machine_stats *stats,
                                  const struct spoor_machine_stats *next, struct spoor_error *error)
{
    const struct text *bytes = &next->log.bytes;
    const uint32_t wanted = stats->kind->counted | stats->kind->seen;
    const uint8_t *begin = (const uint8_t *)(bytes->size ? bytes->bytes : "");
    struct unpacker from = {begin, begin + bytes->size, false};
    struct record_log *log = calloc(1, sizeof *log);
    if (!log) return memory_status(false, error);
    stats->ids.of = NULL; /* a table of before may have had the same address */
    enum spoor_status status = SPOOR_OK;
    while (from.at < from.end && status == SPOOR_OK) {
        struct spoor_record record;
        if (!record_log_next(log, &from, &record) || !(wanted >> record.kind & 1))
            status = damaged(error);
        else if (next != stats && !machine_rename(stats, next->names, &record))
            status = memory_status(false, error);
        else
            machine_add(stats, &record, log->number, next->unit);
    }
    free(log);
    if (status != SPOOR_OK) return status;
    return memory_status(!stats->failed && !stats->log.bytes.failed, error);
}

enum spoor_status machine_replay(struct spoor_machine_stats *stats, struct spoor_error *error)
{
    if (!stats->log.unread) return SPOOR_OK;
    stats->log.unread = false;
    return machine_add_log(stats, stats, error);
}
