/* SPDX-License-Identifier: MIT */
/*
 * place.c: where a gap stands that could stand in several places.
 *
 * In a loop whose iterations execute the same instructions a gap may begin at any of them, at the
 * same cost.  It is put where the fewest values differ.
 */
#include "compare/compare.h"

static bool pair_agrees(struct spoor_diff *diff, const struct lane *lane, const struct unit *left,
                        const struct unit *right)
{
    if (left->whole == right->whole) return true;
    if (left->flow != right->flow) return false;
    struct comparison comparison;
    units_compare(diff, lane, left, right, &comparison);
    return comparison.count == 0;
}

/* A gap among its neighbours, and the position after it on each side. */
struct placing {
    struct spoor_diff *diff;
    const struct lane *lane;
    uint64_t begin[2]; /* of the gap, from the heads on */
    const uint32_t *skip;
};

static bool moves(const struct placing *placing, const uint64_t freed[2], const uint64_t made[2])
{
    const struct lane *lane = placing->lane;
    return same_flow(unit_ahead(lane, 0, freed[0]), unit_ahead(lane, 1, freed[1])) &&
           same_flow(unit_ahead(lane, 0, made[0]), unit_ahead(lane, 1, made[1]));
}

/* Move the gap to the right while the pairs that this makes are the same instructions. */
static uint32_t move_right(struct placing *placing, uint32_t most)
{
    uint32_t moved = 0;
    for (; moved < most; moved++) {
        const uint64_t freed[2] = {placing->begin[0] + placing->skip[0],
                                   placing->begin[1] + placing->skip[1]};
        if (!moves(placing, freed, placing->begin)) break;
        placing->begin[0]++;
        placing->begin[1]++;
    }
    return moved;
}

/* How far to the left the fewest values differ. */
static uint32_t best_left(const struct placing *placing, uint32_t most)
{
    int64_t wrong = 0, least = 0;
    uint32_t best = 0;
    for (uint32_t moved = 1; moved <= most; moved++) {
        const uint64_t freed[2] = {placing->begin[0] - moved, placing->begin[1] - moved};
        const uint64_t made[2] = {freed[0] + placing->skip[0], freed[1] + placing->skip[1]};
        const struct lane *lane = placing->lane;
        if (!moves(placing, freed, made)) break;
        wrong -= !pair_agrees(placing->diff, lane, unit_ahead(lane, 0, freed[0]),
                              unit_ahead(lane, 1, freed[1]));
        wrong += !pair_agrees(placing->diff, lane, unit_ahead(lane, 0, made[0]),
                              unit_ahead(lane, 1, made[1]));
        if (wrong >= least) continue;
        least = wrong;
        best = moved;
    }
    return best;
}

void place_gaps(struct spoor_diff *diff, const struct lane *lane, struct script *script)
{
    uint64_t at[2] = {0, 0};
    for (size_t i = 0; i < script->count; i++) {
        struct edit *edit = &script->edits[i];
        if (i && (edit->skip[0] | edit->skip[1])) {
            struct edit *before = edit - 1;
            struct placing placing = {diff, lane, {at[0], at[1]}, edit->skip};
            uint32_t right = move_right(&placing, edit->pairs);
            uint32_t left = best_left(&placing, before->pairs + right);
            before->pairs += right - left;
            edit->pairs += left - right;
            for (unsigned side = 0; side < 2; side++) at[side] += (uint64_t)right - (uint64_t)left;
        }
        for (unsigned side = 0; side < 2; side++) at[side] += edit->skip[side] + edit->pairs;
    }
}
