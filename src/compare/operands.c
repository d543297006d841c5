/* SPDX-License-Identifier: MIT */
/* operands.c: finds the operands that the instruction of a unit reads, as interned register names.
 */
#include <stdio.h>
#include <string.h>

#include "base/ascii.h"
#include "compare/compare.h"
#include "isa/opcode.h"
#include "isa/operands.h"
#include "isa/riscv_zc.h"

static void operands_read_name(struct operands *operands, spoor_name name)
{
    if (operands->read_count < MAX_READS && name) operands->reads[operands->read_count++] = name;
}

/* Lists the operands of the opcode; false if no table does. */
static bool operands_of_opcode(struct isa_operands *found, const struct unit *unit, enum isa isa,
                               const struct isa_vtype *vtype)
{
    uint64_t opcode = unit->opcode;
    if (!(unit->has & UNIT_HAS_OPCODE)) return false;
    if (isa == ISA_RISCV && riscv_zc_shares(opcode, unit->opcode_size))
        opcode = riscv_zc_decide(opcode, unit->zc);
    const bool thumb = unit->iset == 'T' || unit->iset == 'X' || unit->opcode_size == 2;
    return isa_vector_operands_of(found, vtype, isa, thumb, opcode, unit->opcode_size);
}

/* Reads the operands from the opcode; false if no table lists it. */
static bool operands_read_opcode(struct operands *operands, const struct unit *unit, enum isa isa,
                                 const struct operand_names *registers,
                                 const struct isa_vtype *vtype)
{
    struct isa_operands found;
    if (!operands_of_opcode(&found, unit, isa, vtype)) return false;
    unsigned data = found.read_count;
    for (unsigned left = found.data_count; left && data; data--)
        left -= found.reads[data - 1] != ISA_FLAGS;
    for (unsigned i = 0; i < found.read_count; i++) {
        if (i == data) operands->data_begin = operands->read_count;
        unsigned reg = found.reads[i];
        if (reg == ISA_FLAGS) {
            operands_read_name(operands, registers->flags);
            continue;
        }
        if (reg >= ISA_RISCV_VECTOR) {
            operands_read_name(operands, registers->riscv[reg - ISA_RISCV_VECTOR]);
            continue;
        }
        if (reg >= ISA_VECTOR) {
            operands_read_name(operands, registers->vector[reg - ISA_VECTOR]);
            continue;
        }
        operands_read_name(operands, registers->integer[reg]);
        if (isa == ISA_AARCH64 && reg == ISA_STACK_POINTER_A64)
            for (int level = 0; level < 4; level++)
                operands_read_name(operands, registers->stack[level]);
    }
    if (data < found.read_count) operands->data_end = operands->read_count;
    for (unsigned i = 0; i < found.write_count; i++)
        if (found.writes[i] >= ISA_RISCV_CSR && operands->change_count < MAX_CHANGES)
            operands->changes[operands->change_count++] =
                registers->riscv[found.writes[i] - ISA_RISCV_VECTOR];
    operands->kept_count = found.kept_count;
    operands->is_vector = found.is_vector;
    operands->writes_first = found.writes_first;
    operands->masked = found.is_vector && !(unit->opcode >> 25 & 1);
    operands->element = found.element;
    operands->name = found.name;
    operands->base = found.size && found.base >= 0 ? registers->integer[found.base] : SPOOR_NO_NAME;
    operands->offset = found.offset;
    operands->size = found.size;
    operands->csr = found.csr;
    operands->load = found.load;
    operands->store = found.store;
    operands->branch = found.branch;
    operands->system = found.system;
    return true;
}

enum operand_written operand_written(const struct unit *unit, enum isa isa,
                                     const struct isa_vtype *vtype, const char *name)
{
    struct isa_operands found;
    struct register_name one;
    register_canonical(name, strlen(name), isa, &one);
    const int number = isa_register_number(isa, &one);
    if (number < 0 || !operands_of_opcode(&found, unit, isa, vtype)) return WRITTEN_UNKNOWN;
    for (unsigned i = 0; i < found.write_count; i++)
        if (found.writes[i] == number) return WRITTEN_BY_OPCODE;
    return NOT_WRITTEN;
}

/* ---- disassembly ---- */

/* True for instructions whose first operand is a source too. */
static bool operands_reads_first(const char *mnemonic)
{
    static const char *const begins[] = {"st", "s",  "cmp",  "cmn", "tst", "teq", "b",
                                         "cb", "tb", "push", "msr", "mov", "mcr", NULL};
    static const char *const wholes[] = {"sb", "sh", "sw", "sd", "movk", "movt", NULL};
    for (const char *const *whole = wholes; *whole; whole++)
        if (strcmp(mnemonic, *whole) == 0) return true;
    for (const char *const *begin = begins; *begin; begin++)
        if (strlen(*begin) > 1 && strncmp(*begin, "mov", 3) != 0 &&
            strncmp(mnemonic, *begin, strlen(*begin)) == 0)
            return true;
    return false;
}

