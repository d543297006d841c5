/* SPDX-License-Identifier: MIT */
/*
 * align.c: continues two queues after a pair that differs.
 *
 * Control flow decides.  While both sides execute the same instructions, each pair is a pair,
 * whatever the values.  Where the flow diverges, the cheapest edit script over the lookahead
 * decides which instructions are skipped on which side, and where the sides converge again.  A gap
 * that could stand in several places (identical iterations of a loop) stands where the fewest
 * values differ.  The script is applied up to the middle of the window.  The rest is decided again
 * with more units in the window, so a better explanation found later replaces an earlier one.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "base/hash_map.h"
#include "compare/compare.h"

enum {
    COST_SMALL = 256, /* maximum cost of the scripts that are searched first */
    COST_LARGE =
        2048, /* maximum cost of the search that follows if anchors give no cheaper script */
    PAIRS_FOR_COST = 1, /* pairs that a script cut off by its cost must explain for each unit of
                         * cost */
    TRUST_MAXIMUM = 1 << 16,
    EVIDENCE = 8192,     /* minimum number of units in the window after a short lookahead */
    WINDOW_FIRST = 4096, /* units that suffice where the end of the script occurs once */
    HELD = 65536, /* pairs with wrong values wait for this many pairs of one flow after them: only
                     the end of a loop shows that an iteration is missing */
    NUMBERS = 4,  /* numbers for each unit: flow, place, opcode, whole */
};

/* Returns the sides that have fewer than `count` units and have not ended. */
static unsigned align_needs(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                            uint64_t count)
{
    unsigned needs = 0;
    for (unsigned side = 0; side < 2 && !diff->hurry; side++)
        if (!diff->ended[side] && unit_count(&cpu_pair->queues[side]) < count) needs |= 1U << side;
    return needs;
}

/* ---- the window ---- */

/* Finds which of the loaded units write a register that is no control register. */
static void align_load_writes(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t skip,
                              const struct symbols sides[2])
{
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side].count; i++) {
            const struct unit *unit = unit_ahead(cpu_pair, side, skip + i);
            const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
            bool writes = false;
            for (unsigned j = 0; j < unit->effect_count && !writes; j++)
                writes =
                    effects[j].kind == EFFECT_REGISTER &&
                    !(cpu_pair_register_is(diff, cpu_pair, effects[j].name) & REGISTER_CONTROL);
            diff->windows[side].writes[i] = writes;
        }
}

/* Loads up to `count` units of each side, from `skip` on, as numbers; false if memory runs out. */
static bool align_load(struct spoor_diff *diff, const struct cpu_pair *cpu_pair, uint64_t skip,
                       uint64_t count, struct symbols sides[2])
{
    for (unsigned side = 0; side < 2; side++) {
        struct window *window = &diff->windows[side];
        const uint64_t there = unit_count(&cpu_pair->queues[side]) - skip;
        const size_t size = (size_t)(there < count ? there : count);
        if (size > window->capacity || !window->numbers || !window->writes) {
            free(window->numbers);
            free(window->writes);
            window->capacity = size + 1;
            window->numbers = malloc(NUMBERS * window->capacity * sizeof *window->numbers);
            window->writes = malloc(window->capacity * sizeof *window->writes);
            if (!window->numbers || !window->writes) return false;
        }
        uint64_t *flow = window->numbers, *place = flow + size, *opcode = place + size;
        uint64_t *whole = opcode + size;
        for (size_t i = 0; i < size; i++) {
            const struct unit *unit = unit_ahead(cpu_pair, side, skip + i);
            flow[i] = unit->flow;
            if (!(unit->has & UNIT_HAS_PC))
                place[i] = 0;
            else
                place[i] =
                    hash_mix(unit->kind, diff->scope.narrow ? (uint32_t)unit->pc : unit->pc) | 1;
            if (!diff->scope.opcode || !(unit->has & UNIT_HAS_OPCODE) || !unit->opcode_size)
                opcode[i] = 0;
            else
                opcode[i] = hash_mix(unit->kind + 64U, unit->opcode) | 1;
            whole[i] = unit->whole;
        }
        sides[side] = (struct symbols){.flow = flow,
                                       .place = place,
                                       .opcode = opcode,
                                       .whole = whole,
                                       .writes = window->writes,
                                       .count = (uint32_t)size,
                                       .complete = diff->ended[side] && size == there};
    }
    return true;
}

