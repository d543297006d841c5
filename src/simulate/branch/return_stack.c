/* SPDX-License-Identifier: MIT */
/* return_stack.c: return addresses: calls push the address of the next instruction, returns pop
 * it. */
#include "simulate/branch/kind.h"

#include "simulate/branch/counter.h"

enum { ENTRIES, LENGTH };
static const struct spoor_predictor_key keys[] = {
    {"entries", "number of addresses; the oldest is overwritten", 16, 1, 65536},
    {"length", "bytes of a call, if the trace does not state its fall-through", 4, 1, 15},
    KEYS_END,
};

struct return_stack {
    uint64_t guess;
    uint32_t entries, length;
    uint32_t top, used; /* the newest address is below top; `used` are valid */
    uint64_t addresses[];
};

static inline bool asks(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_RETURN && is_taken(branch);
}
static inline uint32_t below(const struct return_stack *self)
{
    return self->top ? self->top - 1 : self->entries - 1;
}
static inline bool predict(struct return_stack *self, const struct spoor_branch *branch)
{
    (void)branch;
    self->guess = self->used ? self->addresses[below(self)] : 0;
    return self->used;
}
static inline void train(struct return_stack *self, const struct spoor_branch *branch)
{
    (void)self, (void)branch;
}
static inline void push(struct return_stack *self, uint64_t address)
{
    self->addresses[self->top] = address;
    self->top = self->top + 1 < self->entries ? self->top + 1 : 0;
    if (self->used < self->entries) self->used++;
}
static inline void track(struct return_stack *self, const struct spoor_branch *branch)
{
    if (!is_taken(branch)) return;
    if (branch->type & SPOOR_BRANCH_RETURN && self->used) {
        self->top = below(self);
        self->used--;
    }
    if (branch->type & SPOOR_BRANCH_CALL)
        push(self, branch->has & SPOOR_BRANCH_HAS_FALL ? branch->fall : branch->pc + self->length);
}
TARGET_FUNCTIONS(struct return_stack)

static size_t capacity(const uint64_t *values)
{
    return sizeof(struct return_stack) + sizeof(uint64_t) * values[ENTRIES];
}
static void start(void *state, const uint64_t *values)
{
    struct return_stack *self = state;
    self->entries = (uint32_t)values[ENTRIES];
    self->length = (uint32_t)values[LENGTH];
}
static uint64_t storage(const uint64_t *values)
{
    return 64 * values[ENTRIES];
}

const struct predictor_kind predictor_return_stack = {
    .about = {"return-stack", "return address stack", "Kaeli, Emma 1991", SPOOR_PREDICTS_TARGET,
              keys},
    .capacity = capacity,
    .start = start,
    .storage = storage,
    TARGET_DOORS,
};
