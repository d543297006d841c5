/* SPDX-License-Identifier: MIT */
/*
 * advance.c: compares the two queues of one processor from their heads on.
 *
 * The common case is a run of equal hashes.  A pair whose hashes differ may be equal under a
 * tolerance, or may match in another order within the window; else the cpu pair must be aligned.
 */
#include "compare/compare.h"
#include "formats/format.h"

/* Extends the last gap of the cpu pair. */
static void advance_extend_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                               uint64_t count)
{
    cpu_pair->queues[side].head += count;
    cpu_pair->dropped[side] += count;
    diff->counts.skipped[side] += count;
    if (cpu_pair->last_gap) diff->gaps[cpu_pair->last_gap - 1].skipped[side] += count;
    if (cpu_pair->last_retained) diff->retained[cpu_pair->last_retained - 1].skipped[side] += count;
}

/* ---- the initial state of a simulator ---- */

/* Skips a preamble (effects before the first instruction) that only one side has, and those of two
 * instruction sets, which have registers of their own. */
static bool advance_lone_preamble(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    const struct unit *left = unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head);
    const struct unit *right = unit_at(&cpu_pair->queues[1], cpu_pair->queues[1].head);
    if (left->kind == UNIT_PREAMBLE && right->kind == UNIT_PREAMBLE && isas_differ(diff)) {
        for (unsigned each = 0; each < 2; each++)
            roots_write_side(diff, cpu_pair, each, cpu_pair->queues[each].head++);
        return true;
    }
    if ((left->kind == UNIT_PREAMBLE) == (right->kind == UNIT_PREAMBLE)) return false;
    unsigned side = left->kind == UNIT_PREAMBLE ? 0 : 1;
    const struct unit *preamble = side ? right : left;
    struct unit_queue *queue = &cpu_pair->queues[side];
    const struct effect *effects = unit_effects(queue, preamble);
    const bool is_unstated = diff->formats[1 - side] && diff->formats[1 - side]->effects_need_insn;
    bool is_compared = false; /* the other side could state some effect */
    unsigned registers = 0;
    for (unsigned i = 0; i < preamble->effect_count; i++) {
        is_compared |=
            effects[i].kind != EFFECT_STATE && effect_is_compared(&diff->scope, &effects[i]);
        registers += effects[i].kind == EFFECT_REGISTER;
    }
    if (is_unstated || !is_compared) {
        if (is_unstated && diff->scope.registers)
            diff->counts.unstated_first[1 - side] += registers;
        roots_write_side(diff, cpu_pair, side, queue->head++);
        return true;
    }
    if (!tolerates(diff, SPOOR_TOLERATE_INITIAL_STATE)) {
        cpu_pair_gap(diff, cpu_pair, side == 0, side == 1);
        return true;
    }
    diff->counts.tolerated[SPOOR_TOLERATE_INITIAL_STATE]++;
    roots_write_side(diff, cpu_pair, side, queue->head++);
    return true;
}

/* ---- out of order within a window ---- */

static bool advance_within(const struct spoor_diff *diff, const struct unit_queue *queue,
                           uint64_t ahead)
{
    if (ahead < diff->options.window) return true;
    if (!diff->options.window_ticks) return false;
    const struct unit *head = unit_at(queue, queue->head);
    const struct unit *unit = unit_at(queue, queue->head + ahead);
    return unit->time - head->time <= diff->options.window_ticks;
}

/* Searches the head of one side among the next units of the other; if found, both become heads. */
static bool advance_find(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side)
{
    struct unit_queue *queue = &cpu_pair->queues[1 - side];
    const struct unit *head = unit_at(&cpu_pair->queues[side], cpu_pair->queues[side].head);
    for (uint64_t i = 1; i < unit_count(queue) && advance_within(diff, queue, i); i++) {
        const struct unit *unit = unit_at(queue, queue->head + i);
        if (unit->flow != head->flow) continue;
        struct comparison comparison = {0};
        if (unit->whole != head->whole)
            units_compare(diff, cpu_pair, side ? unit : head, side ? head : unit, &comparison);
        if (comparison.count) continue;
        unit_queue_promote(queue, queue->head + i);
        cpu_pair_match(diff, cpu_pair, &comparison);
        diff->counts.reordered++;
        return true;
    }
    return false;
}

