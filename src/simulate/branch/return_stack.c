/* SPDX-License-Identifier: MIT */
/* return_stack.c: return addresses: calls push the address of the next instruction, returns pop
 * it.
 *
 * Hardware knows the size of a call.  Where the trace does not state it, the size is learnt from
 * the target of the return, as ChampSim does (btb/basic_btb/return_stack.cc): a table by the low
 * bits of the address of the call, which is no storage of the design. */
#include "simulate/branch/counter.h"
#include "simulate/branch/predictor.h"

enum { ENTRIES, LENGTH };
static const struct spoor_component_key return_stack_keys[] = {
    {"entries", "number of addresses; the oldest is overwritten", 16, 1, 65536},
    {"length", "bytes of a call at first, if the trace does not state its fall-through", 4, 1, 15},
    {0},
};

enum { SIZES_LEARNT = 1024, MAX_LEARNT = 10 };

/* What a call pushed: its own address where the trace does not state the one after it. */
struct return_entry {
    uint64_t address;
    bool is_call;
};
struct return_stack {
    uint64_t guess;
    uint32_t entries;
    uint32_t top, used;          /* the newest entry is below top; `used` are valid */
    uint8_t sizes[SIZES_LEARNT]; /* of calls, by the low bits of their addresses */
    struct return_entry stack[];
};

static inline bool return_stack_asks(const struct spoor_branch *branch)
{
    return branch->type & SPOOR_BRANCH_RETURN && branch_is_taken(branch);
}
static inline uint32_t return_stack_below(const struct return_stack *self)
{
    return self->top ? self->top - 1 : self->entries - 1;
}
static inline bool return_stack_predict(void *state, const struct spoor_branch *branch)
{
    struct return_stack *self = state;
    const struct return_entry *newest = &self->stack[return_stack_below(self)];
    (void)branch;
    self->guess = 0;
    if (!self->used) return false;
    self->guess = newest->address;
    if (newest->is_call) self->guess += self->sizes[newest->address % SIZES_LEARNT];
    return true;
}
static inline void return_stack_track(void *state, const struct spoor_branch *branch)
{
    struct return_stack *self = state;
    if (!branch_is_taken(branch)) return;
    if (branch->type & SPOOR_BRANCH_RETURN && self->used) {
        self->top = return_stack_below(self);
        self->used--;
        const struct return_entry *newest = &self->stack[self->top];
        const uint64_t size = branch->target - newest->address;
        const bool known = newest->is_call && branch->has & SPOOR_BRANCH_HAS_TARGET;
        if (known && size >= 1 && size <= MAX_LEARNT)
            self->sizes[newest->address % SIZES_LEARNT] = (uint8_t)size;
    }
    if (branch->type & SPOOR_BRANCH_CALL) {
        const bool sized = branch->has & SPOOR_BRANCH_HAS_FALL;
        self->stack[self->top] = (struct return_entry){sized ? branch->fall : branch->pc, !sized};
        self->top = self->top + 1 < self->entries ? self->top + 1 : 0;
        if (self->used < self->entries) self->used++;
    }
}
TARGET_LOOP(return_stack_run, return_stack_asks, return_stack_predict, predictor_ignore,
            return_stack_track)

static const char *return_stack_size(const struct component_setup *setup,
                                     struct component_size *size)
{
    size->tables = sizeof(struct return_entry) * setup->values[ENTRIES];
    size->bits = 64 * setup->values[ENTRIES];
    return NULL;
}
static void return_stack_start(void *state, const struct component_setup *setup)
{
    struct return_stack *self = state;
    self->entries = (uint32_t)setup->values[ENTRIES];
    memset(self->sizes, (int)setup->values[LENGTH], sizeof self->sizes);
}
const struct predictor predictor_return_stack = {
    .component = {.about = {SPOOR_PREDICTOR, "return-stack", "return address stack",
                            "Kaeli, Emma 1991", return_stack_keys},
                  .struct_size = sizeof(struct return_stack),
                  .size = return_stack_size,
                  .start = return_stack_start},
    .asks = return_stack_asks,
    .predict = return_stack_predict,
    .train = predictor_ignore,
    .track = return_stack_track,
    .run = return_stack_run,
};
