/* SPDX-License-Identifier: MIT */
/* sampling.c: counts of each interval of a trace. */
#include "spoor/sampling.h"

#include <stdlib.h>

#include "base/array.h"
#include "model/batch_part.h"
#include "model/options.h"
#include "sampling/choose.h"
#include "sampling/pilot.h"
#include "simulate/cache/block_run.h"
#include "simulate/cache/stack_distance.h"
#include "views/uop.h"

enum { LINE_BITS = 6 };

/* Caches of which a count has the misses. */
struct sized_count {
    size_t lines; /* STACK_NONE: first uses */
    enum sample_count count;
};
static const struct sized_count data_counts[] = {
    {256, SAMPLE_DATA_256},        {512, SAMPLE_DATA_512},   {1024, SAMPLE_DATA_1024},
    {2048, SAMPLE_DATA_2048},      {4096, SAMPLE_DATA_4096}, {16384, SAMPLE_DATA_16384},
    {STACK_NONE, SAMPLE_DATA_COLD}};
static const struct sized_count code_counts[] = {
    {128, SAMPLE_CODE_128},   {256, SAMPLE_CODE_256},   {512, SAMPLE_CODE_512},
    {1024, SAMPLE_CODE_1024}, {2048, SAMPLE_CODE_2048}, {STACK_NONE, SAMPLE_CODE_COLD}};

struct spoor_sampling {
    struct spoor_sampling_options options;
    struct stack data, code;
    struct pilot *pilot;
    struct spoor_references references;
    struct spoor_branches branches;
    struct spoor_batch part;
    bool instructed; /* the trace has instructions: fetches begin no interval */
    bool failed;
    uint64_t filled, next; /* records of the open interval; after the last one */
    struct sample_interval *intervals;
    size_t count, capacity; /* the last one is open while `filled` is not 0 */
    size_t *chosen;         /* numbers of intervals */
    size_t chosen_count;
    double represented; /* instructions that the chosen ones stand for */
    double (*replicates)[SPOOR_SAMPLING_REPLICATES]; /* of each chosen one */
    bool replicated;                                 /* there are replicates */
};

enum spoor_status spoor_sampling_new(struct spoor_sampling **made,
                                     const struct spoor_sampling_options *options,
                                     struct spoor_error *error)
{
    enum { INTERVAL = 1000, SIZE = 100 };
    struct spoor_sampling_options own;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_sampling *sampling = calloc(1, sizeof *sampling);
    if (!sampling) return memory_status(false, error);
    sampling->options = own;
    if (!own.interval) sampling->options.interval = INTERVAL;
    if (!own.size) sampling->options.size = SIZE;
    if (stack_start(&sampling->data, 0) && stack_start(&sampling->code, 0) &&
        (sampling->pilot = pilot_new())) {
        *made = sampling;
        return SPOOR_OK;
    }
    spoor_sampling_free(sampling);
    return memory_status(false, error);
}

void spoor_sampling_free(struct spoor_sampling *sampling)
{
    if (!sampling) return;
    stack_finish(&sampling->data);
    stack_finish(&sampling->code);
    pilot_free(sampling->pilot);
    spoor_references_free(&sampling->references);
    spoor_branches_free(&sampling->branches);
    batch_part_free(&sampling->part);
    free(sampling->intervals);
    free(sampling->chosen);
    free(sampling->replicates);
    free(sampling);
}

/* ---- counting ---- */

/* Uses the lines of a reference, and counts the caches that miss one. */
static bool use_lines(struct stack *stack, const struct spoor_reference *reference,
                      const struct sized_count *sizes, size_t size_count, double *counts)
{
    struct block_run run = block_run_of(reference->address, reference->size, LINE_BITS);
    do {
        const size_t distance = stack_use(stack, run.block);
        if (distance == STACK_FAILED) return false;
        for (size_t i = 0; i < size_count && distance >= sizes[i].lines; i++)
            counts[sizes[i].count]++;
    } while (block_run_next(&run));
    return true;
}

