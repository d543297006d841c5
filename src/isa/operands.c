/* SPDX-License-Identifier: MIT */
/* operands.c: the registers that an opcode reads and writes, and the address that it accesses. */
#include "isa/operands.h"

#include <string.h>

#include "isa/encoding.h"

/* ---- registers ---- */

static unsigned operand_number(const struct encoding_operand *operand, uint32_t opcode)
{
    bool high = operand->high;
    switch ((enum encoding_operand_kind)operand->kind) {
    case VFP:
    case VFP_LIST: high = bits_of(opcode, 8, 1); break;
    case VFP_SINGLE:
    case VFP_PAIR:
        high = false;
        break; /* the bit is the half */
    /* an element of 16 bits is in d0 to d7, one of 32 bits in d0 to d15 */
    case ZC_MOVED: {
        const unsigned number = bits_of(opcode, operand->low, operand->size);
        return number < 2 ? 8 + number : 16 + number;
    }
    case NEON_SCALAR: return bits_of(opcode, 0, bits_of(opcode, 20, 2) == 1 ? 3 : 4);
    default: break;
    }
    return bits_of(opcode, operand->low, operand->size) |
           (high ? bits_of(opcode, operand->high, 1) << operand->size : 0);
}

unsigned encoding_register(const struct encoding_operand *operand, uint32_t opcode)
{
    return operand->first + operand_number(operand, opcode) + operand->add;
}

/* Collects the operands of one instruction. */
struct operand_lister {
    const struct encoding_table *table;
    const struct encoding *encoding;
    uint32_t opcode;
    struct isa_operands *operands;
    struct isa_parts *parts; /* NULL: not asked for */
    const struct isa_vtype *vtype;
    unsigned at; /* the next byte of the row */
};

/* Adds a register, unless it is `none`, which reads as a constant. */
static void operands_add(struct operand_lister *lister, unsigned reg, unsigned none,
                         struct isa_part part, bool writes)
{
    struct isa_operands *operands = lister->operands;
    uint8_t *count = writes ? &operands->write_count : &operands->read_count;
    if (reg == none || *count == MAX_ISA_OPERANDS) return;
    (writes ? operands->writes : operands->reads)[*count] = (uint8_t)reg;
    if (lister->parts) (writes ? lister->parts->writes : lister->parts->reads)[*count] = part;
    ++*count;
}

/* Finds the bytes of a register, and its place in the row if it is in it. */
static struct isa_part operands_part(struct operand_lister *lister,
                                     const struct encoding_operand *operand, unsigned i,
                                     bool writes, bool in_row)
{
    if (!lister->parts) return (struct isa_part){0};
    struct isa_part part =
        encoding_part(lister->table, lister->encoding, operand, lister->opcode, i, writes);
    if (!in_row) return part;
    part.width =
        (uint8_t)(part.size ? part.size
                            : encoding_width(lister->table, lister->encoding, lister->opcode));
    if (!part.element) part.at = (uint8_t)lister->at;
    lister->at += part.width;
    return part;
}

/* Adds the registers that a letter stands for. */
static void operands_add_letter(struct operand_lister *lister, char letter, bool writes,
                                bool in_row)
{
    const struct encoding_table *table = lister->table;
    const struct encoding_operand *operand = &table->operands[(unsigned char)letter];
    const uint32_t opcode = lister->opcode;
    unsigned distance = 1;
    if (!(((opcode & operand->mask) == operand->match) != operand->unless)) return;
    const unsigned number = operand_number(operand, opcode);
    const unsigned count = operand->kind >= GROUP
                               ? encoding_group(operand, opcode, number, lister->vtype)
                               : encoding_count(operand, opcode, number, &distance);
    const unsigned wrap = table->is_arm32 && operand->first < ISA_VECTOR ? 15 : 31;
    /* in A64, 31 is the stack pointer where it is not zero */
    const unsigned none =
        operand->kind == REGISTER || table->is_arm32 ? table->none : ISA_REGISTERS;
    const bool is_base = operand->kind == BASE || operand->kind == BASE_UNLESS_LISTED;
    if (operand->kind == BITS) {
        for (unsigned i = 0; i < operand->size; i++)
            if (number >> i & 1)
                operands_add(lister, i, none, operands_part(lister, operand, 0, writes, in_row),
                             writes);
        return;
    }
    if (operand->kind == BASE_UNLESS_LISTED && opcode >> number & 1) return;
    if (is_base) {
        lister->operands->updates_base = true;
        lister->operands->base = (int)(operand->first + number);
    }
    in_row &= !is_base && operand->first != ISA_FLAGS && operand->first < ISA_RISCV_VECTOR;
    for (unsigned i = 0; i < count; i++) {
        struct isa_part part = operands_part(lister, operand, i, writes, in_row);
        if (operand->kind >= GROUP) part.group = (uint8_t)(i + 1);
        operands_add(lister, operand->first + ((number + operand->add + i * distance) & wrap), none,
                     part, writes);
    }
}

