/* SPDX-License-Identifier: MIT */
/* prediction.c: run several predictors on one trace, and count. */
#include "simulate/branch/prediction.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "model/options.h"
#include "simulate/branch/predictor.h"

/* ---- construction ---- */

/* Compares the bytes that the predictors of `cpus` cpus take with the limit. */
static enum spoor_status prediction_check_memory(const struct spoor_prediction_options *options,
                                                 size_t cpus, struct spoor_error *error)
{
    const char *defaults = options->defaults ? options->defaults : "";
    struct spoor_error own = {0};
    uint64_t needed = 0;
    for (size_t i = 0; i < options->count; i++) {
        const size_t bytes = predictor_memory(options->specs[i], defaults, &own);
        if (!bytes) return spoor_error_set(error, own.status, "%s", own.text);
        memory_need(&needed, cpus, bytes);
    }
    return memory_check(cpus > 1 ? "the predictors of all cpus" : "the predictors", needed,
                        options->memory, error);
}

enum spoor_status spoor_prediction_new(struct spoor_prediction **made,
                                       const struct spoor_prediction_options *given,
                                       struct spoor_error *error)
{
    struct spoor_prediction_options options;
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    if (status != SPOOR_OK) return status;
    if (options.count < 1 || options.count > MAX_PREDICTORS)
        return spoor_error_set(error, SPOOR_EUSAGE, "found %zu predictors, expected 1 to %d",
                               options.count, MAX_PREDICTORS);
    status = prediction_check_memory(&options, 1, error);
    if (status != SPOOR_OK) return status;
    struct spoor_prediction *prediction = calloc(1, sizeof *prediction);
    if (prediction) prediction->contestants = calloc(options.count, sizeof(struct contestant));
    if (!prediction || !prediction->contestants) {
        spoor_prediction_free(prediction);
        return memory_status(false, error);
    }
    prediction->shared = options.shared;
    prediction->memory = options.memory;
    prediction->warmup = prediction->first_warmup = options.warmup;
    prediction->part = options.part;
    prediction->first = options.part ? options.first : 0;
    prediction->last = options.part ? options.last : UINT64_MAX;
    prediction->unconditional = options.unconditional;
    prediction->by_branch = options.by_branch;
    prediction->counts_all = !options.part && options.warmup == 0;
    prediction->window_size = WINDOW_FIRST;
    prediction->sites.predictors = options.count;
    if (options.defaults && !(prediction->defaults = strdup(options.defaults))) {
        spoor_prediction_free(prediction);
        return memory_status(false, error);
    }
    struct spoor_error own = {0};
    for (size_t i = 0; i < options.count; i++) {
        struct contestant *contestant = &prediction->contestants[i];
        status = spoor_predictor_new_with(&contestant->predictor, options.specs[i],
                                          options.defaults ? options.defaults : "", &own);
        if (status == SPOOR_OK) {
            prediction->count++;
            contestant->spec = strdup(options.specs[i]);
            if (!contestant->spec) status = error_no_memory(&own);
        }
        if (status != SPOOR_OK) {
            spoor_prediction_free(prediction);
            return spoor_error_set(error, own.status, "%s", own.text);
        }
    }
    *made = prediction;
    return SPOOR_OK;
}

void spoor_prediction_free(struct spoor_prediction *prediction)
{
    if (!prediction) return;
    for (size_t i = 1; i < prediction->cpus.count; i++)
        spoor_prediction_free(prediction->others[i - 1]);
    free(prediction->others);
    cpus_free(&prediction->cpus);
    free(prediction->defaults);
    for (size_t i = 0; i < prediction->count; i++) {
        spoor_predictor_free(prediction->contestants[i].predictor);
        free(prediction->contestants[i].spec);
    }
    free(prediction->contestants);
    free(prediction->sites.items);
    free(prediction->sites.wrong);
    free(prediction->sites.outcomes);
    hash_map_free(&prediction->sites.numbers);
    free(prediction);
}

