/* SPDX-License-Identifier: MIT */
/* gshare.c: two-bit counters, indexed by the pc xor the global history. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { BITS, HISTORY, SHIFT, START, UNCONDITIONAL };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history, at most `bits`", SPOOR_KEY_AS_BEFORE, 0, 30},
    KEY_SHIFT,
    KEY_START,
    KEY_UNCONDITIONAL,
    KEYS_END,
};

struct gshare {
    uint64_t mask, history_mask;
    uint64_t history; /* the newest outcome in bit 0 */
    unsigned shift;
    bool unconditional;
    uint8_t counters[];
};

static inline uint8_t *counter_of(struct gshare *self, const struct spoor_branch *branch)
{
    return &self->counters[((branch->pc >> self->shift) ^ self->history) & self->mask];
}
static inline bool predict(struct gshare *self, const struct spoor_branch *branch)
{
    return counter_taken(*counter_of(self, branch));
}
static inline void train(struct gshare *self, const struct spoor_branch *branch)
{
    uint8_t *counter = counter_of(self, branch);
    *counter = counter_moved(*counter, is_taken(branch));
}
static inline void track(struct gshare *self, const struct spoor_branch *branch)
{
    if (!is_conditional(branch) && !self->unconditional) return;
    self->history = (self->history << 1 | is_taken(branch)) & self->history_mask;
}
PREDICTOR_FUNCTIONS(struct gshare)

static const char *refuse(const uint64_t *values)
{
    return values[HISTORY] > values[BITS] ? "`history` is at most `bits`" : NULL;
}
static size_t room(const uint64_t *values)
{
    return sizeof(struct gshare) + ((size_t)1 << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct gshare *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->history_mask = low_bits((unsigned)values[HISTORY]);
    self->shift = (unsigned)values[SHIFT];
    self->unconditional = values[UNCONDITIONAL];
    memset(self->counters, (int)values[START], self->mask + 1);
}
static uint64_t storage(const uint64_t *values)
{
    return (UINT64_C(2) << values[BITS]) + values[HISTORY];
}
static void show(const void *state, struct text *text)
{
    const struct gshare *self = state;
    show_counters(text, self->counters, self->mask + 1, "NntT");
    show_history(text, self->history, (unsigned)__builtin_popcountll(self->history_mask));
}

const struct predictor_kind predictor_gshare = {
    .about = {"gshare", "two-bit counters by pc xor global history", "McFarling 1993, section 7",
              SPOOR_PREDICTS_DIRECTION, keys},
    .refuse = refuse,
    .room = room,
    .start = start,
    .storage = storage,
    .show = show,
    PREDICTOR_DOORS,
};
