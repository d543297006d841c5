/* SPDX-License-Identifier: MIT */
/*
 * stage_log.c: the instructions that retire in the log of a pipeline, in order.
 *
 * Stages have other names in each simulator.  The first stage of an instruction is its fetch, and
 * the INSN record its retirement.  The names below state its issue and its completion; the best one
 * that an instruction has counts.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "simulate/pipeline/stage_log.h"

enum { IN_FLIGHT = 1 << 18 };

static const struct {
    const char *name;
    enum spoor_pipeline_moment moment;
    uint8_t rank; /* the greatest counts */
} names[] = {
    {"fetch", SPOOR_MOMENT_FETCH, 3},       {"F", SPOOR_MOMENT_FETCH, 2},
    {"issue", SPOOR_MOMENT_ISSUE, 3},       {"Is", SPOOR_MOMENT_ISSUE, 3},
    {"X", SPOOR_MOMENT_ISSUE, 2},           {"Ex", SPOOR_MOMENT_ISSUE, 2},
    {"EX", SPOOR_MOMENT_ISSUE, 2},          {"I", SPOOR_MOMENT_ISSUE, 1},
    {"complete", SPOOR_MOMENT_COMPLETE, 3}, {"C", SPOOR_MOMENT_COMPLETE, 3},
    {"Wb", SPOOR_MOMENT_COMPLETE, 3},       {"WB", SPOOR_MOMENT_COMPLETE, 3},
    {"Rw", SPOOR_MOMENT_COMPLETE, 3},       {"W", SPOOR_MOMENT_COMPLETE, 2},
    {"Cm", SPOOR_MOMENT_COMPLETE, 1},       {"retire", SPOOR_MOMENT_RETIRE, 1},
    {"Rt", SPOOR_MOMENT_RETIRE, 2},
};

static void set_moment(struct timed *timed, enum spoor_pipeline_moment moment, uint8_t rank,
                       uint64_t time)
{
    if ((timed->at.has >> moment & 1) && timed->rank[moment] >= rank) return;
    timed->at.time[moment] = time;
    timed->rank[moment] = rank;
    timed->at.has = (uint8_t)(timed->at.has | 1U << moment);
}

static struct timed *flight_of(struct timed_log *log, uint64_t number)
{
    bool added;
    struct timed *timed = hash_map_find(&log->flights, number, sizeof *timed);
    if (timed || log->flights.count >= IN_FLIGHT) return timed;
    timed = hash_map_add(&log->flights, number, sizeof *timed, &added);
    log->failed |= !timed;
    return timed;
}

static void add_stage(struct timed_log *log, const struct spoor_batch *batch,
                      const struct spoor_record *record)
{
    size_t size;
    if (!(record->has & SPOOR_HAS_EXTRA) || !(record->has & SPOOR_HAS_TIME)) return;
    struct timed *timed = flight_of(log, record->event.value1);
    if (!timed) return;
    set_moment(timed, SPOOR_MOMENT_FETCH, 1, record->time); /* the first stage */
    const char *text = spoor_names_text(batch->stream->names, record->event.name, &size);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strlen(names[i].name) == size && memcmp(names[i].name, text, size) == 0)
            set_moment(timed, names[i].moment, names[i].rank, record->time);
}

/* Puts an instruction among those that retired, by its number. */
static void push_ready(struct timed_log *log, const struct timed *timed)
{
    if (log->next >= ORDER_WINDOW && log->next * 2 >= log->count) {
        log->count -= log->next;
        memmove(log->ready, log->ready + log->next, log->count * sizeof *log->ready);
        log->next = 0;
    }
    if (!array_reserve(&log->ready, &log->capacity, log->count + 1)) {
        log->failed = true;
        return;
    }
    size_t at = log->count++;
    for (; at > log->next && log->ready[at - 1].at.number > timed->at.number; at--)
        log->ready[at] = log->ready[at - 1];
    log->ready[at] = *timed;
}

static void add_end(struct timed_log *log, const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    const uint64_t number = record->insn.index;
    struct timed *found = hash_map_find(&log->flights, number, sizeof *found);
    struct timed timed = {.at.number = number};
    if (found) {
        timed = *found;
        hash_map_remove(&log->flights, number, sizeof *found);
    }
    if (record->op == SPOOR_INSN_SQUASHED) {
        log->squashed++;
        return;
    }
    if (!(record->has & SPOOR_HAS_TIME)) return;
    set_moment(&timed, SPOOR_MOMENT_RETIRE, 1, record->time);
    timed.at.pc = record->insn.va;
    timed.at.has_pc = record->has & SPOOR_HAS_VA;
    const uint64_t first =
        timed.at.time[timed.at.has & 1 ? SPOOR_MOMENT_FETCH : SPOOR_MOMENT_RETIRE];
    if (!log->any || first < log->first) log->first = first;
    if (!log->any || timed.at.time[SPOOR_MOMENT_RETIRE] > log->last)
        log->last = timed.at.time[SPOOR_MOMENT_RETIRE];
    log->any = true;
    log->retired++;
    push_ready(log, &timed);
}

void timed_log_add(struct timed_log *log, const struct spoor_batch *batch)
{
    if (batch->count && strcmp(spoor_record_unit(batch, batch->records), "tick") != 0)
        log->ticks = 1;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_STAGE &&
            !(record->has & SPOOR_CONTINUES))
            add_stage(log, batch, record);
        else if ((record->has & SPOOR_HAS_INDEX) && spoor_record_ends_stages(batch, i))
            add_end(log, batch, i);
    }
}

static uint64_t find_ticks(struct timed_log *log)
{
    const size_t count = log->count - log->next;
    uint64_t *all = malloc((count * SPOOR_MOMENTS + 1) * sizeof *all), ticks;
    size_t found = 0;
    for (size_t i = log->next; i < log->count && all; i++) {
        const struct timed *timed = &log->ready[i];
        for (unsigned moment = 1; moment < SPOOR_MOMENTS; moment++)
            if ((timed->at.has >> moment & 1) && (timed->at.has >> (moment - 1) & 1) &&
                timed->at.time[moment] > timed->at.time[moment - 1])
                all[found++] = timed->at.time[moment] - timed->at.time[moment - 1];
    }
    log->failed |= !all;
    ticks = spoor_stages_cycle(all, found);
    free(all);
    return ticks;
}

const struct spoor_pipeline_times *timed_log_next(struct timed_log *log)
{
    if (log->next == log->count || (!log->ended && log->count - log->next < ORDER_WINDOW))
        return NULL;
    if (!log->ticks) log->ticks = find_ticks(log);
    struct timed *timed = &log->ready[log->next++];
    for (unsigned moment = 0; moment < SPOOR_MOMENTS; moment++)
        timed->at.time[moment] /= log->ticks;
    return &timed->at;
}

void timed_log_free(struct timed_log *log)
{
    hash_map_free(&log->flights);
    free(log->ready);
}
