/* SPDX-License-Identifier: MIT */
/* return_stack.c: return addresses: calls push the address of the next instruction, returns pop
 * it. */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { ENTRIES, LENGTH };
static const struct spoor_component_key return_stack_keys[] = {
    {"entries", "number of addresses; the oldest is overwritten", 16, 1, 65536},
    {"length", "bytes of a call, if the trace does not state its fall-through", 4, 1, 15},
    {0},
};

struct return_stack {
    uint64_t guess;
    uint32_t entries, length;
    uint32_t top, used; /* the newest address is below top; `used` are valid */
    uint64_t addresses[];
};

static inline bool return_stack_asks(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_RETURN && is_taken(branch);
}
static inline uint32_t return_stack_below(const struct return_stack *self)
{
    return self->top ? self->top - 1 : self->entries - 1;
}
static inline bool return_stack_predict(void *state, const struct spoor_branch *branch)
{
    struct return_stack *self = state;
    (void)branch;
    self->guess = self->used ? self->addresses[return_stack_below(self)] : 0;
    return self->used;
}
static inline void return_stack_push(struct return_stack *self, uint64_t address)
{
    self->addresses[self->top] = address;
    self->top = self->top + 1 < self->entries ? self->top + 1 : 0;
    if (self->used < self->entries) self->used++;
}
static inline void return_stack_track(void *state, const struct spoor_branch *branch)
{
    struct return_stack *self = state;
    if (!is_taken(branch)) return;
    if (branch->type & SPOOR_BRANCH_RETURN && self->used) {
        self->top = return_stack_below(self);
        self->used--;
    }
    if (branch->type & SPOOR_BRANCH_CALL)
        return_stack_push(self, branch->has & SPOOR_BRANCH_HAS_FALL ? branch->fall
                                                                    : branch->pc + self->length);
}
TARGET_LOOP(return_stack_run, return_stack_asks, return_stack_predict, predictor_ignore,
            return_stack_track)

static size_t return_stack_tables(const struct component_setup *setup)
{
    return sizeof(uint64_t) * setup->values[ENTRIES];
}
static void return_stack_start(void *state, const struct component_setup *setup)
{
    struct return_stack *self = state;
    self->entries = (uint32_t)setup->values[ENTRIES];
    self->length = (uint32_t)setup->values[LENGTH];
}
static uint64_t return_stack_storage(const struct component_setup *setup)
{
    return 64 * setup->values[ENTRIES];
}

const struct predictor predictor_return_stack = {
    .component = {.about = {SPOOR_PREDICTOR, "return-stack", "return address stack",
                            "Kaeli, Emma 1991", return_stack_keys},
                  .struct_size = sizeof(struct return_stack),
                  .tables = return_stack_tables,
                  .start = return_stack_start,
                  .storage = return_stack_storage},
    .asks = return_stack_asks,
    .predict = return_stack_predict,
    .train = predictor_ignore,
    .track = return_stack_track,
    .run = return_stack_run,
};