/* ---- windows ---- */

/* The number of branches that the current window still needs. */
static uint64_t prediction_left_in_window(struct spoor_prediction *prediction)
{
    if (prediction->windows[prediction->window].branches == prediction->window_size &&
        ++prediction->window == SPOOR_PREDICTION_WINDOWS) {
        /* Merges pairs of windows to free half of them. */
        const size_t half = SPOOR_PREDICTION_WINDOWS / 2;
        struct window *windows = prediction->windows;
        for (size_t i = 0; i < half; i++)
            windows[i] =
                (struct window){windows[2 * i].branches + windows[2 * i + 1].branches,
                                windows[2 * i].instructions + windows[2 * i + 1].instructions};
        memset(windows + half, 0, half * sizeof *windows);
        for (size_t p = 0; p < prediction->count; p++) {
            uint64_t *wrong = prediction->contestants[p].windows;
            for (size_t i = 0; i < half; i++) wrong[i] = wrong[2 * i] + wrong[2 * i + 1];
            memset(wrong + half, 0, half * sizeof *wrong);
        }
        prediction->window = half;
        prediction->window_size *= 2;
    }
    return prediction->window_size - prediction->windows[prediction->window].branches;
}

/* ---- counting ---- */

/* Counts a piece that lies in one window; false if memory runs out. */
static bool prediction_count(struct spoor_prediction *prediction,
                             const struct spoor_branch *branches, size_t count)
{
    struct window *window = &prediction->windows[prediction->window];
    const unsigned known = SPOOR_BRANCH_HAS_TYPE | SPOOR_BRANCH_HAS_CONDITION;
    uint64_t instructions = count, conditional = 0, taken = 0, typed = 0;
    for (size_t i = 0; i < count; i++) {
        instructions += branches[i].gap;
        typed += branch_is_conditional(&branches[i]) || branches[i].has & known;
        conditional += branch_is_conditional(&branches[i]);
        taken += branch_is_conditional(&branches[i]) && branch_is_taken(&branches[i]);
    }
    window->branches += count;
    window->instructions += instructions;
    prediction->branches += count;
    prediction->conditional += conditional;
    prediction->taken += taken;
    prediction->typed += typed;
    prediction->instructions += instructions;
    for (size_t p = 0; p < prediction->count; p++) {
        struct contestant *contestant = &prediction->contestants[p];
        uint64_t wrong = spoor_predictor_run(contestant->predictor, branches, count,
                                             prediction->by_branch ? contestant->wrong : NULL);
        contestant->mispredictions += wrong;
        contestant->windows[prediction->window] += wrong;
        if (spoor_predictor_aim(contestant->predictor) == SPOOR_PREDICTS_DIRECTION) {
            contestant->asked += conditional;
            continue;
        }
        for (size_t i = 0; i < count; i++)
            contestant->asked += spoor_predictor_asks(contestant->predictor, &branches[i]);
    }
    struct contestant *contestants = prediction->contestants;
    for (size_t i = 0; prediction->by_branch && i < count; i++) {
        struct site *site;
        if (!site_at(&prediction->sites, branches[i].pc, &site)) return false;
        if (site) {
            if (!site_note(&prediction->sites, site, branch_is_taken(&branches[i]))) return false;
            uint64_t *wrong = site_wrong(&prediction->sites, site);
            for (size_t p = 0; p < prediction->count; p++) wrong[p] += contestants[p].wrong[i];
        } else {
            prediction->sites.left_out++;
        }
        if (prediction->count > 1 && branch_is_conditional(&branches[i]))
            prediction->agreement.count[contestants[0].wrong[i]][contestants[1].wrong[i]]++;
    }
    return true;
}

/* ---- cpus ---- */

static spoor_name branch_cpu(const struct spoor_branch *branch)
{
    return branch->has & SPOOR_BRANCH_HAS_CPU ? branch->cpu : SPOOR_NO_NAME;
}

