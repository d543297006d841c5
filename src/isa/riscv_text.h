/* SPDX-License-Identifier: MIT */
/*
 * riscv_text.h: RISC-V instructions as text, for a capstone that does not know RISC-V (before 5).
 *
 * Registers are named x0 to x31 and f0 to f31, as traces name them; targets are addresses.
 */
#ifndef SPOOR_ISA_RISCV_TEXT_H
#define SPOOR_ISA_RISCV_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* Writes the text, NUL-terminated; returns the size of the instruction in bytes, 0 if riscv.def and
 * rvc.def do not name it. */
size_t riscv_text(uint64_t pc, uint64_t opcode, char *text, size_t capacity);

#endif
