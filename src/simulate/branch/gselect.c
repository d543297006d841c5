/* SPDX-License-Identifier: MIT */
/* gselect.c: two-bit counters, indexed by bits of the pc and, below them, the global history. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { BITS, HISTORY, SHIFT, START, UNCONDITIONAL };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history, at most `bits`", 7, 0, 30},
    KEY_SHIFT,
    KEY_START,
    KEY_UNCONDITIONAL,
    KEYS_END,
};

struct gselect {
    uint64_t mask, history_mask, history;
    unsigned shift, history_bits;
    bool unconditional;
    uint8_t counters[];
};

static inline uint8_t *counter_of(struct gselect *self, const struct spoor_branch *branch)
{
    uint64_t pc = branch->pc >> self->shift;
    return &self->counters[(pc << self->history_bits | self->history) & self->mask];
}
static inline bool predict(struct gselect *self, const struct spoor_branch *branch)
{
    return counter_taken(*counter_of(self, branch));
}
static inline void train(struct gselect *self, const struct spoor_branch *branch)
{
    uint8_t *counter = counter_of(self, branch);
    *counter = counter_moved(*counter, is_taken(branch));
}
static inline void track(struct gselect *self, const struct spoor_branch *branch)
{
    if (!is_conditional(branch) && !self->unconditional) return;
    self->history = (self->history << 1 | is_taken(branch)) & self->history_mask;
}
PREDICTOR_FUNCTIONS(struct gselect)

static const char *refuse(const uint64_t *values)
{
    return values[HISTORY] > values[BITS] ? "`history` is at most `bits`" : NULL;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct gselect) + ((size_t)1 << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct gselect *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->history_bits = (unsigned)values[HISTORY];
    self->history_mask = low_bits(self->history_bits);
    self->shift = (unsigned)values[SHIFT];
    self->unconditional = values[UNCONDITIONAL];
    memset(self->counters, (int)values[START], self->mask + 1);
}
static uint64_t storage(const uint64_t *values)
{
    return (UINT64_C(2) << values[BITS]) + values[HISTORY];
}

const struct predictor_kind predictor_gselect = {
    .about = {"gselect", "two-bit counters by pc beside global history",
              "Pan, So, Rahmeh 1992; McFarling 1993, section 6", SPOOR_PREDICTS_DIRECTION, keys},
    .refuse = refuse,
    .capacity = capacity,
    .start = start,
    .storage = storage,
    PREDICTOR_DOORS,
};
