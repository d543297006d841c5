/* SPDX-License-Identifier: MIT */
/* cpu_pair.c: the two queues of one processor: counts pairs, gaps and omissions. */
#include <stdlib.h>

#include "compare/compare.h"

enum { MIN_TRUST = 256 };

struct cpu_pair *cpu_pair_new(spoor_name cpu)
{
    struct cpu_pair *cpu_pair = calloc(1, sizeof *cpu_pair);
    if (!cpu_pair) return NULL;
    cpu_pair->cpu = cpu;
    cpu_pair->trust = MIN_TRUST;
    cpu_pair->widened = UINT64_MAX;
    if (unit_queue_start(&cpu_pair->queues[0]) && unit_queue_start(&cpu_pair->queues[1]))
        return cpu_pair;
    cpu_pair_free(cpu_pair);
    return NULL;
}

void cpu_pair_free(struct cpu_pair *cpu_pair)
{
    unit_queue_free(&cpu_pair->queues[0]);
    unit_queue_free(&cpu_pair->queues[1]);
    hash_map_free(&cpu_pair->memory.words);
    script_free(&cpu_pair->plan);
    omission_free(cpu_pair->omission);
    free(cpu_pair->registers);
    free(cpu_pair);
}

bool units_similar(const struct unit *left, const struct unit *right)
{
    if (left->flow == right->flow) return true;
    if (left->kind != right->kind) return false;
    unsigned both = left->has & right->has;
    if ((both & UNIT_HAS_PC) && left->pc == right->pc) return true;
    return (both & UNIT_HAS_OPCODE) && left->opcode_size && left->opcode == right->opcode;
}

/* ---- moving the heads ---- */

void cpu_pair_step(struct spoor_diff *diff, struct cpu_pair *cpu_pair)
{
    cpu_pair->queues[0].head++;
    cpu_pair->queues[1].head++;
    cpu_pair->pairs++;
    diff->counts.compared++;
}

void cpu_pair_match(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                    const struct comparison *comparison)
{
    for (int i = 0; i < SPOOR_TOLERANCES; i++)
        diff->counts.tolerated[i] += comparison->tolerated[i];
    for (unsigned side = 0; side < 2; side++) {
        for (int part = 0; part < UNIT_PARTS; part++)
            diff->counts.unstated[side][part] += comparison->unstated[side][part];
        diff->counts.unnamed_results[side] += comparison->unnamed_results[side];
        diff->counts.unstated_further[side] += comparison->unstated_further[side];
    }
    for (unsigned i = 0; i < comparison->rule_count; i++) comparison->rules[i]->uses++;
    if (comparison->count) {
        struct writers writers;
        retain_writers(diff, cpu_pair, comparison, &writers);
        uint32_t taint = TAINT_NONE;
        const enum cause cause = roots_of(diff, cpu_pair, comparison, &taint);
        retain_pair(diff, cpu_pair, comparison, &writers, cause, taint);
    } else {
        roots_agree(diff, cpu_pair, comparison);
    }
    cpu_pair_step(diff, cpu_pair);
}

/* Returns the class of a gap. */
static enum spoor_diff_class cpu_pair_gap_class(const struct spoor_diff *diff,
                                                const struct cpu_pair *cpu_pair,
                                                const uint64_t skipped[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_queue *queue = &cpu_pair->queues[side];
        if (skipped[side] == 0 || queue->head >= queue->complete) continue;
        if (cpu_pair_is_trap(cpu_pair, side, unit_at(queue, queue->head))) return SPOOR_DIFF_EVENT;
        if (queue->head > queue->units.first) {
            const struct unit *before = unit_at(queue, queue->head - 1);
            const struct effect *effects = unit_effects(queue, before);
            for (unsigned i = 0; i < before->effect_count; i++)
                if (effects[i].kind == EFFECT_EVENT) return SPOOR_DIFF_EVENT;
        }
        const uint64_t last = queue->head + skipped[side] - 1;
        if (!skipped[1 - side] && last < queue->complete &&
            unit_returns(diff->isa, unit_at(queue, last)))
            return SPOOR_DIFF_EVENT;
    }
    if (skipped[0] && skipped[1]) return SPOOR_DIFF_FLOW;
    const struct unit_queue *queue = &cpu_pair->queues[skipped[1] != 0];
    if (skipped[0] + skipped[1] == 1 && queue->head != queue->units.first &&
        queue->head < queue->complete) {
        /* The only unit is the one before it once more, and no branch to itself. */
        const struct unit *unit = unit_at(queue, queue->head);
        struct operands operands = {.branch = true};
        if (unit->kind == UNIT_INSTRUCTION && unit->whole == (unit - 1)->whole)
            operands_of(unit, unit_text(queue, unit), diff->isa, diff->names, &diff->operand_names,
                        NULL, &operands);
        if (!operands.branch) return SPOOR_DIFF_DOUBLED;
    }
    for (unsigned side = 0; side < 2; side++)
        if (skipped[side] == 0 && diff->ended[side] &&
            cpu_pair->queues[side].head == cpu_pair->queues[side].complete)
            return SPOOR_DIFF_TRUNCATION;
    return skipped[1] ? SPOOR_DIFF_EXTRA : SPOOR_DIFF_MISSING;
}

