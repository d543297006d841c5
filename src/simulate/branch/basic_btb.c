/* SPDX-License-Identifier: MIT */
/*
 * basic_btb.c: a branch target buffer whose entries say what kind of branch is there: the target of
 * a return is that of the return stack, the target of another indirect branch is that of a table by
 * the pc and the outcomes of conditional branches, and all but conditional branches are taken
 * whatever the direction predictor says.  It is what ChampSim has by default (btb/basic_btb, May
 * 2025).
 *
 * An entry stands for all branches of 1 << shift bytes.  So a conditional branch beside a return is
 * taken for a return: of a branch that is not taken, a prediction is wrong where the entry is that
 * of another kind.
 */
#include "simulate/branch/counter.h"
#include "simulate/branch/return_stack.h"

enum { BITS, WAYS, INDIRECT, ENTRIES, LENGTH, SHIFT };
static const struct spoor_component_key basic_btb_keys[] = {
    {"bits", "log2 of the number of sets", 10, 0, 20},
    {"ways", "entries of a set, replaced least recently used", 8, 1, 32},
    {"indirect", "log2 of the number of targets of indirect branches", 12, 0, 20},
    {"entries", "return addresses; the oldest is overwritten", 64, 1, 65536},
    {"length", "bytes of a call at first, if the trace does not state its fall-through", 4, 1, 15},
    KEY_SHIFT,
    {0},
};

enum kind { OTHER, CONDITIONAL, INDIRECT_TARGET, RETURN };
struct basic_btb_entry {
    uint64_t tag, target; /* target: not 0 */
    uint64_t kind;
};
/* The ways of a set lie in order of use, most recent first. */
struct basic_btb {
    uint64_t guess, mask, indirect_mask, history;
    unsigned shift, ways;
    struct basic_btb_entry *entries; /* all three lie behind the struct */
    uint64_t *indirect;
    struct return_stack *returns;
};

static inline bool basic_btb_asks(const struct spoor_branch *branch)
{
    return !branch_is_taken(branch) || branch->has & SPOOR_BRANCH_HAS_TARGET;
}
static enum kind basic_btb_kind(const struct spoor_branch *branch)
{
    if (branch->type & SPOOR_BRANCH_RETURN) return RETURN;
    if (branch->type & SPOOR_BRANCH_INDIRECT) return INDIRECT_TARGET;
    return branch_is_conditional(branch) ? CONDITIONAL : OTHER;
}
static inline struct basic_btb_entry *basic_btb_set(const struct basic_btb *self,
                                                    const struct spoor_branch *branch)
{
    return &self->entries[(branch->pc >> self->shift & self->mask) * self->ways];
}
static inline uint64_t *basic_btb_indirect(const struct basic_btb *self,
                                           const struct spoor_branch *branch)
{
    return &self->indirect[(branch->pc >> self->shift ^ self->history) & self->indirect_mask];
}

/* Moves the entry of the branch to the front of its set; NULL if it has none. */
static struct basic_btb_entry *basic_btb_use(const struct basic_btb *self,
                                             const struct spoor_branch *branch)
{
    struct basic_btb_entry *set = basic_btb_set(self, branch);
    const uint64_t tag = branch->pc >> self->shift;
    unsigned way = 0;
    while (way < self->ways && !(set[way].target && set[way].tag == tag)) way++;
    if (way == self->ways) return NULL;
    const struct basic_btb_entry used = set[way];
    memmove(set + 1, set, way * sizeof *set);
    set[0] = used;
    return set;
}

/* Sets the guess; the entry that it is from, or NULL. */
static const struct basic_btb_entry *basic_btb_guess(struct basic_btb *self,
                                                     const struct spoor_branch *branch)
{
    const struct basic_btb_entry *entry = basic_btb_use(self, branch);
    self->guess = 0;
    if (!entry) return NULL;
    if (entry->kind == RETURN && return_stack_predict(self->returns, branch))
        self->guess = self->returns->guess;
    else if (entry->kind == INDIRECT_TARGET)
        self->guess = *basic_btb_indirect(self, branch);
    else if (entry->kind != RETURN)
        self->guess = entry->target;
    return entry;
}
static inline bool basic_btb_predict(void *state, const struct spoor_branch *branch)
{
    struct basic_btb *self = state;
    basic_btb_guess(self, branch);
    return self->guess;
}
static inline bool basic_btb_is_wrong(struct basic_btb *self, const struct spoor_branch *branch)
{
    const struct basic_btb_entry *entry = basic_btb_guess(self, branch);
    if (!branch_is_taken(branch)) return entry && entry->kind != CONDITIONAL;
    return !self->guess || self->guess != branch->target;
}
static inline void basic_btb_track(void *state, const struct spoor_branch *branch)
{
    struct basic_btb *self = state;
    const enum kind kind = basic_btb_kind(branch);
    const bool taken = branch_is_taken(branch),
               reached = taken && branch->has & SPOOR_BRANCH_HAS_TARGET && branch->target;
    return_stack_track(self->returns, branch);
    if (kind == INDIRECT_TARGET && reached) *basic_btb_indirect(self, branch) = branch->target;
    if (kind == CONDITIONAL) self->history = self->history << 1 | taken;
    struct basic_btb_entry *entry = basic_btb_use(self, branch);
    if (!reached) return;
    if (!entry) { /* in place of the least recently used one */
        entry = basic_btb_set(self, branch);
        memmove(entry + 1, entry, (self->ways - 1) * sizeof *entry);
    }
    *entry = (struct basic_btb_entry){branch->pc >> self->shift, branch->target, kind};
}
PREDICTOR_LOOP_OF(basic_btb_run, basic_btb_asks, basic_btb_is_wrong(state, branch),
                  predictor_ignore, basic_btb_track)

static size_t basic_btb_entries(const uint64_t *values)
{
    return (size_t)values[WAYS] << values[BITS];
}
static const char *basic_btb_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    const size_t targets = (size_t)1 << values[INDIRECT];
    /* a pc without the bits of the set index, a target, and which of four kinds or none */
    const uint64_t entry_bits = 64 - values[BITS] + 64 + 3;
    size->tables = sizeof(struct basic_btb_entry) * basic_btb_entries(values) +
                   sizeof(uint64_t) * targets + sizeof(struct return_stack) +
                   sizeof(struct return_entry) * values[ENTRIES];
    size->bits = entry_bits * basic_btb_entries(values) + 64 * targets + values[INDIRECT] +
                 64 * values[ENTRIES];
    return NULL;
}
static void basic_btb_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct basic_btb *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->indirect_mask = low_bits((unsigned)values[INDIRECT]);
    self->shift = (unsigned)values[SHIFT];
    self->ways = (unsigned)values[WAYS];
    self->entries = (struct basic_btb_entry *)(self + 1);
    self->indirect = (uint64_t *)(self->entries + basic_btb_entries(values));
    self->returns = (struct return_stack *)(self->indirect + ((size_t)1 << values[INDIRECT]));
    return_stack_begin(self->returns, (uint32_t)values[ENTRIES], (uint8_t)values[LENGTH]);
}
const struct predictor predictor_basic_btb = {
    .component = {.about = {SPOOR_PREDICTOR, "basic-btb",
                            "branch target buffer with a return stack and targets by history",
                            "ChampSim, btb/basic_btb", basic_btb_keys},
                  .struct_size = sizeof(struct basic_btb),
                  .size = basic_btb_size,
                  .start = basic_btb_start},
    .asks = basic_btb_asks,
    .predict = basic_btb_predict,
    .train = predictor_ignore,
    .track = basic_btb_track,
    .run = basic_btb_run,
};