/* Makes the predictors of one more cpu, with the options of the first. */
static enum spoor_status prediction_add_cpu(struct spoor_prediction *prediction,
                                            struct spoor_error *error)
{
    const char *specs[MAX_PREDICTORS];
    struct spoor_prediction *made = NULL;
    const size_t number = prediction->cpus.count;
    for (size_t i = 0; i < prediction->count; i++) specs[i] = prediction->contestants[i].spec;
    const struct spoor_prediction_options options = {
        .specs = specs,
        .count = prediction->count,
        .defaults = prediction->defaults,
        .warmup = prediction->first_warmup,
        .part = prediction->part,
        .first = prediction->first,
        .last = prediction->last,
        .unconditional = prediction->unconditional,
        .by_branch = prediction->by_branch,
        .shared = true,
        .memory = prediction->memory,
    };
    enum spoor_status status = prediction_check_memory(&options, number + 1, error);
    if (status == SPOOR_OK &&
        !array_reserve(&prediction->others, &prediction->other_capacity, number))
        status = memory_status(false, error);
    if (status == SPOOR_OK) status = spoor_prediction_new(&made, &options, error);
    if (!made) return status;
    made->counts_all = prediction->counts_all;
    if (prediction->warms) spoor_prediction_begin_warmup(made);
    prediction->others[number - 1] = made;
    return SPOOR_OK;
}

/* The predictors of a cpu, made if it is new; NULL: `error` has a message. */
static struct spoor_prediction *prediction_of_cpu(struct spoor_prediction *prediction,
                                                  spoor_name cpu, struct spoor_error *error)
{
    const size_t before = prediction->cpus.count;
    if (before && prediction->cpus.names[0] == cpu) return prediction;
    const bool known = cpu < prediction->cpus.number_capacity && prediction->cpus.numbers[cpu] > 0;
    if (before && !known && prediction_add_cpu(prediction, error) != SPOOR_OK) return NULL;
    const size_t number = cpus_number(&prediction->cpus, cpu);
    if (number != SIZE_MAX) return number ? prediction->others[number - 1] : prediction;
    if (before && !known) spoor_prediction_free(prediction->others[before - 1]);
    memory_status(false, error);
    return NULL;
}

size_t spoor_prediction_cpu_count(const struct spoor_prediction *prediction)
{
    return prediction->cpus.count ? prediction->cpus.count : 1;
}

void spoor_prediction_name_cpus(struct spoor_prediction *prediction,
                                const struct spoor_stream *stream, const uint64_t *instructions,
                                size_t count)
{
    const struct cpus *cpus = &prediction->cpus;
    prediction->cpus.texts = stream->names;
    for (size_t i = 0; cpus->count > 1 && i < cpus->count; i++) {
        struct spoor_prediction *one = i ? prediction->others[i - 1] : prediction;
        if (one->counts_all && cpus->names[i] < count)
            one->instructions = instructions[cpus->names[i]];
    }
}

enum spoor_status spoor_prediction_continue(struct spoor_prediction *prediction,
                                            struct spoor_prediction *before,
                                            struct spoor_error *error)
{
    bool same = prediction->count == before->count;
    for (size_t i = 0; same && i < prediction->count; i++) {
        const struct component_setup *one = &prediction->contestants[i].predictor->setup;
        const struct component_setup *other = &before->contestants[i].predictor->setup;
        same = one->component == other->component &&
               memcmp(one->values, other->values, sizeof one->values) == 0;
    }
    if (!same)
        return spoor_error_set(error, SPOOR_EUSAGE, "the predictions have different predictors");
    for (size_t i = 0; i < before->cpus.count; i++)
        if (!prediction_of_cpu(prediction, before->cpus.names[i], error))
            return error ? error->status : SPOOR_ENOMEM;
    for (size_t i = 0; i < spoor_prediction_cpu_count(before); i++) { /* exchanges the predictors */
        struct contestant *own = (i ? prediction->others[i - 1] : prediction)->contestants;
        struct contestant *trained = (i ? before->others[i - 1] : before)->contestants;
        for (size_t p = 0; p < prediction->count; p++) {
            struct spoor_predictor *predictor = own[p].predictor;
            own[p].predictor = trained[p].predictor;
            trained[p].predictor = predictor;
        }
    }
    return SPOOR_OK;
}