static bool cpu_pair_accept_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                const uint64_t skipped[2], enum spoor_diff_class class)
{
    enum spoor_tolerance tolerance =
        class == SPOOR_DIFF_TRUNCATION ? SPOOR_TOLERATE_TAIL : SPOOR_TOLERATE_ONE_SIDED_EVENT;
    /* a processor of one trace alone is no longer trace */
    bool applies = (class == SPOOR_DIFF_TRUNCATION && cpu_pair->pairs) ||
                   (class == SPOOR_DIFF_EVENT && !(skipped[0] && skipped[1]));
    if (applies && tolerates(diff, tolerance)) {
        diff->counts.tolerated[tolerance]++;
        return true;
    }
    const struct unit *units[2];
    for (unsigned side = 0; side < 2; side++)
        units[side] =
            skipped[side] ? unit_at(&cpu_pair->queues[side], cpu_pair->queues[side].head) : NULL;
    struct rule *waiver = rule_waives(diff, cpu_pair, (uint8_t) class, units[0], units[1], NULL);
    if (!waiver) return false;
    waiver->uses++;
    diff->counts.causes[CAUSE_WAIVED]++;
    return true;
}

void cpu_pair_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left, uint64_t right)
{
    const uint64_t skipped[2] = {left, right};
    enum spoor_diff_class class = cpu_pair_gap_class(diff, cpu_pair, skipped);
    bool accepted = cpu_pair_accept_gap(diff, cpu_pair, skipped, class);
    const uint32_t taint =
        retain_gap(diff, cpu_pair, skipped, (uint8_t) class, cpu_pair->branch, accepted);
    roots_gap(diff, cpu_pair, skipped, taint);
    for (unsigned side = 0; side < 2; side++) cpu_pair->queues[side].head += skipped[side];
    cpu_pair->branch = TAINT_NONE;
    cpu_pair->agreed = 0;
}

/* Counts the unit at the head of a side, which the other side omits. */
static void cpu_pair_count_omitted(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                                   unsigned side)
{
    enum { PLACES = 1 << 16 };
    const struct unit_queue *queue = &cpu_pair->queues[side];
    const struct unit *unit = unit_at(queue, queue->head);
    struct hash_map *places = &diff->omitted[1 - side];
    const struct effect *effects = unit_effects(queue, unit);
    enum omitted_kind kind = OMITTED_OTHER;
    for (unsigned i = 0; i < unit->effect_count && kind != OMITTED_STORE; i++) {
        const unsigned effect = effects[i].kind;
        if (effect == EFFECT_WRITE || effect == EFFECT_UPDATE)
            kind = OMITTED_STORE;
        else if (effect == EFFECT_READ)
            kind = OMITTED_LOAD;
        else if (effect == EFFECT_REGISTER && kind == OMITTED_OTHER)
            kind = OMITTED_REGISTER;
    }
    diff->omitted_kinds[1 - side][kind]++;
    if (!(unit->has & UNIT_HAS_PC)) return;
    struct omitted_place *place = hash_map_find(places, unit->pc, sizeof *place);
    bool added = false;
    if (!place && places->count < PLACES) {
        place = hash_map_add(places, unit->pc, sizeof *place, &added);
        diff->out_of_memory |= !place;
    }
    if (!place) return;
    if (added) place->kind = (uint8_t)kind;
    place->count++;
}

void cpu_pair_omit(struct spoor_diff *diff, struct cpu_pair *cpu_pair, uint64_t left,
                   uint64_t right)
{
    const uint64_t skipped[2] = {left, right};
    for (unsigned side = 0; side < 2; side++) {
        const uint64_t count = skipped[side];
        diff->counts.omitted[1 - side] += count;
        diff->counts.omitted_places[1 - side] += count != 0;
        if (cpu_pair->pairs == 0) diff->counts.omitted_first[1 - side] += count;
        for (uint64_t i = 0; i < count; i++) {
            cpu_pair_count_omitted(diff, cpu_pair, side);
            roots_write_side(diff, cpu_pair, side, cpu_pair->queues[side].head++);
        }
    }
    cpu_pair->agreed = 0;
}
