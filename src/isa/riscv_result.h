/* SPDX-License-Identifier: MIT */
/*
 * riscv_result.h: the results of RISC-V's integer instructions of 32 bits: those of the base sets
 * RV32I and RV64I and of M (The RISC-V Instruction Set Manual, Volume I), and, expanded, of C.
 */
#ifndef SPOOR_ISA_RISCV_RESULT_H
#define SPOOR_ISA_RISCV_RESULT_H

#include <stdbool.h>
#include <stdint.h>

/* Expands a compressed instruction ("C" and "Zcb") that computes an integer, or states where it
 * returns to, of registers of `bits` bits (32 or 64; 0: unknown), to the one of 32 bits that it
 * stands for.  A jump's distance is 0 in *opcode.  False: another one. */
bool riscv_expand(uint16_t compressed, unsigned bits, uint32_t *opcode);

struct riscv_sources {
    uint64_t pc;
    unsigned size;          /* bytes of the instruction, after which a call returns */
    uint64_t first, second; /* values of the registers that the opcode names */
    bool has_first, has_second;
    unsigned bits; /* width of a register, 32 or 64; 0: unknown */
};
/* Computes what the instruction writes, in its lowest `bits` bits; false: another instruction, or a
 * source is unknown. */
bool riscv_result(uint32_t opcode, const struct riscv_sources *sources, uint64_t *result);

#endif
