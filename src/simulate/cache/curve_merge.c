/* SPDX-License-Identifier: MIT */
/*
 * curve_merge.c: the curve of two adjacent parts of a trace from the curves of each, and curves as
 * bytes.
 *
 * Distances within a part are final.  A first use of a block in the later part may be a reuse of a
 * block of the earlier part.  Between the two uses lie the blocks used in the earlier part after
 * the block, and those whose first use in the later part comes before: so the first uses of the
 * later part, in their order, are used on the stack of the earlier part, and the distances found
 * are those of the whole trace (PARDA: Niu, Dinan, Lu, Sadayappan, IPDPS 2012).  Afterwards the
 * blocks of the later part, now at the top, are put in the order of its own stack at once.
 */
#include <stdlib.h>

#include "base/array.h"
#include "model/options.h"
#include "simulate/cache/curve.h"
#include "simulate/cache/curve_pack.h"

static bool is_same_kind(const struct spoor_curve *a, const struct spoor_curve *b)
{
    return a->block_bits == b->block_bits && a->threshold == b->threshold &&
           a->options.takes == b->options.takes &&
           a->options.unknown_size == b->options.unknown_size;
}

/* Uses blocks in the order of another stack, the most recently used last. */
static bool use_in_order(struct stack *stack, const struct stack *other)
{
    uint32_t *ids = malloc((other->ids.count + 1) * sizeof *ids);
    bool good = ids != NULL;
    const size_t count = good ? stack_order(other, ids) : 0;
    for (size_t i = 0; i < count && good; i++)
        good = stack_use(stack, other->blocks[ids[i]]) != STACK_FAILED;
    free(ids);
    return good;
}

/* The first uses of followed blocks; states the id in the stack of each of them. */
static bool merge_first_uses(struct spoor_curve *curve, const struct spoor_curve *next,
                             uint32_t *ids)
{
    for (size_t id = 0; id < next->stack.ids.count; id++) {
        const size_t distance = stack_use(&curve->stack, next->stack.blocks[id]);
        if (distance == STACK_NONE)
            curve->cold++;
        else if (distance == STACK_FAILED ||
                 !array_reserve_zeroed(&curve->distances, &curve->distance_capacity, distance + 1))
            return false;
        else
            curve->distances[distance]++;
        ids[id] = curve->stack.near_ids[0];
    }
    return true;
}

/* The blocks of the later part, which are then at the top of the stack, get its order. */
static bool merge_followed(struct spoor_curve *curve, const struct spoor_curve *next)
{
    uint32_t *ids = malloc((next->stack.ids.count + 1) * sizeof *ids);
    uint32_t *order = malloc((next->stack.ids.count + 1) * sizeof *order);
    const bool good = ids && order && merge_first_uses(curve, next, ids);
    if (good) {
        const size_t count = stack_order(&next->stack, order);
        for (size_t i = 0; i < count; i++) order[i] = ids[order[i]];
        stack_reorder(&curve->stack, order, count);
    }
    free(ids);
    free(order);
    return good;
}

/* Those of the first CURVE_EXACT blocks: a later one has at least as many others before it. */
static bool merge_top(struct spoor_curve *curve, const struct spoor_curve *next)
{
    for (size_t i = 0; i < next->first_count; i++) {
        const uint64_t block = next->first_blocks[i];
        const size_t distance = stack_use(&curve->top, block);
        if (distance == STACK_FAILED) return false;
        if (distance != STACK_NONE)
            curve->top_distances[distance]++;
        else if (curve->first_count < CURVE_EXACT)
            curve->first_blocks[curve->first_count++] = block;
    }
    curve->top.forgot |= next->top.forgot;
    for (size_t i = 0; i < CURVE_EXACT; i++) curve->top_distances[i] += next->top_distances[i];
    return use_in_order(&curve->top, &next->top);
}

enum spoor_status spoor_curve_merge(struct spoor_curve *curve, const struct spoor_curve *next,
                                    struct spoor_error *error)
{
    if (!is_same_kind(curve, next))
        return spoor_error_set(error, SPOOR_EUSAGE, "the curves have different options");
    const size_t capacity = next->distance_capacity;
    bool good = array_reserve_zeroed(&curve->distances, &curve->distance_capacity, capacity);
    for (size_t i = 0; i < capacity && good; i++) curve->distances[i] += next->distances[i];
    curve->accesses += next->accesses;
    curve->followed += next->followed;
    good = good && merge_followed(curve, next) && (!curve->threshold || merge_top(curve, next));
    return memory_status(good, error);
}

/* ---- packing ---- */

/* Pairs of a gap and a count. */
static void pack_histogram(const uint64_t *counts, size_t capacity, struct text *bytes)
{
    size_t used = 0, before = 0;
    for (size_t i = 0; i < capacity; i++) used += counts[i] != 0;
    text_varint(bytes, used);
    for (size_t i = 0; i < capacity; i++) {
        if (!counts[i]) continue;
        text_varint(bytes, i - before);
        text_varint(bytes, counts[i]);
        before = i;
    }
}

