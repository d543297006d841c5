/* SPDX-License-Identifier: MIT */
/*
 * gshare.c: two-bit counters, indexed by the pc and the global history: by their xor (gshare), or
 * by bits of the pc and, below them, the history (gselect).
 *
 * A history of gshare that is longer than the index is folded: its parts of `bits` bits are
 * combined by xor; with `truncate` only its newest `bits` outcomes count.  With `top` the history
 * lies at the top of the index, the newest outcome highest.  With `fold` the pc is folded as well,
 * and the history is moved up so that its last part ends where the index does, as MBPlib does: its
 * gshare of 64 KB is gshare:bits=18,history=25,shift=0,start=2,unconditional=1,fold=1.
 * ChampSim's is
 * gshare:bits=14,shift=0,start=0,unconditional=1,fold=1,taken_from=1,train_unconditional=1.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum {
    BITS,
    HISTORY,
    SHIFT,
    START,
    UNCONDITIONAL,
    FOLD,
    TRUNCATE,
    TOP,
    TAKEN_FROM,
    TRAIN_UNCONDITIONAL
};
static const struct spoor_component_key gshare_keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history; folded where more than `bits`", SPOOR_KEY_AS_BEFORE, 0,
     63},
    KEY_SHIFT,
    KEY_START,
    KEY_UNCONDITIONAL,
    {"fold", "1: the pc is folded with the history, not cut", 0, 0, 1},
    {"truncate", "1: of a history of more than `bits`, the newest `bits` count", 0, 0, 1},
    {"top", "1: the history is at the top of the index, the newest outcome highest", 0, 0, 1},
    {"taken_from", "the least counter that predicts taken", 2, 1, 3},
    KEY_TRAIN_UNCONDITIONAL,
    {0},
};
static const struct spoor_component_key gselect_keys[] = {
    {"bits", "log2 of the number of counters", 14, 0, 30},
    {"history", "outcomes in the history, at most `bits`", 7, 0, 30},
    KEY_SHIFT,
    KEY_START,
    KEY_UNCONDITIONAL,
    {0},
};

struct gshare {
    uint64_t mask, history_mask;
    uint64_t history; /* the newest outcome in bit 0 */
    unsigned shift, bits, history_bits;
    unsigned lift;                       /* bits that the history is moved up */
    bool unconditional, folds, folds_pc; /* folds: the history is longer than the index */
    bool top;                            /* the history is at the top of the index */
    bool trains_unconditional;
    uint8_t taken_from;
    uint8_t counters[];
};

static inline void gshare_note(void *state, const struct spoor_branch *branch)
{
    struct gshare *self = state;
    if (!branch_is_conditional(branch) && !self->unconditional) return;
    self->history =
        history_after(self->history, self->history_bits, self->top, branch_is_taken(branch));
}

/* ---- gshare ---- */

static inline uint8_t *gshare_counter(struct gshare *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    if (__builtin_expect(!self->folds && !self->folds_pc, true))
        return &self->counters[(pc ^ self->history << self->lift) & self->mask];
    const uint64_t lifted = self->history << self->lift;
    uint64_t index = self->folds_pc ? 0 : pc & self->mask;
    for (uint64_t left = self->folds_pc ? pc ^ lifted : lifted; left && self->bits;
         left >>= self->bits)
        index ^= left & self->mask;
    return &self->counters[index];
}
static inline bool gshare_predict(void *state, const struct spoor_branch *branch)
{
    const struct gshare *self = state;
    return *gshare_counter(state, branch) >= self->taken_from;
}
static inline void gshare_train(void *state, const struct spoor_branch *branch)
{
    counter_train(gshare_counter(state, branch), branch_is_taken(branch));
}
static inline void gshare_track(void *state, const struct spoor_branch *branch)
{
    const struct gshare *self = state;
    if (self->trains_unconditional && !branch_is_conditional(branch)) gshare_train(state, branch);
    gshare_note(state, branch);
}
PREDICTOR_LOOP(gshare_run_any, gshare_predict, gshare_train, gshare_track)

/* Most often, a loop with the history in a register: a counter is a byte, which could
 * alias it in memory.  Aligned, because the loop takes 10 % more time at an unlucky address. */
