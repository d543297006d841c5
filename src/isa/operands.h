/* SPDX-License-Identifier: MIT */
/*
 * operands.h: what an instruction reads, by its opcode.
 *
 * Enough to say where a value came from and what waits for what: the registers that are sources,
 * whether memory or a control register is one, and how the address is made.  One table for each
 * instruction set, by the encodings of its manual; a row names a class of encodings.
 */
#ifndef SPOOR_ISA_OPERANDS_H
#define SPOOR_ISA_OPERANDS_H

#include "isa/register.h"

/* Registers by number. */
enum isa_register {
    ISA_INTEGER = 0, /* to 31: RISC-V x0-x31, A64 x0-x30 and SP, A32 r0-r15 */
    ISA_STACK_POINTER_A64 = 31,
    ISA_VECTOR = 32, /* to 63: RISC-V f0-f31, A64 v0-v31, A32 d0-d31 */
    ISA_FLAGS = 64,
    ISA_REGISTERS,
};

enum { ISA_OPERANDS_MOST = 20 };
struct isa_operands {
    const char *name; /* mnemonic or class of encoding; NULL: no table knows the opcode */
    uint8_t reads[ISA_OPERANDS_MOST]; /* enum isa_register */
    uint8_t read_count;
    int base;         /* of the address: enum isa_register, or -1 */
    int64_t offset;   /* from the base */
    unsigned size;    /* bytes of the access; 0: not known */
    int csr;          /* RISC-V: number of the control register, -1: none is read */
    bool load, store; /* an access whose address is base + offset where base is a register */
    bool branch;      /* may go elsewhere than to the next instruction */
    bool system;      /* reads a system register */
};

/* What the instruction with this opcode reads; false: no table of the instruction set knows it. */
bool isa_operands_of(struct isa_operands *operands, enum isa isa, uint64_t opcode);
/* Its name, or NULL. */
const char *isa_opcode_name(enum isa isa, uint64_t opcode);

#endif
