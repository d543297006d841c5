/* SPDX-License-Identifier: MIT */
/*
 * formats/drmemtrace/mnemonic.h: the mnemonic of an instruction, from the bytes of its code.
 *
 * A drmemtrace file has code, but no disassembly.  Mnemonics suffice to count instructions by
 * opcode.  Names are those of the manuals; an opcode that no table has is named by its bytes.
 */
#ifndef SPOOR_FORMATS_DRMEMTRACE_MNEMONIC_H
#define SPOOR_FORMATS_DRMEMTRACE_MNEMONIC_H

#include <stddef.h>
#include <stdint.h>

enum { DRM_MNEMONIC_MAX = 256 };

/* Stores the mnemonic of code of the instruction set with this letter; of registers and
 * dependences, the categories and operands.  Returns the number of its characters; 0: there is
 * none. */
size_t drm_mnemonic(char text[DRM_MNEMONIC_MAX], uint8_t letter, const uint8_t *code, size_t size);

#endif
