/* SPDX-License-Identifier: MIT */
/*
 * riscv_vector.c: how many vector registers an operand is, and how long elements are (The RISC-V
 * Instruction Set Manual, Volume I, "V": vtype, "Vector Register Grouping", "Vector Loads and
 * Stores").
 */
#include <string.h>

#include "isa/encoding.h"

struct isa_vtype isa_vtype_of(uint64_t vtype)
{
    enum { RESERVED_LMUL = 4, MAX_SEW = 3, FIELDS = 0xFF };
    const unsigned lmul = vtype & 7, sew = vtype >> 3 & 7;
    if (vtype & ~(uint64_t)FIELDS || lmul == RESERVED_LMUL || sew > MAX_SEW) /* or vill */
        return (struct isa_vtype){.known = false};
    return (struct isa_vtype){.known = true,
                              .sew = (uint8_t)sew,
                              .lmul = lmul > RESERVED_LMUL ? (int)lmul - 8 : (int)lmul};
}

struct isa_vtype isa_vtype_set(uint64_t opcode)
{
    const struct encoding_table *table = encoding_table_of(ISA_RISCV, false, opcode, 4);
    if (!table) return (struct isa_vtype){.known = false};
    const unsigned number = encoding_find(table, (uint32_t)opcode)->does & NUMBER_MASK;
    if (number != IMM_V_TYPE && number != IMM_V_ITYPE) return (struct isa_vtype){.known = false};
    return isa_vtype_of((uint64_t)encoding_number(number, (uint32_t)opcode));
}

const char *isa_csr_name(unsigned reg)
{
    static const char *const names[] = {"vl", "vtype", "vstart", "vxsat", "vxrm", "fflags", "frm"};
    return names[reg - ISA_RISCV_CSR];
}

/* The logarithm of the bytes of an element, as an access states it. */
static unsigned riscv_access_width(uint32_t opcode)
{
    const unsigned width = bits_of(opcode, 12, 3);
    return width > 4 ? width - 4 : 0; /* 8 bits: those of 1 to 4 are no accesses of vectors */
}

static unsigned riscv_access_fields(uint32_t opcode)
{
    return bits_of(opcode, 29, 3) + 1;
}

unsigned encoding_group(const struct encoding_operand *operand, uint32_t opcode, unsigned number,
                        const struct isa_vtype *vtype)
{
    enum { OP_V = 0x57, MAX_GROUP = 8, REGISTERS = 32 };
    const int width = (int)riscv_access_width(opcode);
    int times = operand->times;
    unsigned fields = 1;
    switch ((enum encoding_operand_kind)operand->kind) {
    case GROUP_WHOLE:
        fields = bits_of(opcode, 0, 7) == OP_V ? bits_of(opcode, 15, 3) + 1
                                               : riscv_access_fields(opcode);
        return fields < REGISTERS - number ? fields : REGISTERS - number;
    case GROUP_WIDTHS:
        fields = riscv_access_fields(opcode);
        times = width - vtype->sew;
        break;
    case GROUP_WIDTH: times = width - vtype->sew; break;
    case GROUP_FIELDS: fields = riscv_access_fields(opcode); break;
    case GROUP_16: times = 1 - vtype->sew; break;
    default: break;
    }
    /* a group begins at a multiple of its registers */
    unsigned count = number ? number & -number : MAX_GROUP;
    if (vtype->known) count = vtype->lmul + times > 0 ? 1U << (vtype->lmul + times) : 1;
    count *= fields;
    if (count > MAX_GROUP) count = MAX_GROUP;
    return count < REGISTERS - number ? count : REGISTERS - number;
}

unsigned encoding_element(const struct encoding *encoding, uint32_t opcode,
                          const struct isa_vtype *vtype)
{
    const bool widens =
        strncmp(encoding->name, "vw", 2) == 0 || strncmp(encoding->name, "vfw", 3) == 0;
    switch (encoding->writes[0]) {
    case 'L':
    case 'R': return encoding->does & LOAD ? 1U << riscv_access_width(opcode) : 0;
    case 'V':
    case 'X':
    case 'Y':
    case 'v': return vtype->known ? 1U << (vtype->sew + widens) : 0;
    default: return 0;
    }
}

bool encoding_is_unit(const struct encoding *encoding, uint32_t opcode)
{
    const char *data = memchr(encoding->reads, ':', sizeof encoding->reads);
    const char letter = encoding->does & LOAD ? encoding->writes[0] : data ? data[1] : '\0';
    const bool contiguous = !bits_of(opcode, 26, 2) && riscv_access_fields(opcode) == 1;
    return letter == 'R' || letter == 'k' || letter == 'v' || (letter == 'L' && contiguous);
}
