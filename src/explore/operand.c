/* SPDX-License-Identifier: MIT */
/* operand.c: maps the operand numbers of the opcode table to named registers. */
#include "explore/operand.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "explore/explorer.h"
#include "isa/opcode.h"
#include "isa/riscv_zc.h"

enum { VECTOR_A64 = 16 /* bytes */ };

/* The name of a register that the trace may never state. */
static spoor_name operand_any_name(struct machine *machine, const char *text)
{
    const spoor_name name = machine_find_register(machine, text).name;
    return name ? name : spoor_names_intern(machine->registers, text, strlen(text));
}

/* Returns the stack pointer of a mode ("EL1h_n", "svc_s"), or a register that the mode banks. */
static spoor_name operand_banked_name(struct machine *machine, const char *mode, const char *plain,
                                      enum isa isa)
{
    char text[24];
    if (isa == ISA_AARCH64 && strncmp(mode, "EL", 2) == 0) {
        snprintf(text, sizeof text, "sp_el%c", mode[3] == 't' ? '0' : mode[2]);
        const spoor_name name = machine_find_register(machine, text).name;
        if (name) return name;
    } else if (isa == ISA_AARCH32 && strlen(mode) >= 3) {
        snprintf(text, sizeof text, "%s_%.3s", plain, mode);
        const spoor_name name = machine_find_register(machine, text).name;
        if (name) return name;
    }
    return operand_any_name(machine, plain);
}

/* Finds the saved status register that a return from an exception in this mode restores; none: it
 * loads the status from memory (RFE). */
static spoor_name operand_saved_status(struct machine *machine, const char *mode, enum isa isa,
                                       const struct spoor_insn *insn, bool loads)
{
    char text[24];
    if (loads && (insn->iset != 'A' || (insn->opcode & 0xFE500000) == 0xF8100000))
        return SPOOR_NO_NAME;
    if (isa == ISA_AARCH64 && strncmp(mode, "EL", 2) == 0)
        snprintf(text, sizeof text, "spsr_el%c", mode[2]);
    else if (isa == ISA_AARCH32 && strlen(mode) >= 3)
        snprintf(text, sizeof text, "spsr_%.3s", mode);
    else
        snprintf(text, sizeof text, "spsr");
    return operand_any_name(machine, text);
}

static spoor_name operand_find_name(struct machine *machine, const char *mode, enum isa isa,
                                    int number)
{
    char text[16];
    if (number == ISA_FLAGS) {
        const spoor_name name = machine_find_register(machine, "cpsr").name;
        return name ? name : operand_any_name(machine, isa == ISA_AARCH64 ? "nzcv" : "psr");
    }
    if (number >= ISA_RISCV_CSR) return operand_any_name(machine, isa_csr_name((unsigned)number));
    if (number >= ISA_RISCV_VECTOR) {
        snprintf(text, sizeof text, "v%d", number - ISA_RISCV_VECTOR);
        return operand_any_name(machine, text);
    }
    if (number >= ISA_VECTOR) { /* doubles of AArch32 are halves of quad registers */
        const int vector = number - ISA_VECTOR;
        snprintf(text, sizeof text, "%c%d",
                 isa == ISA_RISCV     ? 'f'
                 : isa == ISA_AARCH64 ? 'v'
                                      : 'q',
                 isa == ISA_AARCH32 ? vector / 2 : vector);
        return operand_any_name(machine, text);
    }
    if (isa == ISA_RISCV && number == 0) return SPOOR_NO_NAME; /* always zero */
    if (isa == ISA_AARCH64 && number == ISA_STACK_POINTER_A64)
        return operand_banked_name(machine, mode, "sp", isa);
    snprintf(text, sizeof text, "%c%d", isa == ISA_AARCH32 ? 'r' : 'x', number);
    return isa == ISA_AARCH32 && number >= 8 ? operand_banked_name(machine, mode, text, isa)
                                             : operand_any_name(machine, text);
}