static void pack_blocks(const uint64_t *blocks, size_t count, struct text *bytes)
{
    uint64_t before = 0;
    text_varint(bytes, count);
    for (size_t i = 0; i < count; i++) {
        text_signed_varint(bytes, (int64_t)(blocks[i] - before));
        before = blocks[i];
    }
}

/* The blocks by id, and the ids in the order of the stack. */
static void pack_stack(const struct stack *stack, struct text *bytes)
{
    uint32_t *ids = malloc((stack->ids.count + 1) * sizeof *ids);
    if (!ids) {
        bytes->failed = true;
        return;
    }
    pack_blocks(stack->blocks, stack->ids.count, bytes);
    const size_t count = stack_order(stack, ids);
    for (size_t i = 0; i < count; i++) text_varint(bytes, ids[i]);
    free(ids);
}

void curve_pack(const struct spoor_curve *curve, struct text *bytes)
{
    text_varint(bytes, curve->block_bits);
    text_varint(bytes, curve->threshold);
    text_varint(bytes, curve->options.takes);
    text_varint(bytes, curve->options.unknown_size);
    text_varint(bytes, curve->accesses);
    text_varint(bytes, curve->followed);
    text_varint(bytes, curve->cold);
    pack_stack(&curve->stack, bytes);
    pack_histogram(curve->distances, curve->distance_capacity, bytes);
    if (!curve->threshold) return;
    pack_histogram(curve->top_distances, CURVE_EXACT, bytes);
    pack_blocks(curve->first_blocks, curve->first_count, bytes);
    text_varint(bytes, curve->top.forgot);
    pack_stack(&curve->top, bytes);
}

/* ---- unpacking ---- */

/* False: memory ran out.  A distance is below the number of blocks, which follow it. */
static bool unpack_histogram(struct unpacker *from, uint64_t **counts, size_t *capacity,
                             size_t limit)
{
    size_t at = 0;
    for (size_t used = unpack_count(from); used && !from->failed; used--) {
        at += unpack_below(from, limit - at);
        if (!array_reserve_zeroed(counts, capacity, at + 1)) return false;
        (*counts)[at] = unpack(from);
    }
    return true;
}

static bool unpack_blocks(struct unpacker *from, uint64_t **blocks, size_t *count)
{
    size_t capacity = 0;
    uint64_t before = 0;
    *count = unpack_count(from);
    if (!array_reserve(blocks, &capacity, *count + 1) || !*blocks) return false;
    for (size_t i = 0; i < *count; i++) (*blocks)[i] = before += (uint64_t)unpack_signed(from);
    return true;
}

static bool unpack_stack(struct unpacker *from, struct stack *stack)
{
    uint64_t *blocks = NULL;
    uint32_t *order = NULL;
    size_t count = 0, capacity = 0;
    bool good = unpack_blocks(from, &blocks, &count) &&
                array_reserve(&order, &capacity, count + 1) && order;
    for (size_t i = 0; i < count && good; i++) order[i] = (uint32_t)unpack_below(from, count);
    good = good && !from->failed && stack_load(stack, blocks, order, count);
    free(order);
    free(blocks);
    return good;
}

static bool unpack_top(struct unpacker *from, struct spoor_curve *curve)
{
    uint64_t *blocks = NULL, *counts = NULL;
    size_t count = 0, capacity = 0;
    bool good = unpack_histogram(from, &counts, &capacity, CURVE_EXACT) &&
                unpack_blocks(from, &blocks, &count);
    for (size_t i = 0; i < capacity && i < CURVE_EXACT && good && counts; i++)
        curve->top_distances[i] = counts[i];
    for (size_t i = 0; i < count && i < CURVE_EXACT && good && blocks; i++)
        curve->first_blocks[curve->first_count++] = blocks[i];
    free(blocks);
    free(counts);
    const bool forgot = unpack(from) != 0;
    good = good && unpack_stack(from, &curve->top);
    curve->top.forgot = forgot;
    return good;
}

struct spoor_curve *curve_unpack(struct unpacker *from)
{
    struct spoor_curve_options options = {.struct_size = sizeof options};
    struct spoor_curve *curve;
    options.block = UINT32_C(1) << unpack_below(from, 32);
    const uint32_t threshold = (uint32_t)unpack_below(from, 1 << CURVE_HASH_BITS);
    options.rate = (double)threshold / (1 << CURVE_HASH_BITS);
    options.takes = (unsigned)unpack(from);
    options.unknown_size = (uint32_t)unpack(from);
    if (from->failed || spoor_curve_new(&curve, &options, NULL) != SPOOR_OK) return NULL;
    curve->accesses = unpack(from);
    curve->followed = unpack(from);
    curve->cold = unpack(from);
    if (unpack_stack(from, &curve->stack) &&
        unpack_histogram(from, &curve->distances, &curve->distance_capacity,
                         curve->stack.ids.count) &&
        (!threshold || unpack_top(from, curve)) && !from->failed)
        return curve;
    spoor_curve_free(curve);
    return NULL;
}
