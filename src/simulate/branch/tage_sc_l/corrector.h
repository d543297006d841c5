/* SPDX-License-Identifier: MIT */
/*
 * corrector.h: the statistical corrector: a sum of weights selected by the pc, by the confidence of
 * TAGE and by several histories; a sum that is large enough overrides TAGE.
 */
#ifndef SPOOR_SIMULATE_BRANCH_TAGE_SC_L_CORRECTOR_H
#define SPOOR_SIMULATE_BRANCH_TAGE_SC_L_CORRECTOR_H

#include "simulate/branch/tage_sc_l/tagged.h"

enum { WEIGHT_BITS = 6, SCALE_BITS = 6, BELIEF_BITS = 7, BIASES = 3, THRESHOLDS = 64 };
enum { MAX_THRESHOLD = 2047, LOCAL_SETS = 16, ITERATION_SETS = MAX_ITERATIONS + 1 };

struct corrector {
    /* The current prediction. */
    int sum, threshold;
    int part[MAX_COMPONENTS], bias_part;
    uint16_t at[MAX_COMPONENTS][MAX_GEHL], bias_at[BIASES];
    uint8_t set; /* index of the scales */
    uint8_t threshold_at;

    int common_threshold; /* eighths */
    int8_t thresholds[THRESHOLDS];
    int8_t believe_half_sure, believe_sure; /* < 0: prefer the corrector to TAGE at this
                                             * confidence */
    int8_t bias[BIASES][MAX_BIAS];
    int8_t scale[MAX_COMPONENTS][SCALES], bias_scale[SCALES]; /* >= 0: the component counts
                                                               * twice */
    int8_t weights[MAX_COMPONENTS][MAX_GEHL][MAX_WEIGHTS];

    uint64_t outcomes, backward, iterations;
    uint64_t local[MAX_LOCALS], local_with_pc[LOCAL_SETS], local_other[LOCAL_SETS];
    uint64_t at_iteration[ITERATION_SETS];
};

/* ---- construction ---- */

static inline void corrector_start(struct corrector *self, const struct shape *shape)
{
    static const int8_t bias[BIASES][4] = {{-32, 31, -1, 0}, {-8, 7, -32, 31}, {-32, 31, -1, 0}};
    for (unsigned i = 0; i < BIASES; i++)
        for (unsigned j = 0; j < MAX_BIAS; j++) self->bias[i][j] = bias[i][j & 3];
    int8_t *weights = &self->weights[0][0][0];
    for (size_t i = 0; i < sizeof self->weights; i += 2) weights[i] = -1;
    for (unsigned i = 0; i < shape->components; i++)
        memset(self->scale[i], shape->component[i].history == AT_ITERATION ? 0 : 7, SCALES);
    memset(self->bias_scale, 4, SCALES);
    self->common_threshold = 35 << 3;
}

/* ---- summing up ---- */

ALWAYS_INLINE unsigned corrector_local_set(const struct shape *shape, uint64_t pc)
{
    return (unsigned)((pc ^ pc >> 2) & low_bits(shape->log_local));
}
ALWAYS_INLINE unsigned corrector_local_with_pc_set(uint64_t pc)
{
    return (pc ^ pc >> 5) % LOCAL_SETS;
}
ALWAYS_INLINE unsigned corrector_local_other_set(uint64_t pc)
{
    return (pc ^ pc >> 10) % LOCAL_SETS;
}

ALWAYS_INLINE uint64_t corrector_history(const struct corrector *self,
                                         const struct tagged_tables *tagged,
                                         const struct shape *shape, uint64_t pc, unsigned history)
{
    switch (history) {
    case OUTCOMES: return self->outcomes;
    case BACKWARD: return self->backward;
    case PATH: return tagged->path & low_bits(PATH_BITS);
    case LOCAL: return self->local[corrector_local_set(shape, pc)];
    case LOCAL_WITH_PC: return self->local_with_pc[corrector_local_with_pc_set(pc)];
    case LOCAL_OTHER: return self->local_other[corrector_local_other_set(pc)];
    case ITERATIONS: return self->iterations;
    default: return self->at_iteration[self->iterations];
    }
}