/* ---- the script ---- */

enum found { FOUND_NOTHING, FOUND_SCRIPT, FOUND_NO_MEMORY };

/* True if a script that was cut off by its cost explains much more than it costs. */
static bool align_is_good(const struct script *script)
{
    return script->pairs >= RUN_MINIMUM && script->pairs >= PAIRS_FOR_COST * script->cost;
}

/* Returns the number of a script's gaps; *one_sided: no two are on different sides. */
static unsigned align_count_gaps(const struct script *script, bool *one_sided)
{
    unsigned gaps = 0;
    bool on[2] = {false, false};
    for (size_t i = 0; i < script->count; i++) {
        const struct edit *edit = &script->edits[i];
        gaps += (edit->skip[0] | edit->skip[1]) != 0;
        for (unsigned side = 0; side < 2; side++) on[side] |= edit->skip[side] != 0;
    }
    *one_sided = !on[0] || !on[1];
    return gaps;
}

/* Completes `script` to the end of both sides, where no better script is known: a gap for the part
 * that it does not reach, then the common end. */
static bool align_complete(const struct symbols sides[2], struct script *script)
{
    uint32_t rest[2], end = 0;
    for (unsigned side = 0; side < 2; side++) rest[side] = sides[side].count - script->last[side];
    while (end < rest[0] && end < rest[1] &&
           pair_cost(sides, sides[0].count - 1 - end, sides[1].count - 1 - end) == 0)
        end++;
    return script_add(script, rest[0] - end, rest[1] - end, end);
}

static uint64_t align_edit_cost(const struct edit *edit)
{
    const uint64_t skipped = (uint64_t)edit->skip[0] + edit->skip[1];
    return skipped ? GAP_OPEN + GAP_EXTEND * skipped : 0;
}

/* The pairs of one edit. */
struct pair_run {
    size_t edit;
    uint64_t begin[2], end; /* end: on the left side */
    uint64_t cost;          /* of all gaps before it */
};

static struct pair_run align_first_run(const struct script *script)
{
    const struct edit *edit = script->edits;
    return (struct pair_run){.begin = {edit->skip[0], edit->skip[1]},
                             .end = (uint64_t)edit->skip[0] + edit->pairs,
                             .cost = align_edit_cost(edit)};
}

static bool align_next_run(const struct script *script, struct pair_run *run)
{
    const struct edit *edit = &script->edits[run->edit];
    if (run->edit + 1 == script->count) return false;
    for (unsigned side = 0; side < 2; side++)
        run->begin[side] += (uint64_t)edit->pairs + edit[1].skip[side];
    run->edit++;
    run->end = run->begin[0] + edit[1].pairs;
    run->cost += align_edit_cost(&edit[1]);
    return true;
}

/* Ends a script with this number of pairs of one of its edits. */
static void align_end(struct script *script, size_t at, uint32_t pairs)
{
    while (script->count > at + 1) {
        const struct edit *edit = &script->edits[--script->count];
        for (unsigned side = 0; side < 2; side++)
            script->last[side] -= edit->skip[side] + edit->pairs;
        script->pairs -= edit->pairs;
        script->cost -= align_edit_cost(edit);
    }
    const uint32_t dropped = script->edits[at].pairs - pairs;
    for (unsigned side = 0; side < 2; side++) script->last[side] -= dropped;
    script->pairs -= dropped;
    script->edits[at].pairs = pairs;
}

/* Ends a script after the longest run of pairs in the second half of its cost, without the last
 * eighth. */
static void align_end_early(struct script *script)
{
    struct pair_run run = align_first_run(script);
    size_t last = 0;
    do
        if (2 * run.cost <= script->cost ||
            (8 * run.cost <= 7 * script->cost &&
             script->edits[run.edit].pairs >= script->edits[last].pairs))
            last = run.edit;
    while (align_next_run(script, &run));
    align_end(script, last, script->edits[last].pairs);
}

/* Compares a script that was cut off by its cost with one of both sides' whole.  Up to a pair that
 * both have it is the cheapest, and ends there if that is most of it: the search came furthest with
 * a gap whose other side it need not skip any more.  Else what each explains for its cost decides.
 * Where one instruction of a loop is missing each time, no row of the loop occurs once, and anchors
 * pair the wrong iterations.  False if it is not cheaper. */
