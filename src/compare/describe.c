/* SPDX-License-Identifier: MIT */
/* describe.c: writes units, effects and differences as text, and hands out the retained
 * differences one by one. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "compare/describe.h"
#include "isa/riscv_csr.h"
#include "model/options.h"
#include "spoor/field.h"

static const char *describe_name_of(const struct spoor_diff *diff, uint32_t name)
{
    return spoor_names_text(diff->names, (spoor_name)name, NULL);
}

static const char *describe_access_word(const struct effect *effect)
{
    struct spoor_record record = {.kind = SPOOR_MEM, .op = effect->op};
    if (effect->kind == EFFECT_READ) return "read";
    if (effect->kind == EFFECT_WRITE) return "write";
    if (effect->op < SPOOR_MEM_OPS) return spoor_op_name(&record);
    record.kind = SPOOR_BUS;
    record.op = (uint8_t)(effect->op - 128);
    return spoor_op_name(&record);
}

void describe_effect(const struct spoor_diff *diff, const struct unit_copy *copy, unsigned index,
                     struct words *words)
{
    const struct effect *effect = &copy->effects[index];
    char value[80], size[16] = "";
    if (!(effect->has & EFFECT_HAS_VALUE)) {
        snprintf(value, sizeof value, "?");
    } else if (effect->has & EFFECT_HAS_BYTES) {
        /* Of a register over 16 bytes, as many of its highest bytes as there is space for. */
        const uint8_t *bytes = copy->wide + effect->physical;
        size_t left = effect->size / 8;
        while (left > 1 && !bytes[left - 1]) left--;
        size_t used = (size_t)snprintf(value, sizeof value, "0x%x", bytes[--left]);
        for (; left && used + 6 < sizeof value; used += 2)
            snprintf(value + used, sizeof value - used, "%02x", bytes[--left]);
        if (left) snprintf(value + used, sizeof value - used, "...");
    } else if (effect->value[1]) {
        snprintf(value, sizeof value, "0x%" PRIx64 "%016" PRIx64, effect->value[1],
                 effect->value[0]);
    } else {
        snprintf(value, sizeof value, "0x%" PRIx64, effect->value[0]);
    }
    switch ((enum effect_kind)effect->kind) {
    case EFFECT_REGISTER:
        snprintf(words->text, MAX_WORDS, "%s = %s", describe_name_of(diff, effect->name), value);
        return;
    case EFFECT_EVENT:
        snprintf(words->text, MAX_WORDS, "event %s", describe_name_of(diff, effect->name));
        return;
    case EFFECT_FIELD:
        snprintf(words->text, MAX_WORDS, "%s %s", spoor_field_name((enum spoor_field)effect->name),
                 effect->has & EFFECT_IS_TEXT ? "(text)" : value);
        return;
    default: break;
    }
    if (effect->size) snprintf(size, sizeof size, " %u", effect->size);
    snprintf(words->text, MAX_WORDS, "%s%s at 0x%" PRIx64 "%s%s", describe_access_word(effect),
             size, effect->address, effect->has & EFFECT_HAS_VALUE ? " = " : "",
             effect->has & EFFECT_HAS_VALUE ? value : "");
}

void describe_unit(const struct unit_copy *copy, struct words *words)
{
    const struct unit *unit = &copy->unit;
    words->text[0] = '\0';
    if (!copy->there) return;
    int used = 0;
    if (unit->has & UNIT_HAS_PC)
        used += snprintf(words->text, MAX_WORDS, "%08" PRIx64 " ", unit->pc);
    if ((unit->has & UNIT_HAS_OPCODE) && unit->opcode_size)
        used += snprintf(words->text + used, MAX_WORDS - (size_t)used, "%0*" PRIx64 " ",
                         2 * unit->opcode_size, unit->opcode);
    char *text = words->text + used;
    snprintf(text, MAX_WORDS - (size_t)used, "%.*s%s",
             (int)(unit->text_size < 100 ? unit->text_size : 100), copy->text,
             unit->kind == UNIT_PREAMBLE ? "(before the first instruction)" : "");
    for (char *c = text; *c; c++)
        if (*c < ' ') *c = ' ';
}

