/* SPDX-License-Identifier: MIT */
/*
 * handler.c: what the handler of an interrupt may find that one side takes later.
 *
 * It interrupts another instruction on each side, and on the later side it finds what the
 * instructions that it moved over wrote.  Values that depend on these differ, and are volatile
 * until the handler returns.  What a RISC-V handler reads of a control register, writes to one,
 * stores and loads again is known for each side, and must be that side's value.
 */
#include <string.h>

#include "compare/compare.h"

enum { SEPC = 0x141, MEPC = 0x341, MNEPC = 0x741 };

static bool handler_is_integer(const struct spoor_diff *diff, spoor_name name)
{
    for (unsigned i = 1; i < 32; i++)
        if (diff->operand_names.integer[i] == name) return true;
    return false;
}

/* The instruction that a side's interrupt interrupted: the one that follows the handler, if it
 * follows `before`, the last one before the handler in the order of the program, too. */
static const struct unit *handler_interrupted(const struct spoor_diff *diff,
                                              const struct cpu_pair *cpu_pair, unsigned side,
                                              uint64_t after_handler, const struct unit *before)
{
    const struct unit_queue *queue = &cpu_pair->queues[side];
    if (after_handler >= unit_count(queue)) return NULL;
    const struct unit *unit = unit_ahead(cpu_pair, side, after_handler);
    if (!(unit->has & before->has & UNIT_HAS_PC)) return NULL;
    if (before->opcode_size && unit->pc == before->pc + before->opcode_size) return unit;
    struct operands operands;
    operands_of(before, unit_text(queue, before), diff->isa, diff->names, &diff->operand_names,
                NULL, &operands);
    return operands.branch && !cpu_pair_is_trap(cpu_pair, side, unit) ? unit : NULL;
}

void handler_enter(struct spoor_diff *diff, struct cpu_pair *cpu_pair, const struct move *move)
{
    enum { MAJOR = 0x7F, OP_FP = 0x53, OP_V = 0x57, SYSTEM = 0x73 };
    const unsigned side = move->side;
    const struct unit_queue *queue = &cpu_pair->queues[side];
    const struct unit *interrupted[2];
    bool status = diff->isa != ISA_RISCV;
    for (size_t i = 0; !cpu_pair->handler_end && i < cpu_pair->register_capacity; i++)
        cpu_pair->registers[i].taint_before = cpu_pair->registers[i].taint;
    for (uint32_t i = 0; i < move->after; i++) {
        const struct unit *unit = unit_ahead(cpu_pair, side, i);
        const struct effect *effects = unit_effects(queue, unit);
        /* Of RISC-V it may change the status that an interrupt saves: the mode, the enabled
         * interrupts, and whether registers of floating point and vectors were written. */
        const unsigned major = (unsigned)unit->opcode & MAJOR;
        status |=
            !(unit->has & UNIT_HAS_OPCODE) || major == SYSTEM || major == OP_FP || major == OP_V;
        for (unsigned j = 0; j < unit->effect_count; j++) {
            status |=
                effects[j].kind == EFFECT_EVENT ||
                (effects[j].kind == EFFECT_REGISTER && !handler_is_integer(diff, effects[j].name));
            if (effects[j].kind == EFFECT_WRITE || effects[j].kind == EFFECT_UPDATE)
                taint_set(&cpu_pair->memory, effects[j].address, effects[j].size, TAINT_VOLATILE);
            if (effects[j].kind != EFFECT_REGISTER) continue;
            struct register_state *state = register_expect(diff, cpu_pair, effects[j].name, false);
            if (!state) continue;
            state->value[side] = effect_value(&effects[j]);
            state->known |= (uint8_t)(1U << side);
        }
    }
    /* Finds the instruction that was interrupted on each side. */
    const unsigned late = move->side, early = 1 - late;
    const struct unit *last = unit_ahead(cpu_pair, late, move->after - 1);
    interrupted[late] =
        handler_interrupted(diff, cpu_pair, late, (uint64_t)move->after + move->count, last);
    /* the late side states what follows at the place of the early one */
    interrupted[early] = unit_ahead(cpu_pair, late, 0);
    if (!(interrupted[early]->has & UNIT_HAS_PC)) interrupted[early] = NULL;
    /* What the interrupt saves differs, and the address is that of the instruction. */
    static const struct {
        const char *name;
        bool status; /* else the address of the interrupted instruction */
    } saved[] = {{"mepc", false},    {"sepc", false},    {"mnepc", false},
                 {"mstatus", true},  {"sstatus", true},  {"elr_el1", false},
                 {"elr_el2", false}, {"elr_el3", false}, {"spsr_el1", true}};
    for (size_t i = 0; i < sizeof saved / sizeof *saved; i++) {
        const spoor_name name =
            spoor_names_intern(diff->names, saved[i].name, strlen(saved[i].name));
        if (saved[i].status && !status) continue;
        struct register_state *state = register_expect(diff, cpu_pair, name, true);
        if (!state || saved[i].status) continue;
        state->known = 0;
        for (unsigned each = 0; each < 2; each++) {
            if (!interrupted[each]) continue;
            state->value[each] = interrupted[each]->pc;
            state->known |= (uint8_t)(1U << each);
        }
    }
    cpu_pair->handler_end = cpu_pair->pairs + move->count;
    cpu_pair->handler_over = move->after;
    cpu_pair->handler_side = (uint8_t)side;
    cpu_pair->handler_store_count[0] = cpu_pair->handler_store_count[1] = 0;
}

