/* SPDX-License-Identifier: MIT */
/*
 * plugin.h: how to write a design of one's own, in C or C++: a shared object that defines
 * spoor_plugin_table, for `spoor branch --plugin ./mine.so -p mine:bits=12`.  docs/plugins.md has
 * an example.
 *
 * A design makes instances.  An instance has a state, a block of memory that begins as zeros; its
 * functions change nothing else.  Several instances run at once in several threads, so a plug-in
 * has no variables but constants.
 */
#ifndef SPOOR_PLUGIN_H
#define SPOOR_PLUGIN_H

#include <stdbool.h>
#include <stddef.h>

#include "branch.h"
#include "component.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a compiled plug-in would no longer be understood. */
#define SPOOR_PLUGIN_ABI 1

/* What an instance is made from. */
struct spoor_plugin_setup {
    const uint64_t *values; /* of the design's keys, in their order */
    /* set by size(): */
    uint64_t state_bytes;  /* of the state */
    uint64_t storage_bits; /* that the hardware would need */
    char sentence[200];    /* room for what size() and create() return */
};

/* What all kinds of designs have. */
struct spoor_plugin_design {
    const char *name;           /* in a spec: letters, digits, '-' and '_', and no other design's */
    const char *title, *source; /* as of struct spoor_component */
    const struct spoor_component_key *keys; /* at most 16, then a NULL name; NULL: it has none */
    /* Sets what an instance takes.  NULL, or a sentence about values that do not fit together. */
    const char *(*size)(struct spoor_plugin_setup *setup);
    /* Begins an instance whose state is zeros.  NULL, or a sentence that says why it cannot; then
     * destroy() is not called.  May be NULL. */
    const char *(*create)(void *state, struct spoor_plugin_setup *setup);
    void (*destroy)(void *state); /* frees what create() took, not the state; may be NULL */
};

/* ---- branch predictors ---- */

struct spoor_plugin_predictor {
    struct spoor_plugin_design design;
    /* NULL: it predicts whether conditional branches are taken.  Else it predicts the targets of
     * the branches for which this is true; its state begins with a uint64_t, the last target that
     * it predicted. */
    bool (*asks)(const struct spoor_branch *branch);
    /* Of a branch that it predicts: whether it is taken, or whether there is a target for it.  It
     * must not look at the outcome: SPOOR_BRANCH_TAKEN, and the target. */
    bool (*predict)(void *state, const struct spoor_branch *branch);
    void (*train)(void *state, const struct spoor_branch *branch); /* after it; may be NULL */
    void (*track)(void *state, const struct spoor_branch *branch); /* every branch; may be NULL */
    /* All three for an array, by SPOOR_PREDICTOR_LOOP or SPOOR_TARGET_LOOP, which inline them;
     * NULL: they are called one by one, at about half the speed. */
    uint64_t (*run)(void *state, const struct spoor_branch *branches, size_t count, uint8_t *wrong);
};

static inline bool spoor_branch_is_conditional(const struct spoor_branch *branch)
{
    return (branch->type & SPOOR_BRANCH_CONDITIONAL) != 0;
}
static inline bool spoor_branch_is_taken(const struct spoor_branch *branch)
{
    return (branch->has & SPOOR_BRANCH_TAKEN) != 0;
}

/* Defines RUN.  wrong[i] becomes 1 if the prediction of branch i was wrong, else 0, unless `wrong`
 * is NULL; the result is the number of wrong predictions. */
#define SPOOR_PREDICTOR_LOOP(RUN, PREDICT, TRAIN, TRACK)      \
    SPOOR_PREDICTOR_LOOP_OF(RUN, spoor_branch_is_conditional, \
                            PREDICT(state, branch) != spoor_branch_is_taken(branch), TRAIN, TRACK)
#define SPOOR_TARGET_LOOP(RUN, ASKS, PREDICT, TRAIN, TRACK)                                        \
    SPOOR_PREDICTOR_LOOP_OF(RUN, ASKS,                                                             \
                            !PREDICT(state, branch) || *(const uint64_t *)state != branch->target, \
                            TRAIN, TRACK)
/* IS_WRONG: an expression of `state` and `branch`. */
#define SPOOR_PREDICTOR_LOOP_OF(RUN, ASKS, IS_WRONG, TRAIN, TRACK)                      \
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

/* ---- the plug-in ---- */

/* Each array ends with NULL; NULL: it has none of that kind. */
struct spoor_plugin {
    uint32_t abi;  /* SPOOR_PLUGIN_ABI */
    uint32_t size; /* sizeof this struct */
    const struct spoor_plugin_predictor *const *predictors;
};
#define SPOOR_PLUGIN_HEAD SPOOR_PLUGIN_ABI, sizeof(struct spoor_plugin)

/* What the shared object defines: const struct spoor_plugin spoor_plugin_table = {...}. */
#ifdef __GNUC__
__attribute__((visibility("default")))
#endif
extern const struct spoor_plugin spoor_plugin_table;

/* For programs that load plug-ins, as `spoor` does: the designs of a plug-in are components from
 * now on, for all threads and as long as the process runs; so the plug-in stays loaded.  Adding it
 * again changes nothing.  `file` names it in messages.  SPOOR_EUSAGE with a sentence, and nothing
 * is added: an ABI of another version, a design that is incomplete or has the name of another. */
enum spoor_status spoor_plugin_add(const struct spoor_plugin *plugin, const char *file,
                                   struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
