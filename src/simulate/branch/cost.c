/* SPDX-License-Identifier: MIT */
/* cost.c: the mispredictions of a branch predictor, record by record, for profiles. */
#include <stdlib.h>

#include "spoor/predictor.h"
#include "spoor/profile.h"
#include "views/branches.h"

struct branch_cost {
    struct spoor_cost cost; /* first */
    struct spoor_predictor *predictor;
    struct spoor_branches branches;
};

static bool begin(struct spoor_cost *cost, const struct spoor_batch *batch)
{
    struct branch_cost *of = (struct branch_cost *)cost;
    of->branches.count = 0;
    return branches_begin(&of->branches, batch);
}

/* A branch is known when its successor is: at the next record of its processor. */
static bool mispredictions(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                           uint64_t *events)
{
    struct branch_cost *of = (struct branch_cost *)cost;
    *events = 0;
    if (!branches_add_record(&of->branches, batch, index)) return false;
    *events = spoor_predictor_run(of->predictor, of->branches.items, of->branches.count, NULL);
    of->branches.count = 0;
    return true;
}

static bool nothing(struct spoor_cost *cost, const struct spoor_batch *batch, size_t index,
                    uint64_t *events)
{
    (void)cost, (void)batch, (void)index;
    *events = 0;
    return true;
}

static void release(struct spoor_cost *cost)
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
    if (!of) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    of->cost = (struct spoor_cost){begin, mispredictions, nothing, release};
    const enum spoor_status status = spoor_predictor_new(&of->predictor, spec, error);
    if (status == SPOOR_OK)
        *cost = &of->cost;
    else
        release(&of->cost);
    return status;
}
