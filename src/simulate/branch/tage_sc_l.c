/* SPDX-License-Identifier: MIT */
/* tage_sc_l.c: TAGE-SC-L in its two sizes of 2016; see tage_sc_l/shape.h. */
#include "base/cpu.h"
#include "simulate/branch/kind.h"

#include "simulate/branch/tage_sc_l/corrector.h"
#include "simulate/branch/tage_sc_l/loop.h"

enum { SIZE };
static const struct spoor_predictor_key keys[] = {
    {"size", "bytes: 64K, or 8K if it is at most 8K", 64 << 10, 8 << 10, 64 << 10},
    KEYS_END,
};

struct tage_sc_l {
    bool small;
    bool inter, taken; /* the predictions of TAGE with loops, and of the whole predictor */
    struct loops loops;
    struct corrector corrector;
    struct tagged tagged;
};

ALWAYS_INLINE bool predict_as(struct tage_sc_l *self, const struct shape *shape, uint64_t pc)
{
    tagged_predict(&self->tagged, shape, pc);
    loops_predict(&self->loops, shape, pc);
    self->inter = self->tagged.taken;
    if (self->loops.useful >= 0 && self->loops.valid) self->inter = self->loops.taken;
    self->taken = corrector_predict(&self->corrector, &self->tagged, shape, pc, self->inter);
    return self->taken;
}

ALWAYS_INLINE void train_as(struct tage_sc_l *self, const struct shape *shape, bool taken)
{
    struct loops *loops = &self->loops;
    if (loops->valid && self->taken != loops->taken)
        loops->useful = weight_moved(loops->useful, loops->taken == taken, 7);
    loops_train(loops, taken, loops->taken != self->tagged.taken, self->taken != taken,
                &self->tagged.random);
    corrector_train(&self->corrector, &self->tagged, shape, self->inter, taken);
    tagged_train(&self->tagged, shape, taken, self->taken == taken);
}

ALWAYS_INLINE void track_as(struct tage_sc_l *self, const struct shape *shape,
                            const struct spoor_branch *branch)
{
    if (is_conditional(branch)) corrector_track(&self->corrector, shape, branch);
    tagged_track(&self->tagged, branch);
}

ALWAYS_INLINE uint64_t run_as(struct tage_sc_l *self, const struct shape *shape,
                              const struct spoor_branch *branches, size_t count, uint8_t *wrong)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        bool missed = false;
        if (is_conditional(branch)) {
            missed = predict_as(self, shape, branch->pc) != is_taken(branch);
            train_as(self, shape, is_taken(branch));
        }
        track_as(self, shape, branch);
        sum += missed;
        if (wrong) wrong[i] = missed;
    }
    return sum;
}

/* The functions of both sizes, compiled with the attributes MARK. */
#define BOTH_SIZES(NAME, MARK)                                                                   \
    MARK static bool predict_##NAME(struct tage_sc_l *self, const struct spoor_branch *branch)   \
    {                                                                                            \
        return self->small ? predict_as(self, &shape_8k, branch->pc)                             \
                           : predict_as(self, &shape_64k, branch->pc);                           \
    }                                                                                            \
    MARK static void train_##NAME(struct tage_sc_l *self, const struct spoor_branch *branch)     \
    {                                                                                            \
        if (self->small)                                                                         \
            train_as(self, &shape_8k, is_taken(branch));                                         \
        else                                                                                     \
            train_as(self, &shape_64k, is_taken(branch));                                        \
    }                                                                                            \
    MARK static void track_##NAME(struct tage_sc_l *self, const struct spoor_branch *branch)     \
    {                                                                                            \
        track_as(self, self->small ? &shape_8k : &shape_64k, branch);                            \
    }                                                                                            \
    MARK static uint64_t run_##NAME(struct tage_sc_l *self, const struct spoor_branch *branches, \
                                    size_t count, uint8_t *wrong)                                \
    {                                                                                            \
        return self->small ? run_as(self, &shape_8k, branches, count, wrong)                     \
                           : run_as(self, &shape_64k, branches, count, wrong);                   \
    }
BOTH_SIZES(anywhere, )
#if CPU_MAY_HAVE_AVX2
BOTH_SIZES(avx2, FOR_AVX2)
#define CALL(NAME, ...) (cpu_has_avx2() ? NAME##_avx2(__VA_ARGS__) : NAME##_anywhere(__VA_ARGS__))
#else
#define CALL(NAME, ...) NAME##_anywhere(__VA_ARGS__)
#endif

static bool door_predict(void *state, const struct spoor_branch *branch)
{
    return CALL(predict, state, branch);
}
static void door_train(void *state, const struct spoor_branch *branch)
{
    CALL(train, state, branch);
}
static void door_track(void *state, const struct spoor_branch *branch)
{
    CALL(track, state, branch);
}
static uint64_t door_run(void *state, const struct spoor_branch *branches, size_t count,
                         uint8_t *wrong)
{
    return CALL(run, state, branches, count, wrong);
}

static size_t capacity(const uint64_t *values)
{
    (void)values;
    return sizeof(struct tage_sc_l);
}
static void start(void *state, const uint64_t *values)
{
    struct tage_sc_l *self = state;
    self->small = values[SIZE] <= 8 << 10;
    const struct shape *shape = self->small ? &shape_8k : &shape_64k;
    tagged_start(&self->tagged, shape);
    corrector_start(&self->corrector, shape);
    loops_start(&self->loops);
}
/* The budgets that the paper states: TAGE, corrector and loops. */
static uint64_t storage(const uint64_t *values)
{
    return values[SIZE] <= 8 << 10 ? 58165 + 8872 + 312 : 463917 + 58190 + 1248;
}

const struct predictor_kind predictor_tage_sc_l = {
    .about = {"tage-sc-l", "TAGE, statistical corrector and loop predictor",
              "Seznec 2016, 5th Championship Branch Prediction", SPOOR_PREDICTS_DIRECTION, keys},
    .capacity = capacity,
    .start = start,
    .storage = storage,
    PREDICTOR_DOORS,
};
