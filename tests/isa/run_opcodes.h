/* SPDX-License-Identifier: MIT */
/* run_opcodes.h: requests to run_opcodes.c, and its answers; the same bytes in all programs. */
#ifndef SPOOR_TESTS_ISA_RUN_OPCODES_H
#define SPOOR_TESTS_ISA_RUN_OPCODES_H

#include <stdint.h>

enum { REGISTERS = 104 }; /* enum isa_register: ISA_REGISTERS */

struct request {
    uint32_t opcode, size;
    uint32_t thumb, states;   /* in how many states of the registers it is executed */
    uint32_t vector, vtype;   /* RISC-V: `vector`, with this vtype */
    uint8_t reads[REGISTERS]; /* those that are said to be read, which are tried one by one */
};

struct answer {
    uint32_t executed, illegal; /* executions */
    uint8_t reads[REGISTERS], writes[REGISTERS];
    uint8_t uses[REGISTERS]; /* reads more than what is kept of the register */
    uint8_t loads, stores, jumps, falls;
    uint8_t padding[4];
    uint64_t lowest, bytes; /* what was stored the last time, */
    uint64_t integers[32];  /* and the registers before */
};

#endif