static bool align_end_where_cheaper(struct script *script, const struct script *whole)
{
    if (script->pairs < RUN_MINIMUM) return false;
    const struct script *scripts[2] = {script, whole};
    struct pair_run runs[2] = {align_first_run(script), align_first_run(whole)};
    size_t last = 0;
    uint32_t pairs = 0;
    uint64_t cost = 0;
    bool cheaper = false, more = true;
    while (more) {
        const unsigned behind = runs[1].end < runs[0].end;
        const uint64_t begin = runs[runs[0].begin[0] < runs[1].begin[0]].begin[0];
        const uint64_t end = runs[behind].end;
        if (runs[0].begin[0] - runs[0].begin[1] == runs[1].begin[0] - runs[1].begin[1] &&
            begin < end) {
            cost = runs[0].cost;
            cheaper = cost < runs[1].cost;
            last = runs[0].edit;
            pairs = (uint32_t)(end - runs[0].begin[0]);
        }
        more = align_next_run(scripts[behind], &runs[behind]);
    }
    if (2 * cost >= script->cost) {
        if (cheaper) align_end(script, last, pairs);
        return cheaper;
    }
    const uint64_t reached = (uint64_t)script->last[0] + script->last[1];
    const uint64_t whole_end = (uint64_t)whole->last[0] + whole->last[1];
    if (script->cost * whole_end >= whole->cost * reached) return false;
    align_end_early(script);
    return true;
}

/* ---- instructions that one side never has ---- */

struct known_flow {
    uint64_t flow;
    bool on[2];
};

/* Pairs all instructions that both sides have, and skips the others; FOUND_NOTHING if what they
 * have is not in one order. */
static enum found align_pair_known(const struct hash_map *flows, const struct symbols sides[2],
                                   struct script *script)
{
    uint32_t at[2] = {0, 0};
    for (;;) {
        uint32_t skip[2], pairs = 0;
        for (unsigned side = 0; side < 2; side++) {
            const uint32_t from = at[side];
            for (; at[side] < sides[side].count; at[side]++) {
                const struct known_flow *known =
                    hash_map_find(flows, sides[side].flow[at[side]], sizeof *known);
                if (known->on[1 - side]) break;
            }
            skip[side] = at[side] - from;
        }
        while (at[0] < sides[0].count && at[1] < sides[1].count &&
               sides[0].flow[at[0]] == sides[1].flow[at[1]]) {
            for (unsigned side = 0; side < 2; side++) at[side]++;
            pairs++;
        }
        if (!pairs && at[0] < sides[0].count && at[1] < sides[1].count) return FOUND_NOTHING;
        if (!pairs) return FOUND_SCRIPT;
        if (!script_add(script, skip[0], skip[1], pairs)) return FOUND_NO_MEMORY;
    }
}

/* The number of instructions that a script skips on a side. */
static uint64_t align_skipped(const struct script *script, unsigned side)
{
    return script->last[side] - script->pairs;
}

/* A script in which each instruction that both sides have is paired: a core that never retires some
 * instructions, a function or the body of a loop that is missing.  It may have many gaps where a
 * cheaper script skips on both sides what both have.  FOUND_NOTHING if there is none, or too little
 * evidence for it. */
static enum found align_find_unknown(const struct symbols sides[2], struct script *script)
{
    enum { EVIDENT = 64 };
    const bool complete = sides[0].complete && sides[1].complete;
    struct hash_map flows = {0};
    bool good = true;
    for (unsigned side = 0; side < 2; side++)
        for (uint32_t i = 0; i < sides[side].count && good; i++) {
            bool added;
            struct known_flow *known =
                hash_map_add(&flows, sides[side].flow[i], sizeof *known, &added);
            if (known) known->on[side] = true;
            good = known != NULL;
        }
    const enum found found = good ? align_pair_known(&flows, sides, script) : FOUND_NO_MEMORY;
    hash_map_free(&flows);
    if (found != FOUND_SCRIPT) return found;
    while (!complete && script->count > 1 &&
           script->edits[script->count - 1].pairs < RUN_MINIMUM) /* ends in agreeing pairs */
        align_end(script, script->count - 2, script->edits[script->count - 2].pairs);
    const bool one_sided = !align_skipped(script, 0) || !align_skipped(script, 1);
    if (script->pairs < (complete && one_sided ? RUN_MINIMUM : EVIDENT)) return FOUND_NOTHING;
    return complete && !align_complete(sides, script) ? FOUND_NO_MEMORY : FOUND_SCRIPT;
}

