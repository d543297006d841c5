/* SPDX-License-Identifier: MIT */
/*
 * gshare.c: two-bit counters, indexed by the pc xor the global history.
 *
 * A history that is longer than the index is folded: its parts of `bits` bits are combined by xor.
 * With `fold` the pc is folded as well, and the history is moved up so that its last part ends
 * where the index does, as MBPlib does: its gshare of 64 KB is
 * gshare:bits=18,history=25,shift=0,start=2,unconditional=1,fold=1.
 */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { BITS, HISTORY, SHIFT, START, UNCONDITIONAL, FOLD };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history; folded where more than `bits`", SPOOR_KEY_AS_BEFORE, 0,
     63},
    KEY_SHIFT,
    KEY_START,
    KEY_UNCONDITIONAL,
    {"fold", "1: the pc is folded with the history, not cut", 0, 0, 1},
    KEYS_END,
};

struct gshare {
    uint64_t mask, history_mask;
    uint64_t history;                    /* the newest outcome in bit 0 */
    unsigned shift, bits, lift;          /* lift: bits that the history is moved up */
    bool unconditional, folds, folds_pc; /* folds: the history is longer than the index */
    uint8_t counters[];
};

static inline uint64_t fold(uint64_t value, unsigned bits, uint64_t mask)
{
    uint64_t folded = 0;
    for (; value && bits; value >>= bits) folded ^= value & mask;
    return folded;
}
static inline uint8_t *counter_of(struct gshare *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    if (__builtin_expect(!self->folds && !self->folds_pc, true))
        return &self->counters[(pc ^ self->history) & self->mask];
    const uint64_t lifted = self->history << self->lift;
    const uint64_t whole = self->folds_pc ? pc ^ lifted : lifted;
    const uint64_t rest = self->folds_pc ? 0 : pc & self->mask;
    return &self->counters[fold(whole, self->bits, self->mask) ^ rest];
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
PREDICTOR_DOOR(struct gshare)
PREDICTOR_STEP(struct gshare)
PREDICTOR_LOOP_AS(run_folded, struct gshare, step)

/* The same where nothing is folded, without a jump that depends on the branch, and with the history
 * in a register: a counter is a byte, which could alias it in memory. */
static uint64_t run_plain(struct gshare *self, const struct spoor_branch *branches, size_t count,
                          uint8_t *wrong)
{
    const uint64_t mask = self->mask, history_mask = self->history_mask;
    const unsigned shift = self->shift;
    const bool all = self->unconditional;
    uint64_t history = self->history, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        const bool conditional = is_conditional(branch), taken = is_taken(branch);
        uint8_t *counter = &self->counters[(branch->pc >> shift ^ history) & mask];
        const bool missed = conditional & (counter_taken(*counter) != taken);
        *counter = conditional ? counter_moved(*counter, taken) : *counter;
        history = (conditional | all) ? (history << 1 | taken) & history_mask : history;
        sum += missed;
        if (wrong) wrong[i] = missed;
    }
    self->history = history;
    return sum;
}
static uint64_t door_run(void *state, const struct spoor_branch *branches, size_t count,
                         uint8_t *wrong)
{
    struct gshare *self = state;
    return self->folds || self->folds_pc ? run_folded(self, branches, count, wrong)
                                         : run_plain(self, branches, count, wrong);
}

static unsigned lift_of(const uint64_t *values)
{
    const uint64_t over = values[BITS] ? values[HISTORY] % values[BITS] : 0;
    return values[FOLD] && over ? (unsigned)(values[BITS] - over) : 0;
}
static const char *refuse(const uint64_t *values)
{
    return values[HISTORY] + lift_of(values) > 64
               ? "with `fold`, `history` rounded up to a multiple of `bits` is at most 64"
               : NULL;
}
static size_t capacity(const uint64_t *values)
{
    return sizeof(struct gshare) + ((size_t)1 << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct gshare *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->history_mask = low_bits((unsigned)values[HISTORY]);
    self->shift = (unsigned)values[SHIFT];
    self->bits = (unsigned)values[BITS];
    self->unconditional = values[UNCONDITIONAL];
    self->folds = values[HISTORY] > values[BITS];
    self->folds_pc = values[FOLD];
    self->lift = lift_of(values);
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
    .capacity = capacity,
    .start = start,
    .storage = storage,
    .show = show,
    PREDICTOR_DOORS,
};
