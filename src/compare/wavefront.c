/* SPDX-License-Identifier: MIT */
/*
 * wavefront.c: finds the cheapest edit script with the wavefront algorithm.
 *
 * For each cost in turn and each diagonal (left position minus right position), it computes the
 * furthest point that this cost reaches from the points of smaller costs.  Agreeing pairs from
 * there on are free.  Points inside a gap are separate from points after a pair, because opening a
 * gap costs more than extending it.  One byte for each point stores its origin.  Tracing the
 * origins back gives the steps, and following the steps forward gives the script.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compare/script.h"

enum {
    RING = 32, /* number of costs whose points are stored; larger than the cost of any step */
    NOWHERE = INT32_MIN / 2,
    STEP_MAXIMUM = GAP_OPEN + GAP_EXTEND,
};

/* The origin of a point: two fields of one byte. */
enum {
    PAIR_FROM_GAP = 1,
    PAIR_FROM_OPCODE = 2, /* through a pair of different opcodes */
    PAIR_FROM_PLACE = 3,
    PAIR_BITS = 3,
    GAP_SHIFT = 2,
    GAP_LEFT = 1,
    GAP_RIGHT = 2,
    GAP_OPEN_LEFT = 3,
    GAP_OPEN_RIGHT = 4,
};

struct points {
    int32_t *pair, *gap; /* furthest left position by diagonal, beginning with `low` */
    int32_t low, high;   /* high < low: no diagonal */
    size_t capacity;
};
struct origins {
    size_t at; /* index of the origin of diagonal `low` */
    int32_t low, high;
};
struct wavefront {
    struct points ring[RING];
    uint8_t *bytes; /* origins for all costs */
    size_t byte_count, byte_capacity;
    struct origins *costs; /* indexed by cost */
    size_t cost_capacity;
    uint8_t *steps;
    size_t step_count, step_capacity;
};

struct wavefront *wavefront_new(void)
{
    return calloc(1, sizeof(struct wavefront));
}

void wavefront_free(struct wavefront *wavefront)
{
    if (!wavefront) return;
    for (unsigned i = 0; i < RING; i++) {
        free(wavefront->ring[i].pair);
        free(wavefront->ring[i].gap);
    }
    free(wavefront->bytes);
    free(wavefront->costs);
    free(wavefront->steps);
    free(wavefront);
}

/* The state of one alignment. */
struct work {
    struct wavefront *wavefront;
    const struct symbols *sides;
    int32_t count[2];
    bool complete; /* both ends must be reached */
    unsigned cost;
    int32_t best_progress; /* of the point that reached furthest after enough pairs */
    unsigned best_cost;
    int32_t best_diagonal;
};

static int32_t wavefront_point(const int32_t *points, const struct points *of, int32_t diagonal)
{
    return diagonal < of->low || diagonal > of->high ? NOWHERE : points[diagonal - of->low];
}

static const struct points *wavefront_points(const struct work *work, unsigned back)
{
    static const struct points none = {.low = 0, .high = -1};
    if (back > work->cost) return &none;
    return &work->wavefront->ring[(work->cost - back) % RING];
}

/* Returns the left position after the agreeing pairs that follow a point. */
static int32_t wavefront_extend(const struct work *work, int32_t left, int32_t right)
{
    const uint64_t *a = work->sides[0].flow + left, *b = work->sides[1].flow + right;
    int32_t maximum = work->count[0] - left, other = work->count[1] - right, run = 0;
    if (other < maximum) maximum = other;
    while (run < maximum && a[run] == b[run]) run++;
    return run;
}

/* Adds the points of the current cost, all unreached. */
static struct points *wavefront_begin_cost(struct work *work, int32_t low, int32_t high)
{
    struct wavefront *wavefront = work->wavefront;
    struct points *points = &wavefront->ring[work->cost % RING];
    const size_t width = (size_t)(high - low + 1);
    size_t capacity = points->capacity;
    if (!array_reserve(&points->pair, &capacity, width) ||
        !array_reserve(&points->gap, &points->capacity, width) ||
        !array_reserve(&wavefront->costs, &wavefront->cost_capacity, work->cost + 1U) ||
        !array_reserve(&wavefront->bytes, &wavefront->byte_capacity, wavefront->byte_count + width))
        return NULL;
    points->low = low;
    points->high = high;
    wavefront->costs[work->cost] = (struct origins){wavefront->byte_count, low, high};
    wavefront->byte_count += width;
    return points;
}

