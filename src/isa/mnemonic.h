/* SPDX-License-Identifier: MIT */
/*
 * mnemonic.h: the mnemonic of an instruction, from the bytes of its code.
 *
 * For traces and images that have code, but no disassembly.  Mnemonics suffice to count
 * instructions by opcode.  Names are those of the manuals; an opcode that no table has is named by
 * its bytes.
 */
#ifndef SPOOR_ISA_MNEMONIC_H
#define SPOOR_ISA_MNEMONIC_H

#include <stddef.h>
#include <stdint.h>

enum { MNEMONIC_MAX = 32 };

/* Store the mnemonic, NUL-terminated, and return the number of its characters; 0: there is none. */
size_t mnemonic_a64(char text[MNEMONIC_MAX], uint32_t opcode);
size_t mnemonic_x86(char text[MNEMONIC_MAX], const uint8_t *code, size_t size);

#endif
