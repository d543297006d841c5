/* SPDX-License-Identifier: MIT */
/*
 * place.c: chooses the place of a gap that could stand in several places.
 *
 * In a loop whose iterations execute the same instructions, a gap may begin at any of them at the
 * same cost.  It is placed where the fewest values differ.
 */
#include "compare/compare.h"

static bool pair_agrees(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                        const struct unit *left, const struct unit *right)
{
    if (left->whole == right->whole) return true;
    if (left->flow != right->flow) return false;
    struct comparison comparison;
    units_compare(diff, cpu_pair, left, right, &comparison);
    return comparison.count == 0;
}

/* A gap, the lengths of the runs around it, and the position after it on each side. */
struct gap_place {
    struct spoor_diff *diff;
    const struct cpu_pair *cpu_pair;
    uint64_t begin[2]; /* beginning of the gap, counted from the heads */
    const uint32_t *skip;
};

static bool place_moves(const struct gap_place *gap, const uint64_t freed[2],
                        const uint64_t made[2])
{
    const struct cpu_pair *cpu_pair = gap->cpu_pair;
    return same_flow(unit_ahead(cpu_pair, 0, freed[0]), unit_ahead(cpu_pair, 1, freed[1])) &&
           same_flow(unit_ahead(cpu_pair, 0, made[0]), unit_ahead(cpu_pair, 1, made[1]));
}

/* Returns how far to the left of its position the fewest values differ. */
static uint32_t place_best_left(const struct gap_place *gap, uint32_t maximum)
{
    int64_t wrong = 0, minimum = 0;
    uint32_t best = 0;
    for (uint32_t moved = 1; moved <= maximum; moved++) {
        const uint64_t freed[2] = {gap->begin[0] - moved, gap->begin[1] - moved};
        const uint64_t made[2] = {freed[0] + gap->skip[0], freed[1] + gap->skip[1]};
        const struct cpu_pair *cpu_pair = gap->cpu_pair;
        if (!place_moves(gap, freed, made)) break;
        wrong -= !pair_agrees(gap->diff, cpu_pair, unit_ahead(cpu_pair, 0, freed[0]),
                              unit_ahead(cpu_pair, 1, freed[1]));
        wrong += !pair_agrees(gap->diff, cpu_pair, unit_ahead(cpu_pair, 0, made[0]),
                              unit_ahead(cpu_pair, 1, made[1]));
        if (wrong >= minimum) continue;
        minimum = wrong;
        best = moved;
    }
    return best;
}

void place_gaps(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, struct script *script)
{
    uint64_t at[2] = {0, 0};
    for (size_t i = 0; i < script->count; i++) {
        struct edit *edit = &script->edits[i];
        if (i && (edit->skip[0] | edit->skip[1])) {
            struct edit *before = edit - 1;
            struct gap_place gap = {diff, cpu_pair, {at[0], at[1]}, edit->skip};
            /* Moves the gap to the right while the pairs on its left stay the same instructions. */
            uint32_t right = 0;
            for (; right < edit->pairs; right++) {
                const uint64_t freed[2] = {gap.begin[0] + gap.skip[0], gap.begin[1] + gap.skip[1]};
                if (!place_moves(&gap, freed, gap.begin)) break;
                gap.begin[0]++;
                gap.begin[1]++;
            }
            uint32_t left = place_best_left(&gap, before->pairs + right);
            before->pairs += right - left;
            edit->pairs += left - right;
            for (unsigned side = 0; side < 2; side++) at[side] += (uint64_t)right - (uint64_t)left;
        }
        for (unsigned side = 0; side < 2; side++) at[side] += edit->skip[side] + edit->pairs;
    }
}
