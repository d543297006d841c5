/* SPDX-License-Identifier: MIT */
/*
 * kind.h: how to write a predictor: one constant struct predictor_kind in one file, and its line in
 * predictors.def.
 *
 * A file defines `predict`, `train` and `track` as static inline functions of its state; then
 * PREDICTOR_FUNCTIONS(STATE) generates the functions for the public interface from them, and a loop
 * over an array of branches in which they are inlined, so that there is no call through a pointer
 * per branch.  A target predictor uses TARGET_FUNCTIONS.
 *
 * The state is one zeroed block whose size `capacity` computes from the values of the keys; tables
 * follow the struct as its flexible array.
 */
#ifndef SPOOR_SIMULATE_BRANCH_KIND_H
#define SPOOR_SIMULATE_BRANCH_KIND_H

#include "base/text.h"
#include "spoor/predictor.h"

enum { MAX_KEYS = 16 };

/* The bytes that the state of a predictor takes; 0: `error` has a message, as of
 * spoor_predictor_new_with(). */
size_t predictor_memory(const char *spec, const char *defaults, struct spoor_error *error);
/* True if both are of one kind and their keys have the same values. */
bool predictor_same(const struct spoor_predictor *one, const struct spoor_predictor *other);

/* The list of predictors, as spoor_predictor_kind_at() numbers them. */
extern const struct predictor_kind *const predictor_kinds[];

struct predictor_kind {
    struct spoor_predictor_kind about;
    /* A message about inconsistent values; NULL if they are consistent.  May be NULL. */
    const char *(*refuse)(const uint64_t *values);
    size_t (*capacity)(const uint64_t *values);
    void (*start)(void *state, const uint64_t *values);
    uint64_t (*storage)(const uint64_t *values); /* bits */
    void (*show)(const void *state, struct text *text);
    bool (*predict)(void *state, const struct spoor_branch *branch);
    void (*train)(void *state, const struct spoor_branch *branch);
    void (*track)(void *state, const struct spoor_branch *branch);
    uint64_t (*run)(void *state, const struct spoor_branch *branches, size_t count, uint8_t *wrong);
    /* Target predictors only. */
    bool (*asks)(const struct spoor_branch *branch);
    uint64_t (*target)(const void *state);
};

static inline bool is_conditional(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_CONDITIONAL;
}
static inline bool is_taken(const struct spoor_branch *branch)
{
    return branch->has & SPOOR_BRANCH_TAKEN;
}

#define PREDICTOR_DOOR(STATE)                                                \
    static bool door_predict(void *state, const struct spoor_branch *branch) \
    {                                                                        \
        STATE *self = state;                                                 \
        return predict(self, branch);                                        \
    }                                                                        \
    static void door_train(void *state, const struct spoor_branch *branch)   \
    {                                                                        \
        STATE *self = state;                                                 \
        train(self, branch);                                                 \
    }                                                                        \
    static void door_track(void *state, const struct spoor_branch *branch)   \
    {                                                                        \
        STATE *self = state;                                                 \
        track(self, branch);                                                 \
    }

/* A function NAME, which loops over branches; STEP(self, branch) returns whether the prediction was
 * wrong. */
#define PREDICTOR_LOOP_AS(NAME, STATE, STEP)                                             \
    static uint64_t NAME(void *state, const struct spoor_branch *branches, size_t count, \
                         uint8_t *wrong)                                                 \
    {                                                                                    \
        STATE *self = state;                                                             \
        uint64_t sum = 0;                                                                \
        for (size_t i = 0; i < count; i++) {                                             \
            const struct spoor_branch *branch = &branches[i];                            \
            bool missed = STEP(self, branch);                                            \
            track(self, branch);                                                         \
            sum += missed;                                                               \
            if (wrong) wrong[i] = missed;                                                \
        }                                                                                \
        return sum;                                                                      \
    }
#define PREDICTOR_LOOP(STATE, STEP) PREDICTOR_LOOP_AS(door_run, STATE, STEP)

/* Predicts a conditional branch and trains on it: true if the prediction was wrong. */
#define PREDICTOR_STEP(STATE)                                               \
    static inline bool step(STATE *self, const struct spoor_branch *branch) \
    {                                                                       \
        if (!is_conditional(branch)) return false;                          \
        bool guess = predict(self, branch);                                 \
        train(self, branch);                                                \
        return guess != is_taken(branch);                                   \
    }

#define PREDICTOR_FUNCTIONS(STATE) \
    PREDICTOR_DOOR(STATE)          \
    PREDICTOR_STEP(STATE)          \
    PREDICTOR_LOOP(STATE, step)

#define TARGET_DOOR(STATE)                         \
    PREDICTOR_DOOR(STATE)                          \
    static uint64_t door_target(const void *state) \
    {                                              \
        const STATE *self = state;                 \
        return self->guess;                        \
    }

/* For a target predictor: `asks(branch)` and a member `guess` of the state, 0 if it has none. */
#define TARGET_FUNCTIONS(STATE)                                             \
    TARGET_DOOR(STATE)                                                      \
    static inline bool step(STATE *self, const struct spoor_branch *branch) \
    {                                                                       \
        if (!asks(branch)) return false;                                    \
        bool hit = predict(self, branch) && self->guess == branch->target;  \
        train(self, branch);                                                \
        return !hit;                                                        \
    }                                                                       \
    PREDICTOR_LOOP(STATE, step)

/* The members of a const struct predictor_kind for the functions generated above. */
#define PREDICTOR_DOORS \
    .predict = door_predict, .train = door_train, .track = door_track, .run = door_run
#define TARGET_DOORS PREDICTOR_DOORS, .asks = asks, .target = door_target

#define PREDICTOR(NAME) extern const struct predictor_kind predictor_##NAME;
#include "simulate/branch/predictors.def"
#undef PREDICTOR

#endif
