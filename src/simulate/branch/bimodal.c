/* SPDX-License-Identifier: MIT */
/* bimodal.c: a table of two-bit counters, indexed by the pc. */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { BITS, SHIFT, START, ENTRIES, TRAIN_UNCONDITIONAL };
static const struct spoor_component_key bimodal_keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    KEY_SHIFT,
    KEY_START,
    {"entries", "number of counters instead, by the rest of a division; 0: 1 << bits", 0, 0,
     1 << 24},
    KEY_TRAIN_UNCONDITIONAL,
    {0},
};

struct bimodal {
    uint64_t mask;
    uint64_t entries; /* 0: an index is cut by the mask */
    unsigned shift;
    bool trains_unconditional;
    uint8_t counters[];
};

/* Most often: no entries, and conditional branches alone. */
static inline uint8_t *bimodal_masked(struct bimodal *self, const struct spoor_branch *branch)
{
    return &self->counters[branch->pc >> self->shift & self->mask];
}
static inline bool bimodal_predict_masked(void *state, const struct spoor_branch *branch)
{
    return counter_taken(*bimodal_masked(state, branch));
}
static inline void bimodal_train_masked(void *state, const struct spoor_branch *branch)
{
    counter_train(bimodal_masked(state, branch), branch_is_taken(branch));
}
PREDICTOR_LOOP(bimodal_run_masked, bimodal_predict_masked, bimodal_train_masked, predictor_ignore)

static inline uint8_t *bimodal_counter(struct bimodal *self, const struct spoor_branch *branch)
{
    if (!self->entries) return bimodal_masked(self, branch);
    return &self->counters[(branch->pc >> self->shift) % self->entries];
}
static inline bool bimodal_predict(void *state, const struct spoor_branch *branch)
{
    return counter_taken(*bimodal_counter(state, branch));
}
static inline void bimodal_train(void *state, const struct spoor_branch *branch)
{
    counter_train(bimodal_counter(state, branch), branch_is_taken(branch));
}
static inline void bimodal_track(void *state, const struct spoor_branch *branch)
{
    const struct bimodal *self = state;
    if (self->trains_unconditional && !branch_is_conditional(branch)) bimodal_train(state, branch);
}
PREDICTOR_LOOP(bimodal_run_any, bimodal_predict, bimodal_train, bimodal_track)

static uint64_t bimodal_run(void *state, const struct spoor_branch *branches, size_t count,
                            uint8_t *wrong)
{
    const struct bimodal *self = state;
    const bool masked = !self->entries && !self->trains_unconditional;
    return (masked ? bimodal_run_masked : bimodal_run_any)(state, branches, count, wrong);
}

static size_t bimodal_entries(const uint64_t *values)
{
    return values[ENTRIES] ? (size_t)values[ENTRIES] : (size_t)1 << values[BITS];
}
static const char *bimodal_size(const struct component_setup *setup, struct component_size *size)
{
    size->tables = bimodal_entries(setup->values);
    size->bits = 2 * size->tables;
    return NULL;
}
static void bimodal_start(void *state, const struct component_setup *setup)
{
    struct bimodal *self = state;
    self->mask = low_bits((unsigned)setup->values[BITS]);
    self->entries = setup->values[ENTRIES];
    self->shift = (unsigned)setup->values[SHIFT];
    self->trains_unconditional = setup->values[TRAIN_UNCONDITIONAL];
    memset(self->counters, (int)setup->values[START], bimodal_entries(setup->values));
}
static void bimodal_show(const void *state, struct text *text)
{
    const struct bimodal *self = state;
    show_counters(text, self->counters, self->entries ? self->entries : self->mask + 1, "NntT");
}

const struct predictor predictor_bimodal = {
    .component = {.about = {SPOOR_PREDICTOR, "bimodal", "two-bit counters by pc",
                            "Smith 1981, strategy 7", bimodal_keys},
                  .struct_size = sizeof(struct bimodal),
                  .size = bimodal_size,
                  .start = bimodal_start},
    .predict = bimodal_predict,
    .train = bimodal_train,
    .track = bimodal_track,
    .run = bimodal_run,
    .show = bimodal_show,
};
