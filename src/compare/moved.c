/* SPDX-License-Identifier: MIT */
/*
 * moved.c: finds the instructions in a script's gaps that both sides have, at different places: the
 * handler of an interrupt that one side takes later, and instructions that retire in another order.
 *
 * A handler is a stretch that ends in a return from an exception.  Where one side skips it and the
 * other has the same instructions later, within a gap too, it is one handler.  Its instructions
 * become pairs at the earlier place; so do those that it moved over.  In a loop, a script may be
 * cheaper that skips iterations and pairs the handlers at the wrong ones: without the handlers,
 * both sides have the same instructions up to where the script is again.  Other instructions are
 * only moved over a few, and if all of their effects are the same: else a missing and an extra
 * iteration of a loop would be an exchange.
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
    WALK_HANDLERS = 32,        /* handlers at different places, until both sides agree again */
};

/* Instructions that were taken away from a later place of a side. */
struct moved_run {
    uint64_t at;
    uint32_t count;
};

struct move_search {
    struct spoor_diff *diff;
    struct cpu_pair *cpu_pair;
    struct script *script, made;
    uint64_t at[2]; /* position of the edit, counted from the heads */
    struct moved_run *taken[2];
    size_t taken_count[2], taken_capacity[2];
    struct {
        uint64_t *items; /* positions of the returns from exceptions in the script */
        size_t count, capacity;
    } returns[2];
};

static const struct unit *search_unit(const struct move_search *search, unsigned side, uint64_t at)
{
    return unit_ahead(search->cpu_pair, side, at);
}

static bool search_same_flows(const struct move_search *search, uint64_t left, uint64_t right,
                              uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (!same_flow(search_unit(search, 0, left + i), search_unit(search, 1, right + i)))
            return false;
    return true;
}

/* The number of a side's positions in an edit of the script, with those taken away. */
static uint64_t search_positions(const struct edit *edit, unsigned side)
{
    const uint32_t taken = edit->move.side == side ? edit->move.count : 0;
    return (uint64_t)edit->skip[side] + edit->pairs + taken;
}

/* ---- the event of an interrupt ---- */

/* Both sides state the same interrupt before its handler, as an effect of different instructions:
 * it is no difference of either. */
static void search_drop_events(struct move_search *search, const uint64_t handlers[2])
{
    struct effect *events[2] = {NULL, NULL};
    for (unsigned side = 0; side < 2; side++) {
        struct unit_queue *queue = &search->cpu_pair->queues[side];
        const uint64_t before = queue->head + handlers[side] - 1;
        if (before + 1 == queue->units.first) return;
        const struct unit *unit = unit_at(queue, before);
        struct effect *effects = unit_effects(queue, unit);
        for (unsigned i = 0; i < unit->effect_count && !events[side]; i++)
            if (effects[i].kind == EFFECT_EVENT) events[side] = &effects[i];
    }
    if (!events[0] || !events[1] || events[0]->name != events[1]->name) return;
    for (unsigned side = 0; side < 2; side++) {
        struct unit_queue *queue = &search->cpu_pair->queues[side];
        struct unit *unit = unit_at(queue, queue->head + handlers[side] - 1);
        struct effect *effects = unit_effects(queue, unit), *last = &effects[--unit->effect_count];
        const struct effect event = *events[side];
        *events[side] = *last;
        *last = event;
        unit_hash(unit, effects, &search->diff->scope);
    }
}

/* ---- handlers ---- */

/* True if the instructions of a one-sided gap are moved: a handler, or a few over a few, with the
 * same effects. */
static bool search_is_move(const struct move_search *search, size_t index, size_t found,
                           unsigned side, uint64_t later)
{
    enum { FEW = 8 };
    const struct edit *edit = &search->script->edits[index];
    const uint32_t count = edit->skip[side];
    const uint64_t at = search->at[side], other = search->at[1 - side];
    if (unit_returns(search->diff->isa, search_unit(search, side, at + count - 1))) return true;
    if (found != index + 1 || count > FEW || edit->pairs > FEW) return false;
    for (uint32_t i = 0; i < count; i++)
        if (search_unit(search, side, at + i)->whole !=
            search_unit(search, 1 - side, later + i)->whole)
            return false;
    for (uint32_t i = 0; i < edit->pairs; i++)
        if (search_unit(search, side, at + count + i)->whole !=
            search_unit(search, 1 - side, other + i)->whole)
            return false;
    return true;
}