/* The name of the register of a number, cached where the mode does not matter. */
static spoor_name operand_name(struct machine *machine, const char *mode, enum isa isa, int number)
{
    const bool banks = (isa == ISA_AARCH64 && number == ISA_STACK_POINTER_A64) ||
                       (isa == ISA_AARCH32 && number >= 8 && number < ISA_VECTOR);
    if (banks || (size_t)isa >= 4 || number < 0 || number >= 128)
        return operand_find_name(machine, mode, isa, number);
    uint32_t *known = &machine->operand_names[isa][number];
    if (!*known) *known = operand_find_name(machine, mode, isa, number) + 1u;
    return (spoor_name)(*known - 1);
}

/* Returns the register of a number, and the byte of it at which that begins: doubles of AArch32 are
 * halves of quad registers. */
static struct operand operand_of_number(struct machine *machine, const char *mode, enum isa isa,
                                        int number)
{
    struct operand operand = {.name = operand_name(machine, mode, isa, number)};
    if (isa == ISA_AARCH32 && number >= ISA_VECTOR && number < ISA_FLAGS)
        operand.first = (uint8_t)(number % 2 * 8);
    return operand;
}

static void operand_add(struct operand_list *list, struct operand operand, bool data)
{
    for (unsigned i = 0; !operand.part.size && i < list->count; i++)
        if (list->reads[i].name == operand.name && !list->reads[i].part.width &&
            !operand.part.width) {
            list->reads[i].data |= data;
            return;
        }
    if (!operand.name || list->count == OPERANDS) return;
    operand.data = data;
    list->reads[list->count++] = operand;
}

/* Adds the registers read.  The data of a store are the last ones, without the flags. */
static void operand_put_reads(struct operand_list *list, struct machine *machine, const char *mode,
                              enum isa isa, const struct isa_operands *operands,
                              const struct isa_parts *parts)
{
    unsigned plain = 0, seen = 0;
    for (unsigned i = 0; i < operands->read_count; i++) plain += operands->reads[i] != ISA_FLAGS;
    for (unsigned i = 0; i < operands->read_count; i++) {
        /* vl, vtype and others that RISC-V's instructions read unnamed are not where a value comes
         * from */
        if (operands->reads[i] >= ISA_RISCV_CSR && operands->csr < 0) {
            seen++;
            continue;
        }
        const bool flags = operands->reads[i] == ISA_FLAGS;
        seen += !flags;
        const bool stored = !flags && seen + operands->data_count > plain;
        struct operand operand = operand_of_number(machine, mode, isa, operands->reads[i]);
        operand.part = parts->reads[i];
        operand_add(list, operand, stored || !operands->store);
    }
}

bool operand_is_thumb(struct machine *machine, uint8_t iset, uint8_t size)
{
    if (iset || machine->isa != ISA_AARCH32) return iset == 'T' || iset == 'X';
    const size_t count = spoor_names_count(machine->registers);
    if (size != 2 && !machine->unlettered_thumb && machine->sought_psr != count) {
        machine->unlettered_thumb = machine_find_register(machine, "psr").name;
        machine->sought_psr = count;
    }
    return size == 2 || machine->unlettered_thumb;
}

const char *operand_mode(const struct explorer_visit *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    return (record->has & SPOOR_HAS_EXTRA)
               ? spoor_names_text(visited->batch->stream->names, record->insn.mode, NULL)
               : "";
}

/* RISC-V's vtype at an instruction, from the last record before it that states it, or that sets it
 * by an opcode; not known: there is none among the last ones of the batch. */
