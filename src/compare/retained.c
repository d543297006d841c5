/* SPDX-License-Identifier: MIT */
/* retained.c: retains copies of differences for the report: the first ones in full, the very first
 * with its context, all of them in counts. */
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "compare/compare.h"
#include "isa/code_bytes.h"
#include "isa/riscv_zc.h"

/* ---- copies ---- */

static void retained_copy_unit(struct spoor_diff *diff, const struct unit_queue *queue,
                               uint64_t ordinal, struct unit_copy *copy)
{
    *copy = (struct unit_copy){0};
    if (ordinal < queue->units.first || ordinal >= queue->complete) return;
    const struct unit *unit = unit_at(queue, ordinal);
    copy->unit = *unit;
    copy->effects = calloc(unit->effect_count + 1U, sizeof *copy->effects);
    size_t wide = 1;
    const struct effect *effects = unit_effects(queue, unit);
    for (unsigned i = 0; i < unit->effect_count; i++)
        if (effects[i].has & EFFECT_HAS_BYTES) wide += effects[i].size / 8;
    copy->text = calloc(unit->text_size + 1U, 1);
    copy->wide = calloc(wide, 1);
    if (!copy->effects || !copy->text || !copy->wide) {
        diff->out_of_memory = true;
        return;
    }
    copy->there = true;
    if (unit->effect_count)
        memcpy(copy->effects, unit_effects(queue, unit),
               unit->effect_count * sizeof *copy->effects);
    if (unit->text_size) memcpy(copy->text, unit_text(queue, unit), unit->text_size);
    size_t used = 0;
    for (unsigned i = 0; i < unit->effect_count; i++) {
        struct effect *effect = &copy->effects[i];
        if (!(effect->has & EFFECT_HAS_BYTES)) continue;
        memcpy(copy->wide + used, deque_at(&queue->text, effect->physical), effect->size / 8);
        effect->physical = used; /* in the copy, a place in `wide` */
        used += effect->size / 8;
    }
    /* Adds the text of an instruction that its trace does not print. */
    enum { TEXT = 100 };
    if (!diff->options.disassemble || unit->text_size || !(unit->has & UNIT_HAS_OPCODE) ||
        !unit->opcode_size)
        return;
    char *text = calloc(TEXT, 1);
    if (!text) {
        diff->out_of_memory = true;
        return;
    }
    uint8_t bytes[8];
    const struct spoor_code_bytes code = {
        unit->pc, bytes, code_bytes(unit->opcode, unit->opcode_size, unit->iset, bytes),
        code_of_opcode(diff->isa, unit->iset, unit->opcode_size)};
    if (diff->isa == ISA_RISCV && riscv_zc_shares(unit->opcode, unit->opcode_size)) {
        riscv_zc_text(unit->pc, unit->opcode, (enum riscv_zc)unit->zc, text, TEXT);
    } else if (!diff->options.disassemble(diff->options.context, &code, text, TEXT)) {
        free(text);
        return;
    }
    free(copy->text);
    copy->text = text;
    copy->unit.text_size = (uint32_t)strlen(text);
}

static void retained_free_copy(struct unit_copy *copy)
{
    free(copy->effects);
    free(copy->text);
    free(copy->wide);
}

/* Of the roots, and of the consequences, the first ones are retained. */
static bool retained_has_room(const struct spoor_diff *diff, bool consequence)
{
    return diff->retained_causes[consequence] < diff->options.retained;
}

/* ---- last writers of wrong registers ---- */

static void retained_add_writer(const struct cpu_pair *cpu_pair, struct writers *writers,
                                spoor_name name)
{
    if (!name || name >= cpu_pair->register_capacity || writers->count == MAX_WRITERS) return;
    const struct register_state *state = &cpu_pair->registers[name];
    if (!state->known) return;
    for (unsigned i = 0; i < writers->count; i++)
        if (writers->items[i].name == name) return;
    struct last_writer *writer = &writers->items[writers->count++];
    *writer = (struct last_writer){
        .name = name, .known = state->known, .back = cpu_pair->pairs - state->pair};
    memcpy(writer->record, state->record, sizeof writer->record);
    memcpy(writer->line, state->line, sizeof writer->line);
}

