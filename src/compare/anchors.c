/* SPDX-License-Identifier: MIT */
/*
 * anchors.c: finds an edit script from unique rows, for gaps that are too long for wavefronts.
 *
 * An anchor is a row of instructions that is the same on both sides and occurs once on each, as in
 * Bram Cohen's patience diff.  Anchors are extended to runs of agreeing pairs.  The cheapest chain
 * of runs is the script, and the boxes between them are aligned in turn.  Where no row occurs once
 * (nested loops), the first occurrence on each side is used instead.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "compare/script.h"

enum {
    RUNS_MAXIMUM = 2048,
    DEPTH_MAXIMUM = 8,
    CONFIRMING = 256, /* length of a row that confirms a script */
    BOX_LIMIT = 1024, /* maximum cost of a box that wavefronts align */
};

/* The position of a row. */
struct row {
    uint64_t hash;
    uint32_t first[2];
    uint32_t times[2];
};

/* A run of agreeing pairs. */
struct run {
    uint32_t begin[2];
    uint32_t length;
    uint32_t trim;  /* pairs at its beginning that the previous run already has */
    int32_t before; /* index of the previous run in its cheapest chain, -1: none */
    uint64_t cost;  /* cost of that chain up to its end */
};
struct runs {
    struct run *items;
    size_t count;
};

/* ---- rows ---- */

/* Hashes of rows are computed by rolling: a sum of products with powers of an odd number. */
static const uint64_t base = UINT64_C(0x9E3779B97F4A7C15);

/* Notes the rows of `length` instructions of both sides; false if memory runs out. */
static bool anchors_note_rows(struct hash_map *rows, const struct symbols sides[2], unsigned length)
{
    uint64_t leading = 1;
    for (unsigned i = 1; i < length; i++) leading *= base;
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t *flow = sides[side].flow;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < sides[side].count; i++) {
            bool added;
            if (i >= length) sum -= flow[i - length] * leading;
            sum = sum * base + flow[i];
            if (i + 1 < length) continue;
            struct row *row = hash_map_add(rows, hash_mix(sum, 1), sizeof *row, &added);
            if (!row) return false;
            if (!row->times[side]++) row->first[side] = i + 1 - length;
        }
    }
    return true;
}

/* ---- runs ---- */

static bool anchors_find_runs(struct runs *runs, const struct symbols sides[2], unsigned length,
                              bool once)
{
    enum { NEAR = 64 }; /* runs that may have a match already */
    struct hash_map rows = {0};
    uint32_t *matches = NULL;
    if (sides[0].count < length || sides[1].count < length) return true;
    /* For each left position, the position of its row on the right plus 1; 0: none. */
    if (anchors_note_rows(&rows, sides, length)) matches = calloc(sides[0].count, sizeof *matches);
    for (const struct row *row = NULL; matches && (row = hash_map_next(&rows, row, sizeof *row));) {
        const bool several = row->times[0] > 1 || row->times[1] > 1;
        if (row->times[0] && row->times[1] && !(once && several))
            matches[row->first[0]] = row->first[1] + 1;
    }
    const uint64_t *a = sides[0].flow, *b = sides[1].flow;
    for (uint32_t i = 0; matches && i < sides[0].count; i++) {
        if (!matches[i]) continue;
        uint32_t left = i, right = matches[i] - 1, size = 0;
        bool known = runs->count == RUNS_MAXIMUM;
        for (size_t at = runs->count; at-- > 0 && at + NEAR > runs->count && !known;) {
            const struct run *run = &runs->items[at];
            known =
                left - run->begin[0] == right - run->begin[1] && left - run->begin[0] < run->length;
        }
        if (known) continue;
        while (left && right && a[left - 1] == b[right - 1]) left--, right--;
        while (left + size < sides[0].count && right + size < sides[1].count &&
               a[left + size] == b[right + size])
            size++;
        if (size >= length)
            runs->items[runs->count++] = (struct run){.begin = {left, right}, .length = size};
    }
    hash_map_free(&rows);
    free(matches);
    return matches != NULL;
}