/* ---- comparing ---- */

/* One side has ended: the rest of the other is one gap, which is counted as it arrives. */
static unsigned advance_tail(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    unsigned needs = 0;
    for (unsigned side = 0; side < 2; side++) {
        struct unit_queue *queue = &cpu_pair->queues[side];
        uint64_t count = unit_count(queue);
        if (!diff->ended[side] && !cpu_pair->dropped[side]) needs |= 1U << side;
        bool other_over = diff->ended[1 - side] && unit_count(&cpu_pair->queues[1 - side]) == 0;
        if (!count || !other_over) continue;
        /* The other side may omit these units at its end. */
        const bool omits = cpu_pair->omission && diff->omits[1 - side] &&
                           omission_of(cpu_pair->omission) != side && !cpu_pair->dropped[side];
        const bool all =
            omits && diff->ended[side] && omission_explains_tail(cpu_pair->omission, count);
        uint64_t omitted = all ? count : 0;
        while (omits && omitted < count &&
               omission_explains(cpu_pair->omission, unit_ahead(cpu_pair, side, omitted)->flow))
            omitted++;
        if (omitted) cpu_pair_omit(diff, cpu_pair, side ? 0 : omitted, side ? omitted : 0);
        count -= omitted;
        needs = diff->ended[side] ? 0 : 1U << side;
        if (!count) continue;
        if (!cpu_pair->dropped[side]) {
            cpu_pair_gap(diff, cpu_pair, side ? 0 : count, side ? count : 0);
            cpu_pair->dropped[side] += count;
        } else {
            advance_extend_gap(diff, cpu_pair, side, count);
        }
    }
    return needs;
}

static unsigned advance_access_count(const struct unit_queue *queue, const struct unit *unit)
{
    unsigned count = 0;
    const struct effect *effects = unit_effects(queue, unit);
    for (unsigned i = 0; i < unit->effect_count; i++)
        count += effects[i].kind == EFFECT_READ || effects[i].kind == EFFECT_WRITE;
    return count;
}

/* Counts the uses of tolerances that the hashes already leave out. */
static void advance_count_hidden(struct spoor_diff *diff, const struct cpu_pair *cpu_pair)
{
    uint64_t *uses = diff->counts.tolerated;
    const struct unit *left = unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head);
    const struct unit *right = unit_at(&cpu_pair->queues[1], cpu_pair->queues[1].head);
    unsigned both = left->has & right->has;
    if (tolerates(diff, SPOOR_TOLERATE_NOT_TAKEN))
        uses[SPOOR_TOLERATE_NOT_TAKEN] +=
            (both & UNIT_HAS_EXECUTED) && left->executed != right->executed;
    if (tolerates(diff, SPOOR_TOLERATE_MODE))
        uses[SPOOR_TOLERATE_MODE] += (both & UNIT_HAS_MODE) && left->mode != right->mode;
    if (tolerates(diff, SPOOR_TOLERATE_PHYSICAL))
        uses[SPOOR_TOLERATE_PHYSICAL] +=
            (both & UNIT_HAS_PHYSICAL) && left->physical != right->physical;
    if (tolerates(diff, SPOOR_TOLERATE_SIGN_EXTENSION))
        uses[SPOOR_TOLERATE_SIGN_EXTENSION] += (both & UNIT_HAS_PC) && left->pc != right->pc;
    if (tolerates(diff, SPOOR_TOLERATE_SPLIT_MEMORY))
        uses[SPOOR_TOLERATE_SPLIT_MEMORY] += advance_access_count(&cpu_pair->queues[0], left) !=
                                             advance_access_count(&cpu_pair->queues[1], right);
}

