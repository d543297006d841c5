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
#include "instruction.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Changes whenever a compiled plug-in would no longer be understood. */
#define SPOOR_PLUGIN_ABI 4

/* For `storage_bits` that nobody has counted: results then lack them. */
#define SPOOR_PLUGIN_UNSTATED UINT64_MAX

/* What an instance is made from. */
struct spoor_plugin_setup {
    const uint64_t *values; /* of the design's keys, in their order */
    /* of a policy or prefetcher, the cache that it serves: */
    uint64_t sets;
    uint32_t ways;
    uint32_t block_bits, sub_bits; /* log2 of the bytes of a block, of a sub-block */
    uint32_t degree;               /* of the level, at least 1 */
    uint64_t seed;                 /* of what is random, not 0; in create() */
    /* A word for each line, set by set, that belongs to the policy, zeroed; in create().  Where
     * dirty blocks are written at the end of a trace, those of a set are in ascending order of it.
     */
    uint64_t *order;
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

/* ---- replacement policies and prefetchers ---- */

/* An access to a block of a cache. */
struct spoor_plugin_access {
    uint64_t address, pc; /* pc: has_pc */
    uint32_t size;        /* bytes, within the block; 0: the trace does not state it */
    uint32_t cpu;         /* numbered in order of appearance */
    uint8_t op;           /* 0 fetch, 1 read, 2 write, 3 unspecified */
    bool prefetch;        /* a prefetch of this cache's own prefetcher, or of one above */
    bool for_prefetch;    /* what a prefetch of a level above lacks */
    bool has_pc;
    /* of a memory in time, as that of `pipe --memory`; else they are 0: */
    bool timed;
    uint8_t mshrs;    /* percent of the cache's MSHRs that are taken; of a cache that prefetches */
    uint32_t latency; /* in a prefetcher's fill(): cycles until the data arrive */
    uint64_t cycle;   /* in which it arrives */
};

/* Sets are numbered from 0, ways too. */
struct spoor_plugin_policy {
    struct spoor_plugin_design design;
    /* touch() of the way that the set touched or filled last changes nothing: it is not called. */
    bool repeats_freely;
    /* touch() reads its access.  Else it is NULL for most hits, which are then counted faster. */
    bool needs_access;
    void (*touch)(void *state, uint64_t set, uint32_t way,
                  const struct spoor_plugin_access *access); /* a hit; may be NULL */
    void (*fill)(void *state, uint64_t set, uint32_t way,
                 const struct spoor_plugin_access *access); /* a new block; may be NULL */
    uint32_t (*victim)(void *state, uint64_t set); /* every way holds a block; a fill() follows */
    /* True: the new block, of a read, fetch or prefetch, does not take the place of another, and
     * neither victim() nor fill() follows.  Not asked by inclusive levels, which must hold what the
     * levels above hold.  May be NULL: every block is kept. */
    bool (*bypass)(void *state, uint64_t set, const struct spoor_plugin_access *access);
};

/* What a prefetcher asks for; it is done when the access has ended. */
enum { SPOOR_PLUGIN_PREFETCHES = 64 };
struct spoor_plugin_prefetches {
    unsigned count;
    uint64_t addresses[SPOOR_PLUGIN_PREFETCHES];
    uint8_t levels[SPOOR_PLUGIN_PREFETCHES];
};
/* Level 0 is the prefetcher's own cache, 1 the next one below it that is not exclusive.  What is
 * for a level below the last is dropped, and what an access has asked for after 64 others. */
static inline void spoor_plugin_prefetch(struct spoor_plugin_prefetches *prefetches,
                                         uint64_t address, unsigned level)
{
    if (prefetches->count == SPOOR_PLUGIN_PREFETCHES || level > 255) return;
    prefetches->addresses[prefetches->count] = address;
    prefetches->levels[prefetches->count++] = (uint8_t)level;
}

struct spoor_plugin_prefetcher {
    struct spoor_plugin_design design;
    /* Every read and fetch that is no prefetch, before the cache changes; `first`: the first access
     * to the sub-block since it was filled. */
    void (*access)(void *state, const struct spoor_plugin_access *access, bool miss, bool first,
                   struct spoor_plugin_prefetches *prefetches);
    /* A block is filled, and its data arrive after its latency; `evicted`: the address of the block
     * that it replaces, or NULL.  What the fill of a prefetch asks for is done after the next
     * access.  May be NULL. */
    void (*fill)(void *state, const struct spoor_plugin_access *access, const uint64_t *evicted,
                 struct spoor_plugin_prefetches *prefetches);
};

/* ---- value predictors ---- */

/* A value that an instruction writes to a register.  Of 128 bits, it is two: the low half is first.
 */
struct spoor_plugin_value {
    uint64_t pc;
    uint64_t value;
    uint32_t part; /* values that the instruction has written before */
    bool load;     /* it reads memory */
};

struct spoor_plugin_value_predictor {
    struct spoor_plugin_design design;
    /* Sets *guess if it is sure enough that it would be used; false: no prediction is used.  It
     * must not look at the value. */
    bool (*predict)(void *state, const struct spoor_plugin_value *value, uint64_t *guess);
    void (*train)(void *state, const struct spoor_plugin_value *value); /* after it; may be NULL */
    /* Every instruction, and the next one of its cpu, before the values of that; may be NULL. */
    void (*track)(void *state, uint64_t pc, uint64_t next);
};

/* ---- folds ---- */

/* What a fold reports.  A key has lower-case letters, digits and '_', the first a letter, and is
 * there once among the results, and once in a row. */
struct spoor_plugin_report {
    uint32_t size; /* sizeof this struct, of the program */
    /* A named result, or, after row(), a cell of that row.  A number that ends in "_ratio" is a
     * share, from 0 to 1, which text prints per cent; a real number that is NaN or infinite is not
     * known.  A text is copied. */
    void (*count)(struct spoor_plugin_report *report, const char *key, uint64_t value);
    void (*integer)(struct spoor_plugin_report *report, const char *key, int64_t value);
    void (*real)(struct spoor_plugin_report *report, const char *key, double value);
    void (*address)(struct spoor_plugin_report *report, const char *key, uint64_t value);
    void (*text)(struct spoor_plugin_report *report, const char *key, const char *value);
    void (*row)(struct spoor_plugin_report *report); /* begins a row of the table */
};

/* A question to a whole trace, answered in one reading.  It has one or several of the functions
 * that are fed: each gets its part of the trace in the order of the trace (instructions: of their
 * cpu), by one thread; what belongs together in two of them does not come together.  All return
 * NULL, or a sentence that says why the fold cannot go on, which ends it without a result. */
struct spoor_plugin_fold {
    struct spoor_plugin_design design; /* its storage_bits mean nothing */
    /* Fetches, reads and writes, as `spoor cache` counts them without options, but no requests to
     * copy a block back or drop it; of their members after has_pc none is set. */
    const char *(*accesses)(void *state, const struct spoor_plugin_access *accesses, size_t count);
    /* Branches, as `spoor branch` counts them. */
    const char *(*branches)(void *state, const struct spoor_branch *branches, size_t count);
    /* An instruction, with the registers that it wrote and its accesses (instruction.h). */
    const char *(*instruction)(void *state, const struct spoor_instruction *instruction);
    /* The trace has ended: reports the results, then the rows. */
    const char *(*report)(void *state, struct spoor_plugin_report *report);
};

/* ---- the plug-in ---- */

/* Each array ends with NULL; NULL: it has none of that kind.  Members may be added at the end: a
 * plug-in that was compiled before has none of that kind. */
struct spoor_plugin {
    uint32_t abi;  /* SPOOR_PLUGIN_ABI */
    uint32_t size; /* sizeof this struct */
    const struct spoor_plugin_predictor *const *predictors;
    const struct spoor_plugin_policy *const *policies;
    const struct spoor_plugin_prefetcher *const *prefetchers;
    const struct spoor_plugin_value_predictor *const *value_predictors;
    const struct spoor_plugin_fold *const *folds;
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
