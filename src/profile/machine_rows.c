/* SPDX-License-Identifier: MIT */
/* machine_rows.c: rows by their keys, and views of them as arrays of a report. */
#include "profile/machine_rows.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"

/* ---- distributions ---- */

void spread_add(struct spread *spread, uint64_t value)
{
    const unsigned exponent = 63 - (unsigned)__builtin_clzll(value | 16);
    if (spread->count == 0 || value < spread->lowest) spread->lowest = value;
    if (value > spread->highest) spread->highest = value;
    spread->count++;
    spread->sum += value;
    spread->buckets[value < 16 ? value : 16 + (exponent - 4) * 8 + (value >> (exponent - 3) & 7)]++;
}

/* Returns a number that `percent` of them do not exceed: the lowest one of its bucket. */
static uint64_t spread_percentile(const struct spread *spread, unsigned percent)
{
    uint64_t before = 0;
    const uint64_t wanted = (spread->count * percent + 99) / 100;
    for (size_t i = 0; i < SPREAD_BUCKETS; i++) {
        before += spread->buckets[i];
        if (before < wanted || before == 0) continue;
        uint64_t value = i; /* the bucket's lowest */
        if (i >= 16) value = (8 + (value - 16) % 8) << ((i - 16) / 8 + 1);
        return value < spread->lowest ? spread->lowest : value;
    }
    return spread->highest;
}

/* ---- rows ---- */

void *machine_row_add(struct spoor_machine_stats *stats, struct machine_rows *rows,
                      const uint64_t *key, size_t key_size, uint64_t hash)
{
    const size_t size = rows->set.size, units = rows->set.of_units ? stats->sets[0].count : 1;
    struct machine_slot *slot;
    bool added;
    if (rows->count >= MACHINE_DISTINCT * units) {
        stats->untracked++;
        return NULL;
    }
    rows->last = NULL;
    if ((rows->count < rows->capacity ||
         array_grow_zeroed(&rows->items, &rows->capacity, rows->count + 1, size)) &&
        (slot = hash_map_add(&rows->map, hash, sizeof *slot, &added))) {
        slot->number = rows->count;
        return memcpy((char *)rows->items + rows->count++ * size, key, key_size);
    }
    stats->failed = true;
    return NULL;
}

/* ---- the records of one address ---- */

enum { HISTORY = 1 << 16 }; /* maximum number of them */

struct machine_moment {
    uint64_t record; /* the key */
    uint64_t time, timed, cpu, op, unit, detail;
};

void machine_note(struct spoor_machine_stats *stats, const struct spoor_record *record,
                  uint64_t number, spoor_name unit, uint64_t address, unsigned bits,
                  uint64_t detail)
{
    if (!stats->options.has_address || (address ^ stats->options.address) >> bits) return;
    if (stats->sets[MACHINE_HISTORY].count == HISTORY) {
        stats->history_left_out++;
        return;
    }
    struct machine_moment *moment = machine_row(stats, MACHINE_HISTORY, number);
    if (!moment) return;
    *moment = (struct machine_moment){
        .record = number,
        .time = record->time,
        .timed = (record->has & SPOOR_HAS_TIME) != 0,
        .cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : SPOOR_NO_NAME,
        .op = record->op,
        .unit = unit,
        .detail = detail,
    };
}

#define AT(member) offsetof(struct machine_moment, member)
const struct machine_set machine_history_set = {sizeof(struct machine_moment), false};
const struct machine_view machine_history_view = {
    .name = "history",
    .set = MACHINE_HISTORY,
    .columns = {{"record", .form = MACHINE_COUNT, .at = AT(record)},
                {"time", .form = MACHINE_OPTIONAL, .at = AT(time), .of = AT(timed)},
                {"cpu", .form = MACHINE_STATED, .at = AT(cpu)},
                {"op", .form = MACHINE_OPERATION, .at = AT(op)},
                {"cache", .form = MACHINE_STATED, .at = AT(unit)},
                {"detail", .form = MACHINE_HEX, .at = AT(detail)}},
};

/* ---- views ---- */

double machine_ratio(uint64_t part, uint64_t whole)
{
    return whole ? (double)part / (double)whole : 0.0;
}

static uint64_t machine_member(const void *row, size_t at)
{
    return *(const uint64_t *)(const void *)((const char *)row + at);
}

