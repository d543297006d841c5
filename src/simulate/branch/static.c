/* SPDX-License-Identifier: MIT */
/* static.c: predictors without memory: always taken, never taken, backward taken. */
#include "simulate/branch/predictor.h"

/* The predictions for a backward branch and for a forward one. */
struct static_guess {
    bool backward, forward;
};

static inline bool static_predict(void *state, const struct spoor_branch *branch)
{
    const struct static_guess *self = state;
    const bool known = branch->has & SPOOR_BRANCH_HAS_TARGET;
    return known && branch->target < branch->pc ? self->backward : self->forward;
}
PREDICTOR_LOOP(static_run, static_predict, predictor_ignore, predictor_ignore)

#define STATIC_PREDICTOR(NAME, TITLE, SOURCE, BACKWARD, FORWARD)                         \
    {                                                                                    \
        .component = {.about = {SPOOR_PREDICTOR, NAME, TITLE, SOURCE, NULL},             \
                      .struct_size = sizeof(struct static_guess),                        \
                      .initial = &(const struct static_guess){BACKWARD, FORWARD}},       \
        .predict = static_predict, .train = predictor_ignore, .track = predictor_ignore, \
        .run = static_run,                                                               \
    }
const struct predictor predictor_always =
    STATIC_PREDICTOR("always", "every branch is taken", "Smith 1981, strategy 1", true, true);
const struct predictor predictor_never =
    STATIC_PREDICTOR("never", "no branch is taken", "Smith 1981", false, false);
const struct predictor predictor_backward = STATIC_PREDICTOR(
    "backward", "branches backward are taken, forward not", "Smith 1981, strategy 3", true, false);
