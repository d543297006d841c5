/* SPDX-License-Identifier: MIT */
/*
 * annotator.c: notes which branches are mispredicted and which accesses miss.
 *
 * An annotator gets the operations in the order of the trace and passes them to its predictor and
 * caches.  The timing of a machine has no influence on that, so machines with the same predictor
 * and caches share one annotator.
 */

#include "simulate/pipeline/pipeline.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/memory_need.h"
#include "model/error.h"
#include "simulate/branch/predictor.h"
#include "simulate/cache/system.h"
#include "spoor/cache.h"
#include "spoor/predictor.h"

enum { PREDICTORS = 4 };

struct annotator {
    struct spoor_pipeline_config config;
    struct spoor_predictor *predictors[PREDICTORS];
    size_t predictor_count;
    struct spoor_cache_system *caches; /* NULL: none */
    bool caches_fetch, caches_data;    /* the configuration has a cache for them */
    bool borrows;                      /* the caches are another annotator's */
    spoor_name cpu;                    /* 1 + number of the cpu, where cpus share levels */
    uint64_t space;                    /* what distinguishes the addresses of a core */
    struct spoor_branch *branches;     /* branches among the current operations */
    size_t *places;                    /* index of the operation that each of them belongs to */
    uint8_t *wrong;
    size_t capacity;
};

/* ---- construction ---- */

static enum spoor_status
annotator_parse_levels(const struct spoor_pipeline_config *config,
                       struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS],
                       struct spoor_error *error)
{
    for (uint32_t i = 0; i < config->levels; i++) {
        levels[i] = (struct spoor_cache_level){0};
        const enum spoor_status status =
            spoor_cache_level_parse(&levels[i], config->level[i], error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

/* Copies the part of "gshare:bits=14+btb" at *at, which advances past it; false at the end, and if
 * there is no predictor. */
static bool annotator_next_spec(const struct spoor_pipeline_config *config, size_t *at,
                                char spec[SPOOR_PIPELINE_SPEC])
{
    const char *all = config->predictor;
    if (strcmp(all, "perfect") == 0 || *at > strlen(all)) return false;
    const size_t size = strcspn(all + *at, "+");
    snprintf(spec, SPOOR_PIPELINE_SPEC, "%.*s", (int)size, all + *at);
    *at += size + 1;
    return true;
}

/* Makes the predictors, one for each part of their list, and the caches. */
static enum spoor_status annotator_make(struct annotator *annotator, struct spoor_error *error)
{
    const struct spoor_pipeline_config *config = &annotator->config;
    size_t at = 0;
    char spec[SPOOR_PIPELINE_SPEC];
    enum spoor_status status = SPOOR_OK;
    while (annotator_next_spec(config, &at, spec)) {
        if (annotator->predictor_count == PREDICTORS)
            return spoor_error_set(error, SPOOR_EUSAGE, "more than %d predictors in '%s'",
                                   PREDICTORS, config->predictor);
        struct spoor_predictor *predictor;
        status = spoor_predictor_new(&predictor, spec, error);
        if (status != SPOOR_OK) return status;
        annotator->predictors[annotator->predictor_count++] = predictor;
    }
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS];
    /* pipeline.c has counted their memory */
    const struct spoor_cache_options options = {.memory = UINT64_MAX,
                                                .incoherent = config->separate};
    if (config->levels == 0 || memory_time_is_on(config)) return SPOOR_OK;
    status = annotator_parse_levels(config, levels, error);
    if (status != SPOOR_OK) return status;
    for (uint32_t i = 0; i < config->levels; i++) {
        annotator->caches_fetch |= (levels[i].takes & SPOOR_CACHE_FETCHES) != 0;
        annotator->caches_data |= (levels[i].takes & SPOOR_CACHE_DATA) != 0;
    }
    status = spoor_cache_system_new(&annotator->caches, levels, config->levels, &options, error);
    if (status != SPOOR_OK || !spoor_cache_system_needs_future(annotator->caches)) return status;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "predictor 'opt' uses future outcomes: a pipeline cannot use it");
}

enum spoor_status annotator_memory(const struct spoor_pipeline_config *config, uint64_t *needed,
                                   struct spoor_error *error)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS];
    struct spoor_error own = {0};
    size_t at = 0;
    char spec[SPOOR_PIPELINE_SPEC];
    while (annotator_next_spec(config, &at, spec)) {
        const size_t bytes = predictor_memory(spec, "", &own);
        if (!bytes) return spoor_error_set(error, own.status, "%s", own.text);
        memory_need(needed, 1, bytes);
    }
    if (memory_time_is_on(config)) return memory_time_memory(config, needed, error);
    const enum spoor_status status = annotator_parse_levels(config, levels, error);
    if (status != SPOOR_OK) return status;
    const struct spoor_cache_options options = {0};
    memory_need(needed, 1, cache_system_memory(levels, config->levels, &options));
    return SPOOR_OK;
}