/* Sums one component and stores the positions of its weights. */
ALWAYS_INLINE int corrector_sum_component(struct corrector *self, const struct shape *shape,
                                          unsigned which, uint64_t pc, uint64_t history)
{
    const struct gehl *component = &shape->component[which];
    int sum = 0;
    UNROLL(3)
    for (unsigned i = 0; i < component->tables; i++) {
        const uint64_t h = history & low_bits(component->length[i]);
        const bool half = shape->halved && i + 2 >= component->tables;
        const unsigned width = component->log_size - half;
        const uint64_t index = pc ^ h ^ h >> (8 - i) ^ h >> (16 - 2 * i) ^ h >> (24 - 3 * i) ^
                               h >> (32 - 3 * i) ^ h >> (40 - 4 * i);
        self->at[which][i] = (uint16_t)(index & low_bits(width));
        sum += 2 * self->weights[which][i][self->at[which][i]] + 1;
    }
    self->part[which] = sum;
    return sum * (1 + (self->scale[which][self->set] >= 0));
}

ALWAYS_INLINE int corrector_sum_bias(struct corrector *self, const struct tagged_tables *tagged,
                                     const struct shape *shape, uint64_t pc, bool guess)
{
    const uint64_t mask = low_bits(shape->log_bias), near = pc ^ pc >> 2;
    const bool doubtful = tagged->unsure && tagged->hit_taken != tagged->other_taken;
    const uint64_t bank = guess + ((tagged->hit + 1) / 4 << 4) + ((uint64_t)tagged->sure << 1) +
                          ((uint64_t)tagged->unsure << 2) + ((uint64_t)(tagged->other != 0) << 3);
    self->bias_at[0] = (uint16_t)((((near << 1) ^ doubtful) << 1 | guess) & mask);
    self->bias_at[1] =
        (uint16_t)(((((pc ^ pc >> (shape->log_bias - 2)) << 1) ^ tagged->sure) << 1 | guess) &
                   mask);
    self->bias_at[2] = (uint16_t)((bank + (shape->small ? 0 : near << 7)) & mask);
    self->bias_part = 0;
    for (unsigned i = 0; i < BIASES; i++)
        self->bias_part += 2 * self->bias[i][self->bias_at[i]] + 1;
    return self->bias_part * (1 + (self->bias_scale[self->set] >= 0));
}

/* The prediction, if TAGE and the loops predict `guess`. */
ALWAYS_INLINE bool corrector_predict(struct corrector *self, const struct tagged_tables *tagged,
                                     const struct shape *shape, uint64_t pc, bool guess)
{
    const uint64_t near = pc ^ pc >> 2;
    self->set = near % SCALES;
    self->threshold_at = near % THRESHOLDS;
    self->sum = corrector_sum_bias(self, tagged, shape, pc, guess);
    unsigned doubled = self->bias_scale[self->set] >= 0;
    UNROLL(7)
    for (unsigned i = 0; i < shape->components; i++) {
        const struct gehl *component = &shape->component[i];
        const uint64_t history = corrector_history(self, tagged, shape, pc, component->history);
        const uint64_t key = component->guess_in_index ? (pc << 1) + guess : pc;
        self->sum += corrector_sum_component(self, shape, i, key, history);
        doubled += component->in_threshold && self->scale[i][self->set] >= 0;
    }
    self->threshold = (self->common_threshold >> 3) + self->thresholds[self->threshold_at] +
                      (int)(shape->threshold_step * doubled);
    const bool mine = self->sum >= 0;
    const int size = abs(self->sum);
    if (mine == guess) return guess;
    if (tagged->sure && size < self->threshold / 4) return guess;
    if (tagged->sure && size < self->threshold / 2) return self->believe_sure < 0 ? mine : guess;
    if (tagged->half_sure && size < self->threshold / 4)
        return self->believe_half_sure < 0 ? mine : guess;
    return mine;
}

