/* SPDX-License-Identifier: MIT */
/* guide.c: mispredictions and misses of a trace; see guide.h. */
#include "simulate/pipeline/guide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor/cache.h"
#include "spoor/predictor.h"

enum { PREDICTORS = 4 };

struct guide {
    struct spoor_pipeline_config config;
    struct spoor_predictor *predictors[PREDICTORS];
    size_t predictor_count;
    struct spoor_cache_system *caches; /* NULL: none */
    bool caches_fetch, caches_data;    /* there is a cache for that */
    struct spoor_branch *branches;     /* of the operations at hand */
    size_t *places;                    /* which operation each of them is */
    uint8_t *wrong;
    size_t room;
};

/* ---- making ---- */

/* "gshare:bits=14+btb": a predictor for each part. */
static enum spoor_status make_predictors(struct guide *guide, struct spoor_error *error)
{
    const char *at = guide->config.predictor;
    if (strcmp(at, "perfect") == 0) return SPOOR_OK;
    for (;; at++) {
        char spec[SPOOR_PIPELINE_SPEC];
        const size_t size = strcspn(at, "+");
        if (guide->predictor_count == PREDICTORS)
            return spoor_error_set(error, SPOOR_EUSAGE, "more than %d predictors in '%s'",
                                   PREDICTORS, guide->config.predictor);
        snprintf(spec, sizeof spec, "%.*s", (int)size, at);
        struct spoor_predictor *predictor = spoor_predictor_new(spec, error);
        if (!predictor) return error ? error->status : SPOOR_EUSAGE;
        guide->predictors[guide->predictor_count++] = predictor;
        at += size;
        if (!*at) return SPOOR_OK;
    }
}

static enum spoor_status make_caches(struct guide *guide, struct spoor_error *error)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS];
    const struct spoor_cache_options options = {0};
    const uint32_t count = guide->config.levels;
    for (uint32_t i = 0; i < count; i++) {
        levels[i] = (struct spoor_cache_level){0};
        const enum spoor_status status =
            spoor_cache_level_parse(&levels[i], guide->config.level[i], error);
        if (status != SPOOR_OK) return status;
        guide->caches_fetch |= (levels[i].takes & SPOOR_CACHE_FETCHES) != 0;
        guide->caches_data |= (levels[i].takes & SPOOR_CACHE_DATA) != 0;
    }
    if (count == 0) return SPOOR_OK;
    const enum spoor_status status =
        spoor_cache_system_new(&guide->caches, levels, count, &options, error);
    if (status != SPOOR_OK || !spoor_cache_system_needs_future(guide->caches)) return status;
    return spoor_error_set(error, SPOOR_EUSAGE, "opt knows the future: no pipeline has it");
}

struct guide *guide_new(const struct spoor_pipeline_config *config, struct spoor_error *error)
{
    struct guide *guide = calloc(1, sizeof *guide);
    if (!guide) {
        spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
        return NULL;
    }
    guide->config = *config;
    if (make_predictors(guide, error) == SPOOR_OK && make_caches(guide, error) == SPOOR_OK)
        return guide;
    guide_free(guide);
    return NULL;
}

bool guide_serves(const struct guide *guide, const struct spoor_pipeline_config *config)
{
    const struct spoor_pipeline_config *own = &guide->config;
    if (strcmp(own->predictor, config->predictor) != 0 || own->levels != config->levels)
        return false;
    for (uint32_t i = 0; i < own->levels; i++)
        if (strcmp(own->level[i], config->level[i]) != 0 ||
            own->miss_latency[i] != config->miss_latency[i])
            return false;
    return true;
}

bool guide_speaks(const struct guide *guide)
{
    return guide->predictor_count || guide->caches;
}

static uint32_t delay_of(const struct guide *guide, unsigned depth)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < depth && i < SPOOR_PIPELINE_LEVELS; i++)
        sum += guide->config.miss_latency[i];
    return sum;
}

