/* SPDX-License-Identifier: MIT */
/*
 * system.h: instructions that may change how those after them are executed.
 *
 * They access system registers, order memory or instruction fetch, or trap.  An emulator that
 * translates code in blocks may end a block after one of them, as at a branch.
 */
#ifndef SPOOR_ISA_SYSTEM_H
#define SPOOR_ISA_SYSTEM_H

#include <stdint.h>

enum system_class {
    SYSTEM_NONE,
    SYSTEM_STATE, /* it may change the state of the processor */
    SYSTEM_TRAP,  /* it calls the system, or a debugger */
};
/* The class of an instruction; `letter` and `opcode` are those of struct spoor_insn (no letter:
 * RISC-V), `size` is in bytes.  More instructions than need be are of class STATE. */
enum system_class system_class_of(uint8_t letter, uint64_t opcode, unsigned size);

#endif
