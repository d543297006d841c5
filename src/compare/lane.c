/* SPDX-License-Identifier: MIT */
/*
 * lane.c: the two queues of one processor, compared from their heads on.
 *
 * The common case is a run of equal hashes.  A pair whose hashes differ may be equal under a
 * tolerance, or stand in another order within the window; else the lane must be aligned.
 */
#include <stdlib.h>

#include "compare/compare.h"

enum { LEFT = 1, RIGHT = 2, TRUST_LEAST = 256 };

struct lane *lane_new(spoor_name cpu)
{
    struct lane *lane = calloc(1, sizeof *lane);
    if (!lane) return NULL;
    lane->cpu = cpu;
    lane->trust = TRUST_LEAST;
    lane->widened = UINT64_MAX;
    if (unit_queue_start(&lane->queues[0]) && unit_queue_start(&lane->queues[1])) return lane;
    lane_free(lane);
    return NULL;
}

void lane_free(struct lane *lane)
{
    unit_queue_free(&lane->queues[0]);
    unit_queue_free(&lane->queues[1]);
    taint_free(&lane->memory);
    script_free(&lane->plan);
    omission_free(lane->omission);
    free(lane->registers);
    free(lane);
}

bool units_similar(const struct unit *left, const struct unit *right)
{
    if (left->flow == right->flow) return true;
    if (left->kind != right->kind) return false;
    unsigned both = left->has & right->has;
    if ((both & UNIT_HAS_PC) && left->pc == right->pc) return true;
    return (both & UNIT_HAS_OPCODE) && left->opcode_size && left->opcode == right->opcode;
}

/* ---- going on ---- */

static void use(struct spoor_diff *diff, const struct comparison *comparison)
{
    for (int i = 0; i < SPOOR_TOLERANCES; i++)
        diff->counts.tolerated[i] += comparison->tolerated[i];
    for (unsigned i = 0; i < comparison->rule_count; i++) comparison->rules[i]->uses++;
}

static void step(struct spoor_diff *diff, struct lane *lane)
{
    lane->queues[0].head++;
    lane->queues[1].head++;
    lane->pairs++;
    diff->counts.compared++;
}

void lane_pair(struct spoor_diff *diff, struct lane *lane, const struct comparison *comparison)
{
    use(diff, comparison);
    if (comparison->count) {
        struct writers writers;
        keep_writers(diff, lane, comparison, &writers);
        keep_pair(diff, lane, comparison, &writers, roots_of(diff, lane, comparison));
    } else {
        roots_agree(diff, lane, comparison);
    }
    step(diff, lane);
}

/* What a gap is called. */
static enum spoor_diff_class gap_class(const struct spoor_diff *diff, const struct lane *lane,
                                       const uint64_t skipped[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_queue *queue = &lane->queues[side];
        if (skipped[side] == 0 || queue->head >= queue->complete) continue;
        if (roots_is_trap(lane, side, unit_at(queue, queue->head))) return SPOOR_DIFF_EVENT;
        if (queue->head > queue->units.first) {
            const struct unit *before = unit_at(queue, queue->head - 1);
            const struct effect *effects = effects_of(queue, before);
            for (unsigned i = 0; i < before->effect_count; i++)
                if (effects[i].kind == EFFECT_EVENT) return SPOOR_DIFF_EVENT;
        }
    }
    if (skipped[0] && skipped[1]) return SPOOR_DIFF_FLOW;
    for (unsigned side = 0; side < 2; side++)
        if (skipped[side] == 0 && diff->ended[side] &&
            lane->queues[side].head == lane->queues[side].complete)
            return SPOOR_DIFF_TRUNCATION;
    return skipped[1] ? SPOOR_DIFF_EXTRA : SPOOR_DIFF_MISSING;
}

