/* SPDX-License-Identifier: MIT */
/* bimodal.c: a table of two-bit counters, indexed by the pc. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { BITS, SHIFT, START };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    KEY_SHIFT,
    KEY_START,
    KEYS_END,
};

struct bimodal {
    uint64_t mask;
    unsigned shift;
    uint8_t counters[];
};

static inline uint8_t *counter_of(struct bimodal *self, const struct spoor_branch *branch)
{
    return &self->counters[branch->pc >> self->shift & self->mask];
}
static inline bool predict(struct bimodal *self, const struct spoor_branch *branch)
{
    return counter_taken(*counter_of(self, branch));
}
static inline void train(struct bimodal *self, const struct spoor_branch *branch)
{
    uint8_t *counter = counter_of(self, branch);
    *counter = counter_moved(*counter, is_taken(branch));
}
static inline void track(struct bimodal *self, const struct spoor_branch *branch)
{
    (void)self, (void)branch;
}
PREDICTOR_FUNCTIONS(struct bimodal)

static size_t capacity(const uint64_t *values)
{
    return sizeof(struct bimodal) + ((size_t)1 << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct bimodal *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->shift = (unsigned)values[SHIFT];
    memset(self->counters, (int)values[START], self->mask + 1);
}
static uint64_t storage(const uint64_t *values)
{
    return UINT64_C(2) << values[BITS];
}
static void show(const void *state, struct text *text)
{
    const struct bimodal *self = state;
    show_counters(text, self->counters, self->mask + 1, "NntT");
}

const struct predictor_kind predictor_bimodal = {
    .about = {"bimodal", "two-bit counters by pc", "Smith 1981, strategy 7",
              SPOOR_PREDICTS_DIRECTION, keys},
    .capacity = capacity,
    .start = start,
    .storage = storage,
    .show = show,
    PREDICTOR_DOORS,
};
