/* SPDX-License-Identifier: MIT */
/*
 * operands.h: the registers that an instruction reads and writes, from its opcode.
 *
 * They suffice to find where a value came from and which instructions depend on each other:
 * registers, whether memory or a control register is a source, how the address is computed, and the
 * class of the operation.  One file for each instruction set follows the encodings of its manual.
 */
#ifndef SPOOR_ISA_OPERANDS_H
#define SPOOR_ISA_OPERANDS_H

#include "isa/register.h"

/* Register numbers. */
enum isa_register {
    ISA_INTEGER = 0, /* to 31: RISC-V x0-x31, A64 x0-x30 and SP, A32 r0-r15 */
    ISA_STACK_POINTER_A64 = 31,
    ISA_VECTOR = 32, /* to 63: RISC-V f0-f31, A64 v0-v31, A32 d0-d31 */
    ISA_FLAGS = 64,
    ISA_REGISTERS,
};
enum isa_class { ISA_ALU, ISA_MULTIPLY, ISA_DIVIDE, ISA_FLOAT };

enum { MAX_ISA_OPERANDS = 40 };
struct isa_operands {
    const char *name; /* mnemonic or class of encoding; NULL: the opcode is unknown */
    uint8_t reads[MAX_ISA_OPERANDS], writes[MAX_ISA_OPERANDS]; /* enum isa_register */
    uint8_t read_count, write_count;
    uint8_t data_count; /* store: number of the last reads, without the flags, that are its data */
    uint8_t class;      /* enum isa_class; of instructions without an access */
    int base;           /* base register of the address: enum isa_register, or -1 */
    int64_t offset;     /* RISC-V: added to the base */
    unsigned size;      /* bytes of the access; 0: unknown */
    int csr;            /* RISC-V: number of the control register that it reads, -1: none */
    bool load, store;   /* accesses memory */
    bool updates_base;  /* the base gets an address, in addition to other writes */
    bool branch;        /* the next instruction may not follow it in memory */
    bool system;        /* reads a system register */
};

/* Finds what the instruction with this opcode reads and writes; false if the opcode is unknown.
 * `thumb` selects T32 in AArch32; `size` is in bytes. */
bool isa_operands_of(struct isa_operands *operands, enum isa isa, bool thumb, uint64_t opcode,
                     unsigned size);
/* The number of a register by its one name, enum isa_register: copies that modes have of it have
 * the number that opcodes state; -1: it has none, or reads as zero. */
int isa_register_number(enum isa isa, const struct register_name *name);
/* Returns the name of a RISC-V or A64 opcode, or NULL. */
const char *isa_opcode_name(enum isa isa, uint64_t opcode);

/* ---- for the files of the instruction sets ---- */

/* A row of a table: the first row that matches decides. */
struct operand_rule {
    uint32_t mask, match;
    const char *name;
    uint32_t reads, writes;
};
static inline const struct operand_rule *operand_rule_find(const struct operand_rule *rules,
                                                           uint64_t opcode)
{
    if (opcode > UINT32_MAX) return NULL;
    for (; rules->name; rules++)
        if ((opcode & rules->mask) == rules->match) return rules;
    return NULL;
}

static inline void operands_read(struct isa_operands *operands, unsigned reg)
{
    if (operands->read_count < MAX_ISA_OPERANDS)
        operands->reads[operands->read_count++] = (uint8_t)reg;
}
static inline void operands_write(struct isa_operands *operands, unsigned reg)
{
    if (operands->write_count < MAX_ISA_OPERANDS)
        operands->writes[operands->write_count++] = (uint8_t)reg;
}

/* The registers of an LDM or STM of AArch32, one bit for each: a load writes them, a store reads
 * them; a load of the pc, register 15, is a branch. */
static inline void operands_transfer_list(struct isa_operands *operands, uint32_t list, bool loads)
{
    enum { PC_NUMBER = 15 };
    operands->name = loads ? "ldm" : "stm";
    operands->load = loads;
    operands->store = !loads;
    operands->branch |= loads && list >> PC_NUMBER & 1;
    for (unsigned reg = 0; reg < PC_NUMBER; reg++) {
        if (!(list >> reg & 1)) continue;
        if (loads)
            operands_write(operands, reg);
        else
            operands_read(operands, reg);
        operands->data_count += !loads;
    }
}

const struct operand_rule *operands_rule_riscv(uint64_t opcode);
const struct operand_rule *operands_rule_a64(uint64_t opcode);
/* Each function fills `operands`, which is zero except for csr and base; false if the opcode is
 * unknown. */
bool operands_of_riscv(struct isa_operands *operands, uint64_t opcode);
bool operands_of_a64(struct isa_operands *operands, uint64_t opcode);
bool operands_of_a32(struct isa_operands *operands, uint32_t opcode);
bool operands_of_t32(struct isa_operands *operands, uint32_t opcode, unsigned size);
/* Floating-point and vector instructions, which A32 and T32 encode alike except for the condition.
 */
bool operands_of_vfp(struct isa_operands *operands, uint32_t opcode);

#endif
