/* SPDX-License-Identifier: MIT */
/* cost.c: the misses of simulated caches and of a branch predictor, record by record, for profiles.
 */
#include <stdlib.h>

#include "model/error.h"
#include "spoor/cache.h"
#include "spoor/predictor.h"
#include "spoor/profile.h"
#include "views/branches.h"

static bool cost_nothing(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                         uint64_t *events)
{
    (void)cost, (void)batch, (void)index;
    *events = 0;
    return true;
}

/* ---- misses ---- */

struct cache_cost {
    struct spoor_cost cost; /* first */
    struct spoor_cache_system *caches;
    struct spoor_references references;
};

static bool cache_cost_begin(struct spoor_cost *cost, const struct spoor_batch *batch)
{
    (void)cost, (void)batch;
    return true;
}

static bool cache_cost_misses(struct spoor_cost *cost, const struct spoor_batch *batch,
                              size_t index, uint64_t *events)
{
    struct cache_cost *of = (struct cache_cost *)cost;
    *events = 0;
    of->references.count = 0;
    if (!references_add_record(&of->references, batch, index)) return false;
    for (size_t i = 0; i < of->references.count; i++)
        *events += spoor_cache_system_access(of->caches, &of->references.items[i]) > 0;
    return !spoor_cache_system_out_of_memory(of->caches);
}

static void cache_cost_release(struct spoor_cost *cost)
{
    struct cache_cost *of = (struct cache_cost *)cost;
    spoor_cache_system_free(of->caches);
    spoor_references_free(&of->references);
    free(of);
}

enum spoor_status spoor_cost_of_caches(struct spoor_cost **cost, const char *const *levels,
                                       size_t count, uint64_t memory, struct spoor_error *error)
{
    struct spoor_cache_level parsed[SPOOR_CACHE_LEVELS];
    if (count > SPOOR_CACHE_LEVELS)
        return spoor_error_set(error, SPOOR_EUSAGE, "expected at most %d caches",
                               SPOOR_CACHE_LEVELS);
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < count && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&parsed[i], levels[i], error);
    if (status != SPOOR_OK) return status;
    struct cache_cost *of = calloc(1, sizeof *of);
    if (!of) return error_no_memory(error);
    of->cost =
        (struct spoor_cost){cache_cost_begin, cost_nothing, cache_cost_misses, cache_cost_release};
    const struct spoor_cache_options options = {.classify = false, .memory = memory};
    status = spoor_cache_system_new(&of->caches, parsed, count, &options, error);
    if (status == SPOOR_OK && spoor_cache_system_needs_future(of->caches))
        status =
            spoor_error_set(error, SPOOR_EUSAGE,
                            "policy opt needs the whole trace in advance: `spoor cache` has it");
    if (status == SPOOR_OK)
        *cost = &of->cost;
    else
        cache_cost_release(&of->cost);
    return status;
}

/* ---- mispredictions ---- */

struct branch_cost {
    struct spoor_cost cost; /* first */
    struct spoor_predictor *predictor;
    struct spoor_branches branches;
};

static bool branch_cost_begin(struct spoor_cost *cost, const struct spoor_batch *batch)
{
    struct branch_cost *of = (struct branch_cost *)cost;
    of->branches.count = 0;
    return branches_begin(&of->branches, batch);
}

/* A branch is known when its successor is: at the next record of its processor. */
static bool branch_cost_mispredictions(struct spoor_cost *cost, const struct spoor_batch *batch,
                                       size_t index, uint64_t *events)
{
    struct branch_cost *of = (struct branch_cost *)cost;
    *events = 0;
    if (!branches_add_record(&of->branches, batch, index)) return false;
    *events = spoor_predictor_run(of->predictor, of->branches.items, of->branches.count, NULL);
    of->branches.count = 0;
    return true;
}

static void branch_cost_release(struct spoor_cost *cost)
{
    struct branch_cost *of = (struct branch_cost *)cost;
    spoor_predictor_free(of->predictor);
    spoor_branches_free(&of->branches);
    free(of);
}

enum spoor_status spoor_cost_of_predictor(struct spoor_cost **cost, const char *spec,
                                          struct spoor_error *error)
{
    struct branch_cost *of = calloc(1, sizeof *of);
    if (!of) return error_no_memory(error);
    of->cost = (struct spoor_cost){branch_cost_begin, branch_cost_mispredictions, cost_nothing,
                                   branch_cost_release};
    const enum spoor_status status = spoor_predictor_new(&of->predictor, spec, error);
    if (status == SPOOR_OK)
        *cost = &of->cost;
    else
        branch_cost_release(&of->cost);
    return status;
}