static bool accept_gap(struct spoor_diff *diff, struct lane *lane, const uint64_t skipped[2],
                       enum spoor_diff_class class)
{
    enum spoor_tolerance tolerance =
        class == SPOOR_DIFF_TRUNCATION ? SPOOR_TOLERATE_TAIL : SPOOR_TOLERATE_ONE_SIDED_EVENT;
    bool applies = class == SPOOR_DIFF_TRUNCATION ||
                   (class == SPOOR_DIFF_EVENT && !(skipped[0] && skipped[1]));
    if (applies && tolerates(diff, tolerance)) {
        diff->counts.tolerated[tolerance]++;
        return true;
    }
    const struct unit *units[2];
    for (unsigned side = 0; side < 2; side++)
        units[side] = skipped[side] ? unit_at(&lane->queues[side], lane->queues[side].head) : NULL;
    struct rule *waiver = rule_waives(diff, lane, (uint8_t) class, units[0], units[1], NULL);
    if (!waiver) return false;
    waiver->uses++;
    diff->counts.causes[CAUSE_WAIVED]++;
    return true;
}

void lane_gap(struct spoor_diff *diff, struct lane *lane, uint64_t left, uint64_t right)
{
    const uint64_t skipped[2] = {left, right};
    enum spoor_diff_class class = gap_class(diff, lane, skipped);
    bool accepted = accept_gap(diff, lane, skipped, class);
    keep_gap(diff, lane, skipped, (uint8_t) class, lane->branch_wrong, accepted);
    roots_gap(diff, lane, skipped);
    for (unsigned side = 0; side < 2; side++) lane->queues[side].head += skipped[side];
    lane->branch_wrong = false;
    lane->agreed = 0;
}

void lane_omit(struct spoor_diff *diff, struct lane *lane, uint64_t left, uint64_t right)
{
    const uint64_t skipped[2] = {left, right};
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t count = skipped[side];
        diff->counts.omitted[1 - side] += count;
        diff->counts.omitted_places[1 - side] += count != 0;
        if (lane->pairs == 0) diff->counts.omitted_first[1 - side] += count;
        for (uint64_t i = 0; i < count; i++)
            roots_skip(diff, lane, side, lane->queues[side].head++);
    }
    lane->agreed = 0;
}

/* The last gap of the lane goes on. */
static void extend_gap(struct spoor_diff *diff, struct lane *lane, unsigned side, uint64_t count)
{
    lane->queues[side].head += count;
    lane->dropped[side] += count;
    diff->counts.skipped[side] += count;
    if (lane->last_gap) diff->gaps[lane->last_gap - 1].skipped[side] += count;
    if (lane->last_kept) diff->kept[lane->last_kept - 1].skipped[side] += count;
}

/* ---- the plan ---- */

/* Whether the pair at the heads is decided. */
static bool is_planned(const struct lane *lane)
{
    return lane->pairs < lane->plan_end;
}

/* One side's log begins later, without the code that boots. */
static bool is_late_start(const struct spoor_diff *diff, const struct lane *lane,
                          const struct edit *edit)
{
    enum { EVIDENCE = 64 };
    return lane->pairs == 0 && !edit->skip[0] != !edit->skip[1] && edit->pairs >= EVIDENCE &&
           !diff->options.no_omissions && !diff->options.by_record;
}

/* Take the gaps of the plan that stand here. */
static void take_planned_gaps(struct spoor_diff *diff, struct lane *lane)
{
    while (lane->pairs >= lane->plan_end && lane->planned < lane->plan.count && !diff->stop) {
        const struct edit *edit = &lane->plan.edits[lane->planned++];
        if (edit->omitted || is_late_start(diff, lane, edit))
            lane_omit(diff, lane, edit->skip[0], edit->skip[1]);
        else if (edit->skip[0] | edit->skip[1])
            lane_gap(diff, lane, edit->skip[0], edit->skip[1]);
        lane->plan_end = lane->pairs + edit->pairs;
    }
}

/* ---- the state that a simulator begins with ---- */

/* A preamble on one side only: nothing to pair it with. */
static bool lone_preamble(struct spoor_diff *diff, struct lane *lane)
{
    const struct unit *left = unit_at(&lane->queues[0], lane->queues[0].head);
    const struct unit *right = unit_at(&lane->queues[1], lane->queues[1].head);
    if ((left->kind == UNIT_PREAMBLE) == (right->kind == UNIT_PREAMBLE)) return false;
    unsigned side = left->kind == UNIT_PREAMBLE ? 0 : 1;
    if (!tolerates(diff, SPOOR_TOLERATE_INITIAL_STATE)) {
        lane_gap(diff, lane, side == 0, side == 1);
        return true;
    }
    diff->counts.tolerated[SPOOR_TOLERATE_INITIAL_STATE]++;
    roots_skip(diff, lane, side, lane->queues[side].head++);
    return true;
}

