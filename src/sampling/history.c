/* SPDX-License-Identifier: MIT */
/*
 * history.c: collects the last uses of lines, and the branches, of the gaps between intervals, and
 * the references of all gaps that caches need (reduce.h), and packs them (history_file.h).
 *
 * A gap has one item for each line that it uses.  A branch of a gap is a step, and is kept as its
 * number among the successors of the step before: one byte, as long as there are few.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/pack.h"
#include "model/batch_part.h"
#include "model/options.h"
#include "sampling/history_file.h"
#include "sampling/reduce.h"
#include "simulate/cache/block_run.h"
#include "spoor/sampling.h"
#include "views/uop.h"

#define NO_STEP UINT32_MAX
enum { LONG_RANK = UINT8_MAX };

/* What a gap did with a line: the numbers of its uses, from 1; 0: none. */
struct line_use {
    uint64_t key; /* the line, and whether it is fetched */
    uint64_t last, written;
};

/* A step of the program, by a hash of its branch. */
struct step_place {
    uint64_t key;
    uint32_t step;
};
struct step {
    struct spoor_branch branch;
    uint32_t successors;
};
/* A step after another one; the key has both. */
struct succession {
    uint64_t key;
    uint32_t rank; /* among the successors of the first */
};

struct gap {
    bool whole;
    uint64_t instructions, branches, uses;
    uint32_t first_step;
    size_t ranks, lines, violations; /* where those of the gap end */
};

struct spoor_history {
    struct spoor_history_options options;
    struct hash_map lines;
    uint64_t uses;
    struct history_use *sorted;
    size_t sorted_capacity;
    struct uop_opcodes opcodes;
    struct step *steps;
    size_t step_count, step_capacity;
    struct hash_map places, successions;
    uint64_t *in_order; /* the keys of successions, as they were found */
    size_t order_count, order_capacity;
    uint32_t at; /* the last step of the open gap; NO_STEP: none */
    struct text ranks, packed_lines;
    struct history_access access;    /* of the open gap, if it is kept whole */
    struct spoor_pipeline *pipeline; /* whose violations are kept; NULL: they are not */
    struct spoor_batch part;
    struct reducer *reducers[SPOOR_REDUCED_KINDS]; /* none: NULL */
    struct spoor_access_totals totals;
    struct gap *gaps; /* the last one is open between begin and end */
    size_t gap_count, gap_capacity;
    struct text bytes;
};

/* ---- lines ---- */

static bool use_lines(struct spoor_history *history, const struct spoor_reference *reference)
{
    const bool fetch = reference->op == SPOOR_REFERENCE_FETCH;
    struct block_run run = block_run_of(reference->address, reference->size, HISTORY_LINE_BITS);
    do {
        bool added;
        struct line_use *use =
            hash_map_add(&history->lines, run.block << 1 | fetch, sizeof *use, &added);
        if (!use) return false;
        use->last = ++history->uses;
        if (reference->op == SPOOR_REFERENCE_WRITE) use->written = use->last;
    } while (block_run_next(&run));
    return true;
}

/* Lists the last write of each line, and its last use where that is another one, in order. */
static bool sort_uses(struct spoor_history *history, size_t *count)
{
    const struct line_use *use = NULL;
    *count = 0;
    if (!array_reserve(&history->sorted, &history->sorted_capacity, 2 * history->lines.count + 1))
        return false;
    while ((use = hash_map_next(&history->lines, use, sizeof *use))) {
        const uint64_t line = use->key >> 1;
        if (use->written)
            history->sorted[(*count)++] =
                (struct history_use){use->written, line, SPOOR_REFERENCE_WRITE};
        if (use->last != use->written)
            history->sorted[(*count)++] = (struct history_use){
                use->last, line, use->key & 1 ? SPOOR_REFERENCE_FETCH : SPOOR_REFERENCE_READ};
    }
    qsort(history->sorted, *count, sizeof *history->sorted, history_by_time);
    return true;
}