static bool count_references(struct spoor_sampling *sampling, double *counts)
{
    bool good = true;
    for (size_t i = 0; i < sampling->references.count && good; i++) {
        const struct spoor_reference *reference = &sampling->references.items[i];
        if (reference->op > SPOOR_REFERENCE_MISC) continue;
        const bool fetch = reference->op == SPOOR_REFERENCE_FETCH;
        counts[fetch ? SAMPLE_INSTRUCTIONS : SAMPLE_ACCESSES]++;
        good = fetch ? use_lines(&sampling->code, reference, code_counts,
                                 sizeof code_counts / sizeof *code_counts, counts)
                     : use_lines(&sampling->data, reference, data_counts,
                                 sizeof data_counts / sizeof *data_counts, counts);
    }
    return good;
}

static void count_branches(struct spoor_sampling *sampling, double *counts)
{
    const struct spoor_branches *branches = &sampling->branches;
    for (size_t i = 0; i < branches->count; i++)
        counts[SAMPLE_BRANCHES] += (branches->items[i].type & SPOOR_BRANCH_CONDITIONAL) != 0;
}

/* Adds records that belong to the open interval. */
static bool count_part(struct spoor_sampling *sampling, const struct spoor_batch *batch,
                       size_t from, size_t to)
{
    double *counts = sampling->intervals[sampling->count - 1].counts;
    sampling->references.count = 0;
    sampling->branches.count = 0;
    if (!batch_part(&sampling->part, batch, from, to) ||
        spoor_references_add(&sampling->references, &sampling->part, NULL, NULL) != SPOOR_OK ||
        spoor_branches_add(&sampling->branches, &sampling->part, NULL) != SPOOR_OK)
        return false;
    count_branches(sampling, counts);
    if (!pilot_run(sampling->pilot, &sampling->part, &sampling->references, &sampling->branches,
                   counts))
        return false;
    return count_references(sampling, counts);
}

/* ---- intervals ---- */

static bool open_interval(struct spoor_sampling *sampling, uint64_t first)
{
    if (!array_reserve(&sampling->intervals, &sampling->capacity, sampling->count + 1))
        return false;
    sampling->intervals[sampling->count++] =
        (struct sample_interval){.first = first, .counts = {[SAMPLE_INTERVALS] = 1}};
    return true;
}

static bool begins_instruction(struct spoor_sampling *sampling, const struct spoor_batch *batch,
                               size_t index)
{
    const enum spoor_kind kind = (enum spoor_kind)batch->records[index].kind;
    sampling->instructed |= kind == SPOOR_UOP || kind == SPOOR_INSN;
    return kind == SPOOR_UOP ? uop_begins(batch, index)
                             : kind == SPOOR_INSN || !sampling->instructed;
}

/* The end of the records from `at` on that the open interval still takes. */
static size_t end_of_part(struct spoor_sampling *sampling, const struct spoor_batch *batch,
                          size_t at)
{
    const uint64_t left = sampling->filled < sampling->options.interval
                              ? sampling->options.interval - sampling->filled
                              : 0;
    if (left >= batch->count - at) return batch->count;
    size_t to = at + (size_t)left;
    while (to < batch->count && !begins_instruction(sampling, batch, to)) to++;
    return to;
}

enum spoor_status spoor_sampling_feed(struct spoor_sampling *sampling,
                                      const struct spoor_batch *batch, struct spoor_error *error)
{
    size_t at = 0;
    while (at < batch->count && !sampling->failed) {
        if (sampling->filled == 0) sampling->failed |= !open_interval(sampling, batch->first + at);
        const size_t to = end_of_part(sampling, batch, at);
        if (!sampling->failed && to > at) sampling->failed |= !count_part(sampling, batch, at, to);
        sampling->filled += to - at;
        if (to < batch->count) {
            sampling->intervals[sampling->count - 1].last = batch->first + to - 1;
            sampling->filled = 0;
        }
        at = to;
    }
    sampling->next = batch->first + batch->count;
    return memory_status(!sampling->failed, error);
}

