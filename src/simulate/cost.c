/* SPDX-License-Identifier: MIT */
/*
 * cost.c: what records cost on a design, for profiles: simulators that are fed one record at a
 * time.
 */
#include <stdlib.h>

#include "spoor/cache.h"
#include "spoor/predictor.h"
#include "spoor/profile.h"
#include "views/branches.h"
#include "views/references.h"

struct simulated_cost {
    struct spoor_cost cost;            /* first */
    struct spoor_cache_system *caches; /* NULL: none */
    struct spoor_references references;
    struct spoor_predictor *predictor; /* NULL: none */
    struct spoor_branches branches;
};

static struct simulated_cost *simulated(struct spoor_cost *cost)
{
    return (struct simulated_cost *)cost;
}

static bool begin(struct spoor_cost *cost, const struct spoor_batch *batch)
{
    struct simulated_cost *of = simulated(cost);
    of->branches.count = 0;
    return !of->predictor || branches_begin(&of->branches, batch);
}

/* A branch is known when its successor is: at the next record of its processor. */
static bool mispredicted(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                         uint64_t *events)
{
    struct simulated_cost *of = simulated(cost);
    *events = 0;
    if (!of->predictor) return true;
    if (!branches_add_record(&of->branches, batch, index)) return false;
    *events = spoor_predictor_run(of->predictor, of->branches.items, of->branches.count, NULL);
    of->branches.count = 0;
    return true;
}

static bool missed(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                   uint64_t *events)
{
    struct simulated_cost *of = simulated(cost);
    *events = 0;
    if (!of->caches) return true;
    of->references.count = 0;
    if (!references_add_record(&of->references, batch, index)) return false;
    for (size_t i = 0; i < of->references.count; i++)
        *events += spoor_cache_system_access(of->caches, &of->references.items[i]) > 0;
    return true;
}

static void release(struct spoor_cost *cost)
{
    struct simulated_cost *of = simulated(cost);
    spoor_cache_system_free(of->caches);
    spoor_predictor_free(of->predictor);
    spoor_references_free(&of->references);
    spoor_branches_free(&of->branches);
    free(of);
}

static struct simulated_cost *cost_new(struct spoor_error *error)
{
    struct simulated_cost *of = calloc(1, sizeof *of);
    if (of)
        of->cost = (struct spoor_cost){begin, mispredicted, missed, release};
    else
        spoor_error_set(error, SPOOR_ENOMEM, "memory ran out");
    return of;
}

static enum spoor_status make_caches(struct simulated_cost *of, const char *const *levels,
                                     size_t count, struct spoor_error *error)
{
    struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS];
    if (count > SPOOR_CACHE_LEVELS)
        return spoor_error_set(error, SPOOR_EUSAGE, "expected at most %d caches",
                               SPOOR_CACHE_LEVELS);
    for (size_t i = 0; i < count; i++) {
        const enum spoor_status status = spoor_cache_level_parse(&parsed[i], levels[i], error);
        if (status != SPOOR_OK) return status;
    }
    const enum spoor_status status =
        spoor_cache_system_new(&of->caches, parsed, count, &(struct spoor_cache_options){0}, error);
    if (status != SPOOR_OK || !spoor_cache_system_needs_future(of->caches)) return status;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "policy opt needs the whole trace in advance: `spoor cache` has it");
}

enum spoor_status spoor_cost_of_caches(struct spoor_cost **cost, const char *const *levels,
                                       size_t count, struct spoor_error *error)
{
    struct simulated_cost *of = cost_new(error);
    if (!of) return SPOOR_ENOMEM;
    const enum spoor_status status = make_caches(of, levels, count, error);
    if (status == SPOOR_OK)
        *cost = &of->cost;
    else
        release(&of->cost);
    return status;
}

enum spoor_status spoor_cost_of_predictor(struct spoor_cost **cost, const char *spec,
                                          struct spoor_error *error)
{
    struct simulated_cost *of = cost_new(error);
    if (!of) return SPOOR_ENOMEM;
    of->predictor = spoor_predictor_new(spec, error);
    if (of->predictor) {
        *cost = &of->cost;
        return SPOOR_OK;
    }
    release(&of->cost);
    return error->status;
}

void spoor_cost_free(struct spoor_cost *cost)
{
    if (cost) cost->release(cost);
}