/* ---- whole gaps ---- */

static bool keep_access(struct spoor_history *history, const struct spoor_reference *reference)
{
    struct history_access *access = &history->access;
    struct text *out = &history->packed_lines;
    const bool fetch = reference->op == SPOOR_REFERENCE_FETCH;
    uint64_t *last = &access->last[fetch];
    const uint64_t pc = fetch ? reference->address : access->pc;
    text_signed_varint(out, (int64_t)(reference->address - *last));
    text_varint(out, reference->op | (reference->size & HISTORY_SIZE_MASK) << HISTORY_SIZE_SHIFT |
                         (reference->pc != pc ? HISTORY_HAS_PC : 0));
    if (reference->pc != pc) text_signed_varint(out, (int64_t)(reference->pc - pc));
    *last = reference->address;
    access->pc = reference->pc;
    history->uses++;
    return !out->failed;
}

/* ---- references of all gaps ---- */

static bool make_reducers(struct spoor_history *history)
{
    bool good = true;
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS && good; kind++)
        good = (history->reducers[kind] = reducer_new((enum spoor_reduced)kind));
    return good;
}

static bool reduce(struct spoor_history *history, const struct spoor_reference *reference)
{
    bool good = true;
    spoor_access_totals_add(&history->totals, reference);
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS && good; kind++)
        good = reducer_add(history->reducers[kind], reference);
    return good;
}

/* ---- branches ---- */

static bool is_same(const struct spoor_branch *one, const struct spoor_branch *other)
{
    return one->pc == other->pc && one->target == other->target && one->fall == other->fall &&
           one->type == other->type && one->has == other->has;
}

/* The number of the step, which is added if it is new; NO_STEP: memory ran out. */
static uint32_t step_of(struct spoor_history *history, const struct spoor_branch *branch)
{
    const uint64_t bits = (uint64_t)branch->type << 8 | branch->has;
    uint64_t key = hash_mix(hash_mix(hash_mix(branch->pc, branch->target), branch->fall), bits);
    for (;; key++) {
        bool added;
        struct step_place *place = hash_map_add(&history->places, key, sizeof *place, &added);
        if (!place) return NO_STEP;
        if (!added && is_same(&history->steps[place->step].branch, branch)) return place->step;
        if (!added) continue;
        if (history->step_count == NO_STEP ||
            !array_reserve(&history->steps, &history->step_capacity, history->step_count + 1))
            return NO_STEP;
        place->step = (uint32_t)history->step_count;
        history->steps[history->step_count++] = (struct step){.branch = *branch};
        return place->step;
    }
}

static bool keep_rank(struct text *ranks, uint32_t rank)
{
    const char byte = (char)(rank < LONG_RANK ? rank : LONG_RANK);
    text_put(ranks, &byte, 1);
    if (rank >= LONG_RANK) text_put(ranks, &rank, sizeof rank);
    return !ranks->failed;
}

/* Keeps that `step` follows the last step of the gap. */
static bool follow(struct spoor_history *history, uint32_t step)
{
    bool added;
    const uint64_t key = (uint64_t)history->at << 32 | step;
    struct succession *succession =
        hash_map_add(&history->successions, key, sizeof *succession, &added);
    if (!succession) return false;
    if (added) {
        if (!array_reserve(&history->in_order, &history->order_capacity, history->order_count + 1))
            return false;
        history->in_order[history->order_count++] = key;
        succession->rank = history->steps[history->at].successors++;
    }
    return keep_rank(&history->ranks, succession->rank);
}

static bool keep_branch(struct spoor_history *history, const struct spoor_batch *batch,
                        size_t index)
{
    struct spoor_branch branch = {0};
    struct gap *gap = &history->gaps[history->gap_count - 1];
    if (!uop_tell_branch(&branch, &history->opcodes, batch->stream->names, batch, index))
        return false;
    const uint32_t step = step_of(history, &branch);
    if (step == NO_STEP) return false;
    if (history->at == NO_STEP)
        gap->first_step = step;
    else if (!follow(history, step))
        return false;
    history->at = step;
    gap->branches++;
    return true;
}