static bool encoding_has_address(uint64_t does)
{
    const unsigned number = does & NUMBER_MASK;
    return number >= AT_BASE && number < TO_J;
}

/* Adds control registers of RISC-V, and the mask of vectors, which the letters do not state.  Those
 * that are read come before the data of a store. */
static void operands_add_implied(struct operand_lister *lister, bool writes)
{
    enum { OP_V = 0x57, DYNAMIC = 7, X0 = 0, CSRS = 7 };
    const uint32_t opcode = lister->opcode;
    const uint64_t does = lister->encoding->does;
    const bool is_vector = bits_of(opcode, 0, 7) == OP_V;
    const bool keeps_length = does & SETS_VECTOR && opcode >> 30 != 3 && !bits_of(opcode, 7, 5) &&
                              !bits_of(opcode, 15, 5);
    const bool used[CSRS][2] = {
        [ISA_VL - ISA_RISCV_CSR] = {does & VECTOR || keeps_length,
                                    does & (SETS_VECTOR | SETS_LENGTH)},
        [ISA_VTYPE - ISA_RISCV_CSR] = {does & VECTOR, does & SETS_VECTOR},
        [ISA_VSTART -
            ISA_RISCV_CSR] = {does & (VECTOR | WHOLE), does & (VECTOR | WHOLE | SETS_VECTOR)},
        [ISA_VXSAT - ISA_RISCV_CSR] = {false, does & SATURATES},
        [ISA_VXRM - ISA_RISCV_CSR] = {does & FIXED_POINT, false},
        [ISA_FFLAGS - ISA_RISCV_CSR] = {false, does & RAISES},
        [ISA_FRM - ISA_RISCV_CSR] = {does & ROUNDS && !(does & EXACT) &&
                                         (is_vector || bits_of(opcode, 12, 3) == DYNAMIC),
                                     false},
    };
    if (!writes && does & VECTOR && !bits_of(opcode, 25, 1) &&
        !memchr(lister->encoding->reads, '0', sizeof lister->encoding->reads))
        operands_add(lister, ISA_RISCV_VECTOR, ISA_REGISTERS, (struct isa_part){0}, false);
    for (unsigned i = 0; i < CSRS; i++)
        if (used[i][writes])
            operands_add(lister, ISA_RISCV_CSR + i, ISA_REGISTERS, (struct isa_part){0}, writes);
}

/* Adds the control register of an instruction that names one, if others imply it. */
static void operands_add_csr(struct operand_lister *lister, bool writes)
{
    static const struct {
        uint16_t number;
        uint8_t registers[2];
    } csrs[] = {{0x001, {ISA_FFLAGS, ISA_FFLAGS}}, {0x002, {ISA_FRM, ISA_FRM}},
                {0x003, {ISA_FFLAGS, ISA_FRM}},    {0x008, {ISA_VSTART, ISA_VSTART}},
                {0x009, {ISA_VXSAT, ISA_VXSAT}},   {0x00A, {ISA_VXRM, ISA_VXRM}},
                {0x00F, {ISA_VXSAT, ISA_VXRM}},    {0xC20, {ISA_VL, ISA_VL}},
                {0xC21, {ISA_VTYPE, ISA_VTYPE}}};
    for (size_t i = 0; i < sizeof csrs / sizeof *csrs; i++)
        for (unsigned k = 0; k < 2 && csrs[i].number == lister->opcode >> 20; k++)
            if (k == 0 || csrs[i].registers[1] != csrs[i].registers[0])
                operands_add(lister, csrs[i].registers[k], ISA_REGISTERS, (struct isa_part){0},
                             writes);
}

