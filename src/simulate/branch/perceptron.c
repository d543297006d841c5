/* SPDX-License-Identifier: MIT */
/* perceptron.c: a weight for each outcome of the global history, by pc; the sign of the sum. */
#include <stdlib.h>

#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { BITS, HISTORY, SHIFT };
static const struct spoor_component_key perceptron_keys[] = {
    {"bits", "log2 of the number of perceptrons, chosen by the pc", 10, 0, 22},
    {"history", "outcomes in the history", 32, 1, 63},
    KEY_SHIFT,
    {0},
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

static inline int8_t *perceptron_weights(struct perceptron *self, const struct spoor_branch *branch)
{
    return self->weights[branch->pc >> self->shift & self->mask];
}
static inline bool perceptron_predict(void *state, const struct spoor_branch *branch)
{
    struct perceptron *self = state;
    const int8_t *weights = perceptron_weights(state, branch);
    int sum = 0;
    for (unsigned i = 0; i < INPUTS; i++) sum += weights[i] * self->inputs[i];
    self->sum = sum;
    return sum >= 0;
}
static inline void perceptron_train(void *state, const struct spoor_branch *branch)
{
    struct perceptron *self = state;
    int8_t *weights = perceptron_weights(state, branch);
    const int sign = branch_is_taken(branch) ? 1 : -1;
    if ((self->sum >= 0) == branch_is_taken(branch) && abs(self->sum) > self->threshold) return;
    for (unsigned i = 0; i < INPUTS; i++) {
        int next = weights[i] + sign * self->inputs[i];
        weights[i] = (int8_t)(next > INT8_MAX ? INT8_MAX : next < INT8_MIN ? INT8_MIN : next);
    }
}
static inline void perceptron_track(void *state, const struct spoor_branch *branch)
{
    struct perceptron *self = state;
    if (!branch_is_conditional(branch)) return;
    memmove(self->inputs + 1, self->inputs, self->length - 1);
    self->inputs[0] = branch_is_taken(branch) ? 1 : -1;
}
PREDICTOR_LOOP(perceptron_run, perceptron_predict, perceptron_train, perceptron_track)

static const char *perceptron_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    size->tables = (size_t)INPUTS << values[BITS];
    size->bits = (8 * (values[HISTORY] + 1) << values[BITS]) + values[HISTORY];
    return NULL;
}
static void perceptron_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct perceptron *self = state;
    self->shift = (unsigned)values[SHIFT];
    self->mask = low_bits((unsigned)values[BITS]);
    self->length = (unsigned)values[HISTORY];
    self->threshold = (int)(193 * self->length / 100 + 14); /* floor(1.93 h + 14) */
    memset(self->inputs, -1, self->length);
    self->inputs[self->length] = 1;
}
const struct predictor predictor_perceptron = {
    .component = {.about = {SPOOR_PREDICTOR, "perceptron",
                            "a perceptron over the global history, by pc", "Jimenez, Lin 2001",
                            perceptron_keys},
                  .struct_size = sizeof(struct perceptron),
                  .size = perceptron_size,
                  .start = perceptron_start},
    .predict = perceptron_predict,
    .train = perceptron_train,
    .track = perceptron_track,
    .run = perceptron_run,
};