/* ---- violations of the memory order ---- */

/* A machine whose predictor is as good as they are runs far ahead: others have few violations that
 * it does not have. */
static bool make_pipeline(struct spoor_history *history)
{
    const struct spoor_pipeline_options options = {.struct_size = sizeof options,
                                                   .violations = true};
    struct spoor_pipeline_config config;
    return spoor_pipeline_preset("general", &config) &&
           spoor_pipeline_set(&config, "predictor", "tage-sc-l", NULL) == SPOOR_OK &&
           spoor_pipeline_new(&history->pipeline, &options, NULL) == SPOOR_OK &&
           spoor_pipeline_add(history->pipeline, &config, NULL) == SPOOR_OK;
}

/* Times the records of a gap; false: memory ran out. */
static bool time_records(struct spoor_history *history, const struct spoor_batch *batch,
                         size_t from, size_t to)
{
    return batch_part(&history->part, batch, from, to) &&
           spoor_pipeline_feed(history->pipeline, &history->part, NULL) == SPOOR_OK;
}

/* ---- packing ---- */

/* What packing looks up: where the successors of each step begin, and they. */
struct successors {
    uint32_t *first, *steps;
};

static bool list_successors(const struct spoor_history *history, struct successors *lists)
{
    uint32_t next = 0;
    lists->first = calloc(history->step_count + 1, sizeof *lists->first);
    lists->steps = calloc(history->order_count + 1, sizeof *lists->steps);
    if (!lists->first || !lists->steps) return false;
    for (size_t i = 0; i < history->step_count; i++) {
        lists->first[i] = next;
        next += history->steps[i].successors;
    }
    for (size_t i = 0; i < history->order_count; i++) {
        const uint64_t key = history->in_order[i];
        const struct succession *succession =
            hash_map_find(&history->successions, key, sizeof *succession);
        lists->steps[lists->first[key >> 32] + succession->rank] = (uint32_t)key;
    }
    return true;
}

static void pack_steps(const struct spoor_history *history, const struct successors *lists,
                       struct text *out)
{
    uint64_t last = 0;
    text_varint(out, history->step_count);
    for (size_t i = 0; i < history->step_count; i++) {
        const struct step *step = &history->steps[i];
        const struct spoor_branch *branch = &step->branch;
        text_signed_varint(out, (int64_t)(branch->pc - last));
        text_signed_varint(out, (int64_t)(branch->target - branch->pc));
        text_signed_varint(out, (int64_t)(branch->fall - branch->pc));
        text_varint(out, (uint64_t)branch->type << 8 | branch->has);
        text_varint(out, step->successors);
        for (uint32_t k = 0; k < step->successors; k++)
            text_signed_varint(out, (int64_t)lists->steps[lists->first[i] + k] - (int64_t)i);
        last = branch->pc;
    }
}

/* Appends the ranks of a gap, which begin at an offset, each in as many bits as those of its step
 * need. */
static void pack_ranks(const struct spoor_history *history, const struct gap *gap, size_t at,
                       const struct successors *lists, struct text *out)
{
    const char *ranks = history->ranks.bytes;
    uint64_t bits = 0;
    unsigned filled = 0;
    uint32_t step = gap->first_step;
    for (uint64_t i = 1; i < gap->branches; i++) {
        uint32_t rank = (uint8_t)ranks[at++];
        if (rank == LONG_RANK) {
            memcpy(&rank, ranks + at, sizeof rank);
            at += sizeof rank;
        }
        bits |= (uint64_t)rank << filled;
        filled += history_rank_bits(history->steps[step].successors);
        for (; filled >= 8; filled -= 8, bits >>= 8) text_put(out, &(char){(char)bits}, 1);
        step = lists->steps[lists->first[step] + rank];
    }
    if (filled) text_put(out, &(char){(char)bits}, 1);
}

