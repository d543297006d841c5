/* SPDX-License-Identifier: MIT */
/*
 * moved.c: finds the instructions in a script's gaps that both sides have, at different places: the
 * handler of an interrupt that one side takes later, and instructions that retire in another order.
 *
 * A handler is a stretch that ends in a return from an exception.  Where one side skips it and the
 * other has the same instructions later, within a gap too, it is one handler.  Its instructions
 * become pairs at the earlier place; so do those that it moved over.  Other instructions are only
 * moved over a few, and if all of their effects are the same: else a missing and an extra iteration
 * of a loop would be an exchange.
 */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compare/compare.h"

enum {
    HANDLER_MAXIMUM = 1 << 16, /* instructions of a handler, */
    GAPS_BETWEEN = 32,         /* and gaps up to its other place */
    RETURNS = 8,               /* of nested handlers in one */
    ORDER_MAXIMUM = 64,        /* instructions of a gap in another order */
};

/* Instructions that were taken away from a later place of a side. */
struct taken {
    uint64_t at;
    uint32_t count;
};

struct finding {
    struct spoor_diff *diff;
    struct cpu_pair *cpu_pair;
    struct script *script, made;
    uint64_t at[2]; /* position of the edit, counted from the heads */
    struct taken *taken[2];
    size_t taken_count[2], taken_capacity[2];
};

static const struct unit *unit_of(const struct finding *finding, unsigned side, uint64_t at)
{
    return unit_ahead(finding->cpu_pair, side, at);
}

static bool same_flows(const struct finding *finding, uint64_t left, uint64_t right, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!same_flow(unit_of(finding, 0, left + i), unit_of(finding, 1, right + i))) return false;
    return true;
}

/* The number of a side's instructions from the edit on up to `to`, without those taken away. */
static uint32_t distance(const struct finding *finding, unsigned side, uint64_t to)
{
    uint64_t count = to - finding->at[side];
    for (size_t i = 0; i < finding->taken_count[side]; i++) {
        const struct taken *taken = &finding->taken[side][i];
        if (taken->at >= finding->at[side] && taken->at < to) count -= taken->count;
    }
    return (uint32_t)count;
}

/* The number of a side's positions in an edit of the script, with those taken away. */
static uint64_t positions(const struct edit *edit, unsigned side)
{
    const uint32_t taken = edit->move.side == side ? edit->move.count : 0;
    return (uint64_t)edit->skip[side] + edit->pairs + taken;
}

/* ---- the event of an interrupt ---- */

static struct effect *event_of(struct finding *finding, unsigned side, uint64_t at)
{
    struct unit_queue *queue = &finding->cpu_pair->queues[side];
    if (queue->head + at == queue->units.first) return NULL;
    const struct unit *unit = unit_at(queue, queue->head + at - 1);
    struct effect *effects = effects_of(queue, unit);
    for (unsigned i = 0; i < unit->effect_count; i++)
        if (effects[i].kind == EFFECT_EVENT) return &effects[i];
    return NULL;
}

/* Both sides state the same interrupt before its handler, as an effect of different instructions:
 * it is no difference of either. */
static void drop_events(struct finding *finding, const uint64_t handlers[2])
{
    struct effect *events[2];
    for (unsigned side = 0; side < 2; side++)
        events[side] = event_of(finding, side, handlers[side]);
    if (!events[0] || !events[1] || events[0]->name != events[1]->name) return;
    for (unsigned side = 0; side < 2; side++) {
        struct unit_queue *queue = &finding->cpu_pair->queues[side];
        struct unit *unit = unit_at(queue, queue->head + handlers[side] - 1);
        struct effect *effects = effects_of(queue, unit), *last = &effects[--unit->effect_count];
        const struct effect event = *events[side];
        *events[side] = *last;
        *last = event;
        unit_hash(unit, effects, &finding->diff->scope);
    }
}

/* ---- handlers ---- */

/* Returns the length of the handler that `count` instructions begin with, up to return number
 * `nested`; 0: none. */
static uint32_t handler_size(const struct finding *finding, unsigned side, uint64_t at,
                             uint32_t count, unsigned nested)
{
    for (uint32_t i = 0; i < count && i < HANDLER_MAXIMUM; i++)
        if (unit_returns(finding->diff->isa, unit_of(finding, side, at + i)) && nested-- == 0)
            return i + 1;
    return 0;
}

/* Adds the move of instructions that stand `later` on a side, and the pairs that follow. */
static bool add_move(struct finding *finding, unsigned side, uint64_t later, uint32_t count,
                     bool interrupt, uint32_t pairs)
{
    const struct move move = {distance(finding, side, later), count, (uint8_t)side, interrupt};
    return script_move(&finding->made, &move, pairs);
}

/* The handler of a one-sided gap in a later one of the other side.  Returns the index of that edit,
 * and its position on that side in *later; 0: there is none. */