bool riscv_zc_shares(uint64_t opcode, unsigned size)
{
    enum { FSDSP_MASK = 0xE003, FSDSP = 0xA002 };
    return size == 2 && (opcode & FSDSP_MASK) == FSDSP &&
           encoding_find(&encodings_riscv_zc, (uint32_t)opcode)->name;
}

/* The table of an opcode; NULL: there is none, or two instructions of RISC-V share the opcode. */
static const struct encoding_table *operands_table(enum isa isa, bool thumb, uint64_t opcode,
                                                   unsigned size)
{
    if (isa != ISA_RISCV) return encoding_table_of(isa, thumb, opcode, size);
    if (opcode < RISCV_ZC && riscv_zc_shares(opcode, 2)) return NULL;
    return encoding_table_of(isa, thumb, opcode & ~RISCV_FSDSP, size);
}

static bool operands_list(struct isa_operands *operands, struct isa_parts *parts,
                          const struct isa_vtype *vtype, enum isa isa, bool thumb, uint64_t opcode,
                          unsigned size)
{
    const struct encoding_table *table = operands_table(isa, thumb, opcode, size);
    const uint32_t bits = (uint32_t)opcode;
    *operands = (struct isa_operands){.csr = -1, .base = -1};
    if (!table || isa == ISA_MIPS || isa == ISA_LOONGARCH) return false; /* rows without operands */
    const struct encoding *encoding = encoding_find(table, bits);
    const uint64_t does = encoding_does(encoding, bits);
    if (!encoding->name) return false;
    struct operand_lister lister = {table, encoding, bits, operands, parts, vtype, 0};
    operands->name = encoding->name;
    operands->load = does & LOAD;
    operands->branch = does & (BRANCH | EXCEPTION);
    operands->system = does & SYSTEM;
    operands->class = does >> CLASS_SHIFT & 3;
    unsigned before = 0;
    for (unsigned i = 0; i < sizeof encoding->reads && encoding->reads[i]; i++) {
        if (encoding->reads[i] != ':') {
            operands_add_letter(&lister, encoding->reads[i], false,
                                operands->store || does & COPIES);
        } else {
            operands_add_implied(&lister, false);
            operands->store = true;
            before = operands->read_count;
        }
    }
    if (!operands->store) operands_add_implied(&lister, false);
    if (operands->store) operands->data_count = (uint8_t)(operands->read_count - before);
    const unsigned stored = lister.at;
    lister.at = 0;
    for (unsigned i = 0; i < sizeof encoding->writes && encoding->writes[i]; i++)
        operands_add_letter(&lister, encoding->writes[i], true, does & (LOAD | COPIES));
    if (encoding_is_conditional(table, bits))
        operands_add(&lister, ISA_FLAGS, ISA_REGISTERS, (struct isa_part){0}, false);
    if (parts) {
        /* of cm.push and cm.pop, registers of 4 bytes or of 8 */
        const bool unknown = table == &encodings_riscv_zc;
        parts->row = (uint8_t)(unknown ? 0 : operands->load ? lister.at : stored);
        parts->copies = does & COPIES && !(does & WHOLE);
        parts->lane = (uint8_t)encoding_lane(table, encoding, bits);
        parts->unit = false;
    }
    if (isa != ISA_RISCV) return true;
    operands->is_vector = does & (VECTOR | WHOLE);
    operands->writes_first = encoding->writes[0] == 'v';
    operands->groups_known = operands->is_vector && (vtype->known || does & WHOLE);
    operands->element = (uint8_t)encoding_element(encoding, bits, vtype);
    if (parts && operands->is_vector) {
        const bool whole = does & WHOLE;
        parts->lane = whole ? 1 : does & LANES ? operands->element : 0;
        parts->unit = encoding_is_unit(encoding, bits);
        /* vmv.x.s and vfmv.f.s read element 0 */
        const bool moves_element = strcmp(encoding->reads, "s") == 0 && operands->write_count &&
                                   operands->writes[0] < ISA_FLAGS && strstr(encoding->name, "mv");
        if (moves_element && vtype->known) parts->reads[0].size = (uint8_t)(1U << vtype->sew);
    }
    const bool masked = !bits_of(bits, 25, 1);
    for (unsigned i = 0; does & VECTOR && i < operands->write_count; i++) {
        if (operands->writes[i] < ISA_RISCV_VECTOR || operands->writes[i] >= ISA_RISCV_CSR)
            continue;
        const struct isa_part part = {.kept = !masked, .group = parts ? parts->writes[i].group : 0};
        operands_add(&lister, operands->writes[i], ISA_REGISTERS, part, false);
        operands->kept_count++;
    }
    operands_add_implied(&lister, true);
    struct isa_access access = {.offset = 0};
    operands->csr = does & SYSTEM ? (int)(bits >> 20) : -1;
    if (does & SYSTEM) {
        enum { SWAPS = 1, SOURCE = 31 << 15 };
        operands->writes_csr = bits_of(bits, 12, 2) == SWAPS || bits & SOURCE;
        operands_add_csr(&lister, false);
        if (operands->writes_csr) operands_add_csr(&lister, true);
    }
    if (!encoding_has_address(does)) return true;
    if (isa_access_of(&access, isa, opcode)) operands->base = access.base;
    operands->offset = access.offset;
    operands->size = access.size;
    return true;
}