/* ---- handlers on both sides ---- */

/* The way of both sides from an edit on, without the handlers that stand at different places. */
struct walk {
    uint64_t at[2];  /* position on each side, counted from the heads */
    uint32_t common; /* pairs so far, without those of the handlers */
    unsigned early;  /* the side that takes the handlers which have no place on the other yet */
    struct walked_handler {
        uint64_t at[2];  /* where it begins on each side */
        uint32_t common; /* pairs before it on the earlier side */
        uint32_t count, after;
        uint8_t later; /* the side that takes it later */
    } handlers[WALK_HANDLERS];
    unsigned begun, ended; /* handlers that one side took; that both sides took */
    uint32_t rest[2];      /* what remains of a gap in which the walk ends, */
    uint32_t pairs;        /* and of the pairs of its edit */
};

/* The other side takes the first handler that has no place there yet; false if it does not. */
static bool walk_end_handler(const struct move_search *search, struct walk *walk)
{
    struct walked_handler *handler = &walk->handlers[walk->ended];
    const unsigned later = 1 - walk->early;
    uint64_t begin[2];
    begin[walk->early] = handler->at[walk->early];
    begin[later] = walk->at[later];
    if (walk->ended == walk->begun || begin[later] + handler->count > search->script->last[later] ||
        !search_same_flows(search, begin[0], begin[1], handler->count))
        return false;
    handler->at[later] = begin[later];
    handler->after = walk->common - handler->common;
    handler->later = (uint8_t)later;
    walk->at[later] += handler->count;
    walk->ended++;
    return true;
}

/* Finds the script's returns from exceptions of a side; false if memory runs out. */
static bool search_find_returns(struct move_search *search, unsigned side)
{
    const uint64_t end = search->script->last[side];
    for (uint64_t at = 0; at < end; at++) {
        if (!unit_returns(search->diff->isa, search_unit(search, side, at))) continue;
        if (!array_reserve(&search->returns[side].items, &search->returns[side].capacity,
                           search->returns[side].count + 1))
            return false;
        search->returns[side].items[search->returns[side].count++] = at;
    }
    return true;
}

/* A side takes a handler, after which it is where the other side is; false if it does not. */
static bool walk_begin_handler(const struct move_search *search, struct walk *walk, unsigned side)
{
    const uint64_t *returns = search->returns[side].items;
    const size_t count = search->returns[side].count;
    size_t next = 0;
    if (walk->begun == WALK_HANDLERS || (walk->begun > walk->ended && walk->early != side))
        return false;
    while (next < count && returns[next] < walk->at[side]) next++;
    for (size_t i = next; i < count && i < next + RETURNS; i++) {
        const uint64_t size = returns[i] + 1 - walk->at[side];
        uint64_t after[2] = {walk->at[0], walk->at[1]};
        after[side] += size;
        if (size > HANDLER_MAXIMUM || after[side] == search->script->last[side]) return false;
        if (!search_same_flows(search, after[0], after[1], 1)) continue;
        struct walked_handler *handler = &walk->handlers[walk->begun++];
        *handler = (struct walked_handler){.count = (uint32_t)size, .common = walk->common};
        handler->at[side] = walk->at[side];
        walk->early = side;
        walk->at[side] += size;
        return true;
    }
    return false;
}

/* True if the way ends here, where all handlers have their places: among the pairs of an edit,
 * which begin at `begin`, or in its gap. */
static bool walk_ends(struct walk *walk, const struct edit *edit, const uint64_t begin[2],
                      bool in_gap)
{
    if (!walk->ended || walk->ended < walk->begun) return false;
    if (walk->at[0] >= begin[0] && walk->at[0] - begin[0] == walk->at[1] - begin[1] &&
        walk->at[0] - begin[0] < edit->pairs) {
        walk->pairs = edit->pairs - (uint32_t)(walk->at[0] - begin[0]);
        return true;
    }
    for (unsigned side = 0; side < 2 && in_gap; side++) {
        in_gap = walk->at[side] <= begin[side] && walk->at[side] + edit->skip[side] >= begin[side];
        walk->rest[side] = (uint32_t)(begin[side] - walk->at[side]);
    }
    walk->pairs = edit->pairs;
    return in_gap;
}

