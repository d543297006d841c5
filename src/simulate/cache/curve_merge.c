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
#include <inttypes.h>
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

/* The blocks of a stack. */
struct blocks {
    uint64_t *items; /* in the order of their first use */
    uint32_t *order; /* places in `items`, the least recently used block first */
    size_t count;
};

/* The blocks of the later part, in the order of their first use; states the id in the stack of each
 * of them.  All blocks of the part that came before this one are above it in the stack: at a lesser
 * depth it is there twice. */
static enum spoor_status merge_first_uses(struct spoor_curve *curve, const struct blocks *next,
                                          uint32_t *ids, struct spoor_error *error)
{
    enum { AHEAD = 8 };
    for (size_t i = 0; i < next->count; i++) {
        if (i + AHEAD < next->count) stack_prefetch(&curve->stack, next->items[i + AHEAD]);
        const size_t distance = stack_use(&curve->stack, next->items[i]);
        if (distance == STACK_NONE)
            curve->cold++;
        else if (distance == STACK_FAILED ||
                 !array_reserve_zeroed(&curve->distances, &curve->distance_capacity, distance + 1))
            return memory_status(false, error);
        else if (distance < i)
            return spoor_error_set(error, SPOOR_EINPUT,
                                   "a partial result of a curve has the block %" PRIu64
                                   " twice: it is damaged",
                                   next->items[i]);
        else
            curve->distances[distance]++;
        ids[i] = curve->stack.near_ids[0];
    }
    return SPOOR_OK;
}

/* The blocks of the later part, which are then at the top of the stack, get its order. */
static enum spoor_status merge_followed(struct spoor_curve *curve, const struct blocks *next,
                                        struct spoor_error *error)
{
    uint32_t *ids = malloc((next->count + 1) * sizeof *ids);
    uint32_t *order = malloc((next->count + 1) * sizeof *order);
    const enum spoor_status status =
        ids && order ? merge_first_uses(curve, next, ids, error) : memory_status(false, error);
    for (size_t i = 0; ids && order && i < next->count && status == SPOOR_OK; i++)
        order[i] = ids[next->order[i]];
    if (status == SPOOR_OK) stack_reorder(&curve->stack, order, next->count);
    free(ids);
    free(order);
    return status;
}

/* Those of the first CURVE_EXACT blocks: a later one has at least as many others before it. */
static bool merge_top(struct spoor_curve *curve, const struct spoor_curve *next,
                      const struct blocks *top)
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
    for (size_t i = 0; i < top->count; i++)
        if (stack_use(&curve->top, top->items[top->order[i]]) == STACK_FAILED) return false;
    return true;
}

/* Adds the counts of a later part, and what its blocks, and those of its top, find in the earlier
 * one. */
static enum spoor_status merge(struct spoor_curve *curve, const struct spoor_curve *next,
                               const struct blocks *all, const struct blocks *top,
                               struct spoor_error *error)
{
    if (!is_same_kind(curve, next))
        return spoor_error_set(error, SPOOR_EUSAGE, "the curves have different options");
    const size_t capacity = next->distance_capacity;
    if (!array_reserve_zeroed(&curve->distances, &curve->distance_capacity, capacity))
        return memory_status(false, error);
    for (size_t i = 0; i < capacity; i++) curve->distances[i] += next->distances[i];
    curve->accesses += next->accesses;
    curve->followed += next->followed;
    const enum spoor_status status = merge_followed(curve, all, error);
    if (status != SPOOR_OK) return status;
    return memory_status(!curve->threshold || merge_top(curve, next, top), error);
}

/* The blocks of a stack, whose list of them is shared; free the order even if this is false,
 * because memory ran out. */
static bool blocks_of(const struct stack *stack, struct blocks *blocks)
{
    blocks->items = stack->blocks;
    blocks->order = malloc((stack->ids.count + 1) * sizeof *blocks->order);
    if (blocks->order) blocks->count = stack_order(stack, blocks->order);
    return blocks->order != NULL;
}

