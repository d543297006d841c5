/* SPDX-License-Identifier: MIT */
/* view.c: expressions of several signals. */
#include "wave/view.h"

/* Apart: nearly every expression is one signal. */
struct wave_value wave_operate(const struct wave_sampler *sampler, const struct wave_bound *bound,
                               const struct wave_node *one)
{
    if (one->op == WAVE_NUMBER) return (struct wave_value){one->number, 0, 64};
    if (one->op == WAVE_INDEX) return (struct wave_value){bound[one->reference].low, 0, 64};
    const struct wave_value left = wave_evaluate(sampler, bound, one->left);
    /* one bit that is 1 makes a value true, whatever the others are */
    const bool left_true = (left.bits & ~left.unknown) != 0;
    const bool left_known = left_true || !left.unknown;
    if (one->op == WAVE_NOT) return (struct wave_value){!left_true, !left_known, 1};
    if (one->op == WAVE_AND && left_known && !left_true) return (struct wave_value){0, 0, 1};
    if (one->op == WAVE_OR && left_true) return (struct wave_value){1, 0, 1};
    const struct wave_value right = wave_evaluate(sampler, bound, one->right);
    const bool right_true = (right.bits & ~right.unknown) != 0;
    const bool right_known = right_true || !right.unknown;
    const uint64_t unknown = left.unknown | right.unknown;
    const bool differs = ((left.bits ^ right.bits) & ~unknown) != 0;
    switch (one->op) {
    case WAVE_AND:
        if (right_known && !right_true) return (struct wave_value){0, 0, 1};
        return (struct wave_value){1, !(left_known && right_known), 1};
    case WAVE_OR:
        if (right_true) return (struct wave_value){1, 0, 1};
        return (struct wave_value){0, !(left_known && right_known), 1};
    case WAVE_EQUAL: return (struct wave_value){!differs, !differs && unknown, 1};
    default: return (struct wave_value){differs, !differs && unknown, 1};
    }
}

bool wave_is_absent(const struct wave_sampler *sampler, const struct wave_bound *bound, int node)
{
    const struct wave_node *one = &sampler->mapping->nodes[node];
    if (one->op == WAVE_SIGNAL) return bound[one->reference].signal < 0;
    if (one->op < WAVE_NOT) return false;
    return wave_is_absent(sampler, bound, one->left) ||
           (one->op != WAVE_NOT && wave_is_absent(sampler, bound, one->right));
}
