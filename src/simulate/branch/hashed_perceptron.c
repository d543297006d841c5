/* SPDX-License-Identifier: MIT */
/*
 * hashed_perceptron.c: tables of weights, each indexed by the pc and a fold of its own length of
 * history, lengths growing geometrically; the sign of the sum, with a threshold that adapts.
 */
#include <stdlib.h>

#include "simulate/branch/counter.h"
#include "simulate/branch/folded.h"
#include "simulate/branch/predictor.h"

enum { TABLES, BITS, SHORTEST, LONGEST, SHIFT, UNCONDITIONAL };
static const struct spoor_component_key hashed_perceptron_keys[] = {
    {"tables", "tables of weights, the first by the pc alone", 16, 2, FOLD_LENGTHS},
    {"bits", "log2 of the number of weights of a table", 12, 1, 24},
    {"shortest", "outcomes in the shortest history", 3, 1, 1000},
    {"longest", "outcomes in the longest", 400, 1, HISTORY_CAPACITY - 1},
    KEY_SHIFT,
    KEY_UNCONDITIONAL,
    {0},
};

enum { WEIGHT_BITS = 8, PATIENCE = 18 };
struct hashed_perceptron {
    unsigned tables, bits, shift;
    bool unconditional;
    int sum, threshold, balance; /* balance: wrong minus barely right predictions */
    uint32_t at[FOLD_LENGTHS];
    struct folded_history folded;
    int8_t weights[];
};

static inline bool hashed_perceptron_predict(void *state, const struct spoor_branch *branch)
{
    struct hashed_perceptron *self = state;
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

static inline void hashed_perceptron_train(void *state, const struct spoor_branch *branch)
{
    struct hashed_perceptron *self = state;
    const bool taken = branch_is_taken(branch), wrong = (self->sum >= 0) != taken;
    if (!wrong && abs(self->sum) >= self->threshold) return;
    for (unsigned i = 0; i < self->tables; i++) {
        int8_t *weight = &self->weights[self->at[i]];
        *weight = weight_moved(*weight, taken, WEIGHT_BITS);
    }
    /* Adapt the threshold until corrections of wrong and of right predictions are equally frequent
     * (Seznec 2005). */
    self->balance += wrong ? 1 : -1;
    if (abs(self->balance) < PATIENCE) return;
    self->threshold += wrong ? 1 : -1;
    self->balance = 0;
}
static inline void hashed_perceptron_track(void *state, const struct spoor_branch *branch)
{
    struct hashed_perceptron *self = state;
    if (branch_is_conditional(branch) || self->unconditional)
        folded_push(&self->folded, branch_is_taken(branch));
}
PREDICTOR_LOOP(hashed_perceptron_run, hashed_perceptron_predict, hashed_perceptron_train,
               hashed_perceptron_track)

static const char *hashed_perceptron_size(const struct component_setup *setup,
                                          struct component_size *size)
{
    const uint64_t *values = setup->values;
    size->tables = (size_t)values[TABLES] << values[BITS];
    size->bits = WEIGHT_BITS * size->tables + values[LONGEST];
    return values[SHORTEST] > values[LONGEST] ? "`shortest` is at most `longest`" : NULL;
}
static void hashed_perceptron_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
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
const struct predictor predictor_hashed_perceptron = {
    .component = {.about = {SPOOR_PREDICTOR, "hashed-perceptron",
                            "weights by pc and folds of geometric history lengths",
                            "Tarjan, Skadron 2005; Seznec 2005", hashed_perceptron_keys},
                  .struct_size = sizeof(struct hashed_perceptron),
                  .size = hashed_perceptron_size,
                  .start = hashed_perceptron_start},
    .predict = hashed_perceptron_predict,
    .train = hashed_perceptron_train,
    .track = hashed_perceptron_track,
    .run = hashed_perceptron_run,
};
