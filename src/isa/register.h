/* SPDX-License-Identifier: MIT */
/* register.h: one name for each register, whatever a trace calls it. */
#ifndef SPOOR_ISA_REGISTER_H
#define SPOOR_ISA_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/batch.h"

/* Instruction sets that are told apart. */
enum isa { ISA_UNKNOWN, ISA_RISCV, ISA_AARCH64, ISA_AARCH32 };
const char *isa_name(enum isa isa);

/* The instruction set of the instructions in a batch, by what they state and how long their opcodes
 * say they are; UNKNOWN where too few are there to tell. */
enum isa isa_guess(const struct spoor_batch *batch);

enum { REGISTER_NAME_MOST = 40 };
struct register_name {
    char text[REGISTER_NAME_MOST]; /* lower case, NUL-terminated */
    uint16_t widened; /* bits of the whole register, which a narrower write clears; else 0 */
    bool zero;        /* reads as zero always: writes have no effect */
};
/* The one name of the register that a trace calls `text`: RISC-V ABI names become x0-x31 and f0-f31
 * (The RISC-V Instruction Set Manual, "RISC-V Assembly Programmer's Handbook"), AArch64 wN becomes
 * xN, bN hN sN dN qN become vN (Arm ARM, "Registers in AArch64 state"), AArch32 sp, lr and pc
 * become r13 to r15. */
void register_canonical(const char *text, size_t size, enum isa isa, struct register_name *name);

#endif