/* ---- learning ---- */

ALWAYS_INLINE void corrector_train_beliefs(struct corrector *self,
                                           const struct tagged_tables *tagged, bool guess,
                                           bool taken)
{
    const int size = abs(self->sum);
    if (guess == (self->sum >= 0)) return;
    if (tagged->sure && size < self->threshold / 2 && size >= self->threshold / 4)
        self->believe_sure = weight_moved(self->believe_sure, guess == taken, BELIEF_BITS);
    if (tagged->half_sure && size < self->threshold / 4)
        self->believe_half_sure =
            weight_moved(self->believe_half_sure, guess == taken, BELIEF_BITS);
}

ALWAYS_INLINE void corrector_train_thresholds(struct corrector *self, bool wrong)
{
    int next = self->common_threshold + (wrong ? 1 : -1);
    self->common_threshold = next > MAX_THRESHOLD    ? MAX_THRESHOLD
                             : next < ~MAX_THRESHOLD ? ~MAX_THRESHOLD
                                                     : next;
    int8_t *own = &self->thresholds[self->threshold_at];
    *own = weight_moved(*own, wrong, 8);
}

/* Trains the scale: a component counts twice if doubling it was right when it made a difference. */
ALWAYS_INLINE void corrector_train_scale(int8_t *scale, int sum, int part, bool taken)
{
    int once = sum - (*scale >= 0) * part;
    if ((once + part >= 0) != (once >= 0))
        *scale = weight_moved(*scale, (part >= 0) == taken, SCALE_BITS);
}

ALWAYS_INLINE void corrector_train(struct corrector *self, const struct tagged_tables *tagged,
                                   const struct shape *shape, bool guess, bool taken)
{
    const bool wrong = (self->sum >= 0) != taken;
    corrector_train_beliefs(self, tagged, guess, taken);
    if (!wrong && abs(self->sum) >= self->threshold) return;
    corrector_train_thresholds(self, wrong);
    corrector_train_scale(&self->bias_scale[self->set], self->sum, self->bias_part, taken);
    for (unsigned i = 0; i < BIASES; i++) {
        int8_t *bias = &self->bias[i][self->bias_at[i]];
        *bias = weight_moved(*bias, taken, WEIGHT_BITS);
    }
    UNROLL(7)
    for (unsigned i = 0; i < shape->components; i++) {
        corrector_train_scale(&self->scale[i][self->set], self->sum, self->part[i], taken);
        UNROLL(3)
        for (unsigned j = 0; j < shape->component[i].tables; j++) {
            int8_t *weight = &self->weights[i][j][self->at[i][j]];
            *weight = weight_moved(*weight, taken, WEIGHT_BITS);
        }
    }
}

/* ---- history ---- */

/* Updates the histories for a conditional branch. */
ALWAYS_INLINE void corrector_track(struct corrector *self, const struct shape *shape,
                                   const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc;
    const bool taken = branch_is_taken(branch);
    const bool back = branch->has & SPOOR_BRANCH_HAS_TARGET && branch->target < pc;
    uint64_t *at_iteration = &self->at_iteration[self->iterations];
    *at_iteration = *at_iteration << 1 | taken;
    if (back && !taken)
        self->iterations = 0;
    else if (back && self->iterations < MAX_ITERATIONS)
        self->iterations++;
    self->outcomes = self->outcomes << 1 | taken;
    self->backward = self->backward << 1 | (taken && back);
    uint64_t *local = &self->local[corrector_local_set(shape, pc)];
    *local = *local << 1 | taken;
    uint64_t *with_pc = &self->local_with_pc[corrector_local_with_pc_set(pc)];
    *with_pc = (*with_pc << 1 | taken) ^ (pc & 15);
    uint64_t *other = &self->local_other[corrector_local_other_set(pc)];
    *other = *other << 1 | taken;
}

#endif
