/* SPDX-License-Identifier: MIT */
/* btb.c: the branch target buffer: the last target of each taken branch, by sets and ways. */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { BITS, WAYS, SHIFT };
static const struct spoor_component_key btb_keys[] = {
    {"bits", "log2 of the number of sets", 9, 0, 20},
    {"ways", "entries of a set, replaced least recently used", 4, 1, 32},
    KEY_SHIFT,
    {0},
};

/* The ways of a set in order of use, most recent first.  The tag is the complete rest of the pc. */
struct btb_entry {
    uint64_t pc, target;
    bool valid;
};
struct btb {
    uint64_t guess, mask;
    unsigned shift, ways;
    struct btb_entry entries[];
};

static inline bool btb_asks(const struct spoor_branch *branch)
{
    return branch_is_taken(branch) && branch->has & SPOOR_BRANCH_HAS_TARGET;
}
static inline struct btb_entry *btb_set(struct btb *self, const struct spoor_branch *branch)
{
    return &self->entries[(branch->pc >> self->shift & self->mask) * self->ways];
}
/* The way of a set that holds the branch; the number of ways if none does. */
static inline unsigned btb_find(const struct btb *self, const struct btb_entry *set, uint64_t pc)
{
    unsigned way = 0;
    while (way < self->ways && !(set[way].valid && set[way].pc == pc)) way++;
    return way;
}
static inline bool btb_predict(void *state, const struct spoor_branch *branch)
{
    struct btb *self = state;
    const struct btb_entry *set = btb_set(self, branch);
    unsigned way = btb_find(self, set, branch->pc);
    self->guess = way < self->ways ? set[way].target : 0;
    return way < self->ways;
}
static inline void btb_train(void *state, const struct spoor_branch *branch)
{
    struct btb *self = state;
    struct btb_entry *set = btb_set(self, branch);
    unsigned way = btb_find(self, set, branch->pc);
    if (way == self->ways) way--;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = (struct btb_entry){branch->pc, branch->target, true};
}
/* Predicts, and moves the entry of the branch to the front of its set or adds it there; false if it
 * had none.  Not inlined: else its vectors slow down the usual case, the last branch of the set. */
static __attribute__((noinline)) bool btb_raise(struct btb *self, struct btb_entry *at,
                                                const struct spoor_branch *branch)
{
    struct btb_entry moved = {branch->pc, branch->target, true};
    self->guess = 0;
    for (const struct btb_entry *end = at + self->ways; at < end; at++) {
        const struct btb_entry entry = *at;
        *at = moved;
        if (entry.pc == branch->pc && entry.valid) {
            self->guess = entry.target;
            return true;
        }
        moved = entry;
    }
    return false;
}
/* Predicts and trains at once. */
static inline bool btb_is_wrong(struct btb *self, const struct spoor_branch *branch)
{
    struct btb_entry *at = btb_set(self, branch);
    if (at->pc == branch->pc && at->valid) {
        self->guess = at->target;
        at->target = branch->target;
    } else if (!btb_raise(self, at, branch)) {
        return true;
    }
    return self->guess != branch->target;
}
PREDICTOR_LOOP_OF(btb_run, btb_asks, btb_is_wrong(state, branch), predictor_ignore,
                  predictor_ignore)

static const char *btb_size(const struct component_setup *setup, struct component_size *size)
{
    const uint64_t *values = setup->values;
    /* a full pc without the bits of the set index, a target and a valid bit */
    const uint64_t entry_bits = 64 - values[BITS] + 64 + 1;
    size->tables = sizeof(struct btb_entry) * values[WAYS] << values[BITS];
    size->bits = entry_bits * values[WAYS] << values[BITS];
    return NULL;
}
static void btb_start(void *state, const struct component_setup *setup)
{
    const uint64_t *values = setup->values;
    struct btb *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->ways = (unsigned)values[WAYS];
    self->shift = (unsigned)values[SHIFT];
}
const struct predictor predictor_btb = {
    .component = {.about = {SPOOR_PREDICTOR, "btb", "branch target buffer", "Lee, Smith 1984",
                            btb_keys},
                  .struct_size = sizeof(struct btb),
                  .size = btb_size,
                  .start = btb_start},
    .asks = btb_asks,
    .predict = btb_predict,
    .train = btb_train,
    .track = predictor_ignore,
    .run = btb_run,
};