static int run_by_position(const void *a, const void *b)
{
    const struct run *first = a, *second = b;
    if (first->begin[0] != second->begin[0]) return first->begin[0] < second->begin[0] ? -1 : 1;
    if (first->begin[1] != second->begin[1]) return first->begin[1] < second->begin[1] ? -1 : 1;
    return 0;
}

/* ---- the chain ---- */

static uint64_t anchors_gap_cost(uint64_t left, uint64_t right)
{
    return left | right ? GAP_OPEN + GAP_EXTEND * (left + right) : 0;
}

/* Returns the last run of the cheapest chain; -1 if a single gap costs no more. */
static int32_t anchors_find_chain(struct runs *runs, const struct symbols sides[2])
{
    const bool complete = sides[0].complete && sides[1].complete;
    uint64_t best_cost = anchors_gap_cost(sides[0].count, sides[1].count);
    int32_t best = -1;
    for (size_t i = 0; i < runs->count; i++) {
        struct run *run = &runs->items[i];
        run->before = -1;
        run->trim = 0;
        run->cost = anchors_gap_cost(run->begin[0], run->begin[1]);
        for (size_t j = 0; j < i; j++) {
            /* Continues the chain that ends with run j by this one, if that is cheaper. */
            const struct run *last = &runs->items[j];
            const uint32_t end[2] = {last->begin[0] + last->length, last->begin[1] + last->length};
            uint32_t trim = 0;
            for (unsigned side = 0; side < 2; side++)
                if (end[side] > run->begin[side] + trim) trim = end[side] - run->begin[side];
            if (trim >= run->length) continue;
            const uint64_t after = last->cost + anchors_gap_cost(run->begin[0] + trim - end[0],
                                                                 run->begin[1] + trim - end[1]);
            if (after >= run->cost) continue;
            run->cost = after;
            run->before = (int32_t)j;
            run->trim = trim;
        }
        /* On a side that continues after the window, the last units cost nothing: they may have a
         * pair there. */
        const uint64_t rest[2] = {sides[0].count - (run->begin[0] + run->length),
                                  sides[1].count - (run->begin[1] + run->length)};
        const uint64_t minimum = rest[0] < rest[1] ? rest[0] : rest[1];
        const uint64_t cost = run->cost + (complete ? anchors_gap_cost(rest[0], rest[1])
                                                    : anchors_gap_cost(minimum, minimum));
        if (cost < best_cost) {
            best_cost = cost;
            best = (int32_t)i;
        }
    }
    return best;
}

/* ---- the boxes between ---- */

struct box {
    const struct symbols *sides;
    uint32_t begin[2], end[2];
};

static struct symbols anchors_part_of(const struct symbols *side, uint32_t begin, uint32_t end)
{
    return (struct symbols){.flow = side->flow + begin,
                            .place = side->place + begin,
                            .opcode = side->opcode + begin,
                            .count = end - begin,
                            .complete = true};
}

/* Aligns the box between two runs: exactly where that is cheap, else by anchors of its own. */
static bool anchors_align_box(struct wavefront *wavefront, const struct symbols all[2],
                              const uint32_t begin[2], const uint32_t end[2], unsigned depth,
                              struct script *script)
{
    const uint32_t size[2] = {end[0] - begin[0], end[1] - begin[1]};
    if (!size[0] || !size[1]) return script_add(script, size[0], size[1], 0);
    const struct symbols sides[2] = {anchors_part_of(&all[0], begin[0], end[0]),
                                     anchors_part_of(&all[1], begin[1], end[1])};
    struct script inner = {0};
    bool out_of_memory = false;
    enum wavefront_end how = wavefront_align(wavefront, sides, BOX_LIMIT, &inner);
    bool good = how != WAVEFRONT_NO_MEMORY;
    if (how == WAVEFRONT_LIMIT &&
        (depth == DEPTH_MAXIMUM ||
         !anchors_align(wavefront, sides, &inner, depth + 1, &out_of_memory))) {
        script_clear(&inner);
        good = script_add(&inner, size[0], size[1], 0);
    }
    good = good && !out_of_memory;
    const uint64_t cost = script->cost + inner.cost; /* with that of pairs that differ */
    for (size_t i = 0; good && i < inner.count; i++) {
        const struct edit *edit = &inner.edits[i];
        good = script_add(script, edit->skip[0], edit->skip[1], edit->pairs);
    }
    script->cost = cost;
    script_free(&inner);
    return good;
}

