/* SPDX-License-Identifier: MIT */
/* opcode.c: where execution continues after an instruction of RISC-V or Arm. */
#include "isa/opcode.h"

#include "isa/encoding.h"
#include "isa/riscv_zc.h"

static struct opcode opcode_of(const struct encoding_table *table, uint64_t pc, uint32_t bits)
{
    static const uint64_t REGION = (UINT64_C(1) << 28) - 1; /* in which J and JAL of MIPS stay */
    const uint64_t does = encoding_does(encoding_find(table, bits), bits);
    if (!(does & (BRANCH | UNKNOWN_FLOW | GUARDS))) return opcode_next();
    if (does & BRANCH) {
        const enum encoding_number number = does & NUMBER_MASK;
        const unsigned type = (does >> TYPE_SHIFT & 15) |
                              (encoding_is_conditional(table, bits) ? SPOOR_BRANCH_CONDITIONAL : 0);
        if (type & SPOOR_BRANCH_INDIRECT) return opcode_indirect(type);
        pc += table->ahead;
        if (number == TO_T32_BLX) pc &= ~UINT64_C(3);
        if (number == TO_MIPS_REGION) pc &= ~REGION;
        return opcode_to(pc + (uint64_t)encoding_number(number, bits), type);
    }
    struct opcode opcode = {.flow = does & UNKNOWN_FLOW ? OPCODE_UNKNOWN : OPCODE_NEXT};
    /* the lowest 1 of the mask of IT states how many there are */
    if (does & GUARDS) opcode.guards = (uint8_t)(4 - __builtin_ctz(bits_of(bits, 0, 4)));
    return opcode;
}

struct opcode opcode_a64(uint64_t pc, uint32_t bits)
{
    return opcode_of(&encodings_a64, pc, bits);
}

struct opcode opcode_c64(uint64_t pc, uint32_t bits)
{
    switch (bits & 0xFFFFFC1F) {
    case 0xC2C21000: return opcode_indirect(0);                   /* BR */
    case 0xC2C23000: return opcode_indirect(SPOOR_BRANCH_CALL);   /* BLR */
    case 0xC2C25000: return opcode_indirect(SPOOR_BRANCH_RETURN); /* RET */
    default: return opcode_a64(pc, bits);
    }
}

struct opcode opcode_a32(uint64_t pc, uint32_t bits)
{
    return opcode_of(encoding_table_a32(bits), pc, bits);
}

struct opcode opcode_t32(uint64_t pc, uint32_t bits, unsigned size)
{
    return opcode_of(size == 2 ? &encodings_t32_narrow : &encodings_t32, pc, bits);
}

struct opcode opcode_riscv(uint64_t pc, uint32_t bits, unsigned size)
{
    /* c.fsdsp, or a branch of Zcmp or Zcmt */
    if (riscv_zc_shares(bits, size) && opcode_riscv_zc(pc, bits).flow == OPCODE_BRANCH)
        return (struct opcode){.flow = OPCODE_UNKNOWN};
    return opcode_of(size == 2 ? &encodings_riscv_narrow : encoding_table_riscv(bits), pc, bits);
}

struct opcode opcode_mips(uint64_t pc, uint32_t bits)
{
    struct opcode opcode = opcode_of(&encodings_mips, pc, bits);
    const bool returns = opcode_returns_from_exception(ISA_MIPS, 0, bits, sizeof bits);
    if (opcode.flow == OPCODE_BRANCH && !returns) opcode.slot = sizeof bits;
    return opcode;
}

struct opcode opcode_loongarch(uint64_t pc, uint32_t bits)
{
    return opcode_of(&encodings_loongarch, pc, bits);
}

int opcode_target_register(enum isa isa, bool thumb, uint32_t bits, unsigned size, uint64_t *offset)
{
    *offset = 0;
    switch (isa) {
    case ISA_AARCH64: /* BR, BLR, RET */
        return (bits & 0xFF9FFC1F) == 0xD61F0000 ? (int)bits_of(bits, 5, 5) : -1;
    case ISA_AARCH32:
        if (thumb) { /* BX, BLX; MOV PC, Rm */
            const bool moves = (bits & 0xFF07) == 0x4700 || (bits & 0xFF87) == 0x4687;
            return size == 2 && moves ? (int)bits_of(bits, 3, 4) : -1;
        }
        return (bits & 0x0FFFFFD0) == 0x012FFF10 || (bits & 0x0FFFFFF0) == 0x01A0F000
                   ? (int)bits_of(bits, 0, 4)
                   : -1;
    case ISA_RISCV: /* C.JR, C.JALR; JALR */
        if (size == 2) return (bits & 0xE07F) == 0x8002 ? (int)bits_of(bits, 7, 5) : -1;
        *offset = sign_extended(bits >> 20, 12);
        return (bits & 0x707F) == 0x67 ? (int)bits_of(bits, 15, 5) : -1;
    case ISA_MIPS: /* JR, JALR */
        return (bits & 0xFC00003E) == 0x08 ? (int)bits_of(bits, 21, 5) : -1;
    case ISA_LOONGARCH: /* JIRL */
        *offset = sign_extended(bits_of(bits, 10, 16) << 2, 18);
        return (bits & 0xFC000000) == 0x4C000000 ? (int)bits_of(bits, 5, 5) : -1;
    default: return -1;
    }
}

struct opcode opcode_riscv_zc(uint64_t pc, uint32_t bits)
{
    return opcode_of(&encodings_riscv_zc, pc, bits);
}

bool opcode_returns_from_exception(enum isa isa, uint8_t iset, uint32_t bits, unsigned size)
{
    /* Trace Matcher prints the letter A with instructions of RISC-V, too */
    if (isa == ISA_RISCV)
        return size == 4 && (bits == 0x30200073 || bits == 0x10200073 || bits == 0x00200073 ||
                             bits == 0x70200073);
    if (isa == ISA_MIPS) return bits == 0x42000018 || bits == 0x4200001F;
    if (isa == ISA_LOONGARCH) return bits == 0x06483800;
    switch (iset) {
    case 'O': return (bits & 0xFFE00000) == 0xD6800000;
    case 'A':
        return (bits & 0xFE500000) == 0xF8100000 ||  /* RFE */
               (bits & 0x0E508000) == 0x08508000 ||  /* LDM {..., PC}^ */
               (bits & 0x0FFFFFFF) == 0x0160006E ||  /* ERET */
               ((bits & 0x0C10F000) == 0x0010F000 && /* SUBS PC, LR, #n; MOVS PC, LR */
                (bits >> 28) != 15 && (bits & 0x01800000) != 0x01000000 &&
                (bits & 0x02000090) != 0x00000090);
    case 'T':
    case 'X':
        return size == 4 &&
               ((bits & 0xFFFFFF00) == 0xF3DE8F00 || (bits & 0xFFD00000) == 0xE8100000 ||
                (bits & 0xFFD00000) == 0xE9900000);
    default: return false;
    }
}