void spoor_prediction_begin_warmup(struct spoor_prediction *prediction)
{
    prediction->warms = true;
    prediction->warmup = UINT64_MAX / 2;
    for (size_t i = 1; i < prediction->cpus.count; i++)
        spoor_prediction_begin_warmup(prediction->others[i - 1]);
}

void spoor_prediction_end_warmup(struct spoor_prediction *prediction)
{
    const uint64_t at = prediction->at, first = prediction->first;
    prediction->warms = false;
    prediction->warmup = at > first ? at - first : 0;
    for (size_t i = 1; i < prediction->cpus.count; i++)
        spoor_prediction_end_warmup(prediction->others[i - 1]);
}

/* ---- feeding ---- */

static size_t prediction_minimum(uint64_t a, uint64_t b)
{
    return (size_t)(a < b ? a : b);
}

/* The branches, marked as conditional if the option is set. */
static const struct spoor_branch *prediction_piece(struct spoor_prediction *prediction,
                                                   const struct spoor_branch *branches,
                                                   size_t count)
{
    if (!prediction->unconditional) return branches;
    memcpy(prediction->piece, branches, count * sizeof *branches);
    for (size_t i = 0; i < count; i++) prediction->piece[i].type |= SPOOR_BRANCH_CONDITIONAL;
    return prediction->piece;
}

static enum spoor_status prediction_feed_one(struct spoor_prediction *prediction,
                                             const struct spoor_branch *branches, size_t count,
                                             struct spoor_error *error)
{
    while (count > 0 && prediction->at <= prediction->last) {
        const uint64_t warm = prediction->first + prediction->warmup, at = prediction->at;
        size_t some = prediction_minimum(count, PIECE);
        if (prediction->last - at < some) some = (size_t)(prediction->last - at) + 1;
        if (at < prediction->first) {
            some = prediction_minimum(count, prediction->first - at);
        } else if (at < warm) {
            some = prediction_minimum(some, warm - at);
            const struct spoor_branch *piece = prediction_piece(prediction, branches, some);
            for (size_t p = 0; p < prediction->count; p++)
                spoor_predictor_run(prediction->contestants[p].predictor, piece, some, NULL);
        } else {
            some = prediction_minimum(some, prediction_left_in_window(prediction));
            if (!prediction_count(prediction, prediction_piece(prediction, branches, some), some))
                return memory_status(false, error);
        }
        prediction->at += some;
        branches += some;
        count -= some;
    }
    return SPOOR_OK;
}

enum spoor_status spoor_prediction_feed(struct spoor_prediction *prediction,
                                        const struct spoor_branch *branches, size_t count,
                                        struct spoor_error *error)
{
    if (prediction->shared) return prediction_feed_one(prediction, branches, count, error);
    for (size_t some; count > 0; branches += some, count -= some) {
        const spoor_name cpu = branch_cpu(branches);
        for (some = 1; some < count && branch_cpu(&branches[some]) == cpu;) some++;
        struct spoor_error own = {0};
        struct spoor_prediction *one = prediction_of_cpu(prediction, cpu, &own);
        if (!one) return spoor_error_set(error, own.status, "%s", own.text);
        const enum spoor_status status = prediction_feed_one(one, branches, some, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

enum spoor_status spoor_prediction_end(struct spoor_prediction *prediction, uint64_t instructions,
                                       struct spoor_error *error)
{
    if (prediction->counts_all && prediction->cpus.count <= 1)
        prediction->instructions = instructions;
    return memory_status(true, error);
}