/* Finds a script that costs more than `script`, which was cut off at COST_SMALL. */
static enum found align_find_dear_script(struct spoor_diff *diff, const struct symbols sides[2],
                                         struct script *script)
{
    struct script anchored = {0};
    bool out_of_memory = false;
    bool found = anchors_align(diff->wavefront, sides, &anchored, 0, &out_of_memory);
    enum found result = out_of_memory ? FOUND_NO_MEMORY : FOUND_SCRIPT;
    bool one_sided;
    bool retain =
        found && align_count_gaps(&anchored, &one_sided) == 1; /* no dearer script is better */
    /* A single gap is not to be believed that is dearer than any script that is searched, where few
     * pairs follow it, and `script` pairs too much for its cost to be a part of a gap.  Of a log
     * that repeats itself, the gap may skip a whole repetition. */
    const bool doubtful = anchored.cost > COST_LARGE && !align_is_good(&anchored) &&
                          script->pairs >= RUN_MINIMUM && script->pairs >= GAP_OPEN * script->cost;
    if (retain && doubtful) {
        align_end_early(script);
        retain = false;
    } else if (result == FOUND_SCRIPT && !retain) {
        unsigned limit = found && anchored.cost < COST_LARGE ? (unsigned)anchored.cost : COST_LARGE;
        enum wavefront_end end = wavefront_align(diff->wavefront, sides, limit, script);
        if (end == WAVEFRONT_NO_MEMORY)
            result = FOUND_NO_MEMORY;
        else if (end == WAVEFRONT_LIMIT && found)
            retain = limit < COST_LARGE || !align_end_where_cheaper(script, &anchored);
        else if (end == WAVEFRONT_LIMIT && sides[0].complete && sides[1].complete)
            result = align_complete(sides, script) ? FOUND_SCRIPT : FOUND_NO_MEMORY;
        else if (end == WAVEFRONT_LIMIT && !align_is_good(script))
            result = FOUND_NOTHING;
    }
    if (result == FOUND_SCRIPT && retain) {
        struct script swapped = *script;
        *script = anchored;
        anchored = swapped;
    }
    script_free(&anchored);
    return result;
}

/* Finds the cheapest script if its cost is small, else one of the lowest cost that the search can
 * find, unless `only_cheap`.  Where it skips instructions of both sides, or is not cheap, one that
 * skips only what the other side never has is the better explanation, unless a side omits some by
 * its nature. */
static enum found align_find_script(struct spoor_diff *diff, const struct symbols sides[2],
                                    struct script *script, bool only_cheap)
{
    if (sides[0].complete && sides[1].complete && (!sides[0].count || !sides[1].count))
        return align_complete(sides, script) ? FOUND_SCRIPT : FOUND_NO_MEMORY;
    const enum wavefront_end end = wavefront_align(diff->wavefront, sides, COST_SMALL, script);
    if (end == WAVEFRONT_NO_MEMORY) return FOUND_NO_MEMORY;
    const bool dear = end == WAVEFRONT_LIMIT, omits = diff->omits[0] || diff->omits[1];
    struct script other = {0};
    enum found unknown = FOUND_NOTHING, found = FOUND_SCRIPT;
    if (!omits && (dear || (align_skipped(script, 0) && align_skipped(script, 1))))
        unknown = align_find_unknown(sides, &other);
    const bool one_sided = !align_skipped(&other, 0) || !align_skipped(&other, 1);
    if (unknown == FOUND_NO_MEMORY)
        found = FOUND_NO_MEMORY;
    else if (dear && (unknown == FOUND_NOTHING || !one_sided))
        found = only_cheap ? FOUND_NOTHING : align_find_dear_script(diff, sides, script);
    /* Else the one decides that skips a smaller share of the instructions that it explains. */
    const uint64_t skips[2] = {align_skipped(&other, 0) + align_skipped(&other, 1),
                               align_skipped(script, 0) + align_skipped(script, 1)};
    const bool skips_less = skips[0] * script->pairs < skips[1] * other.pairs;
    if (found == FOUND_SCRIPT && unknown == FOUND_SCRIPT && (one_sided || skips_less)) {
        struct script swapped = *script;
        *script = other;
        other = swapped;
    }
    script_free(&other);
    return found;
}

