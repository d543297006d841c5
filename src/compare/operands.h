/* SPDX-License-Identifier: MIT */
/*
 * operands.h: what an instruction reads, from its opcode by table, or from its disassembly.
 *
 * Enough to say where a wrong value came from: the registers that were sources, whether memory or a
 * control register was one, and, where a log prints no memory, how the address was made.
 */
#ifndef SPOOR_COMPARE_OPERANDS_H
#define SPOOR_COMPARE_OPERANDS_H

#include "instructions/unit.h"
#include "isa/register.h"

enum { MAX_READS = 12 };
struct operands {
    const char *name; /* mnemonic or class of encoding; NULL: unknown */
    spoor_name reads[MAX_READS];
    unsigned read_count;
    spoor_name base;  /* of the address, or none */
    int64_t offset;   /* from the base */
    unsigned size;    /* bytes of the access; 0: not known */
    int csr;          /* RISC-V: number of the control register, -1: none is read */
    bool load, store; /* an access whose address is base + offset where base is a name */
    bool branch;      /* may go elsewhere than to the next instruction */
    bool system;      /* reads a system register */
};

/* Names of registers in the view's table, by number. */
struct operand_names {
    spoor_name integer[32]; /* AArch64: [31] is sp */
    spoor_name vector[32];  /* RISC-V: f0-f31; AArch64: v0-v31 */
    spoor_name flags;       /* cpsr */
    spoor_name stack[4];    /* AArch64: sp_el0 .. sp_el3 */
};
void operand_names_start(struct operand_names *operands, struct spoor_names *names, enum isa isa);

/* What `unit` reads; `text` is its disassembly.  An instruction that no table knows is read from
 * its disassembly, and one that has none reads nothing. */
void operands_of(const struct unit *unit, const char *text, enum isa isa, struct spoor_names *names,
                 const struct operand_names *registers, struct operands *operands);

/* The mnemonic for reports, lower case: the disassembly's first word, else the table's name, else
 * "unknown". */
enum { MAX_MNEMONIC = 24 };
void mnemonic_of(const struct unit *unit, const char *text, enum isa isa,
                 char mnemonic[MAX_MNEMONIC]);

#endif
