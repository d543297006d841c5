/* SPDX-License-Identifier: MIT */
/* history.c: the last uses of lines, and the branches, of a gap between two intervals. */
#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "model/options.h"
#include "simulate/cache/block_run.h"
#include "spoor/sampling.h"
#include "views/uop.h"

enum { LINE_BITS = 6, USE_BITS = 2 };

/* Uses that are remembered apart. */
enum use { USE_FETCH, USE_ACCESS, USE_WRITE };

struct last_use {
    uint64_t key; /* the line and its use */
    uint64_t record;
};

struct spoor_history {
    struct spoor_history_options options;
    struct hash_map lines; /* the last use of each line since the gap began */
    uint64_t *kept;        /* records, in order once the gap has ended */
    size_t count, capacity;
};

static bool keep(struct spoor_history *history, uint64_t record)
{
    if (!array_reserve(&history->kept, &history->capacity, history->count + 1)) return false;
    history->kept[history->count++] = record;
    return true;
}

static bool use_line(struct spoor_history *history, uint64_t line, enum use use, uint64_t record)
{
    bool added;
    struct last_use *last =
        hash_map_add(&history->lines, line << USE_BITS | use, sizeof *last, &added);
    if (!last) return false;
    last->record = record;
    return true;
}

static bool use_lines(struct spoor_history *history, const struct spoor_reference *reference,
                      uint64_t record)
{
    const bool fetch = reference->op == SPOOR_REFERENCE_FETCH;
    struct block_run run = block_run_of(reference->address, reference->size, LINE_BITS);
    bool good = true;
    do {
        good &= use_line(history, run.block, fetch ? USE_FETCH : USE_ACCESS, record);
        if (reference->op == SPOOR_REFERENCE_WRITE)
            good &= use_line(history, run.block, USE_WRITE, record);
    } while (good && block_run_next(&run));
    return good;
}

enum spoor_status spoor_history_feed(struct spoor_history *history, const struct spoor_batch *batch,
                                     size_t from, size_t to, struct spoor_error *error)
{
    bool good = true;
    for (size_t i = from; i < to && good; i++) {
        struct spoor_reference references[2];
        if (batch->records[i].kind != SPOOR_UOP) continue;
        const struct spoor_reference *end = uop_put_references(references, batch, i);
        for (const struct spoor_reference *at = references; at < end; at++)
            good &= use_lines(history, at, batch->first + i);
        if (history->options.branches && uop_is_branch(&batch->records[i]))
            good &= keep(history, batch->first + i);
    }
    return memory_status(good, error);
}

static int by_number(const void *one, const void *other)
{
    const uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;
    return (a > b) - (a < b);
}

enum spoor_status spoor_history_end(struct spoor_history *history, struct spoor_error *error)
{
    const struct last_use *use = NULL;
    size_t count = 0;
    while ((use = hash_map_next(&history->lines, use, sizeof *use)))
        if (!keep(history, use->record)) return memory_status(false, error);
    if (history->count) qsort(history->kept, history->count, sizeof *history->kept, by_number);
    for (size_t i = 0; i < history->count; i++)
        if (i == 0 || history->kept[i] != history->kept[count - 1])
            history->kept[count++] = history->kept[i];
    history->count = count;
    return SPOOR_OK;
}

const uint64_t *spoor_history_records(const struct spoor_history *history, size_t *count)
{
    *count = history->count;
    return history->count ? history->kept : NULL;
}

/* ---- interface ---- */

enum spoor_status spoor_history_new(struct spoor_history **history,
                                    const struct spoor_history_options *options,
                                    struct spoor_error *error)
{
    struct spoor_history_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_history *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    *history = made;
    return SPOOR_OK;
}

void spoor_history_free(struct spoor_history *history)
{
    if (!history) return;
    hash_map_free(&history->lines);
    free(history->kept);
    free(history);
}

void spoor_history_begin(struct spoor_history *history)
{
    hash_map_clear(&history->lines, sizeof(struct last_use));
    history->count = 0;
}