/* ---- out of order within a window ---- */

static bool within(const struct spoor_diff *diff, const struct unit_queue *queue, uint64_t ahead)
{
    if (ahead < diff->options.window) return true;
    if (!diff->options.window_ticks) return false;
    const struct unit *head = unit_at(queue, queue->head);
    const struct unit *unit = unit_at(queue, queue->head + ahead);
    return unit->time - head->time <= diff->options.window_ticks;
}

/* Look for the head of one side among the next units of the other; found, both become heads. */
static bool find_in_window(struct spoor_diff *diff, struct lane *lane, unsigned side)
{
    struct unit_queue *queue = &lane->queues[1 - side];
    const struct unit *head = unit_at(&lane->queues[side], lane->queues[side].head);
    for (uint64_t i = 1; i < unit_count(queue) && within(diff, queue, i); i++) {
        const struct unit *unit = unit_at(queue, queue->head + i);
        if (unit->flow != head->flow) continue;
        struct comparison comparison = {0};
        if (unit->whole != head->whole)
            units_compare(diff, lane, side ? unit : head, side ? head : unit, &comparison);
        if (comparison.count) continue;
        unit_queue_promote(queue, queue->head + i);
        lane_pair(diff, lane, &comparison);
        diff->counts.reordered++;
        return true;
    }
    return false;
}

/* Which sides have too little ahead to fill the window. */
static unsigned window_needs(const struct spoor_diff *diff, const struct lane *lane)
{
    unsigned needs = 0;
    for (unsigned side = 0; side < 2; side++) {
        uint64_t count = unit_count(&lane->queues[side]);
        if (!diff->ended[side] && within(diff, &lane->queues[side], count ? count - 1 : 0) &&
            count < diff->options.lookahead)
            needs |= 1U << side;
    }
    return needs;
}

/* ---- comparing ---- */

/* What the other side, at its end, leaves out of the rest; how many units remain. */
static uint64_t omit_tail(struct spoor_diff *diff, struct lane *lane, unsigned side, uint64_t count)
{
    uint64_t omitted = 0;
    if (!lane->omission || omission_of(lane->omission) == side || lane->dropped[side]) return count;
    if (diff->ended[side] && omission_explains_tail(lane->omission, count)) omitted = count;
    while (omitted < count &&
           omission_explains(lane->omission, unit_ahead(lane, side, omitted)->flow))
        omitted++;
    if (omitted) lane_omit(diff, lane, side ? 0 : omitted, side ? omitted : 0);
    return count - omitted;
}

/* After the end of one side: the rest of the other is one gap, counted as it comes. */
static unsigned tail(struct spoor_diff *diff, struct lane *lane)
{
    unsigned needs = 0;
    for (unsigned side = 0; side < 2; side++) {
        struct unit_queue *queue = &lane->queues[side];
        uint64_t count = unit_count(queue);
        if (!diff->ended[side] && !lane->dropped[side]) needs |= 1U << side;
        bool other_over = diff->ended[1 - side] && unit_count(&lane->queues[1 - side]) == 0;
        if (!count || !other_over) continue;
        count = omit_tail(diff, lane, side, count);
        needs = diff->ended[side] ? 0 : 1U << side;
        if (!count) continue;
        if (!lane->dropped[side]) {
            lane_gap(diff, lane, side ? 0 : count, side ? count : 0);
            lane->dropped[side] += count;
        } else {
            extend_gap(diff, lane, side, count);
        }
    }
    return needs;
}

static unsigned access_count(const struct unit_queue *queue, const struct unit *unit)
{
    unsigned count = 0;
    const struct effect *effects = effects_of(queue, unit);
    for (unsigned i = 0; i < unit->effect_count; i++)
        count += effects[i].kind == EFFECT_READ || effects[i].kind == EFFECT_WRITE;
    return count;
}

