/* SPDX-License-Identifier: MIT */
/* bimodal.c: a table of two-bit counters, indexed by the pc. */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { BITS, SHIFT, START };
static const struct spoor_component_key bimodal_keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    KEY_SHIFT,
    KEY_START,
    {0},
};

struct bimodal {
    uint64_t mask;
    unsigned shift;
    uint8_t counters[];
};

static inline uint8_t *bimodal_counter(struct bimodal *self, const struct spoor_branch *branch)
{
    return &self->counters[branch->pc >> self->shift & self->mask];
}
static inline bool bimodal_predict(void *state, const struct spoor_branch *branch)
{
    return counter_taken(*bimodal_counter(state, branch));
}
static inline void bimodal_train(void *state, const struct spoor_branch *branch)
{
    counter_train(bimodal_counter(state, branch), branch_is_taken(branch));
}
PREDICTOR_LOOP(bimodal_run, bimodal_predict, bimodal_train, predictor_ignore)

static const char *bimodal_size(const struct component_setup *setup, struct component_size *size)
{
    size->tables = (size_t)1 << setup->values[BITS];
    size->bits = 2 * size->tables;
    return NULL;
}
static void bimodal_start(void *state, const struct component_setup *setup)
{
    struct bimodal *self = state;
    self->mask = low_bits((unsigned)setup->values[BITS]);
    self->shift = (unsigned)setup->values[SHIFT];
    memset(self->counters, (int)setup->values[START], self->mask + 1);
}
static void bimodal_show(const void *state, struct text *text)
{
    const struct bimodal *self = state;
    show_counters(text, self->counters, self->mask + 1, "NntT");
}

const struct predictor predictor_bimodal = {
    .component = {.about = {SPOOR_PREDICTOR, "bimodal", "two-bit counters by pc",
                            "Smith 1981, strategy 7", bimodal_keys},
                  .struct_size = sizeof(struct bimodal),
                  .size = bimodal_size,
                  .start = bimodal_start},
    .predict = bimodal_predict,
    .train = bimodal_train,
    .track = predictor_ignore,
    .run = bimodal_run,
    .show = bimodal_show,
};