static struct isa_vtype operand_vtype(struct machine *machine, const struct explorer_visit *visited)
{
    enum { FARTHEST = 4096, SETS = 0x7057, SETS_MASK = 0x707F };
    const struct spoor_batch *batch = visited->batch;
    const size_t first = visited->index > FARTHEST ? visited->index - FARTHEST : 0;
    const unsigned cpu = batch->records[visited->index].cpu;
    const spoor_name vtype = machine_find_register(machine, "vtype").name;
    for (size_t i = visited->index; i-- > first;) {
        const struct spoor_record *record = &batch->records[i];
        if (record->cpu != cpu) continue;
        if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE && vtype &&
            machine_register(machine, record).name == vtype)
            return isa_vtype_of(record->reg.value[0]);
        if (record->kind == SPOOR_INSN && record->has & SPOOR_HAS_DATA &&
            (record->insn.opcode & SETS_MASK) == SETS)
            return isa_vtype_set(record->insn.opcode);
    }
    return (struct isa_vtype){.known = false};
}

void operand_list(struct machine *machine, const struct explorer_visit *visited,
                  struct operand_list *list)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    const struct spoor_insn *insn = &record->insn;
    struct isa_operands operands;
    struct isa_parts parts;
    list->known = list->loads = list->stores = list->system = list->updates_base = false;
    list->special = list->copies = list->base_is_sp = list->unit = list->links = list->branch =
        false;
    list->vector = list->element = 0;
    list->row = list->lane = list->guards = 0;
    list->base = list->guard = list->saved = list->status = SPOOR_NO_NAME;
    list->count = list->write_count = 0;
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        list->known = true;
        list->loads = record->op & SPOOR_UOP_LOAD;
        list->stores = record->op & SPOOR_UOP_STORE;
        const int sources[] = {uop.src1, uop.src2};
        for (size_t i = 0; i < 2; i++)
            operand_add(list, (struct operand){.name = machine_uop_register(machine, sources[i])},
                        true);
        if (record->op & SPOOR_UOP_READS_FLAGS)
            operand_add(list, (struct operand){.name = machine_uop_flags(machine)}, true);
        return;
    }
    if (record->kind != SPOOR_INSN || !(record->has & SPOOR_HAS_DATA)) return;
    if (!machine->stated) machine->stated = spoor_names_count(machine->registers);
    const enum isa isa = isa_of_instruction(machine->isa, insn->iset);
    const bool thumb = operand_is_thumb(machine, insn->iset, insn->opcode_size);
    uint64_t opcode = insn->opcode;
    if (thumb && insn->opcode_size == 2 && (opcode & 0xFF00) == 0xBF00 && (opcode & 15)) /* IT */
        list->guards = (uint8_t)(4 - __builtin_ctz((unsigned)opcode & 15));
    if (isa == ISA_RISCV && riscv_zc_shares(opcode, insn->opcode_size))
        opcode = riscv_zc_decide(opcode, riscv_zc_of(visited->batch, visited->index));
    list->known = isa_parts_of(&operands, &parts, NULL, isa, thumb, opcode, insn->opcode_size);
    if (!list->known) return;
    const struct spoor_batch *batch = visited->batch;
    if (operands.is_vector && !machine->vector_bytes &&
        machine->vector_sought != batch->first + 1) {
        /* any register of the batch may state how long vector registers of RISC-V are */
        machine->vector_sought = batch->first + 1;
        for (size_t i = 0; i < batch->count && !machine->vector_bytes; i++)
            if (batch->records[i].kind == SPOOR_REG) machine_register(machine, &batch->records[i]);
    }
    if (operands.is_vector && !operands.groups_known) {
        const struct isa_vtype vtype = operand_vtype(machine, visited);
        isa_parts_of(&operands, &parts, &vtype, isa, thumb, opcode, insn->opcode_size);
    }
    list->vector = operands.is_vector ? machine->vector_bytes : 0;
    list->element = operands.element;
    list->unit = parts.unit;
    const char *mode = operand_mode(visited);
    list->loads = operands.load;
    list->stores = operands.store;
    list->branch = operands.branch;
    list->links = operands.branch && !operands.load && !operands.store;
    list->special = isa_writes_special(isa, thumb, opcode);
    list->system = operands.system || operands.csr >= 0;
    if (operands.base >= 0) list->base = operand_name(machine, mode, isa, operands.base);
    list->base_is_sp = isa == ISA_AARCH32 && operands.base == 13;
    list->updates_base = operands.updates_base;
    list->copies = parts.copies;
    list->row = parts.row;
    list->lane = parts.lane;
    if (isa != ISA_RISCV &&
        opcode_returns_from_exception(isa, insn->iset, (uint32_t)opcode, insn->opcode_size)) {
        list->status = operand_find_name(machine, mode, isa, ISA_FLAGS);
        list->saved = operand_saved_status(machine, mode, isa, insn, operands.load);
    }
    operand_put_reads(list, machine, mode, isa, &operands, &parts);
    for (unsigned i = 0; i < operands.write_count; i++) {
        struct operand operand = operand_of_number(machine, mode, isa, operands.writes[i]);
        operand.part = parts.writes[i];
        if (operand.name && list->write_count < OPERANDS)
            list->writes[list->write_count++] = operand;
    }
}

