/* SPDX-License-Identifier: MIT */
/* operands.c: the registers that an opcode reads and writes, and the address that it accesses. */
#include "isa/operands.h"

#include "isa/encoding.h"

/* ---- registers ---- */

static bool has_operand(const struct encoding_operand *operand, uint32_t opcode)
{
    return ((opcode & operand->mask) == operand->match) != operand->unless;
}

static unsigned operand_number(const struct encoding_operand *operand, uint32_t opcode)
{
    const bool vfp = operand->kind == VFP || operand->kind == VFP_LIST;
    const bool high = operand->high && !(vfp && !bits_of(opcode, 8, 1));
    return bits_of(opcode, operand->low, operand->size) |
           (high ? bits_of(opcode, operand->high, 1) << operand->size : 0);
}

unsigned encoding_register(const struct encoding_operand *operand, uint32_t opcode)
{
    return operand->first + operand_number(operand, opcode) + operand->add;
}

/* Returns how many registers with successive numbers an operand is. */
static unsigned operand_count(const struct encoding_operand *operand, uint32_t opcode)
{
    /* LD1 to LD4 of multiple structures, by bits 12 to 15 */
    static const uint8_t multiple[16] = {
        [0] = 4, [2] = 4, [4] = 3, [6] = 3, [7] = 1, [8] = 2, [10] = 2};
    if (operand->kind == STRUCTURES)
        return bits_of(opcode, 24, 1) ? bits_of(opcode, 13, 1) * 2 + bits_of(opcode, 21, 1) + 1
                                      : multiple[bits_of(opcode, 12, 4)];
    if (operand->kind != VFP_LIST) return 1;
    const unsigned words = opcode & 0xFF, odd = bits_of(opcode, operand->high, 1);
    const unsigned count = bits_of(opcode, 8, 1) ? words / 2 : (odd + words + 1) / 2;
    const unsigned most = 32 - operand_number(operand, opcode);
    return count < most ? count : most;
}

/* Adds a register, unless it is `none`, which reads as a constant. */
static void operands_add(struct isa_operands *operands, unsigned reg, unsigned none, bool writes)
{
    if (reg == none) return;
    if (writes && operands->write_count < MAX_ISA_OPERANDS)
        operands->writes[operands->write_count++] = (uint8_t)reg;
    if (!writes && operands->read_count < MAX_ISA_OPERANDS)
        operands->reads[operands->read_count++] = (uint8_t)reg;
}

/* Adds the registers that a letter stands for. */
static void operands_add_letter(struct isa_operands *operands, const struct encoding_table *table,
                                uint32_t opcode, char letter, bool writes)
{
    const struct encoding_operand *operand = &table->operands[(unsigned char)letter];
    if (!has_operand(operand, opcode)) return;
    const unsigned number = operand_number(operand, opcode), count = operand_count(operand, opcode);
    const unsigned wrap = table->is_arm32 && operand->first < ISA_VECTOR ? 15 : 31;
    /* in A64, 31 is the stack pointer where it is not zero */
    const unsigned none =
        operand->kind == REGISTER || table->is_arm32 ? table->none : ISA_REGISTERS;
    if (operand->kind == BITS) {
        for (unsigned i = 0; i < operand->size; i++)
            if (number >> i & 1) operands_add(operands, i, none, writes);
        return;
    }
    if (operand->kind == BASE_UNLESS_LISTED && opcode >> number & 1) return;
    if (operand->kind == BASE || operand->kind == BASE_UNLESS_LISTED) {
        operands->updates_base = true;
        operands->base = (int)(operand->first + number);
    }
    for (unsigned i = 0; i < count; i++)
        operands_add(operands, operand->first + ((number + operand->add + i) & wrap), none, writes);
}

static bool encoding_has_address(uint32_t does)
{
    const unsigned number = does & NUMBER_MASK;
    return number >= AT_BASE && number < TO_J;
}

