/* SPDX-License-Identifier: MIT */
/* perceptron.c: a weight for each outcome of the global history, by pc; the sign of the sum. */
#include "simulate/branch/kind.h"

#include <stdlib.h>

#include "simulate/branch/counter.h"

enum { BITS, HISTORY, SHIFT };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of perceptrons, chosen by the pc", 10, 0, 22},
    {"history", "outcomes in the history", 32, 1, 63},
    KEY_SHIFT,
    KEYS_END,
};

enum { INPUTS = 64 }; /* the history, followed by 1 for the bias */
struct perceptron {
    unsigned shift, length;
    int threshold;
    uint64_t mask;
    int sum;               /* of the last prediction */
    int8_t inputs[INPUTS]; /* 1 taken, -1 not taken, the newest first; 0 after the bias */
    int8_t weights[][INPUTS];
};

static inline int8_t *weights_of(struct perceptron *self, const struct spoor_branch *branch)
{
    return self->weights[branch->pc >> self->shift & self->mask];
}
static inline bool predict(struct perceptron *self, const struct spoor_branch *branch)
{
    const int8_t *weights = weights_of(self, branch);
    int sum = 0;
    for (unsigned i = 0; i < INPUTS; i++) sum += weights[i] * self->inputs[i];
    self->sum = sum;
    return sum >= 0;
}
static inline void train(struct perceptron *self, const struct spoor_branch *branch)
{
    int8_t *weights = weights_of(self, branch);
    const int sign = is_taken(branch) ? 1 : -1;
    if ((self->sum >= 0) == is_taken(branch) && abs(self->sum) > self->threshold) return;
    for (unsigned i = 0; i < INPUTS; i++) {
        int next = weights[i] + sign * self->inputs[i];
        weights[i] = (int8_t)(next > INT8_MAX ? INT8_MAX : next < INT8_MIN ? INT8_MIN : next);
    }
}
static inline void track(struct perceptron *self, const struct spoor_branch *branch)
{
    if (!is_conditional(branch)) return;
    memmove(self->inputs + 1, self->inputs, self->length - 1);
    self->inputs[0] = is_taken(branch) ? 1 : -1;
}
PREDICTOR_FUNCTIONS(struct perceptron)

static size_t capacity(const uint64_t *values)
{
    return sizeof(struct perceptron) + ((size_t)INPUTS << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct perceptron *self = state;
    self->shift = (unsigned)values[SHIFT];
    self->mask = low_bits((unsigned)values[BITS]);
    self->length = (unsigned)values[HISTORY];
    self->threshold = (int)(193 * self->length / 100 + 14); /* floor(1.93 h + 14) */
    memset(self->inputs, -1, self->length);
    self->inputs[self->length] = 1;
}
static uint64_t storage(const uint64_t *values)
{
    return (8 * (values[HISTORY] + 1) << values[BITS]) + values[HISTORY];
}

const struct predictor_kind predictor_perceptron = {
    .about = {"perceptron", "a perceptron over the global history, by pc", "Jimenez, Lin 2001",
              SPOOR_PREDICTS_DIRECTION, keys},
    .capacity = capacity,
    .start = start,
    .storage = storage,
    PREDICTOR_DOORS,
};
