/* SPDX-License-Identifier: MIT */
/*
 * x86_code.h: the prefixes, the opcode and the size of an x86 instruction in 64-bit mode (Intel 64
 * and IA-32 Architectures Software Developer's Manual, volume 2, chapter 2 and appendix A).
 */
#ifndef SPOOR_ISA_X86_CODE_H
#define SPOOR_ISA_X86_CODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { X86_LONGEST_CODE = 15 /* bytes */ };

enum x86_selector { X86_PREFIX_NONE, X86_PREFIX_66, X86_PREFIX_F3, X86_PREFIX_F2, X86_PREFIXES };
enum x86_map { X86_MAP_ONE_BYTE, X86_MAP_0F, X86_MAP_0F38, X86_MAP_0F3A };
enum x86_wide { X86_WIDE_NONE, X86_WIDE_VEX, X86_WIDE_EVEX };

struct x86_code {
    const uint8_t *at, *end;  /* `at`: after the opcode */
    enum x86_selector prefix; /* the one that selects among instructions of vectors */
    enum x86_map map;
    enum x86_wide wide;
    bool w; /* REX.W, VEX.W */
    bool rep, repne, lock;
    bool narrow;        /* prefix 66: operands of 16 bits */
    bool short_address; /* prefix 67: addresses of 32 bits */
    bool cut;           /* the bytes end before the opcode does */
    uint8_t opcode, modrm;
    bool has_modrm; /* there is a byte after the opcode, which `modrm` is */
};

/* Reads up to the opcode, from code->at. */
void x86_read(struct x86_code *code);
/* What selects among instructions, as x86.def has it. */
static inline uint32_t x86_word(const struct x86_code *code)
{
    return code->modrm | (uint32_t)code->opcode << 8 | (uint32_t)code->map << 16 |
           (uint32_t)(code->wide != X86_WIDE_NONE) << 18 | (uint32_t)code->rep << 19;
}
/* The size in bytes of the instruction of which x86_read() read the opcode, from `begin` on; 0: no
 * such opcode exists in 64-bit mode, or the bytes end before it does. */
unsigned x86_size(const struct x86_code *code, const uint8_t *begin);

#endif
