/* SPDX-License-Identifier: MIT */
/*
 * beside.c: a difference with its context, as rows of both sides next to each other.
 *
 * Instructions that agree share a row, and so do effects on the same register, field or access.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare/describe.h"

enum { EFFECTS_SHOWN = 12, NONE = -1 };

struct beside {
    const struct spoor_diff *diff;
    const struct retained_difference *retained;
    spoor_diff_show *show;
    void *context;
    char unnamed; /* the mark of what looks different, and is no part of the difference */
};

static void beside_put_row(const struct beside *beside, const char *left, const char *right,
                           bool effect, char mark)
{
    const struct spoor_diff_row row = {{left, right}, effect, mark};
    beside->show(beside->context, &row);
}

/* ---- effects ---- */

/* The difference that an effect of a side is part of, from 1; 0: none. */
static unsigned beside_difference(const struct retained_difference *wrong, unsigned side, int index)
{
    for (unsigned i = 0; wrong && i < wrong->comparison.count && i < MAX_DIFFERENCES; i++)
        if (wrong->comparison.items[i].effects[side] == index) return i + 1;
    return 0;
}

/* True for a further field of a record that does not differ and is not shown. */
static bool beside_hides(const struct unit_copy *copy, const struct retained_difference *wrong,
                         unsigned side, unsigned index)
{
    if (copy->effects[index].kind == EFFECT_STATE) return true;
    return copy->effects[index].kind == EFFECT_FIELD && !beside_difference(wrong, side, (int)index);
}

bool effect_is_compared(const struct unit_scope *scope, const struct effect *effect)
{
    switch ((enum effect_kind)effect->kind) {
    case EFFECT_REGISTER: return scope->registers;
    case EFFECT_READ: return scope->reads;
    case EFFECT_EVENT: return scope->events;
    case EFFECT_FIELD: return scope->fields >> effect->name & 1;
    default: return scope->writes;
    }
}

/* `pair`: the indexes of two effects, or NONE; `alone`: the unit is there on one side only. */
static void beside_put_effects(const struct beside *beside, const struct unit_copy units[2],
                               const struct retained_difference *wrong, const int pair[2],
                               char alone)
{
    const struct effect *effects[2] = {NULL, NULL};
    struct words words[2] = {{""}, {""}};
    bool differs = false;
    for (unsigned side = 0; side < 2; side++) {
        if (pair[side] < 0) continue;
        effects[side] = &units[side].effects[pair[side]];
        describe_effect(beside->diff, &units[side], (unsigned)pair[side], &words[side]);
        differs |= beside_difference(wrong, side, pair[side]) > 0;
    }
    char mark = alone;
    if (!alone && differs) mark = !effects[1] ? '<' : !effects[0] ? '>' : '|';
    if (!mark) {
        /* No difference names them, and one may be missing. */
        const struct effect *lone = effects[0] ? effects[0] : effects[1];
        const bool unlike = effects[0] && effects[1]
                                ? (effects[0]->has & effects[1]->has & EFFECT_HAS_VALUE) &&
                                      strcmp(words[0].text, words[1].text) != 0
                                : effect_is_compared(&beside->diff->scope, lone);
        mark = unlike ? beside->unnamed : ' ';
    }
    beside_put_row(beside, words[0].text, words[1].text, true, mark);
}

/* ---- instructions ---- */

/* An instruction, of both sides or of one, with its effects. */
static void beside_put_unit(const struct beside *beside, const struct unit_copy units[2],
                            const struct retained_difference *wrong)
{
    struct words words[2];
    bool used[EFFECTS_SHOWN] = {false};
    const char alone = !units[1].there ? '<' : !units[0].there ? '>' : '\0';
    unsigned counts[2] = {0, 0}; /* of effects */
    for (unsigned side = 0; side < 2; side++) {
        describe_unit(&units[side], &words[side]);
        if (units[side].there) counts[side] = units[side].unit.effect_count;
        if (counts[side] > EFFECTS_SHOWN) counts[side] = EFFECTS_SHOWN;
    }
    /* The instruction itself differs, not what it did. */
    bool differs = !wrong && units[0].unit.flow != units[1].unit.flow;
    for (unsigned i = 0; wrong && i < wrong->comparison.count && i < MAX_DIFFERENCES; i++)
        differs |=
            wrong->comparison.items[i].effects[0] < 0 && wrong->comparison.items[i].effects[1] < 0;
    const char mark = alone ? alone : differs ? '|' : ' ';
    beside_put_row(beside, words[0].text, words[1].text, false, mark);
    for (unsigned i = 0; i < counts[0]; i++) {
        if (beside_hides(&units[0], wrong, 0, i)) continue;
        /* The effect of the right side that belongs beside it. */
        const struct effect *one = &units[0].effects[i];
        const bool named =
            one->kind == EFFECT_REGISTER || one->kind == EFFECT_EVENT || one->kind == EFFECT_FIELD;
        const unsigned difference = beside_difference(wrong, 0, (int)i);
        int partner = NONE;
        if (difference && units[1].there)
            partner = wrong->comparison.items[difference - 1].effects[1];
        for (unsigned j = 0; j < counts[1] && !difference && partner == NONE; j++) {
            const struct effect *other = &units[1].effects[j];
            if (!used[j] && !beside_difference(wrong, 1, (int)j) && one->kind == other->kind &&
                (!named || one->name == other->name))
                partner = (int)j;
        }
        if (partner >= 0 && partner < EFFECTS_SHOWN) used[partner] = true;
        beside_put_effects(beside, units, wrong, (const int[]){(int)i, partner}, alone);
    }
    for (unsigned i = 0; i < counts[1]; i++)
        if (!used[i] && !beside_hides(&units[1], wrong, 1, i))
            beside_put_effects(beside, units, wrong, (const int[]){NONE, (int)i}, alone);
}