bool unit_returns(enum isa isa, const struct unit *unit)
{
    return (unit->has & UNIT_HAS_OPCODE) &&
           opcode_returns_from_exception(isa, unit->iset, (uint32_t)unit->opcode,
                                         unit->opcode_size);
}

void mnemonic_of(const struct unit *unit, const char *text, enum isa isa,
                 char mnemonic[MAX_MNEMONIC])
{
    size_t at = 0, size = 0;
    while (at < unit->text_size && text[at] == ' ') at++;
    for (; at < unit->text_size && text[at] != ' ' && text[at] != '\t'; at++)
        if (size < MAX_MNEMONIC - 1)
            mnemonic[size++] =
                (char)(text[at] >= 'A' && text[at] <= 'Z' ? text[at] | 0x20 : text[at]);
    mnemonic[size] = '\0';
    if (size) return;
    const bool has = unit->has & UNIT_HAS_OPCODE;
    const char *name = has ? isa_opcode_name(isa, unit->opcode) : NULL;
    if (has && isa == ISA_RISCV && riscv_zc_shares(unit->opcode, unit->opcode_size))
        name = riscv_zc_name(unit->opcode, unit->zc);
    snprintf(mnemonic, MAX_MNEMONIC, "%s", name ? name : "unknown");
}

void operands_of(const struct unit *unit, const char *text, enum isa isa, struct spoor_names *names,
                 const struct operand_names *registers, const struct isa_vtype *vtype,
                 struct operands *operands)
{
    *operands = (struct operands){.csr = -1};
    if (operands_read_opcode(operands, unit, isa, registers, vtype)) return;
    char mnemonic[MAX_MNEMONIC];
    mnemonic_of(unit, text, isa, mnemonic);
    operands->branch = mnemonic[0] == 'b' || mnemonic[0] == 'j';
    /* Reads every register among the operands, except the first where it is only written. */
    size_t size = unit->text_size;
    size_t at = 0, operand = 0;
    while (at < size && text[at] == ' ') at++;
    while (at < size && text[at] != ' ' && text[at] != '\t') at++;
    for (size_t begin = at; at < size && text[at] != ';'; begin = at) {
        while (at < size && (ascii_is_digit(text[at]) || text[at] == '_' ||
                             (ascii_lower(text[at]) >= 'a' && ascii_lower(text[at]) <= 'z')))
            at++;
        if (at == begin) {
            operand += text[at] == ',';
            at++;
            continue;
        }
        struct register_name name;
        bool numeric = text[begin] >= '0' && text[begin] <= '9';
        bool hashed = begin > 0 && text[begin - 1] == '#';
        if (numeric || hashed || (operand == 0 && !operands_reads_first(mnemonic))) continue;
        register_canonical(text + begin, at - begin, isa, &name);
        if (name.text[0] && !name.zero && name.text[1])
            operands_read_name(operands, spoor_names_intern(names, name.text, strlen(name.text)));
    }
}

static spoor_name operands_numbered(struct spoor_names *names, char letter, int number)
{
    char text[8];
    int size = snprintf(text, sizeof text, "%c%d", letter, number);
    return spoor_names_intern(names, text, (size_t)size);
}

void operand_names_start(struct operand_names *operands, struct spoor_names *names, enum isa isa)
{
    *operands = (struct operand_names){0};
    const bool riscv = isa == ISA_RISCV, arm32 = isa == ISA_AARCH32;
    const char integer = arm32 ? 'r' : 'x', vector = riscv ? 'f' : arm32 ? 'd' : 'v';
    const int count = riscv ? 32 : arm32 ? 15 : 31;
    for (int i = riscv; i < count; i++) operands->integer[i] = operands_numbered(names, integer, i);
    for (int i = 0; i < 32; i++) operands->vector[i] = operands_numbered(names, vector, i);
    for (unsigned i = 0; riscv && i < ISA_REGISTERS - ISA_RISCV_VECTOR; i++) {
        const unsigned reg = ISA_RISCV_VECTOR + i;
        const char *csr = reg < ISA_RISCV_CSR ? NULL : isa_csr_name(reg);
        operands->riscv[i] = csr ? spoor_names_intern(names, csr, strlen(csr))
                                 : operands_numbered(names, 'v', (int)i);
    }
    if (riscv) return;
    if (arm32) {
        operands->flags = spoor_names_intern(names, "cpsr", 4);
        return;
    }
    operands->integer[31] = spoor_names_intern(names, "sp", 2);
    operands->flags = spoor_names_intern(names, "cpsr", 4);
    for (int i = 0; i < 4; i++) {
        char text[8];
        snprintf(text, sizeof text, "sp_el%d", i);
        operands->stack[i] = spoor_names_intern(names, text, 6);
    }
}