/* The hashes of the heads differ: compares them, searches the window, aligns. */
static unsigned advance_resolve(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    const bool planned = cpu_pair->pairs < cpu_pair->plan_end; /* the plan decides the pair */
    if (!planned && advance_lone_preamble(diff, cpu_pair)) return 0;
    const struct unit *left = unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head);
    const struct unit *right = unit_at(&cpu_pair->queues[1], cpu_pair->queues[1].head);
    struct comparison comparison;
    units_compare(diff, cpu_pair, left, right, &comparison);
    if (comparison.count == 0 || planned) {
        cpu_pair_match(diff, cpu_pair, &comparison);
        return 0;
    }
    if (diff->options.window > 1 || diff->options.window_ticks) {
        /* The sides that have too few units to fill the window. */
        unsigned needs = 0;
        for (unsigned side = 0; side < 2; side++) {
            uint64_t count = unit_count(&cpu_pair->queues[side]);
            if (!diff->ended[side] &&
                advance_within(diff, &cpu_pair->queues[side], count ? count - 1 : 0) &&
                count < diff->options.lookahead)
                needs |= 1U << side;
        }
        if (needs) return needs;
        if (advance_find(diff, cpu_pair, 0) || advance_find(diff, cpu_pair, 1)) return 0;
    }
    return cpu_pair_align(diff, cpu_pair);
}

unsigned cpu_pair_advance(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    enum { EVIDENCE = 64 };
    while (!diff->stop && !diff->out_of_memory) {
        if (cpu_pair->lost) { /* its units are counted, and not compared */
            unsigned needs = 0;
            for (unsigned side = 0; side < 2; side++) {
                advance_extend_gap(diff, cpu_pair, side, unit_count(&cpu_pair->queues[side]));
                if (!diff->ended[side]) needs |= 1U << side;
            }
            return needs;
        }
        /* Applies the gaps of the plan that stand at the heads. */
        while (cpu_pair->pairs >= cpu_pair->plan_end && cpu_pair->planned < cpu_pair->plan.count &&
               !diff->stop) {
            const struct edit *edit = &cpu_pair->plan.edits[cpu_pair->planned++];
            const bool one_sided = !edit->skip[0] != !edit->skip[1];
            const enum omits omits = one_sided && !diff->options.by_record
                                         ? diff->omits[edit->skip[0] ? 1 : 0]
                                         : OMITS_NOTHING;
            /* The log of a side that omits instructions does not have the boot code. */
            const bool boot = cpu_pair->pairs == 0 && omits && edit->pairs >= EVIDENCE;
            /* Where omissions are recognised, they decide, and not what the user declared: an
             * instruction that is never omitted elsewhere is missing. */
            const bool declared = !cpu_pair->omission && omits == OMITS_DECLARED;
            if (edit->move.count)
                cpu_pair_move(diff, cpu_pair, &edit->move);
            else if (edit->omitted || boot || declared)
                cpu_pair_omit(diff, cpu_pair, edit->skip[0], edit->skip[1]);
            else if (edit->skip[0] | edit->skip[1])
                cpu_pair_gap(diff, cpu_pair, edit->skip[0], edit->skip[1]);
            cpu_pair->plan_end = cpu_pair->pairs + edit->pairs;
        }
        /* Pairs the units at hand while their hashes are equal. */
        static const uint32_t hidden = 1U << SPOOR_TOLERATE_NOT_TAKEN | 1U << SPOOR_TOLERATE_MODE |
                                       1U << SPOOR_TOLERATE_PHYSICAL |
                                       1U << SPOOR_TOLERATE_SIGN_EXTENSION |
                                       1U << SPOOR_TOLERATE_SPLIT_MEMORY;
        uint64_t count = unit_count(&cpu_pair->queues[0]), right = unit_count(&cpu_pair->queues[1]);
        if (right < count) count = right;
        if (cpu_pair->pairs < cpu_pair->plan_end && cpu_pair->plan_end - cpu_pair->pairs < count)
            count = cpu_pair->plan_end - cpu_pair->pairs;
        while (count-- && unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head)->whole ==
                              unit_at(&cpu_pair->queues[1], cpu_pair->queues[1].head)->whole) {
            if (diff->tolerances & hidden) advance_count_hidden(diff, cpu_pair);
            roots_agree(diff, cpu_pair, NULL);
            cpu_pair_step(diff, cpu_pair);
        }
        if (cpu_pair->pairs >= cpu_pair->plan_end && cpu_pair->planned < cpu_pair->plan.count)
            continue;
        if (!unit_count(&cpu_pair->queues[0]) || !unit_count(&cpu_pair->queues[1]))
            return advance_tail(diff, cpu_pair);
        unsigned needs = advance_resolve(diff, cpu_pair);
        if (needs) return needs;
    }
    return 0;
}