/* The instructions that an interval stands for: its own times its weight. */
static double instructions_for(const struct sample_interval *interval)
{
    return interval->counts[SAMPLE_INSTRUCTIONS] * interval->weight;
}

/* Lists the intervals that have a weight; false: memory ran out. */
static bool list_chosen(struct spoor_sampling *sampling)
{
    sampling->chosen = calloc(sampling->count + 1, sizeof *sampling->chosen);
    for (size_t i = 0; sampling->chosen && i < sampling->count; i++) {
        const struct sample_interval *interval = &sampling->intervals[i];
        sampling->represented += instructions_for(interval);
        if (interval->weight > 0) sampling->chosen[sampling->chosen_count++] = i;
    }
    return sampling->chosen;
}

/* Weights the chosen intervals in each replicate; false: memory ran out. */
static bool replicate(struct spoor_sampling *sampling)
{
    sampling->replicates = calloc(sampling->chosen_count + 1, sizeof *sampling->replicates);
    if (!sampling->replicates) return false;
    sampling->replicated =
        sampling_replicate(sampling->intervals, sampling->count, sampling->chosen,
                           sampling->chosen_count, sampling->replicates);
    return true;
}

enum spoor_status spoor_sampling_end(struct spoor_sampling *sampling, struct spoor_error *error)
{
    if (sampling->filled) sampling->intervals[sampling->count - 1].last = sampling->next - 1;
    if (!sampling->failed)
        sampling_choose(sampling->intervals, sampling->count, sampling->options.size,
                        sampling->options.seed);
    sampling->failed = sampling->failed || !list_chosen(sampling) || !replicate(sampling);
    return memory_status(!sampling->failed, error);
}

/* ---- the sample ---- */

size_t spoor_sampling_intervals(const struct spoor_sampling *sampling)
{
    return sampling->count;
}

uint64_t spoor_sampling_instructions(const struct spoor_sampling *sampling)
{
    double instructions = 0;
    for (size_t i = 0; i < sampling->count; i++)
        instructions += sampling->intervals[i].counts[SAMPLE_INSTRUCTIONS];
    return (uint64_t)instructions;
}

bool spoor_sampling_sample(const struct spoor_sampling *sampling, size_t number,
                           struct spoor_sample *sample)
{
    if (number >= sampling->chosen_count) return false;
    const size_t at = sampling->chosen[number];
    const struct sample_interval *interval = &sampling->intervals[at];
    const double share =
        sampling->represented > 0 ? instructions_for(interval) / sampling->represented : 0;
    *sample = (struct spoor_sample){
        .interval = at,
        .first = interval->first,
        .last = interval->last,
        .instructions = (uint64_t)interval->counts[SAMPLE_INSTRUCTIONS],
        .share = share,
        .weight = interval->weight,
        .replicates = sampling->replicated ? sampling->replicates[number] : NULL,
    };
    return true;
}

enum spoor_status spoor_sampling_report(const struct spoor_sampling *sampling,
                                        struct spoor_result *result)
{
    struct spoor_sample sample;
    spoor_result_unsigned(result, "interval", sampling->options.interval);
    spoor_result_unsigned(result, "instructions", spoor_sampling_instructions(sampling));
    spoor_result_unsigned(result, "intervals", sampling->count);
    spoor_result_unsigned(result, "seed", sampling->options.seed);
    spoor_result_unsigned(result, "sampled", sampling->chosen_count);
    struct spoor_result *rows = spoor_result_array(result, "simpoints");
    for (size_t i = 0; spoor_sampling_sample(sampling, i, &sample); i++) {
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_real(row, "weight", sample.share, 4);
        spoor_result_unsigned(row, "interval", sample.interval);
        spoor_result_unsigned(row, "first_record", sample.first);
        spoor_result_unsigned(row, "last_record", sample.last);
        spoor_result_unsigned(row, "instructions", sample.instructions);
    }
    return result_status(result);
}
