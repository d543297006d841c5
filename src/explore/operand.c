/* SPDX-License-Identifier: MIT */
/* operand.c: maps the operand numbers of the opcode table to named registers. */
#include "explore/operand.h"

#include <stdio.h>
#include <string.h>

#include "isa/operands.h"

static enum isa isa_of_insn(const struct machine *machine, const struct spoor_insn *insn)
{
    switch (insn->iset) {
    case 'O': return ISA_AARCH64;
    case 0: return machine->isa;
    default: return ISA_AARCH32;
    }
}

static spoor_name existing(const struct machine *machine, const char *text)
{
    const struct machine_part part = machine_find_register(machine, text);
    return part.name;
}

/* The name of a register that the trace may never state. */
static spoor_name named(struct machine *machine, const char *text)
{
    const spoor_name name = existing(machine, text);
    return name ? name : spoor_names_intern(machine->registers, text, strlen(text));
}

/* Returns the stack pointer of a mode ("EL1h_n", "svc_s"), or a register that the mode banks. */
static spoor_name banked(struct machine *machine, const char *mode, const char *plain, enum isa isa)
{
    char text[24];
    if (isa == ISA_AARCH64 && strncmp(mode, "EL", 2) == 0) {
        snprintf(text, sizeof text, "sp_el%c", mode[3] == 't' ? '0' : mode[2]);
        const spoor_name name = existing(machine, text);
        if (name) return name;
    } else if (isa == ISA_AARCH32 && strlen(mode) >= 3) {
        snprintf(text, sizeof text, "%s_%.3s", plain, mode);
        const spoor_name name = existing(machine, text);
        if (name) return name;
    }
    return named(machine, plain);
}

static spoor_name find_name(struct machine *machine, const char *mode, enum isa isa, int number)
{
    char text[16];
    if (number == ISA_FLAGS) {
        const spoor_name name = existing(machine, "cpsr");
        return name ? name : named(machine, isa == ISA_AARCH64 ? "nzcv" : "psr");
    }
    if (number >= ISA_VECTOR) {
        snprintf(text, sizeof text, "%c%d",
                 isa == ISA_RISCV     ? 'f'
                 : isa == ISA_AARCH64 ? 'v'
                                      : 'd',
                 number - ISA_VECTOR);
        return named(machine, text);
    }
    if (isa == ISA_RISCV && number == 0) return SPOOR_NO_NAME; /* always zero */
    if (isa == ISA_AARCH64 && number == ISA_STACK_POINTER_A64)
        return banked(machine, mode, "sp", isa);
    snprintf(text, sizeof text, "%c%d", isa == ISA_AARCH32 ? 'r' : 'x', number);
    return isa == ISA_AARCH32 && number >= 8 ? banked(machine, mode, text, isa)
                                             : named(machine, text);
}

/* Likewise, cached if the mode does not matter. */
static spoor_name name_of(struct machine *machine, const char *mode, enum isa isa, int number)
{
    const bool banks = (isa == ISA_AARCH64 && number == ISA_STACK_POINTER_A64) ||
                       (isa == ISA_AARCH32 && number >= 8 && number < ISA_VECTOR);
    if (banks || (size_t)isa >= 4 || number < 0 || number >= 128)
        return find_name(machine, mode, isa, number);
    uint32_t *known = &machine->operand_names[isa][number];
    if (!*known) *known = find_name(machine, mode, isa, number) + 1u;
    return (spoor_name)(*known - 1);
}

static void add(struct operand_list *list, spoor_name name, bool data)
{
    for (unsigned i = 0; i < list->count; i++)
        if (list->names[i] == name) {
            list->data[i] |= data;
            return;
        }
    if (!name || list->count == OPERANDS) return;
    list->names[list->count] = name;
    list->data[list->count++] = data;
}

static void of_uop(struct machine *machine, const struct visited *visited,
                   struct operand_list *list)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
    list->known = true;
    list->loads = record->op & SPOOR_UOP_LOAD;
    list->stores = record->op & SPOOR_UOP_STORE;
    add(list, machine_uop_register(machine, uop.src1), true);
    add(list, machine_uop_register(machine, uop.src2), true);
    if (record->op & SPOOR_UOP_READS_FLAGS) add(list, machine_uop_flags(machine), true);
}

/* Adds the registers read.  The data of a store are the last ones, without the flags. */
static void put_reads(struct operand_list *list, struct machine *machine, const char *mode,
                      enum isa isa, const struct isa_operands *operands)
{
    unsigned plain = 0, seen = 0;
    for (unsigned i = 0; i < operands->read_count; i++) plain += operands->reads[i] != ISA_FLAGS;
    for (unsigned i = 0; i < operands->read_count; i++) {
        const bool flags = operands->reads[i] == ISA_FLAGS;
        seen += !flags;
        const bool stored = !flags && seen + operands->data_count > plain;
        add(list, name_of(machine, mode, isa, operands->reads[i]), stored || !operands->store);
    }
}

void operand_list(struct machine *machine, const struct visited *visited, struct operand_list *list)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct spoor_insn *insn = &record->insn;
    struct isa_operands operands;
    *list = (struct operand_list){0};
    if (record->kind == SPOOR_UOP) {
        of_uop(machine, visited, list);
        return;
    }
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return;
    if (!machine->stated) machine->stated = spoor_names_count(machine->registers);
    const enum isa isa = isa_of_insn(machine, insn);
    const bool thumb = insn->iset == 'T' || insn->iset == 'X' ||
                       (insn->iset == 0 && isa == ISA_AARCH32 && insn->opcode_size == 2);
    list->known = isa_operands_of(&operands, isa, thumb, insn->opcode, insn->opcode_size);
    if (!list->known) return;
    const char *mode = (record->has & SPOOR_HAS_EXTRA)
                           ? spoor_names_text(visited->batch->stream->names, insn->mode, NULL)
                           : "";
    list->loads = operands.load;
    list->stores = operands.store;
    list->system = operands.system || operands.csr >= 0;
    if (operands.base >= 0) list->base = name_of(machine, mode, isa, operands.base);
    list->updates_base = operands.updates_base;
    put_reads(list, machine, mode, isa, &operands);
}

bool operand_reads(struct machine *machine, const struct visited *visited, spoor_name name)
{
    struct operand_list list;
    operand_list(machine, visited, &list);
    for (unsigned i = 0; i < list.count; i++)
        if (list.names[i] == name) return true;
    return false;
}