void describe_field(const struct spoor_diff *diff, const struct retained_difference *retained,
                    unsigned index, struct words *words)
{
    const struct difference *item = &retained->comparison.items[index];
    int side = item->effects[0] >= 0 ? 0 : 1, at = item->effects[side];
    enum spoor_diff_class class = (enum spoor_diff_class)item->class;
    if (at < 0) {
        const char *name = class == SPOOR_DIFF_FLOW              ? "pc"
                           : class == SPOOR_DIFF_MEMORY_PHYSICAL ? "pc_pa"
                                                                 : spoor_diff_class_name(class);
        snprintf(words->text, MAX_WORDS, "%s", name);
        return;
    }
    const struct effect *effect = &retained->units[side].effects[at];
    if (class == SPOOR_DIFF_TIME)
        snprintf(words->text, MAX_WORDS, "%s", spoor_diff_class_name(class));
    else if (item->element)
        snprintf(words->text, MAX_WORDS, "%s[%u]", describe_name_of(diff, effect->name),
                 item->first);
    else if (effect->kind == EFFECT_REGISTER || effect->kind == EFFECT_EVENT)
        snprintf(words->text, MAX_WORDS, "%s", describe_name_of(diff, effect->name));
    else if (effect->kind == EFFECT_FIELD)
        snprintf(words->text, MAX_WORDS, "%s", spoor_field_name((enum spoor_field)effect->name));
    else
        snprintf(words->text, MAX_WORDS, "%s", describe_access_word(effect));
}

/* Finds the two numbers of a difference in the instruction itself. */
static bool describe_head_values(const struct retained_difference *retained,
                                 enum spoor_diff_class class, uint64_t values[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct unit *unit = &retained->units[side].unit;
        switch (class) {
        case SPOOR_DIFF_FLOW: values[side] = unit->pc; break;
        case SPOOR_DIFF_OPCODE: values[side] = unit->opcode; break;
        case SPOOR_DIFF_MEMORY_PHYSICAL: values[side] = unit->physical; break;
        case SPOOR_DIFF_TIME: values[side] = unit->time; break;
        case SPOOR_DIFF_EXECUTED: values[side] = unit->executed; break;
        default: return false;
        }
    }
    return true;
}

static void describe_pair(const struct words *field, const uint64_t values[2], struct words *words)
{
    snprintf(words->text, MAX_WORDS,
             "%.40s: 0x%" PRIx64 " against 0x%" PRIx64 ", bits 0x%" PRIx64 " differ", field->text,
             values[0], values[1], values[0] ^ values[1]);
}

void describe_difference(const struct spoor_diff *diff, const struct retained_difference *retained,
                         unsigned index, struct words *words)
{
    const struct difference *item = &retained->comparison.items[index];
    enum spoor_diff_class class = (enum spoor_diff_class)item->class;
    struct words field, sides[2] = {{"nothing"}, {"nothing"}};
    uint64_t values[2];
    describe_field(diff, retained, index, &field);
    if (item->effects[0] < 0 && item->effects[1] < 0) {
        if (describe_head_values(retained, class, values)) {
            describe_pair(&field, values, words);
            return;
        }
        if (retained->move.count)
            snprintf(words->text, MAX_WORDS, "%u instruction%s later on the %s",
                     retained->move.after, retained->move.after == 1 ? "" : "s",
                     retained->move.side ? "right" : "left");
        else if (class == SPOOR_DIFF_MODE)
            snprintf(words->text, MAX_WORDS, "mode: %.40s against %.40s",
                     describe_name_of(diff, retained->units[0].unit.mode),
                     describe_name_of(diff, retained->units[1].unit.mode));
        else
            snprintf(words->text, MAX_WORDS, "%s", spoor_diff_class_what(class));
        return;
    }
    for (unsigned side = 0; side < 2; side++)
        if (item->effects[side] >= 0)
            describe_effect(diff, &retained->units[side], (unsigned)item->effects[side],
                            &sides[side]);
    if (item->element) {
        describe_pair(&field, item->values, words);
        static const char *const agnostic[] = {
            [AGNOSTIC_NONE] = "",
            [AGNOSTIC_TAIL] = "; after vl, where vtype lets any value stand",
            [AGNOSTIC_MASK] = "; may be masked off, where vtype lets any value stand"};
        size_t used = strlen(words->text);
        if (item->elements > 1)
            used += (size_t)snprintf(words->text + used, MAX_WORDS - used, "; %u more element%s",
                                     item->elements - 1, item->elements == 2 ? "" : "s");
        if (used < MAX_WORDS)
            snprintf(words->text + used, MAX_WORDS - used, "%s", agnostic[item->agnostic]);
        return;
    }
    if (class == SPOOR_DIFF_TIME) {
        for (unsigned side = 0; side < 2; side++)
            values[side] = retained->units[side].effects[item->effects[side]].time;
        snprintf(words->text, MAX_WORDS, "%.80s: time %" PRIu64 " against %" PRIu64, sides[0].text,
                 values[0], values[1]);
        return;
    }
    if (class == SPOOR_DIFF_MEMORY_PHYSICAL) {
        for (unsigned side = 0; side < 2; side++)
            values[side] = retained->units[side].effects[item->effects[side]].physical;
        snprintf(words->text, MAX_WORDS, "%.60s: physical address 0x%" PRIx64 " against 0x%" PRIx64,
                 sides[0].text, values[0], values[1]);
        return;
    }
    if (class == SPOOR_DIFF_EVENT && item->effects[0] >= 0 && item->effects[1] >= 0) {
        const struct effect *left = &retained->units[0].effects[item->effects[0]],
                            *right = &retained->units[1].effects[item->effects[1]];
        const char *part = "number";
        values[0] = left->value[0];
        values[1] = right->value[0];
        if (values[0] == values[1]) {
            const bool address =
                (left->has & right->has & EFFECT_HAS_ADDRESS) && left->address != right->address;
            part = address ? "address" : "value";
            values[0] = address ? left->address : left->physical;
            values[1] = address ? right->address : right->physical;
        }
        snprintf(words->text, MAX_WORDS, "%.60s: %s 0x%" PRIx64 " against 0x%" PRIx64,
                 sides[0].text, part, values[0], values[1]);
        return;
    }
    bool is_value = class >= SPOOR_DIFF_VALUE && class <= SPOOR_DIFF_VALUE_STEP;
    if (is_value) {
        for (unsigned side = 0; side < 2; side++)
            values[side] = retained->units[side].effects[item->effects[side]].value[0];
        if (values[0] != values[1]) {
            describe_pair(&field, values, words);
            return;
        }
    }
    snprintf(words->text, MAX_WORDS, "%.70s against %.70s", sides[0].text, sides[1].text);
}