static void machine_put_row(const struct spoor_machine_stats *stats,
                            const struct machine_view *view, const struct machine_column *time,
                            const char *from, struct spoor_result *array)
{
    const struct spread *spread = time ? (const void *)(from + time->at) : NULL;
    if (spread && !spread->count) return;
    struct spoor_result *row = spoor_result_object(array, NULL);
    for (const struct machine_column *column = view->columns; column->key; column++) {
        const char *dot = strrchr(column->key, '.'), *key = dot ? dot + 1 : column->key;
        const uint64_t value = machine_member(from, column->at);
        switch (column->form) {
        case MACHINE_NAME:
            spoor_result_text(row, key, spoor_names_text(stats->names, (spoor_name)value, NULL));
            break;
        case MACHINE_WORD: spoor_result_text(row, key, column->words[value]); break;
        case MACHINE_OPERATION: {
            const struct spoor_record as = {.op = (uint8_t)value,
                                            .kind = (uint8_t)__builtin_ctz(stats->kind->counted)};
            spoor_result_text(row, key, spoor_op_name(&as));
            break;
        }
        case MACHINE_COUNT: spoor_result_unsigned(row, key, value); break;
        case MACHINE_HEX: spoor_result_hex(row, key, value); break;
        case MACHINE_OPTIONAL:
            spoor_result_unsigned_if(row, key, machine_member(from, column->of), value);
            break;
        case MACHINE_STATED:
            if (value >= MACHINE_NUMBER)
                spoor_result_unsigned(row, key, value - MACHINE_NUMBER);
            else if (value)
                spoor_result_text(row, key,
                                  spoor_names_text(stats->names, (spoor_name)value, NULL));
            else
                spoor_result_null(row, key);
            break;
        case MACHINE_RATIO:
            spoor_result_real(row, key,
                              machine_ratio(value, machine_member(stats->state, column->of)), 4);
            break;
        case MACHINE_MEAN: {
            const uint64_t of = machine_member(from, column->of);
            spoor_result_real(row, key, (double)value / (double)(of ? of : 1), 1);
            break;
        }
        case MACHINE_MEDIAN: {
            const struct spread *of = (const void *)(from + column->at);
            spoor_result_unsigned(row, key, spread_percentile(of, 50));
            break;
        }
        }
    }
    if (!spread) return;
    const char *dot = strrchr(time->key, '.');
    spoor_result_text(row, "time", dot ? dot + 1 : time->key);
    spoor_result_unsigned(row, "count", spread->count);
    spoor_result_unsigned(row, "lowest", spread->lowest);
    spoor_result_real(row, "mean", (double)spread->sum / (double)spread->count, 1);
    spoor_result_unsigned(row, "median", spread_percentile(spread, 50));
    spoor_result_unsigned(row, "p90", spread_percentile(spread, 90));
    spoor_result_unsigned(row, "p99", spread_percentile(spread, 99));
    spoor_result_unsigned(row, "highest", spread->highest);
}

/* A row by what orders it: less comes first. */
struct row_rank {
    uint64_t order[MACHINE_ORDER + 1];
    const char *row;
};

static int machine_by_rank(const void *left, const void *right)
{
    const struct row_rank *a = left, *b = right;
    size_t i = 0;
    while (i < MACHINE_ORDER && a->order[i] == b->order[i]) i++;
    return a->order[i] < b->order[i] ? -1 : a->order[i] > b->order[i];
}

void machine_view_report(struct spoor_machine_stats *stats, const struct machine_view *view,
                         struct spoor_result *result)
{
    const char *only = stats->options.table;
    if (only && strcmp(only, view->name) != 0) return;
    const struct machine_rows state = {.items = stats->state, .count = 1};
    const struct machine_rows *rows = view->set == MACHINE_STATE ? &state : &stats->sets[view->set];
    struct row_rank *ranks = malloc((rows->count + 1) * sizeof *ranks);
    size_t count = 0;
    for (size_t i = 0; ranks && i < rows->count; i++) {
        const char *row = (const char *)rows->items + i * rows->set.size;
        if (view->least && machine_member(row, view->least_at) < view->least) continue;
        struct row_rank *rank = &ranks[count++];
        *rank = (struct row_rank){.row = row, .order[MACHINE_ORDER] = i};
        for (size_t j = 0; j < MACHINE_ORDER && view->order[j].way; j++) {
            const uint64_t value = machine_member(row, view->order[j].at);
            rank->order[j] = view->order[j].way == MACHINE_FALLING ? ~value : value;
        }
    }
    if (ranks && view->order[0].way) qsort(ranks, count, sizeof *ranks, machine_by_rank);
    stats->failed |= !ranks;
    if (view->top && count > stats->options.top) count = stats->options.top;
    struct spoor_result *array = spoor_result_array(result, view->name);
    for (size_t i = 0; ranks && i < count; i++) {
        const struct machine_column *time = view->spreads;
        if (!time) machine_put_row(stats, view, NULL, ranks[i].row, array);
        for (; time && time->key; time++) machine_put_row(stats, view, time, ranks[i].row, array);
    }
    free(ranks);
}