void retain_writers(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                    const struct comparison *comparison, struct writers *writers)
{
    const struct unit *unit = unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head);
    const struct effect *effects = unit_effects(&cpu_pair->queues[0], unit);
    struct operands operands;
    writers->count = 0;
    if (!retained_has_room(diff, false) && !retained_has_room(diff, true)) return;
    const struct isa_vtype vtype = vector_type(diff, cpu_pair, 0);
    operands_of(unit, unit_text(&cpu_pair->queues[0], unit), diff->isa, diff->names,
                &diff->operand_names, &vtype, &operands);
    for (unsigned i = 0; i < operands.read_count; i++) {
        /* vl, vtype and other control registers that every instruction of a kind reads are left
         * out, unless they are wrong. */
        enum { CSRS = ISA_REGISTERS - ISA_RISCV_CSR, FIRST = ISA_RISCV_CSR - ISA_RISCV_VECTOR };
        const spoor_name name = operands.reads[i];
        const bool implied =
            name >= cpu_pair->register_capacity || cpu_pair->registers[name].taint == TAINT_NONE;
        unsigned csr = 0;
        while (csr < CSRS && diff->operand_names.riscv[FIRST + csr] != name) csr++;
        if (csr == CSRS || !implied) retained_add_writer(cpu_pair, writers, name);
    }
    for (unsigned i = 0; i < comparison->count && i < MAX_DIFFERENCES; i++) {
        int left = comparison->items[i].effects[0];
        if (left >= 0 && effects[left].kind == EFFECT_REGISTER)
            retained_add_writer(cpu_pair, writers, effects[left].name);
    }
}

/* ---- differences ---- */

/* Returns the position of a side: the unit at its head, or its last unit. */
static void retained_place_of(const struct unit_queue *queue, uint64_t *record, uint64_t *line)
{
    bool there = queue->head < queue->complete;
    uint64_t ordinal = there ? queue->head : queue->head - 1;
    if (ordinal < queue->units.first || ordinal >= deque_end(&queue->units)) return;
    const struct unit *unit = unit_at(queue, ordinal);
    *record = unit->record + (there ? 0 : unit->records);
    *line = unit->line ? unit->line + (there ? 0 : unit->lines) : 0;
}

uint32_t retained_taint(const struct spoor_diff *diff)
{
    const size_t taint = TAINT_WRONG + diff->retained_count;
    return retained_has_room(diff, false) && taint < TAINT_UNTRACED ? (uint32_t)taint
                                                                    : TAINT_UNTRACED;
}

/* Returns a new entry for a root, or for a consequence of the root that `taint` names; NULL if
 * enough of them are retained. */
static struct retained_difference *retained_next(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                                 bool consequence, uint32_t taint)
{
    const size_t root = consequence && taint != TAINT_UNTRACED ? taint - TAINT_WRONG + 1 : 0;
    if (root && root <= diff->retained_count) diff->retained[root - 1].consequences++;
    if (!retained_has_room(diff, consequence)) {
        for (unsigned side = 0; side < 2; side++) {
            uint64_t record = 0, line, *first = &diff->unretained_first[side];
            retained_place_of(&cpu_pair->queues[side], &record, &line);
            if (!diff->unretained || record < *first) *first = record;
        }
        diff->unretained++;
        return NULL;
    }
    if (!array_reserve(&diff->retained, &diff->retained_capacity, diff->retained_count + 1)) {
        diff->out_of_memory = true;
        return NULL;
    }
    struct retained_difference *retained = &diff->retained[diff->retained_count++];
    diff->retained_causes[consequence]++;
    *retained = (struct retained_difference){
        .cpu = cpu_pair->cpu,
        .cause = consequence ? CAUSE_CONSEQUENCE : CAUSE_ROOT,
        .root = root,
    };
    return retained;
}

/* Copies the units before the heads and, unless `width` is NULL, those after the difference. */
static void retain_context(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                           struct retained_difference *retained, const uint64_t width[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_queue *queue = &cpu_pair->queues[side];
        for (uint64_t i = 0; i < CONTEXT; i++) {
            if (queue->head > i)
                retained_copy_unit(diff, queue, queue->head - 1 - i,
                                   &retained->before[CONTEXT - 1 - i][side]);
            if (width)
                retained_copy_unit(diff, queue, queue->head + width[side] + i,
                                   &retained->after[i][side]);
        }
    }
}

