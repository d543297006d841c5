/* SPDX-License-Identifier: MIT */
/* return_stack.h: return addresses: calls push the address of the next instruction, returns pop
 * it.
 *
 * Hardware knows the size of a call.  Where the trace does not state it, the size is learnt from
 * the target of the return, as ChampSim does (btb/basic_btb/return_stack.cc): a table by the low
 * bits of the address of the call, which is no storage of the design. */
#ifndef SPOOR_SIMULATE_BRANCH_RETURN_STACK_H
#define SPOOR_SIMULATE_BRANCH_RETURN_STACK_H

#include <string.h>

#include "simulate/branch/predictor.h"

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
/* `length`: bytes of a call whose size is not learnt yet. */
static inline void return_stack_begin(struct return_stack *self, uint32_t entries, uint8_t length)
{
    self->entries = entries;
    memset(self->sizes, length, sizeof self->sizes);
}

#endif