/* Returns the point after a pair that costs `cost`; NOWHERE if the two cannot be a pair. */
static int32_t wavefront_step_pair(const struct work *work, int32_t from, int32_t diagonal,
                                   int cost)
{
    if (from < 0 || from >= work->count[0] || from - diagonal >= work->count[1]) return NOWHERE;
    int costs = pair_cost(work->sides, (uint32_t)from, (uint32_t)(from - diagonal));
    return costs == cost ? from + 1 : NOWHERE;
}

/* True if the script may end here. */
static bool wavefront_is_end(const struct work *work, int32_t left, int32_t right, int32_t run)
{
    const bool ends[2] = {left == work->count[0], right == work->count[1]};
    if (work->complete) return ends[0] && ends[1];
    for (unsigned side = 0; side < 2; side++)
        if (ends[side] && (run >= RUN_MINIMUM || work->sides[side].complete)) return true;
    return false;
}

/* Computes one diagonal; true if the script ends there. */
static bool wavefront_reach(struct work *work, struct points *points, int32_t diagonal)
{
    const struct points *extends = wavefront_points(work, GAP_EXTEND),
                        *opens = wavefront_points(work, STEP_MAXIMUM);
    const struct points *opcodes = wavefront_points(work, COST_OPCODE),
                        *places = wavefront_points(work, COST_PLACE);
    const struct {
        int32_t from;
        unsigned origin;
    } ways[] = {
        {wavefront_point(extends->gap, extends, diagonal - 1) + 1, GAP_LEFT},
        {wavefront_point(extends->gap, extends, diagonal + 1), GAP_RIGHT},
        {wavefront_point(opens->pair, opens, diagonal - 1) + 1, GAP_OPEN_LEFT},
        {wavefront_point(opens->pair, opens, diagonal + 1), GAP_OPEN_RIGHT},
    };
    unsigned gap_origin = 0, pair_origin = 0;
    int32_t gap = NOWHERE; /* the furthest point in a gap */
    for (unsigned i = 0; i < 4; i++) {
        if (ways[i].from <= gap || ways[i].from < 0) continue;
        if (ways[i].from > work->count[0] || ways[i].from - diagonal > work->count[1]) continue;
        gap = ways[i].from;
        gap_origin = ways[i].origin;
    }
    int32_t pair = gap;
    if (gap >= 0) pair_origin = PAIR_FROM_GAP;
    int32_t other = wavefront_step_pair(work, wavefront_point(opcodes->pair, opcodes, diagonal),
                                        diagonal, COST_OPCODE);
    if (other > pair) pair = other, pair_origin = PAIR_FROM_OPCODE;
    other = wavefront_step_pair(work, wavefront_point(places->pair, places, diagonal), diagonal,
                                COST_PLACE);
    if (other > pair) pair = other, pair_origin = PAIR_FROM_PLACE;
    int32_t run = pair >= 0 ? wavefront_extend(work, pair, pair - diagonal) : 0;
    if (pair >= 0) pair += run;
    points->gap[diagonal - points->low] = gap;
    points->pair[diagonal - points->low] = pair;
    const struct origins *origins = &work->wavefront->costs[work->cost];
    work->wavefront->bytes[origins->at + (size_t)(diagonal - origins->low)] =
        (uint8_t)(gap_origin << GAP_SHIFT | pair_origin);
    if (pair < 0) return false;
    bool end = wavefront_is_end(work, pair, pair - diagonal, run);
    int32_t progress = 2 * pair - diagonal;
    if (end || (run >= RUN_MINIMUM && progress > work->best_progress)) {
        work->best_progress = progress;
        work->best_cost = work->cost;
        work->best_diagonal = diagonal;
    }
    return end;
}

/* ---- tracing back ---- */

enum step { STEP_OPCODE = 1, STEP_PLACE, STEP_LEFT, STEP_RIGHT, STEP_CLOSE };