/* Walks both sides from the edit on, as long as they have the same instructions and handlers, up to
 * where the script is again.  Returns the number of edits; 0: the way does not come there, or has
 * no handler. */
static size_t walk_handlers(const struct move_search *search, size_t index, struct walk *walk)
{
    const struct script *script = search->script;
    uint64_t begin[2]; /* of the edit's pairs */
    if (!search->returns[0].count || !search->returns[1].count) return 0;
    *walk = (struct walk){.at = {search->at[0], search->at[1]}};
    for (unsigned side = 0; side < 2; side++)
        begin[side] = walk->at[side] + script->edits[index].skip[side];
    for (size_t i = index;;) {
        const struct edit *edit = &script->edits[i];
        if (walk->at[0] >= begin[0] + edit->pairs && walk->at[1] >= begin[1] + edit->pairs) {
            if (++i == script->count) return walk_ends(walk, edit, begin, true) ? i - index : 0;
            if (i > index + GAPS_BETWEEN || edit[1].move.count) return 0;
            for (unsigned side = 0; side < 2; side++)
                begin[side] += edit->pairs + edit[1].skip[side];
        } else if (walk_ends(walk, edit, begin, false)) {
            return i + 1 - index;
        } else if (walk->at[0] < script->last[0] && walk->at[1] < script->last[1] &&
                   search_same_flows(search, walk->at[0], walk->at[1], 1)) {
            walk->common++;
            for (unsigned side = 0; side < 2; side++) walk->at[side]++;
        } else if (!walk_end_handler(search, walk) && !walk_begin_handler(search, walk, 0) &&
                   !walk_begin_handler(search, walk, 1)) {
            return walk_ends(walk, edit, begin, true) ? i + 1 - index : 0;
        }
    }
}

/* Adds the handlers of a walk from the edit on as moves, and the pairs between and after them.
 * Returns the number of edits that they replace; 0: there is no such walk. */
static size_t search_add_walk(struct move_search *search, size_t index, bool *good)
{
    const struct edit *edit = &search->script->edits[index];
    struct walk walk;
    if (!edit->skip[0] && !edit->skip[1]) return 0;
    const size_t edits = walk_handlers(search, index, &walk);
    if (!edits) return 0;
    *good = script_add(&search->made, 0, 0, walk.handlers[0].common);
    for (unsigned i = 0; *good && i < walk.begun; i++) {
        const struct walked_handler *handler = &walk.handlers[i];
        const uint32_t end = i + 1 < walk.begun ? handler[1].common : walk.common;
        const struct edit moved = {.pairs = handler->count + end - handler->common,
                                   .move = {handler->after, handler->count, handler->later, true}};
        search_drop_events(search, handler->at);
        *good = script_append(&search->made, &moved);
    }
    *good = *good && script_add(&search->made, walk.rest[0], walk.rest[1], walk.pairs);
    for (unsigned side = 0; side < 2; side++)
        search->at[side] = walk.at[side] + walk.rest[side] + walk.pairs;
    return edits;
}

