/* SPDX-License-Identifier: MIT */
/*
 * vector.c: the settings of RISC-V's vectors, and which elements of vector registers differ (The
 * RISC-V Instruction Set Manual, Volume I, "V").
 */
#include "compare/compare.h"

/* The value that a register has on a side; false: it is not known. */
static bool vector_setting(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                           unsigned side, enum isa_register reg, uint64_t *value)
{
    const spoor_name name = diff->operand_names.riscv[reg - ISA_RISCV_VECTOR];
    if (!name || name >= cpu_pair->register_capacity) return false;
    const struct register_state *state = &cpu_pair->registers[name];
    *value = state->value[side];
    return state->known >> side & 1;
}

struct isa_vtype vector_type(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                             unsigned side)
{
    uint64_t value;
    if (diff->isa != ISA_RISCV || !vector_setting(diff, cpu_pair, side, ISA_VTYPE, &value))
        return (struct isa_vtype){.known = false};
    return isa_vtype_of(value);
}

/* Sets what is known of a register, unless the unit states it. */
static void vector_set(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                       const struct unit *unit, enum isa_register reg, const uint64_t *value)
{
    const spoor_name name = diff->operand_names.riscv[reg - ISA_RISCV_VECTOR];
    const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
    for (unsigned i = 0; i < unit->effect_count; i++)
        if (effects[i].kind == EFFECT_REGISTER && effects[i].name == name) return;
    struct register_state *state = cpu_pair_register(cpu_pair, name);
    if (!state) {
        diff->out_of_memory = true;
        return;
    }
    if (value) state->value[side] = *value;
    state->known = (uint8_t)(value ? state->known | 1U << side : state->known & ~(1U << side));
}

void vector_note_settings(struct spoor_diff *diff, struct cpu_pair *cpu_pair, unsigned side,
                          const struct unit *unit)
{
    enum { FROM_REGISTER = 2, REGISTER = 31 };
    const unsigned kind = (unsigned)(unit->opcode >> 30) & 3;
    const spoor_name source = diff->operand_names.integer[unit->opcode >> 20 & REGISTER];
    uint64_t vtype = unit->opcode >> 20 & (kind == 3 ? 0x3FF : 0x7FF);
    bool known = kind != FROM_REGISTER;
    if (!known && source && source < cpu_pair->register_capacity) {
        known = cpu_pair->registers[source].known >> side & 1;
        vtype = cpu_pair->registers[source].value[side];
    }
    vector_set(diff, cpu_pair, side, unit, ISA_VTYPE, known ? &vtype : NULL);
    const unsigned result = unit->opcode >> 7 & REGISTER, length = unit->opcode >> 15 & REGISTER;
    const bool keeps = kind != 3 && result == 0 && length == 0;
    if (keeps) return;
    const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit);
    const spoor_name name = diff->operand_names.integer[result];
    const uint64_t *vl = NULL; /* what the unit writes to its result */
    for (unsigned i = 0; name && i < unit->effect_count && !vl; i++)
        if (effects[i].kind == EFFECT_REGISTER && effects[i].name == name) vl = effects[i].value;
    vector_set(diff, cpu_pair, side, unit, ISA_VL, vl);
}

/* ---- elements ---- */

/* Element `i` of a register; false: its bytes are not there. */
static bool vector_element(const struct unit_queue *queue, const struct effect *effect,
                           unsigned size, unsigned i, uint64_t *value)
{
    *value = 0;
    for (unsigned k = 0; k < size; k++) {
        const unsigned at = i * size + k;
        uint64_t byte;
        if (effect->has & EFFECT_HAS_BYTES)
            byte = *(const uint8_t *)deque_at(&queue->text, effect->physical + at);
        else if (at < 16)
            byte = effect->value[at / 8] >> (8 * (at % 8)) & 0xFF;
        else
            return false;
        *value |= byte << (8 * k);
    }
    return true;
}

/* The number of a vector register; -1: it is another register. */
static int vector_number(const struct spoor_diff *diff, spoor_name name)
{
    enum { VECTORS = 32 };
    for (int i = 0; i < VECTORS; i++)
        if (diff->operand_names.riscv[i] == name) return i;
    return -1;
}