struct annotator *annotator_new(const struct spoor_pipeline_config *config,
                                struct spoor_error *error)
{
    struct annotator *annotator = calloc(1, sizeof *annotator);
    if (!annotator) {
        error_no_memory(error);
        return NULL;
    }
    annotator->config = *config;
    if (annotator_make(annotator, error) == SPOOR_OK) return annotator;
    annotator_free(annotator);
    return NULL;
}

bool annotator_serves(const struct annotator *annotator, const struct spoor_pipeline_config *config)
{
    const struct spoor_pipeline_config *own = &annotator->config;
    if (own->targets != config->targets || strcmp(own->predictor, config->predictor) != 0 ||
        own->levels != config->levels)
        return false;
    const bool timed = memory_time_is_on(own);
    if (timed != memory_time_is_on(config)) return false;
    if (timed) return true; /* it has no caches */
    for (uint32_t i = 0; i < own->levels; i++)
        if (strcmp(own->level[i], config->level[i]) != 0 ||
            own->miss_latency[i] != config->miss_latency[i])
            return false;
    return true;
}

bool annotator_same(const struct annotator *one, const struct annotator *other)
{
    return annotator_serves(one, &other->config);
}

bool annotator_is_active(const struct annotator *annotator)
{
    return annotator->predictor_count || annotator->caches;
}

static uint32_t annotator_delay(const struct annotator *annotator, unsigned depth)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < depth && i < SPOOR_PIPELINE_LEVELS; i++)
        sum += annotator->config.miss_latency[i];
    return sum;
}

uint32_t annotator_longest(const struct annotator *annotator)
{
    enum { IN_TIME = 1000 }; /* what is longer is scheduled anew */
    if (memory_time_is_on(&annotator->config)) return IN_TIME;
    return annotator_delay(annotator, annotator->config.levels);
}

/* ---- notes ---- */

/* The types of branches, as bits, that other predictors judge instead of predictor `index`. */
static uint8_t annotator_others(const struct annotator *annotator, size_t index)
{
    uint8_t types = 0;
    for (size_t i = 0; i < annotator->predictor_count; i++) {
        const char *name = spoor_predictor_component(annotator->predictors[i])->name;
        if (i == index) continue;
        if (strcmp(name, "return-stack") == 0) types |= SPOOR_BRANCH_RETURN;
        if (strcmp(name, "ittage") == 0) types |= SPOOR_BRANCH_INDIRECT;
    }
    return spoor_predictor_aim(annotator->predictors[index]) == SPOOR_PREDICTS_DIRECTION ? 0
                                                                                         : types;
}

