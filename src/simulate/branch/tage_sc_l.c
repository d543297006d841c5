/* SPDX-License-Identifier: MIT */
/* tage_sc_l.c: TAGE-SC-L in its two sizes of 2016; see tage_sc_l/shape.h. */
#include "base/cpu.h"
#include "simulate/branch/tage_sc_l/corrector.h"
#include "simulate/branch/tage_sc_l/loop.h"

enum { SIZE };
static const struct spoor_component_key tage_sc_l_keys[] = {
    {"size", "bytes: 64K, or 8K if it is at most 8K", 64 << 10, 8 << 10, 64 << 10},
    {0},
};

struct tage_sc_l {
    bool small;
    bool inter, taken; /* the predictions of TAGE with loops, and of the whole predictor */
    struct loops loops;
    struct corrector corrector;
    struct tagged_tables tagged;
};

ALWAYS_INLINE bool tage_sc_l_predict_as(struct tage_sc_l *self, const struct shape *shape,
                                        uint64_t pc)
{
    tagged_predict(&self->tagged, shape, pc);
    loops_predict(&self->loops, shape, pc);
    self->inter = self->tagged.taken;
    if (self->loops.useful >= 0 && self->loops.valid) self->inter = self->loops.taken;
    self->taken = corrector_predict(&self->corrector, &self->tagged, shape, pc, self->inter);
    return self->taken;
}

ALWAYS_INLINE void tage_sc_l_train_as(struct tage_sc_l *self, const struct shape *shape, bool taken)
{
    struct loops *loops = &self->loops;
    if (loops->valid && self->taken != loops->taken)
        loops->useful = weight_moved(loops->useful, loops->taken == taken, 7);
    loops_train(loops, taken, loops->taken != self->tagged.taken, self->taken != taken,
                &self->tagged.random);
    corrector_train(&self->corrector, &self->tagged, shape, self->inter, taken);
    tagged_train(&self->tagged, shape, taken, self->taken == taken);
}

ALWAYS_INLINE void tage_sc_l_track_as(struct tage_sc_l *self, const struct shape *shape,
                                      const struct spoor_branch *branch)
{
    if (branch_is_conditional(branch)) corrector_track(&self->corrector, shape, branch);
    tagged_track(&self->tagged, branch);
}

ALWAYS_INLINE uint64_t tage_sc_l_run_as(struct tage_sc_l *self, const struct shape *shape,
                                        const struct spoor_branch *branches, size_t count,
                                        uint8_t *wrong)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        bool missed = false;
        if (branch_is_conditional(branch)) {
            missed = tage_sc_l_predict_as(self, shape, branch->pc) != branch_is_taken(branch);
            tage_sc_l_train_as(self, shape, branch_is_taken(branch));
        }
        tage_sc_l_track_as(self, shape, branch);
        sum += missed;
        if (wrong) wrong[i] = missed;
    }
    return sum;
}

/* ---- both sizes ---- */

static bool tage_sc_l_predict(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    return self->small ? tage_sc_l_predict_as(self, &shape_8k, branch->pc)
                       : tage_sc_l_predict_as(self, &shape_64k, branch->pc);
}
static void tage_sc_l_train(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    if (self->small)
        tage_sc_l_train_as(self, &shape_8k, branch_is_taken(branch));
    else
        tage_sc_l_train_as(self, &shape_64k, branch_is_taken(branch));
}
static void tage_sc_l_track(void *state, const struct spoor_branch *branch)
{
    struct tage_sc_l *self = state;
    tage_sc_l_track_as(self, self->small ? &shape_8k : &shape_64k, branch);
}

/* The loops are compiled for each size, and for AVX2: most of the time is spent in the hashes of
 * all tables, which a compiler vectorises. */
#if CPU_MAY_HAVE_AVX2
static FOR_AVX2 uint64_t tage_sc_l_run_avx2(struct tage_sc_l *self,
                                            const struct spoor_branch *branches, size_t count,
                                            uint8_t *wrong)
{
    return self->small ? tage_sc_l_run_as(self, &shape_8k, branches, count, wrong)
                       : tage_sc_l_run_as(self, &shape_64k, branches, count, wrong);
}
#endif
static uint64_t tage_sc_l_run(void *state, const struct spoor_branch *branches, size_t count,
                              uint8_t *wrong)
{
    struct tage_sc_l *self = state;
#if CPU_MAY_HAVE_AVX2
    if (cpu_has_avx2()) return tage_sc_l_run_avx2(self, branches, count, wrong);
#endif
    return self->small ? tage_sc_l_run_as(self, &shape_8k, branches, count, wrong)
                       : tage_sc_l_run_as(self, &shape_64k, branches, count, wrong);
}

static void tage_sc_l_start(void *state, const struct component_setup *setup)
{
    struct tage_sc_l *self = state;
    self->small = setup->values[SIZE] <= 8 << 10;
    const struct shape *shape = self->small ? &shape_8k : &shape_64k;
    tagged_start(&self->tagged, shape);
    corrector_start(&self->corrector, shape);
    loops_start(&self->loops);
}
static const char *tage_sc_l_size(const struct component_setup *setup, struct component_size *size)
{
    /* the budgets that the paper states: TAGE, corrector and loops */
    size->bits = setup->values[SIZE] <= 8 << 10 ? 58165 + 8872 + 312 : 463917 + 58190 + 1248;
    return NULL;
}
const struct predictor predictor_tage_sc_l = {
    .component = {.about = {SPOOR_PREDICTOR, "tage-sc-l",
                            "TAGE, statistical corrector and loop predictor",
                            "Seznec 2016, 5th Championship Branch Prediction", tage_sc_l_keys},
                  .struct_size = sizeof(struct tage_sc_l),
                  .size = tage_sc_l_size,
                  .start = tage_sc_l_start},
    .predict = tage_sc_l_predict,
    .train = tage_sc_l_train,
    .track = tage_sc_l_track,
    .run = tage_sc_l_run,
};