/* ---- continuing ---- */

static void align_pair_heads(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    struct comparison comparison;
    units_compare(diff, cpu_pair, unit_ahead(cpu_pair, 0, 0), unit_ahead(cpu_pair, 1, 0),
                  &comparison);
    cpu_pair_match(diff, cpu_pair, &comparison);
}

/* Returns the number of units of each side that suffice for a decision. */
static uint64_t align_window_size(const struct spoor_diff *diff)
{
    const uint64_t lookahead = diff->options.lookahead;
    return lookahead < 2 * EVIDENCE ? lookahead + EVIDENCE : lookahead;
}

/* Makes the script the plan for the units after the `agreed` pairs. */
static bool align_plan(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t agreed,
                       uint64_t maximum, struct script *script)
{
    if (!script_prepend(script, (uint32_t)agreed)) return false;
    place_gaps(diff, cpu_pair, script);
    if (!diff->options.by_record && !find_moves(diff, cpu_pair, script)) return false;
    /* Plans the edits that begin in the first `maximum` units of the left side, and at least one
     * gap. */
    struct script *plan = &cpu_pair->plan;
    uint64_t at = 0;
    bool gap = false, good = true;
    script_clear(plan);
    for (size_t i = 0; i < script->count && good && !(gap && at >= maximum); i++) {
        const struct edit *edit = &script->edits[i];
        gap |= (edit->skip[0] | edit->skip[1] | edit->move.count) != 0;
        at += edit->skip[0];
        uint64_t pairs = edit->pairs;
        if (gap && at + pairs > maximum) pairs = at < maximum ? maximum - at : 1;
        if (pairs > edit->pairs) pairs = edit->pairs;
        good =
            edit->move.count
                ? script_append(plan, &(struct edit){.pairs = (uint32_t)pairs, .move = edit->move})
                : script_add(plan, edit->skip[0], edit->skip[1], (uint32_t)pairs);
        at += edit->pairs;
    }
    cpu_pair->planned = 0;
    cpu_pair->plan_end = cpu_pair->pairs;
    return good;
}

/* ---- a side that omits instructions ---- */

/* True if a script's first gap begins with instructions that the other side never has. */
static bool align_skips_unknown(const struct symbols sides[2], const struct script *script)
{
    enum { LOOKED_AT = 4 };
    const struct edit *edit = script->edits;
    uint32_t at = 0;
    while (!(edit->skip[0] | edit->skip[1])) at += (edit++)->pairs;
    const unsigned side = !edit->skip[0], other = !side;
    for (uint32_t i = at; i < at + edit->skip[side] && i < at + LOOKED_AT; i++)
        for (uint32_t j = 0; j < sides[other].count; j++)
            if (sides[other].flow[j] == sides[side].flow[i]) return false;
    return true;
}

/* Looks for a side that omits instructions; if found, cpu_pair->omission is not NULL. */
static enum found align_recognise(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                  const struct symbols sides[2])
{
    const bool windowed = diff->options.window > 1 || diff->options.window_ticks;
    bool out_of_memory = false;
    if (diff->options.by_record || windowed) return FOUND_NOTHING;
    int side = omission_side(sides, &out_of_memory);
    if (side >= 0) cpu_pair->omission = omission_new((unsigned)side, sides, diff->omits[side]);
    if (out_of_memory || (side >= 0 && !cpu_pair->omission)) return FOUND_NO_MEMORY;
    return side >= 0 ? FOUND_SCRIPT : FOUND_NOTHING;
}

static struct symbols align_symbols_after(const struct symbols *side, uint32_t skip)
{
    struct symbols after = *side;
    after.flow += skip;
    after.place += skip;
    after.opcode += skip;
    if (after.whole) after.whole += skip;
    if (after.writes) after.writes += skip;
    after.count -= skip;
    return after;
}

/* ---- deciding ---- */