static void retain_side(struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                        struct retained_difference *retained, unsigned side)
{
    const struct unit_queue *queue = &cpu_pair->queues[side];
    retained_copy_unit(diff, queue, queue->head, &retained->units[side]);
    retained_place_of(queue, &retained->record[side], &retained->line[side]);
}

/* Two stores of which each has on one side what the other has on the other side: a store buffer
 * that exchanged them.  Both are counted as that. */
static void retained_find_exchange(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                                   const struct comparison *comparison,
                                   struct retained_difference *retained)
{
    enum { NEAR = 64 };
    const struct difference *item = &comparison->items[0];
    if (comparison->count != 1 ||
        (item->class != SPOOR_DIFF_MEMORY_ADDRESS && item->class != SPOOR_DIFF_MEMORY_DATA))
        return;
    struct wrong_store *before = &cpu_pair->wrong_store;
    struct wrong_store store = {.pair = cpu_pair->pairs + 1,
                                .class = item->class,
                                .retained = retained ? diff->retained_count : 0};
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_queue *queue = &cpu_pair->queues[side];
        const struct effect *effect =
            &unit_effects(queue, unit_at(queue, queue->head))[item->effects[side]];
        if (effect->kind != EFFECT_WRITE) return;
        store.address[side] = effect->address;
        store.data[side] = effect->value[0];
    }
    const bool exchanged = before->pair && store.pair - before->pair <= NEAR &&
                           before->address[0] == store.address[1] &&
                           before->address[1] == store.address[0] &&
                           before->data[0] == store.data[1] && before->data[1] == store.data[0];
    if (exchanged) {
        diff->counts.by_class[before->class]--;
        diff->counts.by_class[store.class]--;
        diff->counts.by_class[SPOOR_DIFF_EXCHANGED] += 2;
        struct retained_difference *const both[2] = {
            before->retained ? &diff->retained[before->retained - 1] : NULL, retained};
        for (unsigned i = 0; i < 2; i++) {
            if (!both[i]) continue;
            both[i]->class = SPOOR_DIFF_EXCHANGED;
            both[i]->comparison.items[0].class = SPOOR_DIFF_EXCHANGED;
        }
        store.pair = 0;
    }
    *before = store;
}

void retain_pair(struct spoor_diff *diff, struct cpu_pair *cpu_pair,
                 const struct comparison *comparison, const struct writers *writers,
                 enum cause cause, uint32_t taint)
{
    static const uint64_t one[2] = {1, 1};
    diff->counts.causes[cause]++;
    if (cause == CAUSE_WAIVED || cause == CAUSE_VOLATILE) return;
    uint8_t class = comparison->items[0].class;
    const struct unit *left = unit_at(&cpu_pair->queues[0], cpu_pair->queues[0].head);
    diff->counts.mismatches++;
    diff->counts.by_class[class]++;
    char mnemonic[MAX_MNEMONIC];
    mnemonic_of(left, unit_text(&cpu_pair->queues[0], left), diff->isa, mnemonic);
    size_t at = 0;
    while (at < diff->mnemonic_count && strcmp(diff->mnemonics[at].mnemonic, mnemonic) != 0) at++;
    if (at == diff->mnemonic_count && at < MAX_MNEMONICS) {
        if (array_reserve(&diff->mnemonics, &diff->mnemonic_capacity, at + 1)) {
            diff->mnemonics[at] = (struct mnemonic_count){0};
            memcpy(diff->mnemonics[at].mnemonic, mnemonic, sizeof mnemonic);
            diff->mnemonic_count++;
        } else {
            diff->out_of_memory = true;
        }
    }
    if (at < diff->mnemonic_count) {
        diff->mnemonics[at].roots += cause == CAUSE_ROOT;
        diff->mnemonics[at].consequences += cause != CAUSE_ROOT;
    }
    bool first = diff->retained_count == 0;
    struct retained_difference *retained =
        retained_next(diff, cpu_pair, cause == CAUSE_CONSEQUENCE, taint);
    if (diff->options.first_only) diff->stop = true;
    if (retained) {
        retained->class = class;
        retained->comparison = *comparison;
    }
    retained_find_exchange(diff, cpu_pair, comparison, retained);
    if (!retained) return;
    retained->writers = *writers;
    for (unsigned side = 0; side < 2; side++) retain_side(diff, cpu_pair, retained, side);
    if (first) retain_context(diff, cpu_pair, retained, one);
}