void operand_guard(struct machine *machine, const struct explorer_visit *visited,
                   struct operand_list *list)
{
    if (!list->known) return;
    const struct operand flags =
        operand_of_number(machine, operand_mode(visited), ISA_AARCH32, ISA_FLAGS);
    list->guard = flags.name;
    operand_add(list, flags, !list->stores);
}

bool operand_overlap(const struct operand *operand, unsigned *low, unsigned *end)
{
    if (!operand->part.size) return true;
    const unsigned first = operand->first + operand->part.low;
    const unsigned after = operand->part.zeroes ? VECTOR_A64 : first + operand->part.size;
    if (*low < first) *low = first;
    if (*end > after) *end = after;
    return *low < *end;
}

/* Returns the first operand that has a byte of the part, or NULL. */
static const struct operand *find_operand(const struct operand *operands, unsigned count,
                                          const struct machine_part *part)
{
    for (unsigned i = 0; i < count; i++) {
        unsigned low = part->low / 8u, end = part->bits ? low + (part->bits + 7u) / 8 : UINT_MAX;
        if (operands[i].name == part->name && !operands[i].part.kept &&
            operand_overlap(&operands[i], &low, &end))
            return &operands[i];
    }
    return NULL;
}

bool operand_reads(struct machine *machine, const struct explorer_visit *visited,
                   const struct machine_part *part)
{
    struct operand_list list;
    operand_list(machine, visited, &list);
    return find_operand(list.reads, list.count, part);
}

bool operand_writes(struct machine *machine, const struct explorer_visit *visited,
                    const struct machine_part *part, uint16_t *low, uint16_t *high)
{
    struct operand_list list;
    operand_list(machine, visited, &list);
    const struct operand *write = find_operand(list.writes, list.write_count, part);
    if (!write) return false;
    const unsigned first = 8u * (write->first + write->part.low);
    *low = write->part.size ? (uint16_t)first : 0;
    *high = !write->part.size    ? UINT16_MAX
            : write->part.zeroes ? 8 * VECTOR_A64 - 1
                                 : (uint16_t)(first + 8u * write->part.size - 1);
    return true;
}

bool operand_keeps(struct machine *machine, const struct call_place *place,
                   const struct machine_part *part)
{
    struct isa_operands operands;
    struct isa_parts parts;
    if (!place->has_bits || !part->bits || !machine_parted_bytes(machine, part->name)) return false;
    const enum isa isa = isa_of_instruction(machine->isa, place->iset);
    if (!isa_parts_of(&operands, &parts, NULL, isa,
                      operand_is_thumb(machine, place->iset, place->size), place->bits,
                      place->size))
        return false;
    bool writes = false;
    for (unsigned i = 0; i < operands.write_count; i++) {
        struct operand operand = operand_of_number(machine, "", isa, operands.writes[i]);
        unsigned low = part->low / 8u, end = low + (part->bits + 7u) / 8;
        operand.part = parts.writes[i];
        if (operand.name != part->name) continue;
        writes = true;
        if (operand_overlap(&operand, &low, &end)) return false;
    }
    return writes;
}