static __attribute__((aligned(64))) uint64_t
gshare_run(void *state, const struct spoor_branch *branches, size_t count, uint8_t *wrong)
{
    struct gshare *self = state;
    if (self->folds || self->folds_pc || self->top || self->trains_unconditional ||
        self->taken_from != 2)
        return gshare_run_any(state, branches, count, wrong);
    const uint64_t mask = self->mask, history_mask = self->history_mask;
    const unsigned shift = self->shift;
    const bool all = self->unconditional;
    uint64_t history = self->history, sum = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_branch *branch = &branches[i];
        const bool conditional = branch_is_conditional(branch), taken = branch_is_taken(branch);
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

static unsigned gshare_history(const uint64_t *values)
{
    const bool cut = values[TRUNCATE] && values[HISTORY] > values[BITS];
    return (unsigned)values[cut ? BITS : HISTORY];
}
static unsigned gshare_lift(const uint64_t *values)
{
    const uint64_t over = values[BITS] ? values[HISTORY] % values[BITS] : 0;
    return values[FOLD] && over ? (unsigned)(values[BITS] - over) : 0;
}
static const char *gshare_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    size->tables = (size_t)1 << values[BITS];
    size->bits = 2 * size->tables + gshare_history(values);
    if (values[FOLD] && (values[TRUNCATE] || values[TOP]))
        return "`fold` goes with neither `truncate` nor `top`";
    if (values[TOP] && gshare_history(values) > values[BITS])
        return "with `top`, `history` is at most `bits`, unless `truncate`";
    return values[HISTORY] + gshare_lift(values) > 64
               ? "with `fold`, `history` rounded up to a multiple of `bits` is at most 64"
               : NULL;
}
static void gshare_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct gshare *self = state;
    self->bits = (unsigned)values[BITS];
    self->mask = low_bits(self->bits);
    self->history_bits = gshare_history(values);
    self->history_mask = low_bits(self->history_bits);
    self->shift = (unsigned)values[SHIFT];
    self->unconditional = values[UNCONDITIONAL];
    self->folds = self->history_bits > self->bits;
    self->folds_pc = values[FOLD];
    self->top = values[TOP];
    self->taken_from = (uint8_t)values[TAKEN_FROM];
    self->trains_unconditional = values[TRAIN_UNCONDITIONAL];
    self->lift = self->top ? self->bits - self->history_bits : gshare_lift(values);
    memset(self->counters, (int)values[START], self->mask + 1);
}
static void gshare_show(const void *state, struct text *text)
{
    const struct gshare *self = state;
    show_counters(text, self->counters, self->mask + 1, "NntT");
    show_history(text, self->history, self->history_bits);
}

const struct predictor predictor_gshare = {
    .component = {.about = {SPOOR_PREDICTOR, "gshare", "two-bit counters by pc xor global history",
                            "McFarling 1993, section 7", gshare_keys},
                  .struct_size = sizeof(struct gshare),
                  .size = gshare_size,
                  .start = gshare_start},
    .predict = gshare_predict,
    .train = gshare_train,
    .track = gshare_track,
    .run = gshare_run,
    .show = gshare_show,
};

/* ---- gselect ---- */

static inline uint8_t *gselect_counter(struct gshare *self, const struct spoor_branch *branch)
{
    const uint64_t pc = branch->pc >> self->shift;
    return &self->counters[(pc << self->history_bits | self->history) & self->mask];
}
static inline bool gselect_predict(void *state, const struct spoor_branch *branch)
{
    return counter_taken(*gselect_counter(state, branch));
}
static inline void gselect_train(void *state, const struct spoor_branch *branch)
{
    counter_train(gselect_counter(state, branch), branch_is_taken(branch));
}
PREDICTOR_LOOP(gselect_run, gselect_predict, gselect_train, gshare_note)

static const char *gselect_size(const struct component_setup *setup, struct component_size *size)
{
    if (setup->values[HISTORY] > setup->values[BITS]) return "`history` is at most `bits`";
    return gshare_size(setup, size);
}

const struct predictor predictor_gselect = {
    .component = {.about = {SPOOR_PREDICTOR, "gselect",
                            "two-bit counters by pc beside global history",
                            "Pan, So, Rahmeh 1992; McFarling 1993, section 6", gselect_keys},
                  .struct_size = sizeof(struct gshare),
                  .size = gselect_size,
                  .start = gshare_start},
    .predict = gselect_predict,
    .train = gselect_train,
    .track = gshare_note,
    .run = gselect_run,
};