/* ---- the instructions after the difference ---- */

/* What it is worth to let two instructions share a row: the same instruction with the same
 * effects, or, at the same distance, the same instruction. */
static unsigned beside_worth(const struct retained_difference *retained, unsigned left,
                             unsigned right)
{
    enum { SAME = 2 * CONTEXT, SAME_FLOW = 1 };
    if (left >= CONTEXT || right >= CONTEXT) return 0;
    const struct unit_copy *one = &retained->after[left][0], *other = &retained->after[right][1];
    if (!one->there || !other->there) return 0;
    if (one->unit.whole == other->unit.whole) return SAME;
    return left == right && one->unit.flow == other->unit.flow ? SAME_FLOW : 0;
}

/* The maximum of that, from these instructions on, in order. */
static unsigned beside_agreement(const struct retained_difference *retained, unsigned i, unsigned j)
{
    if (i >= CONTEXT || j >= CONTEXT) return 0;
    const unsigned here = beside_worth(retained, i, j);
    const unsigned options[] = {here ? here + beside_agreement(retained, i + 1, j + 1) : 0,
                                beside_agreement(retained, i + 1, j),
                                beside_agreement(retained, i, j + 1)};
    unsigned best = options[0];
    for (unsigned n = 1; n < sizeof options / sizeof *options; n++)
        if (options[n] > best) best = options[n];
    return best;
}

static void beside_put_after_row(const struct beside *beside, unsigned left, unsigned right)
{
    const struct retained_difference *retained = beside->retained;
    const struct unit_copy none = {.there = false};
    const struct unit_copy units[2] = {left < CONTEXT ? retained->after[left][0] : none,
                                       right < CONTEXT ? retained->after[right][1] : none};
    if (units[0].there || units[1].there) beside_put_unit(beside, units, NULL);
}

void spoor_diff_rows(const struct spoor_diff *diff, size_t index, spoor_diff_show *show,
                     void *context)
{
    if (index >= diff_count(diff)) return;
    const struct retained_difference *retained = &diff->retained[index];
    struct beside beside = {diff, retained, show, context, '~'};
    for (unsigned i = 0; i < CONTEXT; i++)
        if (retained->before[i][0].there || retained->before[i][1].there)
            beside_put_unit(&beside, retained->before[i], NULL);
    if (!retained->gap) beside_put_unit(&beside, retained->units, retained);
    for (unsigned side = 0; side < 2 && retained->gap; side++) {
        /* The instructions that the other side does not have: the first, and how many more. */
        struct unit_copy units[2] = {{.there = false}, {.there = false}};
        const uint64_t skipped = retained->skipped[side];
        if (!skipped) continue;
        units[side] = retained->units[side];
        beside_put_unit(&beside, units, NULL);
        if (skipped == 1) continue;
        char more[64];
        snprintf(more, sizeof more, "... and %" PRIu64 " more", skipped - 1);
        beside_put_row(&beside, side ? "" : more, side ? more : "", false, side ? '>' : '<');
    }
    beside.unnamed = '|';
    /* Where the traces converge, an instruction may have no partner within the context; after the
     * last that has one, those of one side alone are left out, as they would stand beside nothing.
     */
    unsigned left = 0, right = 0;
    while (beside_agreement(retained, left, right)) {
        const unsigned best = beside_agreement(retained, left, right);
        const unsigned here = beside_worth(retained, left, right);
        if (here && here + beside_agreement(retained, left + 1, right + 1) == best)
            beside_put_after_row(&beside, left++, right++);
        else if (left < CONTEXT && beside_agreement(retained, left + 1, right) == best)
            beside_put_after_row(&beside, left++, CONTEXT);
        else
            beside_put_after_row(&beside, CONTEXT, right++);
    }
    for (; left < CONTEXT && right < CONTEXT; left++, right++)
        beside_put_after_row(&beside, left, right);
}
