/* SPDX-License-Identifier: MIT */
/*
 * stack_distance.h: an LRU stack: blocks from the most to the least recently used, and the depth of
 * a block when it is used again: its stack distance (Mattson et al. 1970).
 *
 * The top few blocks are in an array, in order: most accesses end there.  Each block below has a
 * time, and a bitmap has a bit at each time that a block has.  The bits after a block's time,
 * counted with sums over 512 and 32,768 bits, are the blocks above it.  When the bitmap is full,
 * the times are renumbered densely.
 *
 * A stack with a limit drops the blocks below it.
 */
#ifndef SPOOR_SIMULATE_CACHE_STACK_DISTANCE_H
#define SPOOR_SIMULATE_CACHE_STACK_DISTANCE_H

#include "base/hash_map.h"
#include "simulate/cache/block_map.h"

enum { STACK_NEAR = 16 /* blocks in the array */ };
#define STACK_NONE SIZE_MAX         /* the block was not in the stack */
#define STACK_FAILED (SIZE_MAX - 1) /* memory ran out */

struct stack {
    uint64_t near_blocks[STACK_NEAR];
    uint32_t near_ids[STACK_NEAR];
    unsigned near_count;

    struct hash_map ids; /* of blocks */
    uint64_t *blocks;    /* by id */
    uint32_t *times;     /* by id */
    size_t id_capacity, limit;
    bool forgot; /* a block was dropped because of the limit */

    uint64_t *bits;  /* by time */
    uint16_t *small; /* sums of 512 bits */
    uint32_t *large; /* sums of 32,768 bits */
    uint32_t *owner; /* by time: the id */
    uint32_t now, times_capacity, far_count;
    uint32_t lowest; /* no earlier word of `bits` has a set bit */
};

/* Makes an empty stack of at most `limit` blocks, more than STACK_NEAR; 0: no limit.  False if
 * memory runs out; call stack_finish() even then. */
bool stack_start(struct stack *stack, size_t limit);
void stack_finish(struct stack *stack);

/* A use of a block that is not among the top STACK_NEAR: as stack_use(). */
size_t stack_use_far(struct stack *stack, uint64_t block);

/* Moves the block at `place` of the array to the top. */
static inline void stack_raise(struct stack *stack, unsigned place, uint64_t block, uint32_t id)
{
    for (unsigned i = place; i > 0; i--) {
        stack->near_blocks[i] = stack->near_blocks[i - 1];
        stack->near_ids[i] = stack->near_ids[i - 1];
    }
    stack->near_blocks[0] = block;
    stack->near_ids[0] = id;
}

/* Uses a block; returns the number of other blocks used since its last use, STACK_NONE or
 * STACK_FAILED. */
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