/* ---- what it finds ---- */

/* True if the ranges of memory have a byte in common.  Size 0: it is not stated. */
static bool handler_overlaps(uint64_t a, unsigned a_size, uint64_t b, unsigned b_size)
{
    return a == b || a - b < b_size || b - a < a_size;
}

enum { STORES = sizeof((struct cpu_pair *)0)->handler_stores[0] / sizeof(struct handler_store) };

void handler_add_stores(struct cpu_pair *cpu_pair, const struct unit *const units[2])
{
    for (unsigned side = 0; side < 2; side++) {
        const struct effect *effects = unit_effects(&cpu_pair->queues[side], units[side]);
        for (unsigned i = 0; i < units[side]->effect_count; i++) {
            const bool known = effects[i].has & EFFECT_HAS_VALUE && !effects[i].unknown;
            if (effects[i].kind != EFFECT_WRITE && effects[i].kind != EFFECT_UPDATE) continue;
            cpu_pair->handler_stores[side][cpu_pair->handler_store_count[side]++ % STORES] =
                (struct handler_store){effects[i].address, effects[i].value[0],
                                       known ? effects[i].size : 0};
        }
    }
}

/* The value of the handler's last store to where a load reads; false: none is known. */
static bool handler_stored_value(const struct cpu_pair *cpu_pair, unsigned side,
                                 const struct unit *unit, uint64_t *value, unsigned *bits)
{
    const struct effect *effects = unit_effects(&cpu_pair->queues[side], unit), *read = NULL;
    for (unsigned i = 0; i < unit->effect_count; i++)
        if (effects[i].kind == EFFECT_READ) read = &effects[i];
    if (!read) return false;
    const unsigned count = cpu_pair->handler_store_count[side];
    for (unsigned back = 1; back <= count && back <= STORES; back++) {
        const struct handler_store *store =
            &cpu_pair->handler_stores[side][(count - back) % STORES];
        if (!handler_overlaps(store->address, store->size, read->address, read->size)) continue;
        *value = store->value;
        *bits = 8 * store->size;
        return store->size && store->address == read->address &&
               (!read->size || store->size == read->size);
    }
    return false;
}

/* The value that the handler loads later from where the pair at the heads stores; false: none is
 * known. */