static const struct isa_vtype no_vtype;

bool isa_parts_of(struct isa_operands *operands, struct isa_parts *parts,
                  const struct isa_vtype *vtype, enum isa isa, bool thumb, uint64_t opcode,
                  unsigned size)
{
    return operands_list(operands, parts, vtype ? vtype : &no_vtype, isa, thumb, opcode, size);
}

bool isa_vector_operands_of(struct isa_operands *operands, const struct isa_vtype *vtype,
                            enum isa isa, bool thumb, uint64_t opcode, unsigned size)
{
    return operands_list(operands, NULL, vtype ? vtype : &no_vtype, isa, thumb, opcode, size);
}

bool isa_operands_of(struct isa_operands *operands, enum isa isa, bool thumb, uint64_t opcode,
                     unsigned size)
{
    return operands_list(operands, NULL, &no_vtype, isa, thumb, opcode, size);
}

const char *isa_opcode_name(enum isa isa, uint64_t opcode)
{
    const struct encoding_table *table = operands_table(isa, false, opcode, 4);
    return table && isa != ISA_AARCH32 ? encoding_find(table, (uint32_t)opcode)->name : NULL;
}

/* ---- addresses ---- */

/* Returns the logarithm of the size of one register in an access of A64; 5: there is none. */
static unsigned operands_access_scale(uint64_t does, uint32_t opcode)
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
static bool operands_access_index(struct isa_access *access, uint32_t opcode, unsigned scale)
{
    access->index = (int)bits_of(opcode, 16, 5);
    access->index_is_32 = !bits_of(opcode, 13, 1);
    access->index_is_signed = bits_of(opcode, 15, 1);
    access->shift = bits_of(opcode, 12, 1) ? (uint8_t)scale : 0;
    return bits_of(opcode, 14, 1);
}

/* Bits 24 and 23: before the access, and adds. */
static bool operands_access_a32(struct isa_access *access, uint64_t does, uint32_t opcode)
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
    const struct encoding_table *table = operands_table(isa, false, opcode, 4);
    const uint32_t bits = (uint32_t)opcode;
    if (!table) return false;
    const struct encoding *encoding = encoding_find(table, bits);
    const uint64_t does = encoding->does;
    if (!encoding_has_address(does)) return false;
    const struct encoding_operand *base = &table->operands[(unsigned char)encoding->reads[0]];
    *access = (struct isa_access){.base = (int)encoding_register(base, bits),
                                  .index = -1,
                                  .offset = encoding_number(does & NUMBER_MASK, bits),
                                  .size = does >> SIZE_SHIFT & 15};
    if (access->base == table->none) return false;
    if (table == &encodings_a64) {
        const unsigned scale = operands_access_scale(does, bits), number = does & NUMBER_MASK;
        if (scale > 4) return false;
        access->size = ((does & SIZE(15)) == SIZED ? 1u : 2u) << scale;
        if (number == AT_IMM7 || number == AT_IMM12) access->offset *= INT64_C(1) << scale;
        return number != AT_INDEX || operands_access_index(access, bits, scale);
    }
    return !table->is_arm32 || operands_access_a32(access, does, bits);
}

bool isa_writes_special(enum isa isa, bool thumb, uint64_t opcode)
{
    if (isa == ISA_AARCH64) return (opcode & 0xFFF00000) == 0xD5100000; /* MSR */
    if (isa != ISA_AARCH32) return false;
    return thumb ? (opcode & 0xFFE0D000) == 0xF3808000 : (opcode & 0x0DB0F000) == 0x0120F000;
}
