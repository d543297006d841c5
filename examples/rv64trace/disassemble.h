/* SPDX-License-Identifier: MIT */
/*
 * disassemble.h: an instruction as text, as `objdump -M numeric,no-aliases` writes it but with a
 * single space and without symbols.
 */
#ifndef DISASSEMBLE_H
#define DISASSEMBLE_H

#include <stddef.h>

#include "operation.h"

enum { DISASSEMBLY_SIZE = 64 };

/* Jumps and branches show their target: pc is the instruction's address. */
void disassemble(const struct instruction *instruction, uint64_t pc, char text[DISASSEMBLY_SIZE]);

#endif