/* Tolerances that the hashes already leave out: count where they were needed. */
static void count_hidden(struct spoor_diff *diff, const struct lane *lane)
{
    uint64_t *uses = diff->counts.tolerated;
    const struct unit *left = unit_at(&lane->queues[0], lane->queues[0].head);
    const struct unit *right = unit_at(&lane->queues[1], lane->queues[1].head);
    unsigned both = left->has & right->has;
    if (tolerates(diff, SPOOR_TOLERATE_NOT_TAKEN))
        uses[SPOOR_TOLERATE_NOT_TAKEN] +=
            (both & UNIT_HAS_EXECUTED) && left->executed != right->executed;
    if (tolerates(diff, SPOOR_TOLERATE_MODE))
        uses[SPOOR_TOLERATE_MODE] += (both & UNIT_HAS_MODE) && left->mode != right->mode;
    if (tolerates(diff, SPOOR_TOLERATE_PHYSICAL))
        uses[SPOOR_TOLERATE_PHYSICAL] +=
            (both & UNIT_HAS_PHYSICAL) && left->physical != right->physical;
    if (tolerates(diff, SPOOR_TOLERATE_SPLIT_MEMORY))
        uses[SPOOR_TOLERATE_SPLIT_MEMORY] +=
            access_count(&lane->queues[0], left) != access_count(&lane->queues[1], right);
}

/* Run through the equal pairs at hand. */
static void run_equal(struct spoor_diff *diff, struct lane *lane)
{
    static const uint32_t hidden = 1U << SPOOR_TOLERATE_NOT_TAKEN | 1U << SPOOR_TOLERATE_MODE |
                                   1U << SPOOR_TOLERATE_PHYSICAL |
                                   1U << SPOOR_TOLERATE_SPLIT_MEMORY;
    uint64_t count = unit_count(&lane->queues[0]), right = unit_count(&lane->queues[1]);
    if (right < count) count = right;
    if (is_planned(lane) && lane->plan_end - lane->pairs < count)
        count = lane->plan_end - lane->pairs;
    while (count-- && unit_at(&lane->queues[0], lane->queues[0].head)->whole ==
                          unit_at(&lane->queues[1], lane->queues[1].head)->whole) {
        if (diff->tolerances & hidden) count_hidden(diff, lane);
        roots_agree(diff, lane, NULL);
        step(diff, lane);
    }
}

/* Units of a lane that is lost are only counted. */
static unsigned drop_all(struct spoor_diff *diff, struct lane *lane)
{
    unsigned needs = 0;
    for (unsigned side = 0; side < 2; side++) {
        extend_gap(diff, lane, side, unit_count(&lane->queues[side]));
        if (!diff->ended[side]) needs |= 1U << side;
    }
    return needs;
}

/* The heads differ in their hashes: compare them, look around, align. */
static unsigned resolve(struct spoor_diff *diff, struct lane *lane)
{
    if (!is_planned(lane) && lone_preamble(diff, lane)) return 0;
    const struct unit *left = unit_at(&lane->queues[0], lane->queues[0].head);
    const struct unit *right = unit_at(&lane->queues[1], lane->queues[1].head);
    struct comparison comparison;
    units_compare(diff, lane, left, right, &comparison);
    if (comparison.count == 0 || is_planned(lane)) {
        lane_pair(diff, lane, &comparison);
        return 0;
    }
    if (diff->options.window > 1 || diff->options.window_ticks) {
        unsigned needs = window_needs(diff, lane);
        if (needs) return needs;
        if (find_in_window(diff, lane, 0) || find_in_window(diff, lane, 1)) return 0;
    }
    return lane_align(diff, lane);
}

unsigned lane_advance(struct spoor_diff *diff, struct lane *lane)
{
    while (!diff->stop && !diff->out_of_memory) {
        if (lane->lost) return drop_all(diff, lane);
        take_planned_gaps(diff, lane);
        run_equal(diff, lane);
        if (lane->pairs >= lane->plan_end && lane->planned < lane->plan.count) continue;
        if (!unit_count(&lane->queues[0]) || !unit_count(&lane->queues[1])) return tail(diff, lane);
        unsigned needs = resolve(diff, lane);
        if (needs) return needs;
    }
    return 0;
}