/* Searches a script within `size` units; FOUND_NOTHING with `needs`: more of them are needed. */
static enum found align_within(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t agreed,
                               uint64_t size, unsigned *needs)
{
    const bool first = size < align_window_size(diff);
    struct symbols sides[2] = {{0}};
    struct script script = {0};
    enum found found = FOUND_NO_MEMORY;
    *needs = align_needs(diff, cpu_pair, agreed + size);
    if (*needs) return FOUND_NOTHING;
    if (align_load(diff, cpu_pair, agreed, size, sides))
        found = align_find_script(diff, sides, &script, first);
    const bool complete = sides[0].complete && sides[1].complete;
    /* Each gap must be within the lookahead; at the end of a trace it may be longer. */
    for (size_t i = 0; i < script.count && found == FOUND_SCRIPT; i++)
        for (unsigned side = 0; side < 2; side++) {
            const struct edit *edit = &script.edits[i];
            const bool tail = i + 1 == script.count && !edit->pairs && !edit->skip[1 - side];
            if (edit->skip[side] > diff->options.lookahead && !tail) found = FOUND_NOTHING;
        }
    if (found == FOUND_SCRIPT && first && !complete) {
        /* More units would not change a script that ends in a long run that occurs once. */
        const uint32_t pairs = script.edits[script.count - 1].pairs;
        if (pairs < WINDOW_FIRST / 4 ||
            !anchors_confirm(sides, script.last[0] - pairs, script.last[1] - pairs, pairs,
                             &diff->out_of_memory))
            found = FOUND_NOTHING;
    }
    if (found == FOUND_SCRIPT && !script_split(sides, &script)) found = FOUND_NO_MEMORY;
    bool one_sided = false;
    unsigned gaps = found == FOUND_SCRIPT ? align_count_gaps(&script, &one_sided) : 0;
    if (!one_sided) gaps = 0;
    enum found omits = FOUND_NOTHING;
    bool after_gap = false;
    if (found == FOUND_NOTHING || script.cost > COST_SMALL || gaps > first) {
        align_load_writes(diff, cpu_pair, agreed, sides);
        omits = align_recognise(diff, cpu_pair, sides);
        after_gap = omits == FOUND_NOTHING && found == FOUND_SCRIPT && script.count > 1;
        if (after_gap) {
            /* After the first gap: one side begins later as well, or has a stretch of its own.  The
             * script then ends with that gap. */
            const struct edit gap = script.edits[0];
            const struct symbols after[2] = {align_symbols_after(&sides[0], gap.skip[0]),
                                             align_symbols_after(&sides[1], gap.skip[1])};
            omits = align_recognise(diff, cpu_pair, after);
            if (omits == FOUND_SCRIPT) {
                script_clear(&script);
                if (!script_add(&script, gap.skip[0], gap.skip[1], 1)) omits = FOUND_NO_MEMORY;
            }
        }
    }
    if (omits == FOUND_NOTHING && first && !complete && gaps && align_skips_unknown(sides, &script))
        found = FOUND_NOTHING; /* more units may show that a side omits them */
    if (omits == FOUND_NO_MEMORY) found = FOUND_NO_MEMORY;
    if (omits == FOUND_SCRIPT && !after_gap) {
        cpu_pair->plan_end = cpu_pair->pairs + agreed; /* the omissions decide from there on */
        found = FOUND_SCRIPT;
    } else if (found == FOUND_SCRIPT &&
               !align_plan(diff, cpu_pair, agreed, complete ? UINT64_MAX : agreed + size / 2,
                           &script))
        found = FOUND_NO_MEMORY;
    script_free(&script);
    return found;
}

/* The flow diverges `agreed` pairs from the heads on.  Returns the sides from which more units are
 * needed. */
