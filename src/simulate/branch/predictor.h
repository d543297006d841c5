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
    return branch->type & SPOOR_BRANCH_CONDITIONAL;
}
static inline bool branch_is_taken(const struct spoor_branch *branch)
{
    return branch->has & SPOOR_BRANCH_TAKEN;
}

/* The train or track of a predictor that learns nothing then. */
static inline void predictor_ignore(void *state, const struct spoor_branch *branch)
{
    (void)state, (void)branch;
}

/* Defines RUN, the loop of a direction predictor. */
#define PREDICTOR_LOOP(RUN, PREDICT, TRAIN, TRACK) \
    PREDICTOR_LOOP_OF(RUN, branch_is_conditional,  \
                      PREDICT(state, branch) != branch_is_taken(branch), TRAIN, TRACK)
/* The loop of a target predictor. */
#define TARGET_LOOP(RUN, ASKS, PREDICT, TRAIN, TRACK)                                        \
    PREDICTOR_LOOP_OF(RUN, ASKS,                                                             \
                      !PREDICT(state, branch) || *(const uint64_t *)state != branch->target, \
                      TRAIN, TRACK)
/* Of a predictor that predicts where ASKS(branch); IS_WRONG: an expression of `state` and `branch`.
 */
#define PREDICTOR_LOOP_OF(RUN, ASKS, IS_WRONG, TRAIN, TRACK)                            \
    static uint64_t RUN(void *state, const struct spoor_branch *branches, size_t count, \
                        uint8_t *wrong)                                                 \
    {                                                                                   \
        uint64_t sum = 0;                                                               \
        for (size_t i = 0; i < count; i++) {                                            \
            const struct spoor_branch *branch = &branches[i];                           \
            bool missed = false;                                                        \
            if (ASKS(branch)) {                                                         \
                missed = IS_WRONG;                                                      \
                TRAIN(state, branch);                                                   \
            }                                                                           \
            TRACK(state, branch);                                                       \
            sum += missed;                                                              \
            if (wrong) wrong[i] = missed;                                               \
        }                                                                               \
        return sum;                                                                     \
    }

#endif