/* ---- the retained differences ---- */

size_t diff_count(const struct spoor_diff *diff)
{
    return diff->out_of_memory ? 0 : diff->retained_count;
}

uint64_t spoor_diff_unretained(const struct spoor_diff *diff, uint64_t first[2])
{
    for (unsigned side = 0; side < 2; side++) first[side] = diff->unretained_first[side];
    return diff->unretained;
}

bool spoor_diff_difference(const struct spoor_diff *diff, size_t index,
                           struct spoor_difference *difference)
{
    if (index >= diff_count(diff)) return false;
    const struct retained_difference *retained = &diff->retained[index];
    struct spoor_difference made = {
        .kind = (enum spoor_diff_class)retained->class,
        .gap = retained->gap,
        .consequence = retained->cause == CAUSE_CONSEQUENCE,
        .has_root = retained->root != 0,
        .root = retained->root ? retained->root - 1 : 0,
        .consequences = retained->consequences,
        .fields = retained->comparison.count,
    };
    if (diff->cpu_pair_count > 1) made.cpu = spoor_names_text(diff->names, retained->cpu, NULL);
    for (unsigned side = 0; side < 2; side++) {
        const struct unit_copy *copy = &retained->units[side];
        made.record[side] = retained->record[side];
        made.line[side] = retained->line[side];
        made.skipped[side] = retained->skipped[side];
        made.ended[side] = !copy->there;
        made.has_pc[side] = copy->there && (copy->unit.has & UNIT_HAS_PC);
        if (made.has_pc[side]) made.pc[side] = copy->unit.pc;
        made.has_time[side] = copy->there && (copy->unit.has & UNIT_HAS_TIME);
        if (made.has_time[side]) made.time[side] = copy->unit.time;
    }
    struct_fill(difference, &made, sizeof made);
    return true;
}

bool spoor_diff_field(const struct spoor_diff *diff, size_t index, unsigned number,
                      struct spoor_difference_field *field)
{
    struct words words = {""};
    struct spoor_difference_field made = {0};
    if (index >= diff_count(diff)) return false;
    const struct retained_difference *retained = &diff->retained[index];
    if (number >= retained->comparison.count || number >= MAX_DIFFERENCES) return false;
    made.kind = (enum spoor_diff_class)retained->comparison.items[number].class;
    describe_field(diff, retained, number, &words);
    memcpy(made.name, words.text, sizeof made.name);
    made.control = riscv_csr_number(made.name, strlen(made.name)) >= 0;
    describe_difference(diff, retained, number, &words);
    memcpy(made.words, words.text, sizeof made.words);
    struct_fill(field, &made, sizeof made);
    return true;
}

const char *spoor_diff_instruction(const struct spoor_diff *diff, size_t index, unsigned side,
                                   char words[SPOOR_DIFF_WORDS])
{
    struct words described = {""};
    if (index < diff_count(diff) && side < 2)
        describe_unit(&diff->retained[index].units[side], &described);
    memcpy(words, described.text, sizeof described.text);
    return words;
}
