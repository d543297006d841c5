/* SPDX-License-Identifier: MIT */
/*
 * split.c: splits a gap on both sides, where the instructions that one side skips are a subsequence
 * of those that the other skips.
 *
 * A gap has a fixed cost, so one long gap is cheaper than many short ones with few pairs between
 * them.  Where a core never retires one instruction of a short loop, the cheapest script skips the
 * loop.  The subsequence shows what happened.  Dynamic programming finds the fewest gaps, and among
 * those the pairs with the fewest values that differ.
 *
 * Neighbours of one opcode that are exchanged make two pairs with wrong addresses.  They become a
 * gap of both sides, in which moved.c finds the order.
 */
#include <stdlib.h>

#include "compare/script.h"

enum {
    CELLS_MAXIMUM = 1 << 24, /* of the table */
    PAIRS_FOR_GAP = 2,       /* fewer pairs for each gap are chance, unless there are many */
    COST_GAP = 16,
    COST_VALUE = 6,
    UNREACHED = UINT32_MAX / 2,
};
/* The origin of a cell: a pair or a skipped instruction may follow either. */
enum { PAIR_AFTER_SKIP = 1, SKIP_AFTER_PAIR = 2 };

/* The instructions in a gap: those of `full` are a superset. */
struct box {
    const uint64_t *full, *part, *full_whole, *part_whole;
    uint32_t rows, columns; /* of full, of part */
    uint8_t *ways;
};

/* Fills the table; true if the cheapest path ends with a skipped instruction. */
static bool box_fill(struct box *box, uint32_t *costs)
{
    const size_t width = (size_t)box->columns + 1;
    uint32_t *pairs = costs, *skips = costs + width;
    for (size_t j = 0; j < width; j++) pairs[j] = skips[j] = UNREACHED;
    pairs[0] = 0;
    for (uint32_t i = 1; i <= box->rows; i++)
        for (uint32_t j = box->columns + 1; j-- > 0;) { /* costs[j - 1] is still of the row above */
            uint32_t pair = UNREACHED, opened = pairs[j] + COST_GAP;
            uint8_t way = opened <= skips[j] ? SKIP_AFTER_PAIR : 0;
            const uint32_t skip = way ? opened : skips[j];
            if (j && box->full[i - 1] == box->part[j - 1]) {
                const bool after_skip = skips[j - 1] < pairs[j - 1];
                pair = (after_skip ? skips : pairs)[j - 1];
                if (box->full_whole && box->full_whole[i - 1] != box->part_whole[j - 1])
                    pair += COST_VALUE;
                way |= after_skip ? PAIR_AFTER_SKIP : 0;
            }
            pairs[j] = pair < UNREACHED ? pair : UNREACHED;
            skips[j] = skip < UNREACHED ? skip : UNREACHED;
            box->ways[i * width + j] = way;
        }
    return skips[box->columns] < pairs[box->columns];
}

enum split { SPLIT_NO_MEMORY, SPLIT_DONE, SPLIT_NOT };

/* Adds the gap in a box as several, if it should be split. */
static enum split box_split(struct box *box, bool left, struct script *script)
{
    const size_t width = (size_t)box->columns + 1;
    uint32_t found = 0;
    for (uint32_t i = 0; i < box->rows && found < box->columns; i++)
        found += box->full[i] == box->part[found];
    if (box->rows == box->columns || ((uint64_t)box->rows + 1) * width > CELLS_MAXIMUM ||
        found < box->columns)
        return SPLIT_NOT;
    uint32_t *costs = malloc(2 * width * sizeof *costs);
    bool *paired = malloc((size_t)box->rows + 1);
    box->ways = malloc(((size_t)box->rows + 1) * width);
    enum split result = costs && paired && box->ways ? SPLIT_NOT : SPLIT_NO_MEMORY;
    if (result != SPLIT_NO_MEMORY) {
        /* Finds for each instruction of `full` whether it is paired. */
        bool skipped = box_fill(box, costs);
        uint32_t column = box->columns, gaps = 0;
        for (uint32_t row = box->rows; row; row--) {
            const uint8_t way = box->ways[row * width + column];
            paired[row - 1] = !skipped;
            gaps += skipped && (row == box->rows || paired[row]);
            column -= !skipped;
            skipped = skipped ? !(way & SKIP_AFTER_PAIR) : way & PAIR_AFTER_SKIP;
        }
        if (box->columns >= RUN_MINIMUM || box->columns >= PAIRS_FOR_GAP * gaps)
            result = SPLIT_DONE;
    }
    for (uint32_t i = 0; result == SPLIT_DONE && i < box->rows; i++)
        if (!script_add(script, left && !paired[i], !left && !paired[i], paired[i]))
            result = SPLIT_NO_MEMORY;
    free(box->ways);
    free(paired);
    free(costs);
    return result;
}

/* Adds pairs that begin at these positions. */
static bool split_add_pairs(const struct symbols sides[2], const uint32_t at[2], uint32_t pairs,
                            struct script *script)
{
    const uint64_t *left = sides[0].flow + at[0], *right = sides[1].flow + at[1];
    if (!sides[0].whole || !sides[1].whole) return script_add(script, 0, 0, pairs);
    const uint64_t *left_whole = sides[0].whole + at[0], *right_whole = sides[1].whole + at[1];
    uint32_t done = 0;
    for (uint32_t i = 0; i + 1 < pairs; i++) {
        const struct edit *last = script->count ? &script->edits[script->count - 1] : NULL;
        const bool after_gap = i == done && last && !last->pairs && (last->skip[0] | last->skip[1]);
        if (left[i] == right[i] || after_gap || left_whole[i] != right_whole[i + 1] ||
            left_whole[i + 1] != right_whole[i])
            continue;
        if (!script_add(script, 0, 0, i - done) || !script_add(script, 2, 2, 0)) return false;
        done = ++i + 1;
    }
    return script_add(script, 0, 0, pairs - done);
}

bool script_split(const struct symbols sides[2], struct script *script)
{
    struct script made = {0};
    uint32_t at[2] = {0, 0};
    bool good = true;
    for (size_t i = 0; i < script->count && good; i++) {
        const struct edit *edit = &script->edits[i];
        const unsigned full = edit->skip[0] > edit->skip[1] ? 0 : 1, part = 1 - full;
        const bool whole = sides[0].whole && sides[1].whole;
        struct box box = {.full = sides[full].flow + at[full],
                          .part = sides[part].flow + at[part],
                          .full_whole = whole ? sides[full].whole + at[full] : NULL,
                          .part_whole = whole ? sides[part].whole + at[part] : NULL,
                          .rows = edit->skip[full],
                          .columns = edit->skip[part]};
        const enum split split = edit->skip[part] ? box_split(&box, full == 0, &made) : SPLIT_NOT;
        good = split != SPLIT_NO_MEMORY &&
               (split == SPLIT_DONE || script_add(&made, edit->skip[0], edit->skip[1], 0));
        for (unsigned side = 0; side < 2; side++) at[side] += edit->skip[side];
        good = good && split_add_pairs(sides, at, edit->pairs, &made);
        for (unsigned side = 0; side < 2; side++) at[side] += edit->pairs;
    }
    made.cost = script->cost;
    struct script old = good ? *script : made;
    if (good) *script = made;
    script_free(&old);
    return good;
}
