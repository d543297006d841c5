/* SPDX-License-Identifier: MIT */
/*
 * riscv_jump.h: what jumps of RISC-V do to a stack of return addresses (The RISC-V Instruction Set
 * Manual, volume I, "Unconditional Jumps": hints of JALR), and constants that code loads.
 */
#ifndef SPOOR_ISA_RISCV_JUMP_H
#define SPOOR_ISA_RISCV_JUMP_H

#include <stdbool.h>
#include <stdint.h>

struct riscv_jump {
    bool pushes;   /* the address after it */
    bool pops;     /* the address that it goes to, before it pushes */
    bool indirect; /* to the register `base`, plus: */
    uint8_t base;
    int64_t offset;
};
/* Of an instruction that is no jump, nothing. */
struct riscv_jump riscv_jump_of(uint64_t opcode, unsigned size);

/* Where an indirect one goes with that value in its register: JALR clears the lowest bit. */
static inline uint64_t riscv_jump_target(const struct riscv_jump *jump, uint64_t base)
{
    return (base + (uint64_t)jump->offset) & ~UINT64_C(1);
}

/* A constant in a register: of LUI, AUIPC, C.LUI. */
struct riscv_constant {
    bool known;
    uint8_t reg;
    uint64_t value;
};
struct riscv_constant riscv_constant_of(uint64_t pc, uint64_t opcode, unsigned size);

#endif
