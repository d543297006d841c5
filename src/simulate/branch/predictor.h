/* SPDX-License-Identifier: MIT */
/*
 * predictor.h: how to write a branch predictor: one `const struct predictor predictor_NAME`, and
 * its line in components.def.
 *
 * A file writes predict, train and track as static inline functions of the state, and names them
 * twice: in the constant struct, and in PREDICTOR_LOOP(), which defines a loop over an array of
 * branches in which they are inlined.  So no function is called through a pointer once per branch.
 */
#ifndef SPOOR_SIMULATE_BRANCH_PREDICTOR_H
#define SPOOR_SIMULATE_BRANCH_PREDICTOR_H

#include "base/text.h"
#include "simulate/component.h"
#include "spoor/plugin.h"
#include "spoor/predictor.h"

struct predictor {
    struct component component;
    /* A target predictor: true if it predicts the target of this branch.  Its state begins with the
     * last prediction, a uint64_t, 0 if it had none.  NULL: a direction predictor. */
    bool (*asks)(const struct spoor_branch *branch);
    bool (*predict)(void *state, const struct spoor_branch *branch);
    void (*train)(void *state, const struct spoor_branch *branch);
    void (*track)(void *state, const struct spoor_branch *branch);
    /* Predicts, trains and tracks; wrong[i] becomes 1 if the prediction of branch i was wrong, else
     * 0, unless `wrong` is NULL.  Returns the number of wrong predictions. */
    uint64_t (*run)(void *state, const struct spoor_branch *branches, size_t count, uint8_t *wrong);
    /* The form of spoor_predictor_state(); NULL: it has none. */
    void (*show)(const void *state, struct text *text);
};

struct spoor_predictor {
    const struct predictor *kind;
    struct component_setup setup;
    void *state;
};

/* predictor.c: the bytes that the state of a predictor takes; 0: `error` has a message, as of
 * spoor_predictor_new_with(). */
size_t predictor_memory(const char *spec, const char *defaults, struct spoor_error *error);

static inline bool branch_is_conditional(const struct spoor_branch *branch)
{
    return spoor_branch_is_conditional(branch);
}
static inline bool branch_is_taken(const struct spoor_branch *branch)
{
    return spoor_branch_is_taken(branch);
}

/* The train or track of a predictor that learns nothing then. */
static inline void predictor_ignore(void *state, const struct spoor_branch *branch)
{
    (void)state, (void)branch;
}

/* The loops of plugin.h: of direction predictors, of target predictors, of others. */
#define PREDICTOR_LOOP SPOOR_PREDICTOR_LOOP
#define TARGET_LOOP SPOOR_TARGET_LOOP
#define PREDICTOR_LOOP_OF SPOOR_PREDICTOR_LOOP_OF

#endif