enum spoor_status spoor_curve_merge(struct spoor_curve *curve, const struct spoor_curve *next,
                                    struct spoor_error *error)
{
    struct blocks all = {0}, top = {0};
    const bool good = blocks_of(&next->stack, &all) && blocks_of(&next->top, &top);
    const enum spoor_status status =
        good ? merge(curve, next, &all, &top, error) : memory_status(false, error);
    free(all.order);
    free(top.order);
    return status;
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

static bool unpack_list(struct unpacker *from, uint64_t **blocks, size_t *count)
{
    size_t capacity = 0;
    uint64_t before = 0;
    *count = unpack_count(from);
    if (!array_reserve(blocks, &capacity, *count + 1) || !*blocks) return false;
    for (size_t i = 0; i < *count; i++) (*blocks)[i] = before += (uint64_t)unpack_signed(from);
    return true;
}

static bool is_permutation(const uint32_t *order, size_t count)
{
    bool *seen = calloc(count + 1, sizeof *seen), good = seen != NULL;
    for (size_t i = 0; i < count && good; i++) {
        good = order[i] < count && !seen[order[i]];
        if (good) seen[order[i]] = true;
    }
    free(seen);
    return good;
}

static bool unpack_stack(struct unpacker *from, struct blocks *blocks)
{
    size_t capacity = 0;
    if (!unpack_list(from, &blocks->items, &blocks->count) ||
        !array_reserve(&blocks->order, &capacity, blocks->count + 1) || !blocks->order)
        return false;
    for (size_t i = 0; i < blocks->count; i++)
        blocks->order[i] = (uint32_t)unpack_below(from, blocks->count);
    return !from->failed && is_permutation(blocks->order, blocks->count);
}

struct curve_part {
    struct spoor_curve *curve; /* its counts; its stacks are empty before others are merged */
    struct blocks all, top;    /* the blocks of its stacks */
    bool has_stacks;           /* the stacks of the curve have them, too */
};

static bool unpack_top(struct unpacker *from, struct curve_part *part)
{
    struct spoor_curve *curve = part->curve;
    uint64_t *blocks = NULL, *counts = NULL;
    size_t count = 0, capacity = 0;
    const bool good = unpack_histogram(from, &counts, &capacity, CURVE_EXACT) &&
                      unpack_list(from, &blocks, &count);
    for (size_t i = 0; i < capacity && i < CURVE_EXACT && good && counts; i++)
        curve->top_distances[i] = counts[i];
    for (size_t i = 0; i < count && i < CURVE_EXACT && good && blocks; i++)
        curve->first_blocks[curve->first_count++] = blocks[i];
    free(blocks);
    free(counts);
    curve->top.forgot = unpack(from) != 0;
    return good && unpack_stack(from, &part->top) && part->top.count <= CURVE_EXACT;
}

void curve_part_free(struct curve_part *part)
{
    if (!part) return;
    spoor_curve_free(part->curve);
    free(part->all.items);
    free(part->all.order);
    free(part->top.items);
    free(part->top.order);
    free(part);
}

/* Adds the counts; false: the sum is larger than `limit`. */
static bool add_counts(uint64_t *sum, const uint64_t *counts, size_t count, uint64_t limit)
{
    for (size_t i = 0; i < count; i++) {
        if (*sum > limit || counts[i] > limit - *sum) return false;
        *sum += counts[i];
    }
    return *sum <= limit;
}

/* An access that is followed is the first of its block or has a distance. */
static bool counts_fit(const struct spoor_curve *curve)
{
    uint64_t followed = curve->cold, top = 0;
    return curve->followed <= curve->accesses &&
           add_counts(&followed, curve->distances, curve->distance_capacity, curve->followed) &&
           followed == curve->followed &&
           add_counts(&top, curve->top_distances, curve->threshold ? CURVE_EXACT : 0,
                      curve->accesses);
}

struct curve_part *curve_part_unpack(struct unpacker *from)
{
    struct spoor_curve_options options = {.struct_size = sizeof options};
    struct curve_part *part = calloc(1, sizeof *part);
    options.block = UINT32_C(1) << unpack_below(from, 32);
    const uint32_t threshold = (uint32_t)unpack_below(from, 1 << CURVE_HASH_BITS);
    options.rate = (double)threshold / (1 << CURVE_HASH_BITS);
    options.takes = (unsigned)unpack(from);
    options.unknown_size = (uint32_t)unpack(from);
    if (part && !from->failed && spoor_curve_new(&part->curve, &options, NULL) == SPOOR_OK) {
        struct spoor_curve *curve = part->curve;
        curve->accesses = unpack(from);
        curve->followed = unpack(from);
        curve->cold = unpack(from);
        if (unpack_stack(from, &part->all) &&
            unpack_histogram(from, &curve->distances, &curve->distance_capacity, part->all.count) &&
            (!threshold || unpack_top(from, part)) && !from->failed && counts_fit(curve))
            return part;
    }
    curve_part_free(part);
    return NULL;
}

/* ---- merging parts ---- */

enum spoor_status curve_part_merge(struct curve_part *part, const struct curve_part *next,
                                   struct spoor_error *error)
{
    struct spoor_curve *curve = part->curve;
    const struct blocks *all = &part->all, *top = &part->top;
    if (!part->has_stacks &&
        !(stack_load(&curve->stack, all->items, all->order, all->count) &&
          (!curve->threshold || stack_load(&curve->top, top->items, top->order, top->count))))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "a partial result of a curve has a block twice, or memory ran out");
    part->has_stacks = true;
    return merge(curve, next->curve, &next->all, &next->top, error);
}

const struct spoor_curve *curve_part_curve(const struct curve_part *part)
{
    return part->curve;
}