uint32_t retain_gap(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const uint64_t skipped[2],
                    uint8_t class, uint32_t taint, bool accepted)
{
    const bool consequence = taint_is_wrong(taint);
    struct retained_gap gap = {.skipped = {skipped[0], skipped[1]},
                               .class = class,
                               .consequence = consequence,
                               .cpu = cpu_pair->cpu};
    for (unsigned side = 0; side < 2; side++) diff->counts.skipped[side] += skipped[side];
    cpu_pair->last_gap = cpu_pair->last_retained = 0;
    if (accepted) {
        diff->counts.gaps_accepted++;
        return consequence ? taint : TAINT_UNTRACED;
    }
    if (!consequence) taint = retained_taint(diff);
    diff->counts.gaps++;
    diff->counts.by_class[class]++;
    for (unsigned side = 0; side < 2; side++)
        retained_place_of(&cpu_pair->queues[side], &gap.record[side], &gap.line[side]);
    if (diff->gap_count < MAX_GAPS) {
        if (array_reserve(&diff->gaps, &diff->gap_capacity, diff->gap_count + 1)) {
            diff->gaps[diff->gap_count++] = gap;
            cpu_pair->last_gap = diff->gap_count;
        } else {
            diff->out_of_memory = true;
        }
    }
    if (diff->options.first_only) diff->stop = true;
    bool first = diff->retained_count == 0;
    struct retained_difference *retained = retained_next(diff, cpu_pair, consequence, taint);
    if (!retained) return taint;
    cpu_pair->last_retained = diff->retained_count;
    retained->gap = true;
    retained->class = class;
    for (unsigned side = 0; side < 2; side++) {
        retained->skipped[side] = skipped[side];
        retain_side(diff, cpu_pair, retained, side);
    }
    if (first) retain_context(diff, cpu_pair, retained, skipped);
    return taint;
}

void retain_move(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move)
{
    struct diff_counts *counts = &diff->counts;
    const uint8_t class = move->interrupt ? SPOOR_DIFF_MOVED_EVENT : SPOOR_DIFF_RETIRED_ORDER;
    if (move->interrupt && tolerates(diff, SPOOR_TOLERATE_MOVED_EVENT)) {
        counts->tolerated[SPOOR_TOLERATE_MOVED_EVENT]++;
        return;
    }
    if (move->interrupt) counts->moved_sides |= (uint8_t)(1U << move->side);
    if (!counts->moves[move->interrupt] || move->after < counts->least_moved[move->interrupt])
        counts->least_moved[move->interrupt] = move->after;
    if (move->after > counts->most_moved[move->interrupt])
        counts->most_moved[move->interrupt] = move->after;
    counts->moves[move->interrupt]++;
    counts->by_class[class]++;
    const bool first = diff->retained_count == 0;
    struct retained_difference *retained = retained_next(diff, cpu_pair, false, TAINT_NONE);
    if (diff->options.first_only) diff->stop = true;
    if (!retained) return;
    retained->class = class;
    retained->move = *move;
    retained->comparison.count = 1;
    retained->comparison.items[0] = (struct difference){.class = class, .effects = {-1, -1}};
    if (first) retain_context(diff, cpu_pair, retained, NULL); /* that of the earlier place */
    struct unit_queue *queue = &cpu_pair->queues[move->side];
    queue->head += move->after;
    for (unsigned side = 0; side < 2; side++) retain_side(diff, cpu_pair, retained, side);
    queue->head -= move->after;
}

void retained_free(struct spoor_diff *diff)
{
    for (size_t i = 0; i < diff->retained_count; i++) {
        struct retained_difference *retained = &diff->retained[i];
        for (unsigned side = 0; side < 2; side++) {
            retained_free_copy(&retained->units[side]);
            for (unsigned j = 0; j < CONTEXT; j++) {
                retained_free_copy(&retained->before[j][side]);
                retained_free_copy(&retained->after[j][side]);
            }
        }
    }
    free(diff->retained);
    free(diff->gaps);
    free(diff->mnemonics);
}
