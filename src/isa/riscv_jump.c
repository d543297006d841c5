/* SPDX-License-Identifier: MIT */
/* riscv_jump.c: calls, returns and constants of RISC-V by their opcodes. */
#include "isa/riscv_jump.h"

static bool jump_is_link(unsigned reg)
{
    return reg == 1 || reg == 5;
}

static int64_t jump_signed(uint64_t value, unsigned bits)
{
    const uint64_t sign = UINT64_C(1) << (bits - 1);
    return (int64_t)(((value & (2 * sign - 1)) ^ sign) - sign);
}

static struct riscv_jump jump_by_register(unsigned to, unsigned base, int64_t offset)
{
    const bool links = jump_is_link(to), returns = jump_is_link(base);
    return (struct riscv_jump){.pushes = links,
                               .pops = returns && (!links || to != base),
                               .indirect = true,
                               .base = (uint8_t)base,
                               .offset = offset};
}

struct riscv_jump riscv_jump_of(uint64_t opcode, unsigned size)
{
    const uint32_t bits = (uint32_t)opcode;
    const unsigned to = bits >> 7 & 31;
    if (size == 4) {
        if ((bits & 0x7F) == 0x6F) return (struct riscv_jump){.pushes = jump_is_link(to)};
        if ((bits & 0x707F) == 0x67)
            return jump_by_register(to, bits >> 15 & 31, jump_signed(bits >> 20, 12));
    } else if (size == 2) {
        if ((bits & 0xF07F) == 0x8002 && to) return jump_by_register(0, to, 0);    /* C.JR */
        if ((bits & 0xF07F) == 0x9002 && to) return jump_by_register(1, to, 0);    /* C.JALR */
        if ((bits & 0xE003) == 0x2001) return (struct riscv_jump){.pushes = true}; /* C.JAL */
        if ((bits & 0xFC03) == 0xA002 && (bits >> 2 & 0xFF) >= 32)                 /* CM.JALT */
            return (struct riscv_jump){.pushes = true};
        if ((bits & 0xFD03) == 0xBC02) return (struct riscv_jump){.pops = true}; /* CM.POPRET[Z] */
    }
    return (struct riscv_jump){.pushes = false};
}

struct riscv_constant riscv_constant_of(uint64_t pc, uint64_t opcode, unsigned size)
{
    const uint32_t bits = (uint32_t)opcode;
    struct riscv_constant constant = {.reg = bits >> 7 & 31};
    if (size == 4 && ((bits & 0x7F) == 0x37 || (bits & 0x7F) == 0x17)) {
        constant.known = true;
        constant.value = (uint64_t)jump_signed(bits & 0xFFFFF000, 32);
        if ((bits & 0x7F) == 0x17) constant.value += pc;
    } else if (size == 2 && (bits & 0xE003) == 0x6001 && constant.reg != 2) {
        constant.known = true;
        constant.value = (uint64_t)jump_signed((bits >> 12 & 1) << 17 | (bits >> 2 & 31) << 12, 18);
    }
    constant.known &= constant.reg != 0;
    return constant;
}