static bool handler_loaded_value(const struct cpu_pair *cpu_pair, unsigned side,
                                 const struct effect *store, uint64_t *value)
{
    const struct unit_queue *queue = &cpu_pair->queues[side];
    const uint64_t rest = cpu_pair->handler_end - cpu_pair->pairs;
    for (uint64_t i = 1; i < rest && i < unit_count(queue); i++) {
        const struct unit *unit = unit_ahead(cpu_pair, side, i);
        const struct effect *effects = unit_effects(queue, unit), *result = NULL, *access = NULL;
        for (unsigned j = 0; j < unit->effect_count; j++) {
            if (effects[j].kind == EFFECT_REGISTER) result = &effects[j];
            const bool accesses = effects[j].kind == EFFECT_READ ||
                                  effects[j].kind == EFFECT_WRITE ||
                                  effects[j].kind == EFFECT_UPDATE;
            if (accesses &&
                handler_overlaps(effects[j].address, effects[j].size, store->address, store->size))
                access = &effects[j];
        }
        if (!access) continue;
        if (!result || access->kind != EFFECT_READ || access->address != store->address ||
            (access->size && access->size != store->size) || result->unknown)
            return false;
        *value = result->value[0];
        return true;
    }
    return false;
}

/* The value that an effect has on its side, where it is a copy of a register that is known there,
 * or of what the handler stored, or is loaded again: it gets the bits in *mask. */
static bool handler_copied_value(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                                 unsigned side, const struct operands *operands, spoor_name csr,
                                 const struct unit *unit, const struct effect *effect,
                                 uint64_t *value, uint64_t *mask)
{
    enum { FUNCTION = 7 << 12, CSRRW = 1 << 12 };
    spoor_name source = SPOOR_NO_NAME;
    unsigned bits = effect->size;
    *mask = ~UINT64_C(0);
    if (effect->kind == EFFECT_REGISTER && operands->load && !operands->store &&
        handler_is_integer(diff, effect->name)) {
        if (!handler_stored_value(cpu_pair, side, unit, value, &bits) || bits > 64) return false;
        *mask &= ~UINT64_C(0) >> (64 - bits);
        return true;
    }
    if (effect->kind == EFFECT_REGISTER && csr && effect->name != csr) {
        source = csr;
    } else if (effect->kind == EFFECT_REGISTER && csr && (unit->opcode & FUNCTION) == CSRRW &&
               operands->read_count == 1) {
        source = operands->reads[0];
        if (operands->csr == MEPC || operands->csr == SEPC || operands->csr == MNEPC)
            *mask = ~UINT64_C(3); /* of an address of an instruction */
    } else if (effect->kind == EFFECT_WRITE && (effect->has & EFFECT_HAS_VALUE) &&
               operands->store && !operands->load && operands->read_count <= 2) {
        bits = 8U * effect->size;
        for (unsigned i = 0; i < operands->read_count; i++)
            if (operands->reads[i] != operands->base) source = operands->reads[i];
        if (!handler_is_integer(diff, source)) return false;
    }
    if (!source || source >= cpu_pair->register_capacity || effect->unknown || !bits || bits > 64)
        return false;
    if (diff->scope.narrow && bits > 32) bits = 32;
    const struct register_state *state = &cpu_pair->registers[source];
    *mask &= ~UINT64_C(0) >> (64 - bits);
    *value = state->value[side];
    if (state->known >> side & 1) return true;
    return effect->kind == EFFECT_WRITE && handler_loaded_value(cpu_pair, side, effect, value);
}

bool handler_contradicts(const struct spoor_diff *diff, const struct cpu_pair *cpu_pair,
                         const struct unit *const units[2], const struct comparison *comparison,
                         const struct operands *operands, spoor_name csr)
{
    if (!cpu_pair->handler_end || diff->isa != ISA_RISCV) return false;
    for (unsigned i = 0; i < comparison->count && i < MAX_DIFFERENCES; i++)
        for (unsigned side = 0; side < 2; side++) {
            const int16_t number = comparison->items[i].effects[side];
            if (number < 0) continue;
            const struct effect *effect =
                &unit_effects(&cpu_pair->queues[side], units[side])[number];
            uint64_t value, mask;
            if (handler_copied_value(diff, cpu_pair, side, operands, csr, units[side], effect,
                                     &value, &mask) &&
                ((effect->value[0] ^ value) & mask))
                return true;
        }
    return false;
}