static size_t find_handler(const struct finding *finding, size_t index, unsigned side,
                           uint64_t *later)
{
    const struct script *script = finding->script;
    const uint32_t count = script->edits[index].skip[side];
    const unsigned other = 1 - side;
    uint64_t at = finding->at[other] + script->edits[index].pairs;
    for (size_t i = index + 1; i < script->count && i <= index + GAPS_BETWEEN; i++) {
        const struct edit *edit = &script->edits[i];
        const uint64_t here = finding->at[side];
        if (edit->skip[other] == count && !edit->skip[side] &&
            same_flows(finding, side ? at : here, side ? here : at, count)) {
            *later = at;
            return i;
        }
        at += positions(edit, other);
    }
    return 0;
}

/* True if the instructions of a one-sided gap are moved: a handler, or a few over a few, with the
 * same effects. */
static bool is_moved(const struct finding *finding, size_t index, size_t found, unsigned side,
                     uint64_t later)
{
    enum { FEW = 8 };
    const struct edit *edit = &finding->script->edits[index];
    const uint32_t count = edit->skip[side];
    const uint64_t at = finding->at[side], other = finding->at[1 - side];
    if (handler_size(finding, side, at + count - 1, 1, 0)) return true;
    if (found != index + 1 || count > FEW || edit->pairs > FEW) return false;
    for (uint32_t i = 0; i < count; i++)
        if (unit_of(finding, side, at + i)->whole != unit_of(finding, 1 - side, later + i)->whole)
            return false;
    for (uint32_t i = 0; i < edit->pairs; i++)
        if (unit_of(finding, side, at + count + i)->whole !=
            unit_of(finding, 1 - side, other + i)->whole)
            return false;
    return true;
}

/* A handler among the pairs between two gaps of the same length. */
struct between {
    uint32_t begin, count; /* of the pairs; count 0: there is none */
};

/* Where a handler moves over fewer instructions than it has, these are in the gaps, and the handler
 * is among the pairs between them.  Without it, both sides have the same instructions.  In a loop,
 * some of these may precede the handler. */
static struct between find_between(const struct finding *finding, size_t index, unsigned side)
{
    const struct edit *edit = &finding->script->edits[index];
    const uint32_t skipped = edit->skip[side], whole = skipped + edit->pairs;
    const uint64_t here = finding->at[side], there = finding->at[1 - side];
    struct between between = {0, 0};
    uint32_t last = edit->pairs;
    while (last &&
           !unit_returns(finding->diff->isa, unit_of(finding, side, here + skipped + last - 1)))
        last--;
    if (!last || edit->pairs > HANDLER_MAXIMUM) return between;
    while (between.begin < last && same_flow(unit_of(finding, side, here + between.begin),
                                             unit_of(finding, 1 - side, there + between.begin)))
        between.begin++;
    const uint32_t count = last - between.begin;
    for (uint32_t i = between.begin; count && i + count < whole; i++) {
        const uint32_t from = i < skipped + between.begin ? i : i + count;
        if (!same_flow(unit_of(finding, side, here + from),
                       unit_of(finding, 1 - side, there + i + count)))
            return between;
    }
    between.count = count;
    return between;
}

/* A gap of one side, and what follows it. */
static bool add_one_sided(struct finding *finding, size_t index)
{
    struct edit *edit = &finding->script->edits[index];
    const unsigned side = edit->skip[0] ? 0 : 1, other = 1 - side;
    const uint32_t count = edit->skip[side];
    uint64_t later = 0;
    size_t found = find_handler(finding, index, side, &later);
    const bool is_handler = handler_size(finding, side, finding->at[side] + count - 1, 1, 0) != 0;
    struct between between = {0, 0};
    if (!is_handler && index + 1 < finding->script->count && edit[1].skip[other] == count &&
        !edit[1].skip[side])
        between = find_between(finding, index, side);
    if (between.count) {
        found = index + 1;
        later = finding->at[other] + edit->pairs;
    }
    if (!found || !(between.count || is_moved(finding, index, found, side, later)))
        return script_add(&finding->made, edit->skip[0], edit->skip[1], edit->pairs);
    if (is_handler || between.count) {
        uint64_t handlers[2];
        handlers[side] = finding->at[side] + (between.count ? count + between.begin : 0);
        handlers[other] = between.count ? finding->at[other] + between.begin : later;
        drop_events(finding, handlers);
    }
    const struct move over = {count, between.count, (uint8_t)side, true};
    const uint32_t pairs = count + edit->pairs;
    const bool good = array_reserve(&finding->taken[other], &finding->taken_capacity[other],
                                    finding->taken_count[other] + 1) &&
                      (between.count ? script_add(&finding->made, 0, 0, between.begin) &&
                                           script_move(&finding->made, &over, pairs - between.begin)
                                     : add_move(finding, other, later, count, is_handler, pairs));
    if (!good) return false;
    /* its position stays counted */
    finding->taken[other][finding->taken_count[other]++] = (struct taken){later, count};
    finding->script->edits[found].skip[other] = 0;
    finding->script->edits[found].move = (struct move){.count = count, .side = (uint8_t)other};
    return true;
}