/* Appends the violations from one to before another. */
static void pack_violations(struct spoor_history *history, size_t from, size_t to)
{
    struct spoor_memory_violation last = {0};
    size_t count = 0;
    const struct spoor_memory_violation *all =
        history->pipeline ? spoor_pipeline_violations(history->pipeline, 0, &count) : NULL;
    text_varint(&history->bytes, to - from);
    for (size_t i = from; all && i < to; i++) {
        text_signed_varint(&history->bytes, (int64_t)(all[i].load - last.load));
        text_signed_varint(&history->bytes, (int64_t)(all[i].store - last.store));
        last = all[i];
    }
}

static void pack_gaps(struct spoor_history *history, const struct successors *lists)
{
    struct text ranks = {0};
    size_t rank_at = 0, line_at = 0, violation_at = 0;
    text_varint(&history->bytes, history->gap_count);
    for (size_t i = 0; i < history->gap_count; i++) {
        const struct gap *gap = &history->gaps[i];
        ranks.size = 0;
        pack_ranks(history, gap, rank_at, lists, &ranks);
        text_varint(&history->bytes, gap->whole);
        text_varint(&history->bytes, gap->instructions);
        text_varint(&history->bytes, gap->branches);
        if (gap->branches) text_varint(&history->bytes, gap->first_step);
        text_varint(&history->bytes, ranks.size);
        text_put(&history->bytes, ranks.bytes, ranks.size);
        text_varint(&history->bytes, gap->uses);
        text_varint(&history->bytes, gap->lines - line_at);
        if (gap->lines > line_at)
            text_put(&history->bytes, history->packed_lines.bytes + line_at, gap->lines - line_at);
        pack_violations(history, violation_at, gap->violations);
        rank_at = gap->ranks;
        violation_at = gap->violations;
        line_at = gap->lines;
    }
    history->bytes.failed |= ranks.failed;
    text_free(&ranks);
}

static void pack_totals(const struct spoor_access_totals *totals, struct text *out)
{
    text_counts(out, totals->references, SPOOR_CACHE_KINDS);
    for (unsigned bits = HISTORY_TOTAL_BITS; bits < SPOOR_CACHE_BLOCK_BITS; bits++) {
        text_counts(out, totals->blocks[bits].more, SPOOR_CACHE_KINDS);
        text_counts(out, totals->blocks[bits].crossings, SPOOR_CACHE_KINDS);
    }
}

/* Appends the hash of what was appended from an offset on. */
static void pack_hash(struct text *out, size_t from)
{
    const uint64_t hash = out->failed ? 0 : hash_of_bytes(out->bytes + from, out->size - from);
    for (unsigned shift = 0; shift < 64; shift += 8)
        text_put(out, &(char){(char)(hash >> shift)}, 1);
}

/* Appends the number of the reduced references of each kind, and of their bytes; false: memory ran
 * out. */
static bool pack_reduced_sizes(struct spoor_history *history)
{
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS; kind++) {
        uint64_t uses;
        const struct text *packed = reducer_pack(history->reducers[kind], &uses);
        if (!packed) return false;
        text_varint(&history->bytes, uses);
        text_varint(&history->bytes, packed->size);
    }
    return true;
}

static bool pack_reduced(struct spoor_history *history)
{
    for (unsigned kind = SPOOR_REDUCED_NONE + 1; kind < SPOOR_REDUCED_KINDS; kind++) {
        uint64_t uses;
        const size_t from = history->bytes.size;
        const struct text *packed = reducer_pack(history->reducers[kind], &uses);
        if (!packed) return false;
        text_put(&history->bytes, packed->bytes, packed->size);
        pack_hash(&history->bytes, from);
    }
    return true;
}