static unsigned align_at(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t agreed)
{
    unsigned needs = 0;
    if (!diff->wavefront) diff->wavefront = wavefront_new();
    enum found found = diff->wavefront ? FOUND_NOTHING : FOUND_NO_MEMORY;
    if (found == FOUND_NOTHING && cpu_pair->widened != cpu_pair->agreed)
        found = align_within(diff, cpu_pair, agreed, WINDOW_FIRST, &needs);
    if (found == FOUND_NOTHING && !needs) {
        cpu_pair->widened = cpu_pair->agreed; /* makes the next call return to this point */
        found = align_within(diff, cpu_pair, agreed, align_window_size(diff), &needs);
    }
    if (needs) return needs;
    diff->out_of_memory |= found == FOUND_NO_MEMORY;
    if (found != FOUND_NOTHING) return 0;
    if (agreed) {
        cpu_pair->plan_end = cpu_pair->pairs + agreed;
    } else if (units_similar(unit_ahead(cpu_pair, 0, 0), unit_ahead(cpu_pair, 1, 0))) {
        /* Similar instructions are paired without a search for a while. */
        cpu_pair->trusted = cpu_pair->pairs + cpu_pair->trust;
        if (cpu_pair->trust < TRUST_MAXIMUM) cpu_pair->trust *= 2;
        align_pair_heads(diff, cpu_pair);
    } else {
        /* The sides never converge: the remaining units are one gap, or, if they are more than the
         * search covers, the cpu pair is lost. */
        uint64_t left = unit_count(&cpu_pair->queues[0]), right = unit_count(&cpu_pair->queues[1]);
        const uint64_t maximum = diff->options.lookahead;
        cpu_pair->lost = !diff->ended[0] || !diff->ended[1] || left > maximum || right > maximum;
        cpu_pair_gap(diff, cpu_pair, left, right);
    }
    return 0;
}

unsigned cpu_pair_align(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    const bool same = same_flow(unit_ahead(cpu_pair, 0, 0), unit_ahead(cpu_pair, 1, 0));
    const bool windowed = diff->options.window > 1 || diff->options.window_ticks;
    if ((windowed && same) ||
        (cpu_pair->pairs < cpu_pair->trusted &&
         units_similar(unit_ahead(cpu_pair, 0, 0), unit_ahead(cpu_pair, 1, 0)))) {
        align_pair_heads(diff, cpu_pair);
        return 0;
    }
    if (cpu_pair->omission) {
        /* Plans for a side that omits instructions, with more units where a few do not suffice. */
        const uint64_t most = align_window_size(diff);
        uint64_t size = omission_wants(cpu_pair->omission);
        enum omission_end end = OMISSION_NONE;
        if (size > most) size = most;
        for (;; size = most) {
            struct symbols sides[2];
            const unsigned wants = align_needs(diff, cpu_pair, size);
            if (wants) return wants;
            if (!align_load(diff, cpu_pair, 0, size, sides)) {
                diff->out_of_memory = true;
                return 0;
            }
            align_load_writes(diff, cpu_pair, 0, sides);
            end = omission_align(cpu_pair->omission, sides, cpu_pair->pairs > 0, &cpu_pair->plan);
            if (end != OMISSION_NONE || size == most) break;
        }
        cpu_pair->planned = 0;
        cpu_pair->plan_end = cpu_pair->pairs;
        diff->out_of_memory |= end == OMISSION_NO_MEMORY;
        if (end != OMISSION_NONE) return 0;
        script_clear(&cpu_pair->plan);
    }
    /* The pairs from the heads on that are the same instruction, as many as decide. */
    const uint64_t left = unit_count(&cpu_pair->queues[0]),
                   right = unit_count(&cpu_pair->queues[1]);
    const uint64_t suffices = diff->options.lookahead < HELD ? diff->options.lookahead : HELD;
    const uint64_t fewer = left < right ? left : right;
    const uint64_t maximum = suffices < fewer ? suffices : fewer;
    const uint64_t head = cpu_pair->queues[0].head;
    uint64_t agreed = cpu_pair->agreed > head ? cpu_pair->agreed - head : 0;
    while (agreed < maximum &&
           same_flow(unit_ahead(cpu_pair, 0, agreed), unit_ahead(cpu_pair, 1, agreed)))
        agreed++;
    cpu_pair->agreed = head + agreed;
    const bool seen = agreed == left || agreed == right;
    unsigned needs = seen ? align_needs(diff, cpu_pair, agreed + 1) : 0;
    if (agreed >= suffices || (agreed && diff->hurry) ||
        (!needs && agreed == left && agreed == right)) {
        align_pair_heads(diff, cpu_pair);
        return 0;
    }
    return needs ? needs : align_at(diff, cpu_pair, agreed);
}
