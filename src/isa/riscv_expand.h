/* SPDX-License-Identifier: MIT */
/*
 * riscv_expand.h: compressed RISC-V instructions as the ones of 32 bits that they stand for (The
 * RISC-V Instruction Set Manual, Volume I, "C" and "Zcb").
 */
#ifndef SPOOR_ISA_RISCV_EXPAND_H
#define SPOOR_ISA_RISCV_EXPAND_H

#include <stdbool.h>
#include <stdint.h>

/* Expands an instruction that computes an integer, or states where it returns to, of registers of
 * `bits` bits (32 or 64; 0: unknown).  A jump's distance is 0 in *opcode.  False: another one. */
bool riscv_expand(uint16_t compressed, unsigned bits, uint32_t *opcode);

#endif