/* Writes the steps to the best point, last first. */
static bool wavefront_trace_back(const struct work *work)
{
    struct wavefront *wavefront = work->wavefront;
    int32_t diagonal = work->best_diagonal;
    unsigned cost = work->best_cost;
    bool in_gap = false;
    wavefront->step_count = 0;
    while (cost) {
        const struct origins *origins = &wavefront->costs[cost];
        unsigned origin = wavefront->bytes[origins->at + (size_t)(diagonal - origins->low)];
        enum step step = STEP_CLOSE;
        if (in_gap) {
            origin >>= GAP_SHIFT;
            bool left = origin == GAP_LEFT || origin == GAP_OPEN_LEFT;
            in_gap = origin == GAP_LEFT || origin == GAP_RIGHT;
            cost -= in_gap ? GAP_EXTEND : STEP_MAXIMUM;
            diagonal += left ? -1 : 1;
            step = left ? STEP_LEFT : STEP_RIGHT;
        } else if ((origin & PAIR_BITS) == PAIR_FROM_GAP) {
            in_gap = true;
        } else {
            step = (origin & PAIR_BITS) == PAIR_FROM_OPCODE ? STEP_OPCODE : STEP_PLACE;
            cost -= step == STEP_OPCODE ? COST_OPCODE : COST_PLACE;
        }
        if (!array_reserve(&wavefront->steps, &wavefront->step_capacity, wavefront->step_count + 1))
            return false;
        wavefront->steps[wavefront->step_count++] = (uint8_t)step;
    }
    return true;
}

/* Follows the steps from the beginning; the sequences show where pairs agree. */
static bool wavefront_walk(const struct work *work, struct script *script)
{
    const struct wavefront *wavefront = work->wavefront;
    int32_t at[2] = {0, 0};
    int32_t run = wavefront_extend(work, 0, 0);
    bool good = script_add(script, 0, 0, (uint32_t)run);
    at[0] += run, at[1] += run;
    for (size_t i = wavefront->step_count; good && i-- > 0;) {
        const enum step step = (enum step)wavefront->steps[i];
        if (step == STEP_LEFT || step == STEP_RIGHT) {
            good = script_add(script, step == STEP_LEFT, step == STEP_RIGHT, 0);
            at[step == STEP_RIGHT]++;
            continue;
        }
        const bool pair = step != STEP_CLOSE;
        at[0] += pair, at[1] += pair;
        run = wavefront_extend(work, at[0], at[1]);
        at[0] += run, at[1] += run;
        if (pair) script->cost += step == STEP_OPCODE ? COST_OPCODE : COST_PLACE;
        good = script_add(script, 0, 0, (uint32_t)run + pair);
    }
    return good;
}

enum wavefront_end wavefront_align(struct wavefront *wavefront, const struct symbols sides[2],
                                   unsigned limit, struct script *script)
{
    struct work work = {.wavefront = wavefront,
                        .sides = sides,
                        .count = {(int32_t)sides[0].count, (int32_t)sides[1].count},
                        .complete = sides[0].complete && sides[1].complete,
                        .best_progress = -1};
    script_clear(script);
    wavefront->byte_count = 0;
    struct points *points = wavefront_begin_cost(&work, 0, 0);
    if (!points) return WAVEFRONT_NO_MEMORY;
    points->gap[0] = NOWHERE;
    points->pair[0] = wavefront_extend(&work, 0, 0);
    bool end = wavefront_is_end(&work, points->pair[0], points->pair[0], points->pair[0]);
    for (work.cost = 1; work.cost <= limit && !end; work.cost++) {
        int32_t reach_maximum = (int32_t)work.cost - GAP_OPEN;
        if (reach_maximum < 0) reach_maximum = 0;
        int32_t low = reach_maximum < work.count[1] ? -reach_maximum : -work.count[1];
        int32_t high = reach_maximum < work.count[0] ? reach_maximum : work.count[0];
        points = wavefront_begin_cost(&work, low, high);
        if (!points) return WAVEFRONT_NO_MEMORY;
        for (int32_t diagonal = low; diagonal <= high && !end; diagonal++)
            end = wavefront_reach(&work, points, diagonal);
    }
    if (!wavefront_trace_back(&work) || !wavefront_walk(&work, script)) return WAVEFRONT_NO_MEMORY;
    return end ? WAVEFRONT_COMPLETE : WAVEFRONT_LIMIT;
}
