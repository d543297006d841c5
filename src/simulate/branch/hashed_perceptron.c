/* SPDX-License-Identifier: MIT */
/*
 * hashed_perceptron.c: tables of weights, each indexed by the pc and a fold of its own length of
 * history, lengths growing geometrically; the sign of the sum, with a threshold that adapts.
 */
#include "simulate/branch/kind.h"

#include <stdlib.h>

#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/geometric.h"

enum { TABLES, BITS, SHORTEST, LONGEST, SHIFT, UNCONDITIONAL };
static const struct spoor_predictor_key keys[] = {
    {"tables", "tables of weights, the first by the pc alone", 16, 2, FOLD_LENGTHS},
    {"bits", "log2 of the number of weights of a table", 12, 1, 24},
    {"shortest", "outcomes in the shortest history", 3, 1, 1000},
    {"longest", "outcomes in the longest", 400, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    KEY_UNCONDITIONAL,
    KEYS_END,
};

enum { WEIGHT_BITS = 8, PATIENCE = 18 };
struct hashed_perceptron {
    unsigned tables, bits, shift;
    bool unconditional;
    int sum, threshold, balance; /* balance: wrong minus barely right predictions */
    uint32_t at[FOLD_LENGTHS];
    struct folded folded;
    int8_t weights[];
};

static inline bool predict(struct hashed_perceptron *self, const struct spoor_branch *branch)
{
    const uint32_t *folds = self->folded.value[0];
    const uint64_t mask = low_bits(self->bits), pc = branch->pc >> self->shift;
    const uint64_t base = pc ^ pc >> self->bits;
    int sum = 0;
    for (unsigned i = 0; i < self->tables; i++) {
        self->at[i] = (uint32_t)(((base ^ folds[i]) & mask) | (uint64_t)i << self->bits);
        sum += self->weights[self->at[i]];
    }
    self->sum = sum;
    return sum >= 0;
}

/* Adapt the threshold until corrections of wrong and of right predictions are equally frequent
 * (Seznec 2005). */
static inline void adapt(struct hashed_perceptron *self, bool wrong)
{
    self->balance += wrong ? 1 : -1;
    if (abs(self->balance) < PATIENCE) return;
    self->threshold += wrong ? 1 : -1;
    self->balance = 0;
}
static inline void train(struct hashed_perceptron *self, const struct spoor_branch *branch)
{
    const bool taken = is_taken(branch), wrong = (self->sum >= 0) != taken;
    if (!wrong && abs(self->sum) >= self->threshold) return;
    for (unsigned i = 0; i < self->tables; i++) {
        int8_t *weight = &self->weights[self->at[i]];
        *weight = weight_moved(*weight, taken, WEIGHT_BITS);
    }
    adapt(self, wrong);
}
static inline void track(struct hashed_perceptron *self, const struct spoor_branch *branch)
{
    if (is_conditional(branch) || self->unconditional) folded_push(&self->folded, is_taken(branch));
}
PREDICTOR_FUNCTIONS(struct hashed_perceptron)

static const char *refuse(const uint64_t *values)
{
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct hashed_perceptron) + ((size_t)values[TABLES] << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct hashed_perceptron *self = state;
    self->tables = (unsigned)values[TABLES];
    self->bits = (unsigned)values[BITS];
    self->shift = (unsigned)values[SHIFT];
    self->unconditional = values[UNCONDITIONAL];
    self->threshold = 10;
    for (unsigned i = 1; i < self->tables; i++)
        folded_set(&self->folded, 0, i,
                   geometric((unsigned)values[SHORTEST], (unsigned)values[LONGEST], i - 1,
                             self->tables - 1),
                   self->bits);
}
static uint64_t storage(const uint64_t *values)
{
    return (values[TABLES] * WEIGHT_BITS << values[BITS]) + values[LONGEST];
}

const struct predictor_kind predictor_hashed_perceptron = {
    .about = {"hashed-perceptron", "weights by pc and folds of geometric history lengths",
              "Tarjan, Skadron 2005; Seznec 2005", SPOOR_PREDICTS_DIRECTION, keys},
    .refuse = refuse,
    .capacity = capacity,
    .start = start,
    .storage = storage,
    PREDICTOR_DOORS,
};
