/* SPDX-License-Identifier: MIT */
/* stack_distance.c: the part of the stack below its top few blocks. */
#include "simulate/cache/stack_distance.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/hash_map.h"

enum {
    SMALL = 512,        /* bits under a small sum */
    LARGE = 64 * SMALL, /* bits under a large sum */
    FIRST_TIMES = LARGE,
    MAX_TIMES = 1 << 30,
    FIRST_IDS = 4096,
};

/* ---- times ---- */

static void set_bit(struct stack *stack, uint32_t time)
{
    stack->bits[time / 64] |= UINT64_C(1) << time % 64;
    stack->small[time / SMALL]++;
    stack->large[time / LARGE]++;
}

static void clear_bit(struct stack *stack, uint32_t time)
{
    stack->bits[time / 64] &= ~(UINT64_C(1) << time % 64);
    stack->small[time / SMALL]--;
    stack->large[time / LARGE]--;
}

/* Number of bits after `time` and before `now`. */
static uint32_t bits_after(const struct stack *stack, uint32_t time)
{
    const uint32_t words_to_small = SMALL / 64, small_to_large = LARGE / SMALL;
    uint32_t word = time / 64, small = time / SMALL, large = time / LARGE;
    uint32_t count = (uint32_t)__builtin_popcountll(stack->bits[word] >> time % 64 >> 1);
    const uint32_t last_large = (stack->now - 1) / LARGE, last_small = (stack->now - 1) / SMALL;
    for (word++; word % words_to_small; word++)
        count += (uint32_t)__builtin_popcountll(stack->bits[word]);
    for (small++; small % small_to_large && small <= last_small; small++)
        count += stack->small[small];
    for (large++; large <= last_large; large++) count += stack->large[large];
    return count;
}

/* Allocates `capacity` times and discards the old ones.  False if memory runs out. */
static bool make_times(struct stack *stack, uint32_t capacity)
{
    free(stack->bits);
    free(stack->small);
    free(stack->large);
    stack->bits = calloc(capacity / 64, sizeof *stack->bits);
    stack->small = calloc(capacity / SMALL, sizeof *stack->small);
    stack->large = calloc(capacity / LARGE, sizeof *stack->large);
    size_t owned = stack->owner ? stack->times_capacity : 0;
    const bool owns = array_reserve(&stack->owner, &owned, capacity);
    stack->times_capacity = capacity;
    stack->lowest = 0;
    return stack->bits && stack->small && stack->large && owns;
}

/* Renumber the times densely, with at least as many free as used. */
static bool renumber(struct stack *stack)
{
    uint32_t capacity = stack->times_capacity > FIRST_TIMES ? stack->times_capacity : FIRST_TIMES,
             live = 0;
    while (capacity < MAX_TIMES && stack->far_count > capacity / 4) capacity *= 2;
    if (stack->far_count >= capacity) return false;
    for (uint32_t time = 0; time < stack->now; time++)
        if (stack->bits[time / 64] >> time % 64 & 1) stack->owner[live++] = stack->owner[time];
    if (!make_times(stack, capacity)) return false;
    for (uint32_t time = 0; time < live; time++) {
        stack->times[stack->owner[time]] = time;
        set_bit(stack, time);
    }
    stack->now = live;
    return true;
}

/* Moves the last block of the array below the array. */
static bool push_far(struct stack *stack, uint32_t id)
{
    if (stack->now == stack->times_capacity && !renumber(stack)) return false;
    stack->times[id] = stack->now;
    stack->owner[stack->now] = id;
    set_bit(stack, stack->now++);
    stack->far_count++;
    return true;
}

/* ---- blocks ---- */

/* Drops the block at the bottom; returns its id. */
static uint32_t drop_lowest(struct stack *stack)
{
    while (!stack->bits[stack->lowest]) stack->lowest++;
    const uint32_t bit = (uint32_t)__builtin_ctzll(stack->bits[stack->lowest]);
    const uint32_t time = stack->lowest * 64 + bit, id = stack->owner[time];
    clear_bit(stack, time);
    stack->forgot = true;
    stack->far_count--;
    block_map_remove(&stack->ids, stack->blocks[id]);
    return id;
}

/* Assigns an id to a new block; false if memory runs out. */
static bool add_block(struct stack *stack, uint64_t block, uint32_t *id)
{
    bool added;
    const size_t count = stack->ids.count;
    size_t capacity = stack->id_capacity;
    if (!array_reserve(&stack->times, &capacity, count + 1) ||
        !array_reserve(&stack->blocks, &stack->id_capacity, capacity))
        return false;
    *id = stack->limit && count == stack->limit ? drop_lowest(stack) : (uint32_t)count;
    uint32_t *place = block_map_add(&stack->ids, block, &added);
    if (!place) return false;
    *place = *id;
    stack->blocks[*id] = block;
    return true;
}

size_t stack_use_far(struct stack *stack, uint64_t block)
{
    const uint32_t *place = block_map_find(&stack->ids, block);
    size_t distance = STACK_NONE;
    uint32_t id;
    if (place) {
        id = *place;
        distance = STACK_NEAR + bits_after(stack, stack->times[id]);
        clear_bit(stack, stack->times[id]);
        stack->far_count--;
    } else if (!add_block(stack, block, &id)) {
        return STACK_FAILED;
    }
    if (stack->near_count < STACK_NEAR)
        stack->near_count++;
    else if (!push_far(stack, stack->near_ids[STACK_NEAR - 1]))
        return STACK_FAILED;
    stack_raise(stack, stack->near_count - 1, block, id);
    return distance;
}

/* ---- construction ---- */

bool stack_start(struct stack *stack, size_t limit)
{
    *stack = (struct stack){.limit = limit};
    return make_times(stack, FIRST_TIMES);
}

void stack_finish(struct stack *stack)
{
    hash_map_free(&stack->ids);
    free(stack->blocks);
    free(stack->times);
    free(stack->bits);
    free(stack->small);
    free(stack->large);
    free(stack->owner);
}
