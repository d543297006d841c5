/* SPDX-License-Identifier: MIT */
/*
 * operation.h: the instructions of RV64IM as one table, and decoding of an opcode.
 *
 * An operation's class determines the positions of its operands, its disassembly and its execution;
 * the computation is a pure function of two numbers.  Source: The RISC-V Instruction Set Manual,
 * Volume I, chapters RV32I, RV64I and M.
 */
#ifndef OPERATION_H
#define OPERATION_H

#include <stdbool.h>
#include <stdint.h>

enum class {
    CLASS_REGISTER,      /* rd = compute(rs1, rs2) */
    CLASS_IMMEDIATE,     /* rd = compute(rs1, immediate) */
    CLASS_SHIFT,         /* the same with a shift amount */
    CLASS_LOAD,          /* rd = compute(memory at rs1 + immediate, 0): the extension */
    CLASS_STORE,         /* memory at rs1 + immediate = rs2 */
    CLASS_BRANCH,        /* if compute(rs1, rs2) then pc += immediate */
    CLASS_JUMP,          /* rd = next pc; pc += immediate */
    CLASS_JUMP_REGISTER, /* rd = next pc; pc = rs1 + immediate */
    CLASS_UPPER,         /* rd = immediate */
    CLASS_UPPER_PC,      /* rd = pc + immediate */
    CLASS_SYSTEM,        /* ask the environment */
    CLASSES
};

struct operation {
    const char *name;
    uint32_t mask, match; /* an opcode is this operation if (opcode & mask) == match */
    enum class class;
    uint64_t (*compute)(uint64_t a, uint64_t b);
    uint8_t size;      /* loads and stores: bytes */
    const char *micro; /* what the micro-op trace calls the work */
};

/* Register numbers are 0 where the class has no such operand: x0 reads as 0, writes are lost. */
struct instruction {
    const struct operation *operation;
    uint8_t rd, rs1, rs2;
    int64_t immediate;
};

/* False: no operation of RV64IM has this opcode. */
bool instruction_decode(uint32_t opcode, struct instruction *instruction);

#endif
