/* SPDX-License-Identifier: MIT */
/* static.c: predictors without memory: always taken, never taken, backward taken. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

/* The state is the prediction for a backward branch and for a forward one. */
struct state {
    bool backward, forward;
};

static inline bool predict(const struct state *self, const struct spoor_branch *branch)
{
    bool known = branch->has & SPOOR_BRANCH_HAS_TARGET;
    return known && branch->target < branch->pc ? self->backward : self->forward;
}
static inline void train(struct state *self, const struct spoor_branch *branch)
{
    (void)self, (void)branch;
}
static inline void track(struct state *self, const struct spoor_branch *branch)
{
    (void)self, (void)branch;
}
PREDICTOR_FUNCTIONS(struct state)

static const struct spoor_predictor_key no_keys[] = {KEYS_END};

static size_t capacity(const uint64_t *values)
{
    (void)values;
    return sizeof(struct state);
}
static uint64_t storage(const uint64_t *values)
{
    (void)values;
    return 0;
}

static void start_always(void *state, const uint64_t *values)
{
    (void)values;
    *(struct state *)state = (struct state){true, true};
}
static void start_never(void *state, const uint64_t *values)
{
    (void)values;
    *(struct state *)state = (struct state){false, false};
}
static void start_backward(void *state, const uint64_t *values)
{
    (void)values;
    *(struct state *)state = (struct state){.backward = true};
}

const struct predictor_kind predictor_always = {
    .about = {"always", "every branch is taken", "Smith 1981, strategy 1", SPOOR_PREDICTS_DIRECTION,
              no_keys},
    .capacity = capacity,
    .start = start_always,
    .storage = storage,
    PREDICTOR_DOORS,
};
const struct predictor_kind predictor_never = {
    .about = {"never", "no branch is taken", "Smith 1981", SPOOR_PREDICTS_DIRECTION, no_keys},
    .capacity = capacity,
    .start = start_never,
    .storage = storage,
    PREDICTOR_DOORS,
};
const struct predictor_kind predictor_backward = {
    .about = {"backward", "branches backward are taken, forward not", "Smith 1981, strategy 3",
              SPOOR_PREDICTS_DIRECTION, no_keys},
    .capacity = capacity,
    .start = start_backward,
    .storage = storage,
    PREDICTOR_DOORS,
};
