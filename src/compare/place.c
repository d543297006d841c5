/* SPDX-License-Identifier: MIT */
/*
 * place.c: chooses the place of a gap that could stand in several places.
 *
 * In a loop whose iterations execute the same instructions, a gap may begin at any of them at the
 * same cost.  It is placed where the fewest values differ.
 */
#include "compare/compare.h"

/* True if the units at these distances from the heads agree in all values. */
static bool place_agrees(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                         const uint64_t at[2])
{
    const struct unit *left = unit_ahead(cpu_pair, 0, at[0]);
    const struct unit *right = unit_ahead(cpu_pair, 1, at[1]);
    if (left->whole == right->whole) return true;
    if (left->flow != right->flow) return false;
    struct comparison comparison;
    units_compare(diff, cpu_pair, left, right, &comparison);
    return comparison.count == 0;
}

/* True if a pair of instructions stays one where a gap moves: at `freed` as at `made`. */
static bool place_moves(const struct cpu_pair *cpu_pair, const uint64_t freed[2],
                        const uint64_t made[2])
{
    return same_flow(unit_ahead(cpu_pair, 0, freed[0]), unit_ahead(cpu_pair, 1, freed[1])) &&
           same_flow(unit_ahead(cpu_pair, 0, made[0]), unit_ahead(cpu_pair, 1, made[1]));
}

void place_gaps(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, struct script *script)
{
    uint64_t at[2] = {0, 0};
    for (size_t i = 0; i < script->count; i++) {
        struct edit *edit = &script->edits[i];
        if (i && (edit->skip[0] | edit->skip[1])) {
            struct edit *before = edit - 1;
            uint64_t begin[2] = {at[0], at[1]}; /* of the gap, counted from the heads */
            /* Moves the gap to the right while the pairs on its left stay the same instructions. */
            uint32_t right = 0;
            for (; right < edit->pairs; right++) {
                const uint64_t freed[2] = {begin[0] + edit->skip[0], begin[1] + edit->skip[1]};
                if (!place_moves(cpu_pair, freed, begin)) break;
                begin[0]++;
                begin[1]++;
            }
            /* Finds how far to the left of there the fewest values differ. */
            int64_t wrong = 0, minimum = 0;
            uint32_t left = 0;
            for (uint32_t moved = 1; moved <= before->pairs + right; moved++) {
                const uint64_t freed[2] = {begin[0] - moved, begin[1] - moved};
                const uint64_t made[2] = {freed[0] + edit->skip[0], freed[1] + edit->skip[1]};
                if (!place_moves(cpu_pair, freed, made)) break;
                wrong -= !place_agrees(diff, cpu_pair, freed);
                wrong += !place_agrees(diff, cpu_pair, made);
                if (wrong >= minimum) continue;
                minimum = wrong;
                left = moved;
            }
            before->pairs += right - left;
            edit->pairs += left - right;
            for (unsigned side = 0; side < 2; side++) at[side] += (uint64_t)right - (uint64_t)left;
        }
        for (unsigned side = 0; side < 2; side++) at[side] += edit->skip[side] + edit->pairs;
    }
}