uint32_t guide_longest(const struct guide *guide)
{
    return delay_of(guide, guide->config.levels);
}

/* ---- branches ---- */

static bool make_room(struct guide *guide, size_t count)
{
    if (guide->room >= count) return true;
    struct spoor_branch *branches = realloc(guide->branches, count * sizeof *branches);
    if (branches) guide->branches = branches;
    size_t *places = realloc(guide->places, count * sizeof *places);
    if (places) guide->places = places;
    uint8_t *wrong = realloc(guide->wrong, count);
    if (wrong) guide->wrong = wrong;
    if (!branches || !places || !wrong) return false;
    guide->room = count;
    return true;
}

static struct spoor_branch branch_of(const struct spoor_operation *operation)
{
    return (struct spoor_branch){
        .pc = operation->pc,
        .target = operation->target,
        .fall = operation->pc + operation->length,
        .type = operation->branch,
        .has = (uint8_t)((operation->is & SPOOR_UOP_TAKEN ? SPOOR_BRANCH_TAKEN : 0) |
                         (operation->target ? SPOOR_BRANCH_HAS_TARGET : 0) |
                         (operation->length ? SPOOR_BRANCH_HAS_FALL : 0)),
    };
}

/* A branch is wrong where any of the predictors is. */
static void note_branches(struct guide *guide, const struct spoor_operation *operations,
                          size_t count, struct note *notes)
{
    size_t branches = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(operations[i].is & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN))) continue;
        guide->branches[branches] = branch_of(&operations[i]);
        guide->places[branches++] = i;
    }
    for (size_t i = 0; i < guide->predictor_count; i++) {
        spoor_predictor_run(guide->predictors[i], guide->branches, branches, guide->wrong);
        for (size_t j = 0; j < branches; j++) notes[guide->places[j]].wrong |= guide->wrong[j];
    }
}

/* ---- accesses ---- */

static uint16_t access_delay(struct guide *guide, const struct spoor_reference *reference)
{
    return (uint16_t)delay_of(guide, spoor_cache_system_access(guide->caches, reference));
}

static void note_accesses(struct guide *guide, const struct spoor_operation *operations,
                          size_t count, struct note *notes)
{
    for (size_t i = 0; i < count; i++) {
        const struct spoor_operation *operation = &operations[i];
        struct spoor_reference reference = {
            .address = operation->pc, .pc = operation->pc, .has = SPOOR_REFERENCE_HAS_PC};
        const bool fetched = (operation->is & (SPOOR_OPERATION_FIRST | SPOOR_OPERATION_UNPLACED)) ==
                             SPOOR_OPERATION_FIRST;
        if (guide->caches_fetch && fetched) {
            reference.size = operation->length;
            notes[i].fetch_delay = access_delay(guide, &reference);
        }
        if (!guide->caches_data || !(operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))) continue;
        reference.address = operation->address;
        reference.size = 0;
        reference.op =
            operation->is & SPOOR_UOP_STORE ? SPOOR_REFERENCE_WRITE : SPOOR_REFERENCE_READ;
        notes[i].data_delay = access_delay(guide, &reference);
    }
}

bool guide_note(struct guide *guide, const struct spoor_operation *operations, size_t count,
                struct note *notes)
{
    memset(notes, 0, count * sizeof *notes);
    if (guide->predictor_count && !make_room(guide, count)) return false;
    if (guide->predictor_count) note_branches(guide, operations, count, notes);
    if (!guide->caches) return true;
    note_accesses(guide, operations, count, notes);
    return !spoor_cache_system_out_of_memory(guide->caches);
}

void guide_free(struct guide *guide)
{
    if (!guide) return;
    for (size_t i = 0; i < guide->predictor_count; i++) spoor_predictor_free(guide->predictors[i]);
    spoor_cache_system_free(guide->caches);
    free(guide->branches);
    free(guide->places);
    free(guide->wrong);
    free(guide);
}
