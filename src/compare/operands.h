/* SPDX-License-Identifier: MIT */
/*
 * operands.h: the operands that an instruction reads, from its opcode by table or from its
 * disassembly.
 *
 * They suffice to find where a wrong value came from: the source registers, whether memory or a
 * control register was a source, and, where a log prints no memory, how the address is computed.
 */
#ifndef SPOOR_COMPARE_OPERANDS_H
#define SPOOR_COMPARE_OPERANDS_H

#include "instructions/unit_queue.h"
#include "isa/operands.h"

enum { MAX_READS = MAX_ISA_OPERANDS, MAX_CHANGES = 8 };
struct operands {
    const char *name; /* mnemonic or class of encoding; NULL: unknown */
    spoor_name reads[MAX_READS];
    unsigned read_count;
    unsigned kept_count; /* number of the last reads of which it keeps elements: see isa_operands */
    spoor_name changes[MAX_CHANGES]; /* control registers of RISC-V that it changes unnamed */
    unsigned change_count;
    bool is_vector;    /* RISC-V: how many registers and accesses it has depends on vl and vtype */
    bool masked;       /* it does not write all elements, */
    bool writes_first; /* or element 0 alone */
    unsigned element;  /* bytes of an element of the vectors that it writes; 0: unknown */
    unsigned data_begin, data_end; /* the reads that are the data of a store, not its address */
    spoor_name base;               /* base register of the address, or none */
    int64_t offset;                /* added to the base */
    unsigned size;                 /* bytes of the access; 0: unknown */
    int csr;          /* RISC-V: number of the control register that it reads, -1: none */
    bool load, store; /* accesses memory at base + offset, where base is a name */
    bool branch;      /* the next instruction may not follow it in memory */
    bool system;      /* reads a system register */
};

/* Names of registers in the interned table, by number. */
struct operand_names {
    spoor_name integer[32];                             /* AArch64: [31] is sp */
    spoor_name vector[32];                              /* RISC-V: f0-f31; AArch64: v0-v31 */
    spoor_name riscv[ISA_REGISTERS - ISA_RISCV_VECTOR]; /* v0-v31, and control registers */
    spoor_name flags;                                   /* cpsr */
    spoor_name stack[4];                                /* AArch64: sp_el0 .. sp_el3 */
};
void operand_names_start(struct operand_names *operands, struct spoor_names *names, enum isa isa);

/* Finds the operands that `unit` reads; `text` is its disassembly, `vtype` what RISC-V's vtype is,
 * or NULL.  For an instruction that no table lists, the disassembly decides; without a disassembly
 * it reads nothing. */
void operands_of(const struct unit *unit, const char *text, enum isa isa, struct spoor_names *names,
                 const struct operand_names *registers, const struct isa_vtype *vtype,
                 struct operands *operands);

/* Whether the opcode of a unit writes a register, given by its one name. */
enum operand_written { WRITTEN_UNKNOWN, WRITTEN_BY_OPCODE, NOT_WRITTEN };
enum operand_written operand_written(const struct unit *unit, enum isa isa,
                                     const struct isa_vtype *vtype, const char *name);

/* True if the unit returns from an exception. */
bool unit_returns(enum isa isa, const struct unit *unit);

/* The mnemonic for reports, in lower case: the disassembly's first word, else the table's name,
 * else "unknown". */
enum { MAX_MNEMONIC = 24 };
void mnemonic_of(const struct unit *unit, const char *text, enum isa isa,
                 char mnemonic[MAX_MNEMONIC]);

#endif