/* The handler at the beginning of what one side skips, later in what the other skips, after
 * instructions that follow the handler on the first.  Returns its length, and the distance in
 * *after; 0: there is none. */
static uint32_t handler_in_gap(const struct finding *finding, unsigned side, const uint64_t at[2],
                               const uint32_t rest[2], uint32_t *after)
{
    const unsigned other = 1 - side;
    for (unsigned nested = 0; nested < RETURNS; nested++) {
        const uint32_t count = handler_size(finding, side, at[side], rest[side], nested);
        if (!count || count >= rest[other]) return 0;
        for (uint32_t i = 1; i + count <= rest[other] && i + count <= rest[side]; i++) {
            const uint64_t here = at[side], later = at[other] + i;
            if (!same_flows(finding, side ? later : here, side ? here : later, count)) continue;
            if (!same_flows(finding, side ? at[0] : here + count, side ? here + count : at[1], i))
                break;
            *after = i;
            return count;
        }
    }
    return 0;
}

/* True if `count` instructions of both sides are the same ones with the same effects, in another
 * order; writes for each of the left side where it stands among those of the right side that
 * remain. */
static bool is_reordered(const struct finding *finding, const uint64_t at[2], uint32_t count,
                         uint32_t *places)
{
    uint64_t rest[ORDER_MAXIMUM];
    for (uint32_t i = 0; i < count; i++) rest[i] = unit_of(finding, 1, at[1] + i)->whole;
    for (uint32_t i = 0; i < count; i++) {
        const uint64_t whole = unit_of(finding, 0, at[0] + i)->whole;
        uint32_t place = 0;
        while (place < count - i && rest[place] != whole) place++;
        if (place == count - i) return false;
        places[i] = place;
        for (uint32_t j = place; j + 1 < count - i; j++) rest[j] = rest[j + 1];
    }
    return true;
}

/* A gap of both sides. */
static bool add_two_sided(struct finding *finding, const struct edit *edit)
{
    const uint64_t begin[2] = {finding->at[0], finding->at[1]};
    uint64_t at[2] = {begin[0], begin[1]};
    uint32_t rest[2] = {edit->skip[0], edit->skip[1]}, after = 0;
    bool good = true;
    while (good && rest[0] && rest[1]) {
        if (same_flows(finding, at[0], at[1], 1)) {
            if (at[0] == begin[0]) break;
            good = script_add(&finding->made, 0, 0, 1);
            for (unsigned side = 0; side < 2; side++) at[side]++, rest[side]--;
            continue;
        }
        unsigned side = 0;
        uint32_t count = handler_in_gap(finding, side, at, rest, &after);
        if (!count) count = handler_in_gap(finding, side = 1, at, rest, &after);
        if (!count) break;
        uint64_t handlers[2];
        handlers[side] = at[side];
        handlers[1 - side] = at[1 - side] + after;
        drop_events(finding, handlers);
        const struct move move = {after, count, (uint8_t)(1 - side), true};
        good = script_move(&finding->made, &move, count + after);
        for (unsigned i = 0; i < 2; i++) {
            at[i] += (uint64_t)count + after;
            rest[i] -= count + after;
        }
    }
    uint32_t places[ORDER_MAXIMUM];
    if (good && rest[0] == rest[1] && rest[0] <= ORDER_MAXIMUM &&
        is_reordered(finding, at, rest[0], places)) {
        for (uint32_t i = 0; good && i < rest[0]; i++) {
            const struct move move = {places[i], 1, 1, false};
            good = places[i] ? script_move(&finding->made, &move, 1)
                             : script_add(&finding->made, 0, 0, 1);
        }
        rest[0] = rest[1] = 0;
    }
    return good && script_add(&finding->made, rest[0], rest[1], edit->pairs);
}

bool find_moves(struct spoor_diff *diff, struct cpu_pair *cpu_pair, struct script *script)
{
    struct finding finding = {.diff = diff, .cpu_pair = cpu_pair, .script = script};
    bool good = true;
    for (size_t i = 0; good && i < script->count; i++) {
        const struct edit edit = script->edits[i];
        if (edit.skip[0] && edit.skip[1])
            good = add_two_sided(&finding, &edit);
        else if (edit.skip[0] || edit.skip[1])
            good = add_one_sided(&finding, i);
        else
            good = script_add(&finding.made, 0, 0, edit.pairs);
        for (unsigned side = 0; side < 2; side++) finding.at[side] += positions(&edit, side);
    }
    for (unsigned side = 0; side < 2; side++) free(finding.taken[side]);
    finding.made.cost = script->cost;
    struct script old = good ? *script : finding.made;
    if (good) *script = finding.made;
    script_free(&old);
    return good;
}

/* ---- applying ---- */

void cpu_pair_move(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move)
{
    retain_move(diff, cpu_pair, move);
    if (move->interrupt) handler_enter(diff, cpu_pair, move);
    if (!unit_queue_move(&cpu_pair->queues[move->side], move->after, move->count))
        diff->out_of_memory = true;
    cpu_pair->agreed = 0;
}
