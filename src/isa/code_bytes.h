/* SPDX-License-Identifier: MIT */
/* code_bytes.h: the bytes of an opcode as they lie in memory, and what they are code of. */
#ifndef SPOOR_ISA_CODE_BYTES_H
#define SPOOR_ISA_CODE_BYTES_H

#include "isa/register.h"
#include "spoor/image.h"

/* Fills the bytes of an opcode of `size` bytes (8 at most are given); T32 states its first halfword
 * first.  Returns their number. */
static inline size_t code_bytes(uint64_t opcode, size_t size, uint8_t iset, uint8_t bytes[8])
{
    const bool swapped = (iset == 'T' || iset == 'X') && size == 4;
    if (size > 8) size = 8;
    if (swapped) opcode = (opcode >> 16 & 0xFFFF) | (opcode & 0xFFFF) << 16;
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(opcode >> (8 * i));
    return size;
}

/* By the letter of the instruction set, where the trace states one, else by the architecture. */
static inline enum spoor_code code_of_opcode(enum isa isa, uint8_t iset, size_t size)
{
    if (iset == 'O') return SPOOR_CODE_A64;
    if (iset == 'T' || iset == 'X') return SPOOR_CODE_T32;
    if (iset == 'C' || iset == 'I' || iset == 'R') return SPOOR_CODE_UNKNOWN;
    switch (isa) {
    case ISA_RISCV: return SPOOR_CODE_RISCV;
    case ISA_AARCH64: return SPOOR_CODE_A64;
    case ISA_MIPS: return SPOOR_CODE_MIPS;
    case ISA_LOONGARCH: return SPOOR_CODE_LOONGARCH;
    case ISA_AARCH32: return size == 2 ? SPOOR_CODE_T32 : SPOOR_CODE_A32;
    default: return SPOOR_CODE_UNKNOWN;
    }
}

#endif
