/* SPDX-License-Identifier: MIT */
/* register.h: maps the names that traces use for a register to one canonical name. */
#ifndef SPOOR_ISA_REGISTER_H
#define SPOOR_ISA_REGISTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/batch.h"

/* Instruction sets. */
enum isa {
    ISA_UNKNOWN = SPOOR_ISA_UNKNOWN,
    ISA_RISCV = SPOOR_ISA_RISCV,
    ISA_AARCH64 = SPOOR_ISA_AARCH64,
    ISA_AARCH32 = SPOOR_ISA_AARCH32,
    ISA_MIPS = SPOOR_ISA_MIPS,
    ISA_LOONGARCH = SPOOR_ISA_LOONGARCH
};
const char *isa_name(enum isa isa);

/* Returns the instruction set of the instructions in a batch: the one that is stated or decided for
 * the stream, else the one that the letters, opcodes and registers of its first 4,096 records
 * imply.  UNKNOWN if neither decides. */
enum isa isa_of(const struct spoor_batch *batch);

/* Returns the instruction set of one instruction, from its letter (0: none) and that of its trace.
 */
enum isa isa_of_instruction(enum isa trace, uint8_t letter);
/* The size of its opcode in bytes, by its bits where the record has none; 0: not known.  Of AArch32
 * without a letter, instructions on multiples of 4 are taken for A32. */
uint8_t isa_opcode_size(enum isa trace, const struct spoor_insn *insn);

/* True if it is an instruction of T32: where it has no letter, one of AArch32 with 2 bytes. */
static inline bool isa_is_thumb(enum isa isa, const struct spoor_insn *insn)
{
    return insn->iset == 'T' || insn->iset == 'X' ||
           (insn->iset == 0 && isa == ISA_AARCH32 && insn->opcode_size == 2);
}

enum { MAX_REGISTER_NAME = 40 };
struct register_name {
    char text[MAX_REGISTER_NAME]; /* lower case, NUL-terminated */
    uint16_t widened; /* bits of the whole register, which a narrower write clears; else 0 */
    bool zero;        /* always reads as zero: writes have no effect */
};
/* Finds the canonical name of the register that a trace calls `text`.  RISC-V ABI names become
 * x0-x31 and f0-f31 (The RISC-V Instruction Set Manual, "RISC-V Assembly Programmer's Handbook").
 * AArch64 wN becomes xN; bN hN sN dN qN become vN (Arm ARM, "Registers in AArch64 state").  AArch32
 * sp, lr and pc become r13 to r15, and their banked copies r13_svc, r14_irq, msp: see banked.def.
 */
void register_canonical(const char *text, size_t size, enum isa isa, struct register_name *name);

/* True if `text` names a copy of an AArch32 register that a mode has; *name is then its one name:
 * "SP_SVC" is r13_svc, "lr_irq" is r14_irq, "r13_main" is msp.  No other instruction set has such
 * names. */
bool register_is_copy(const char *text, size_t size, struct register_name *name);

#endif