bool isa_operands_of(struct isa_operands *operands, enum isa isa, bool thumb, uint64_t opcode,
                     unsigned size)
{
    const struct encoding_table *table = encoding_table_of(isa, thumb, opcode, size);
    const uint32_t bits = (uint32_t)opcode;
    *operands = (struct isa_operands){.csr = -1, .base = -1};
    if (!table) return false;
    const struct encoding *encoding = encoding_find(table, bits);
    const uint32_t does = encoding_does(encoding, bits);
    if (!encoding->name) return false;
    operands->name = encoding->name;
    operands->load = does & LOAD;
    operands->branch = does & (BRANCH | EXCEPTION);
    operands->system = does & SYSTEM;
    operands->class = does >> CLASS_SHIFT & 3;
    unsigned before = 0;
    for (unsigned i = 0; i < sizeof encoding->reads && encoding->reads[i]; i++) {
        if (encoding->reads[i] != ':') {
            operands_add_letter(operands, table, bits, encoding->reads[i], false);
        } else {
            operands->store = true;
            before = operands->read_count;
        }
    }
    if (operands->store) operands->data_count = (uint8_t)(operands->read_count - before);
    for (unsigned i = 0; i < sizeof encoding->writes && encoding->writes[i]; i++)
        operands_add_letter(operands, table, bits, encoding->writes[i], true);
    if (encoding_is_conditional(table, bits))
        operands_add(operands, ISA_FLAGS, ISA_REGISTERS, false);
    if (isa != ISA_RISCV) return true;
    struct isa_access access = {.offset = 0};
    operands->csr = does & SYSTEM ? (int)(bits >> 20) : -1;
    if (!encoding_has_address(does)) return true;
    if (isa_access_of(&access, isa, opcode)) operands->base = access.base;
    operands->offset = access.offset;
    operands->size = access.size;
    return true;
}

const char *isa_opcode_name(enum isa isa, uint64_t opcode)
{
    const struct encoding_table *table = encoding_table_of(isa, false, opcode, 4);
    return table && isa != ISA_AARCH32 ? encoding_find(table, (uint32_t)opcode)->name : NULL;
}

/* ---- addresses ---- */

/* Returns the logarithm of the size of one register in an access of A64; 5: there is none. */
static unsigned access_scale(uint32_t does, uint32_t opcode)
{
    enum { NONE = 5 };
    const unsigned kind = bits_of(opcode, 30, 2);
    const bool wide = bits_of(opcode, 26, 1) && bits_of(opcode, 23, 1);
    switch (does & SIZE(15)) {
    case SIZED: return wide && kind ? NONE : wide ? 4 : kind;
    case PAIRED: return kind == 2 ? 3 : kind == 0 || (kind == 1 && does & LOAD) ? 2 : NONE;
    default: return kind == 3 ? NONE : 2 + kind;
    }
}

/* A64: a register of 32 or 64 bits, signed or not, times the size or not; false: reserved. */
static bool access_index(struct isa_access *access, uint32_t opcode, unsigned scale)
{
    access->index = (int)bits_of(opcode, 16, 5);
    access->index_is_32 = !bits_of(opcode, 13, 1);
    access->index_is_signed = bits_of(opcode, 15, 1);
    access->shift = bits_of(opcode, 12, 1) ? (uint8_t)scale : 0;
    return bits_of(opcode, 14, 1);
}

static bool access_of_a64(struct isa_access *access, uint32_t does, uint32_t opcode)
{
    const unsigned scale = access_scale(does, opcode), number = does & NUMBER_MASK;
    if (scale > 4) return false;
    access->size = ((does & SIZE(15)) == SIZED ? 1u : 2u) << scale;
    if (number == AT_IMM7 || number == AT_IMM12) access->offset *= INT64_C(1) << scale;
    return number != AT_INDEX || access_index(access, opcode, scale);
}

/* Bits 24 and 23: before the access, and adds. */
static bool access_of_a32(struct isa_access *access, uint32_t does, uint32_t opcode)
{
    const unsigned number = does & NUMBER_MASK;
    const bool before = bits_of(opcode, 24, 1), adds = bits_of(opcode, 23, 1);
    const bool half_index = number == AT_A32_HALF && !bits_of(opcode, 22, 1);
    if (number == AT_A32_INDEX || half_index) access->index = (int)bits_of(opcode, 0, 4);
    if (number == AT_A32_INDEX) access->shift = (uint8_t)bits_of(opcode, 7, 5);
    if (access->index == 15 || (number == AT_A32_INDEX && bits_of(opcode, 5, 2))) return false;
    access->subtracts = !adds;
    if (half_index || !before) access->offset = 0;
    if (!before) access->index = -1;
    if (!adds) access->offset = -access->offset;
    return true;
}

bool isa_access_of(struct isa_access *access, enum isa isa, uint64_t opcode)
{
    const struct encoding_table *table = encoding_table_of(isa, false, opcode, 4);
    const uint32_t bits = (uint32_t)opcode;
    if (!table) return false;
    const struct encoding *encoding = encoding_find(table, bits);
    const uint32_t does = encoding->does;
    if (!encoding_has_address(does)) return false;
    const struct encoding_operand *base = &table->operands[(unsigned char)encoding->reads[0]];
    *access = (struct isa_access){.base = (int)encoding_register(base, bits),
                                  .index = -1,
                                  .offset = encoding_number(does & NUMBER_MASK, bits),
                                  .size = does >> SIZE_SHIFT & 15};
    if (access->base == table->none) return false;
    if (table == &encodings_a64) return access_of_a64(access, does, bits);
    return !table->is_arm32 || access_of_a32(access, does, bits);
}