const char *spoor_history_pack(struct spoor_history *history, size_t *size)
{
    struct successors lists = {0};
    struct text *out = &history->bytes;
    out->size = 0;
    struct text steps = {0};
    bool good = list_successors(history, &lists);
    if (good) {
        pack_steps(history, &lists, &steps);
        good = !steps.failed;
    }
    if (good) {
        text_puts(out, HISTORY_MAGIC);
        text_varint(out, HISTORY_LAYOUT);
        good = pack_reduced_sizes(history);
        pack_totals(&history->totals, out);
        text_varint(out, history->options.branches);
        text_sized(out, steps.bytes, steps.size);
        pack_gaps(history, &lists);
        pack_hash(out, 0);
        good = good && pack_reduced(history);
    }
    free(lists.first);
    free(lists.steps);
    text_free(&steps);
    *size = good && !out->failed ? out->size : 0;
    return *size ? out->bytes : NULL;
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
    if (!make_reducers(made) || (own.violations && !make_pipeline(made))) {
        spoor_history_free(made);
        return memory_status(false, error);
    }
    *history = made;
    return SPOOR_OK;
}

void spoor_history_free(struct spoor_history *history)
{
    if (!history) return;
    hash_map_free(&history->lines);
    hash_map_free(&history->places);
    hash_map_free(&history->successions);
    free(history->sorted);
    free(history->opcodes.says);
    free(history->steps);
    free(history->in_order);
    free(history->gaps);
    text_free(&history->ranks);
    text_free(&history->packed_lines);
    text_free(&history->bytes);
    spoor_pipeline_free(history->pipeline);
    batch_part_free(&history->part);
    for (size_t kind = 0; kind < SPOOR_REDUCED_KINDS; kind++) reducer_free(history->reducers[kind]);
    free(history);
}

enum spoor_status spoor_history_begin(struct spoor_history *history, bool whole,
                                      struct spoor_error *error)
{
    if (!array_reserve(&history->gaps, &history->gap_capacity, history->gap_count + 1))
        return memory_status(false, error);
    history->gaps[history->gap_count++] = (struct gap){.whole = whole};
    history->access = (struct history_access){.pc = 0};
    hash_map_clear(&history->lines, sizeof(struct line_use));
    history->uses = 0;
    history->at = NO_STEP;
    return SPOOR_OK;
}

enum spoor_status spoor_history_feed(struct spoor_history *history, const struct spoor_batch *batch,
                                     size_t from, size_t to, struct spoor_error *error)
{
    bool good = true;
    struct gap *gap = &history->gaps[history->gap_count - 1];
    for (size_t i = from; i < to && good; i++) {
        struct spoor_reference references[2];
        if (batch->records[i].kind != SPOOR_UOP) continue;
        gap->instructions += uop_begins(batch, i);
        const struct spoor_reference *end = uop_put_references(references, batch, i);
        for (const struct spoor_reference *at = references; at < end && good; at++)
            good = (gap->whole ? keep_access(history, at) : use_lines(history, at)) &&
                   reduce(history, at);
        if (good && history->options.branches && uop_is_branch(&batch->records[i]))
            good = keep_branch(history, batch, i);
    }
    if (good && history->pipeline) good = time_records(history, batch, from, to);
    return memory_status(good, error);
}

/* Packs the last uses of lines of the gap; false: memory ran out. */
static bool pack_uses(struct spoor_history *history, struct gap *gap)
{
    struct history_lines last = {0};
    size_t count;
    if (!sort_uses(history, &count)) return false;
    for (size_t i = 0; i < count; i++)
        text_varint(&history->packed_lines, history_pack_use(&last, &history->sorted[i]));
    gap->uses = count;
    return true;
}

enum spoor_status spoor_history_end(struct spoor_history *history, struct spoor_error *error)
{
    struct gap *gap = &history->gaps[history->gap_count - 1];
    gap->uses = history->uses;
    if (!gap->whole && !pack_uses(history, gap)) return memory_status(false, error);
    gap->lines = history->packed_lines.size;
    gap->ranks = history->ranks.size;
    if (history->pipeline) (void)spoor_pipeline_violations(history->pipeline, 0, &gap->violations);
    return memory_status(!history->packed_lines.failed, error);
}