bool anchors_confirm(const struct symbols sides[2], uint32_t left, uint32_t right, uint32_t pairs,
                     bool *out_of_memory)
{
    struct hash_map rows = {0};
    uint64_t sum = 0, leading = 1;
    bool unique = false;
    if (pairs < CONFIRMING) return false;
    if (!anchors_note_rows(&rows, sides, CONFIRMING)) {
        hash_map_free(&rows);
        *out_of_memory = true;
        return false;
    }
    for (unsigned i = 1; i < CONFIRMING; i++) leading *= base;
    for (uint32_t i = 0; i < pairs && !unique; i++) {
        if (i >= CONFIRMING) sum -= sides[0].flow[left + i - CONFIRMING] * leading;
        sum = sum * base + sides[0].flow[left + i];
        if (i + 1 < CONFIRMING) continue;
        const struct row *row = hash_map_find(&rows, hash_mix(sum, 1), sizeof *row);
        unique = row && row->times[0] == 1 && row->times[1] == 1 &&
                 row->first[0] - left == row->first[1] - right;
    }
    hash_map_free(&rows);
    return unique;
}

bool anchors_align(struct wavefront *wavefront, const struct symbols sides[2],
                   struct script *script, unsigned depth, bool *out_of_memory)
{
    static const struct {
        unsigned length;
        bool once;
    } rows[] = {{64, true}, {16, true}, {4, true}, {1, true}, {64, false}, {RUN_MINIMUM, false}};
    struct runs runs = {calloc(RUNS_MAXIMUM, sizeof *runs.items), 0};
    bool good = runs.items != NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && good; i++)
        good = anchors_find_runs(&runs, sides, rows[i].length, rows[i].once);
    if (good) {
        size_t retained = 0;
        qsort(runs.items, runs.count, sizeof *runs.items, run_by_position);
        for (size_t i = 0; i < runs.count; i++)
            if (!retained || run_by_position(&runs.items[i], &runs.items[retained - 1]) != 0)
                runs.items[retained++] = runs.items[i];
        runs.count = retained;
    }
    int32_t last = good ? anchors_find_chain(&runs, sides) : -1;
    /* Where more units follow, a chain is evidence that has a run too long for chance. */
    const bool complete = sides[0].complete && sides[1].complete;
    bool found = last >= 0 && complete;
    for (int32_t at = last; at >= 0 && !found; at = runs.items[at].before)
        found = runs.items[at].length >= RUN_MINIMUM;
    script_clear(script);
    if (found) {
        uint32_t order[RUNS_MAXIMUM], at[2] = {0, 0}; /* the runs of the chain, last to first */
        size_t count = 0;
        for (int32_t run = last; run >= 0; run = runs.items[run].before)
            order[count++] = (uint32_t)run;
        while (count > 0 && good) {
            const struct run *run = &runs.items[order[--count]];
            const uint32_t begin[2] = {run->begin[0] + run->trim, run->begin[1] + run->trim};
            good = anchors_align_box(wavefront, sides, at, begin, depth, script) &&
                   script_add(script, 0, 0, run->length - run->trim);
            for (unsigned side = 0; side < 2; side++) at[side] = run->begin[side] + run->length;
        }
        const uint32_t end[2] = {sides[0].count, sides[1].count};
        if (good && complete) good = anchors_align_box(wavefront, sides, at, end, depth, script);
    }
    free(runs.items);
    *out_of_memory |= !good;
    return found && good;
}
