/* SPDX-License-Identifier: MIT */
/*
 * stack.h: blocks from the one used last down to the one unused for longest, and how deep a block
 * lies when it is used again: its stack distance (Mattson et al. 1970).
 *
 * The top few blocks stand in an array, in order: most accesses end there.  Each block below has a
 * time, the later the higher it lies, and a bitmap has a bit at each time that a block has; the
 * bits behind a block's time, counted with the help of sums over 512 and 32,768 of them, are the
 * blocks above it.  When the bitmap is full, the times are made dense again.
 *
 * A stack with a limit forgets what lies deeper.
 */
#ifndef SPOOR_SIMULATE_CACHE_STACK_H
#define SPOOR_SIMULATE_CACHE_STACK_H

#include "simulate/cache/block_map.h"

enum { STACK_NEAR = 16 /* blocks in the array */ };
#define STACK_NONE SIZE_MAX         /* the block was not there */
#define STACK_FAILED (SIZE_MAX - 1) /* without memory */

struct stack {
    uint64_t near_blocks[STACK_NEAR];
    uint32_t near_ids[STACK_NEAR];
    unsigned near_count;

    struct block_map ids; /* of blocks */
    uint64_t *blocks;     /* by id */
    uint32_t *times;      /* by id */
    size_t id_room, limit;
    bool forgot; /* a block, for the limit */

    uint64_t *bits;  /* by time */
    uint16_t *small; /* sums of 512 bits */
    uint32_t *large; /* sums of 32,768 bits */
    uint32_t *owner; /* by time: the id */
    uint32_t now, times_room, far_count;
    uint32_t lowest; /* no word of `bits` before has any */
};

/* Make an empty stack of at most `limit` blocks, more than STACK_NEAR; 0: no limit.  False without
 * memory, when stack_finish() is still to be called. */
bool stack_start(struct stack *stack, size_t limit);
void stack_finish(struct stack *stack);

/* A use of a block that is not among the top STACK_NEAR: as stack_use(). */
size_t stack_use_far(struct stack *stack, uint64_t block);

/* A block that stood at `place` of the array goes on top. */
static inline void stack_raise(struct stack *stack, unsigned place, uint64_t block, uint32_t id)
{
    for (unsigned i = place; i > 0; i--) {
        stack->near_blocks[i] = stack->near_blocks[i - 1];
        stack->near_ids[i] = stack->near_ids[i - 1];
    }
    stack->near_blocks[0] = block;
    stack->near_ids[0] = id;
}

/* A block is used: how many others were used since it was last, STACK_NONE or STACK_FAILED. */
static inline size_t stack_use(struct stack *stack, uint64_t block)
{
    for (unsigned i = 0; i < stack->near_count; i++)
        if (stack->near_blocks[i] == block) {
            if (i) stack_raise(stack, i, block, stack->near_ids[i]);
            return i;
        }
    return stack_use_far(stack, block);
}

#endif