/* A gap of one side, and what follows it. */
static bool search_add_one_sided(struct move_search *search, size_t index)
{
    const struct script *script = search->script;
    const struct edit *edit = &script->edits[index];
    const unsigned side = edit->skip[0] ? 0 : 1, other = 1 - side;
    const uint32_t count = edit->skip[side];
    /* Finds the same instructions in a later gap of the other side: its edit, and its position. */
    size_t found = index + 1;
    uint64_t later = search->at[other] + edit->pairs;
    for (; found < script->count && found <= index + GAPS_BETWEEN; found++) {
        const struct edit *next = &script->edits[found];
        const uint64_t here = search->at[side];
        if (next->skip[other] == count && !next->skip[side] &&
            search_same_flows(search, side ? later : here, side ? here : later, count))
            break;
        later += search_positions(next, other);
    }
    if (found == script->count || found > index + GAPS_BETWEEN) found = 0; /* there is none */
    const bool is_handler =
        unit_returns(search->diff->isa, search_unit(search, side, search->at[side] + count - 1));
    if (!found || !search_is_move(search, index, found, side, later))
        return script_add(&search->made, edit->skip[0], edit->skip[1], edit->pairs);
    if (is_handler) {
        uint64_t handlers[2];
        handlers[side] = search->at[side];
        handlers[other] = later;
        search_drop_events(search, handlers);
    }
    /* The instructions that it moves over, without those that were taken away. */
    uint64_t distance = later - search->at[other];
    for (size_t i = 0; i < search->taken_count[other]; i++) {
        const struct moved_run *moved = &search->taken[other][i];
        if (moved->at >= search->at[other] && moved->at < later) distance -= moved->count;
    }
    const struct edit moved = {
        .pairs = count + edit->pairs,
        .move = {(uint32_t)distance, count, (uint8_t)other, is_handler},
    };
    if (!array_reserve(&search->taken[other], &search->taken_capacity[other],
                       search->taken_count[other] + 1) ||
        !script_append(&search->made, &moved))
        return false;
    /* its position stays counted */
    search->taken[other][search->taken_count[other]++] = (struct moved_run){later, count};
    search->script->edits[found].skip[other] = 0;
    search->script->edits[found].move = (struct move){.count = count, .side = (uint8_t)other};
    return true;
}

/* A gap of both sides, whose instructions may be the same ones with the same effects in another
 * order: then each comes from its place among those of the right side that remain. */
static bool search_add_two_sided(struct move_search *search, const struct edit *edit)
{
    uint64_t rest[ORDER_MAXIMUM];
    uint32_t places[ORDER_MAXIMUM];
    const uint32_t count = edit->skip[0];
    bool reordered = count == edit->skip[1] && count <= ORDER_MAXIMUM, good = true;
    for (uint32_t i = 0; i < count && reordered; i++)
        rest[i] = search_unit(search, 1, search->at[1] + i)->whole;
    for (uint32_t i = 0; i < count && reordered; i++) {
        const uint64_t whole = search_unit(search, 0, search->at[0] + i)->whole;
        uint32_t place = 0;
        while (place < count - i && rest[place] != whole) place++;
        reordered = place < count - i;
        places[i] = place;
        for (uint32_t j = place; j + 1 < count - i; j++) rest[j] = rest[j + 1];
    }
    if (!reordered) return script_add(&search->made, count, edit->skip[1], edit->pairs);
    for (uint32_t i = 0; good && i < count; i++) {
        const struct edit moved = {.pairs = 1, .move = {places[i], 1, 1, false}};
        good =
            places[i] ? script_append(&search->made, &moved) : script_add(&search->made, 0, 0, 1);
    }
    return good && script_add(&search->made, 0, 0, edit->pairs);
}

bool find_moves(struct spoor_diff *diff, struct cpu_pair *cpu_pair, struct script *script)
{
    struct move_search search = {.diff = diff, .cpu_pair = cpu_pair, .script = script};
    bool good = search_find_returns(&search, 0) && search_find_returns(&search, 1);
    for (size_t i = 0; good && i < script->count; i++) {
        const size_t walked = search_add_walk(&search, i, &good);
        if (walked) {
            i += walked - 1;
            continue;
        }
        const struct edit edit = script->edits[i];
        if (edit.skip[0] && edit.skip[1])
            good = search_add_two_sided(&search, &edit);
        else if (edit.skip[0] || edit.skip[1])
            good = search_add_one_sided(&search, i);
        else
            good = script_add(&search.made, 0, 0, edit.pairs);
        for (unsigned side = 0; side < 2; side++) search.at[side] += search_positions(&edit, side);
    }
    for (unsigned side = 0; side < 2; side++) {
        free(search.taken[side]);
        free(search.returns[side].items);
    }
    search.made.cost = script->cost;
    struct script old = good ? *script : search.made;
    if (good) *script = search.made;
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
