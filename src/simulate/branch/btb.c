/* SPDX-License-Identifier: MIT */
/* btb.c: the branch target buffer: the last target of each taken branch, by sets and ways. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { BITS, WAYS, SHIFT };
static const struct spoor_predictor_key keys[] = {
    {"bits", "log2 of the number of sets", 9, 0, 20},
    {"ways", "entries of a set, replaced least recently used", 4, 1, 32},
    KEY_SHIFT,
    KEYS_END,
};

/* The ways of a set in order of use, most recent first.  The tag is the complete rest of the pc. */
struct entry {
    uint64_t pc, target;
    bool valid;
};
struct btb {
    uint64_t mask, guess;
    unsigned shift, ways;
    struct entry entries[];
};

static inline bool asks(const struct spoor_branch *branch)
{
    return is_taken(branch) && branch->has & SPOOR_BRANCH_HAS_TARGET;
}
static inline struct entry *set_of(struct btb *self, const struct spoor_branch *branch)
{
    return &self->entries[(branch->pc >> self->shift & self->mask) * self->ways];
}
/* The way of a set that holds the branch; the number of ways if none does. */
static inline unsigned find(const struct btb *self, const struct entry *set, uint64_t pc)
{
    unsigned way = 0;
    while (way < self->ways && !(set[way].valid && set[way].pc == pc)) way++;
    return way;
}
static inline bool predict(struct btb *self, const struct spoor_branch *branch)
{
    const struct entry *set = set_of(self, branch);
    unsigned way = find(self, set, branch->pc);
    self->guess = way < self->ways ? set[way].target : 0;
    return way < self->ways;
}
static inline void train(struct btb *self, const struct spoor_branch *branch)
{
    struct entry *set = set_of(self, branch);
    unsigned way = find(self, set, branch->pc);
    if (way == self->ways) way--;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = (struct entry){branch->pc, branch->target, true};
}
static inline void track(struct btb *self, const struct spoor_branch *branch)
{
    (void)self, (void)branch;
}
TARGET_DOOR(struct btb)
/* Moves the entry of the branch to the front, or adds it there; false if its target was right. */
static inline bool step(struct btb *self, const struct spoor_branch *branch)
{
    if (!asks(branch)) return false;
    struct entry *at = set_of(self, branch), *const end = at + self->ways;
    if (at->pc == branch->pc && at->valid) { /* most are the last one of their set */
        self->guess = at->target;
        at->target = branch->target;
        return self->guess != branch->target;
    }
    struct entry moved = {branch->pc, branch->target, true};
    self->guess = 0;
    for (; at < end; at++) {
        const struct entry entry = *at;
        *at = moved;
        if (entry.pc == branch->pc && entry.valid) {
            self->guess = entry.target;
            return entry.target != branch->target;
        }
        moved = entry;
    }
    return true;
}
PREDICTOR_LOOP(struct btb, step)

static size_t capacity(const uint64_t *values)
{
    return sizeof(struct btb) + (sizeof(struct entry) * values[WAYS] << values[BITS]);
}
static void start(void *state, const uint64_t *values)
{
    struct btb *self = state;
    self->mask = low_bits((unsigned)values[BITS]);
    self->ways = (unsigned)values[WAYS];
    self->shift = (unsigned)values[SHIFT];
}
/* Full 64-bit pcs without the bits of the set index, a target and a valid bit. */
static uint64_t storage(const uint64_t *values)
{
    uint64_t entry = 64 - values[BITS] + 64 + 1;
    return entry * values[WAYS] << values[BITS];
}

const struct predictor_kind predictor_btb = {
    .about = {"btb", "branch target buffer", "Lee, Smith 1984", SPOOR_PREDICTS_TARGET, keys},
    .capacity = capacity,
    .start = start,
    .storage = storage,
    TARGET_DOORS,
};