bool annotator_note(struct annotator *annotator, const struct spoor_operation *operations,
                    size_t count, struct note *notes)
{
    memset(notes, 0, count * sizeof *notes);
    if (annotator->predictor_count) {
        /* A branch is mispredicted if any of the predictors is wrong. */
        size_t branches = 0, of_branches = annotator->capacity, of_places = annotator->capacity;
        if (!array_reserve(&annotator->branches, &of_branches, count) ||
            !array_reserve(&annotator->places, &of_places, count) ||
            !array_reserve(&annotator->wrong, &annotator->capacity, count))
            return false;
        for (size_t i = 0; i < count; i++) {
            const struct spoor_operation *operation = &operations[i];
            if (!(operation->is & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN))) continue;
            annotator->branches[branches] = (struct spoor_branch){
                .pc = operation->pc,
                .target = operation->target,
                .fall = operation->pc + operation->length,
                .type = operation->branch,
                .has = (uint8_t)((operation->is & SPOOR_UOP_TAKEN ? SPOOR_BRANCH_TAKEN : 0) |
                                 (operation->target ? SPOOR_BRANCH_HAS_TARGET : 0) |
                                 (operation->length ? SPOOR_BRANCH_HAS_FALL : 0)),
            };
            annotator->places[branches++] = i;
        }
        for (size_t i = 0; i < annotator->predictor_count; i++) {
            spoor_predictor_run(annotator->predictors[i], annotator->branches, branches,
                                annotator->wrong);
            const uint8_t others = annotator->config.targets ? annotator_others(annotator, i) : 0;
            const bool targets =
                spoor_predictor_aim(annotator->predictors[i]) == SPOOR_PREDICTS_TARGET;
            for (size_t j = 0; j < branches; j++) {
                const uint8_t type = annotator->branches[j].type;
                const bool direct = !(type & (SPOOR_BRANCH_INDIRECT | SPOOR_BRANCH_RETURN)) &&
                                    annotator->branches[j].has & SPOOR_BRANCH_TAKEN;
                if (annotator->wrong[j] && !(type & others))
                    notes[annotator->places[j]].wrong |=
                        targets && direct ? WRONG_DIRECT_TARGET : WRONG;
            }
        }
    }
    if (!annotator->caches) return true;
    const uint64_t space = annotator->space;
    const spoor_name cpu = annotator->cpu;
    const uint8_t has =
        cpu ? SPOOR_REFERENCE_HAS_PC | SPOOR_REFERENCE_HAS_CPU : SPOOR_REFERENCE_HAS_PC;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_operation *operation = &operations[i];
        struct spoor_reference reference = {
            .address = operation->pc ^ space, .pc = operation->pc, .cpu = cpu, .has = has};
        const bool fetched = (operation->is & (SPOOR_OPERATION_FIRST | SPOOR_OPERATION_UNPLACED)) ==
                             SPOOR_OPERATION_FIRST;
        if (annotator->caches_fetch && fetched) {
            reference.size = operation->length;
            notes[i].fetch_delay = (uint16_t)annotator_delay(
                annotator, spoor_cache_system_access(annotator->caches, &reference));
        }
        if (!annotator->caches_data || !(operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)))
            continue;
        reference.address = operation->address ^ space;
        reference.size = 0;
        reference.op =
            operation->is & SPOOR_UOP_STORE ? SPOOR_REFERENCE_WRITE : SPOOR_REFERENCE_READ;
        notes[i].data_delay = (uint16_t)annotator_delay(
            annotator, spoor_cache_system_access(annotator->caches, &reference));
    }
    return !spoor_cache_system_out_of_memory(annotator->caches);
}

bool annotator_shares(const struct spoor_pipeline_config *config)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS];
    if (annotator_parse_levels(config, levels, NULL) != SPOOR_OK) return false;
    for (uint32_t i = 0; i < config->levels; i++)
        if (levels[i].shared) return true;
    return false;
}

void annotator_join(struct annotator *annotator, struct annotator *owner, size_t number, bool apart)
{
    enum { SPACE_BIT = 56 };
    if (!owner->caches) return;
    if (annotator != owner && !annotator->borrows) {
        spoor_cache_system_free(annotator->caches);
        annotator->caches = owner->caches;
        annotator->borrows = true;
    }
    annotator->cpu = (spoor_name)(number + 1);
    if (apart) annotator->space = (uint64_t)number << SPACE_BIT;
}

enum spoor_status annotator_status(const struct annotator *annotator, struct spoor_error *error)
{
    return annotator->caches ? cache_system_status(annotator->caches, error) : SPOOR_OK;
}

void annotator_free(struct annotator *annotator)
{
    if (!annotator) return;
    for (size_t i = 0; i < annotator->predictor_count; i++)
        spoor_predictor_free(annotator->predictors[i]);
    if (!annotator->borrows) spoor_cache_system_free(annotator->caches);
    free(annotator->branches);
    free(annotator->places);
    free(annotator->wrong);
    free(annotator);
}