void vector_find_elements(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                          const struct unit *const units[2], struct difference *difference)
{
    const struct effect *effects[2];
    struct isa_operands operands;
    if (diff->isa != ISA_RISCV || difference->effects[0] < 0 || difference->effects[1] < 0) return;
    for (unsigned side = 0; side < 2; side++)
        effects[side] =
            &unit_effects(&cpu_pair->queues[side], units[side])[difference->effects[side]];
    if (effects[0]->kind != EFFECT_REGISTER || effects[0]->size != effects[1]->size ||
        effects[0]->unknown || effects[1]->unknown || effects[0]->low || effects[1]->low ||
        vector_number(diff, effects[0]->name) < 0)
        return;
    const struct isa_vtype vtype = vector_type(diff, cpu_pair, 0);
    if (!(units[0]->has & UNIT_HAS_OPCODE) ||
        !isa_vector_operands_of(&operands, &vtype, ISA_RISCV, false, units[0]->opcode,
                                units[0]->opcode_size) ||
        !operands.element)
        return;
    for (unsigned i = 0; i < effects[0]->size / (8U * operands.element); i++) {
        uint64_t values[2];
        if (!vector_element(&cpu_pair->queues[0], effects[0], operands.element, i, &values[0]) ||
            !vector_element(&cpu_pair->queues[1], effects[1], operands.element, i, &values[1]))
            return;
        if (values[0] == values[1]) continue;
        if (!difference->elements++) {
            difference->first = (uint16_t)i;
            difference->values[0] = values[0];
            difference->values[1] = values[1];
        }
        difference->last = (uint16_t)i;
    }
    if (!difference->elements) return;
    difference->element = operands.element;
    const int number = vector_number(diff, effects[0]->name);
    const int first = operands.write_count ? operands.writes[0] - (int)ISA_RISCV_VECTOR : -1;
    if (!operands.kept_count || operands.writes_first || first < 0 || number < first) return;
    /* vtype may let the elements that differ have any value. */
    enum { TAIL_AGNOSTIC = 1 << 6, MASK_AGNOSTIC = 1 << 7, UNMASKED = 1 << 25 };
    const uint64_t each = effects[0]->size / (8U * operands.element);
    const uint64_t element = (uint64_t)(number - first) * each + difference->first;
    uint64_t settings, lengths[2];
    if (!vector_setting(diff, cpu_pair, 0, ISA_VTYPE, &settings)) return;
    const bool known = vector_setting(diff, cpu_pair, 0, ISA_VL, &lengths[0]) &&
                       vector_setting(diff, cpu_pair, 1, ISA_VL, &lengths[1]) &&
                       lengths[0] == lengths[1];
    if (settings & TAIL_AGNOSTIC && known && element >= lengths[0])
        difference->agnostic = AGNOSTIC_TAIL;
    else if (settings & MASK_AGNOSTIC && !(units[0]->opcode & UNMASKED))
        difference->agnostic = AGNOSTIC_MASK;
}

bool vector_keeps_difference(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                             const struct unit *const units[2], const struct operands *operands,
                             const struct comparison *comparison)
{
    uint64_t lengths[2];
    int base = -1;
    if (!operands->kept_count) return false;
    for (unsigned i = 0; operands->writes_first && i < comparison->count; i++)
        if (i == MAX_DIFFERENCES || comparison->items[i].last) return true;
    if (operands->masked || !vector_setting(diff, cpu_pair, 0, ISA_VL, &lengths[0]) ||
        !vector_setting(diff, cpu_pair, 1, ISA_VL, &lengths[1]) || lengths[0] != lengths[1])
        return true;
    base = vector_number(diff, operands->reads[operands->read_count - operands->kept_count]);
    for (unsigned i = 0; i < comparison->count; i++) {
        if (i == MAX_DIFFERENCES) return true;
        const struct difference *item = &comparison->items[i];
        if (item->effects[0] < 0) return true;
        const struct effect *effect =
            &unit_effects(&cpu_pair->queues[0], units[0])[item->effects[0]];
        const int number = effect->kind == EFFECT_REGISTER ? vector_number(diff, effect->name) : -1;
        if (number < 0) continue;
        if (!item->element || base < 0 || number < base) return true;
        const unsigned each = effect->size / (8U * item->element);
        if ((uint64_t)(number - base) * each + item->last >= lengths[0]) return true;
    }
    return false;
}
