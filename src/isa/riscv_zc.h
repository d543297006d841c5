/* SPDX-License-Identifier: MIT */
/*
 * riscv_zc.h: the opcodes that c.fsdsp shares with Zcmp and Zcmt (The RISC-V Instruction Set
 * Manual, Volume I, "Zc*"): cm.push, cm.pop, cm.popret, cm.popretz, cm.mvsa01, cm.mva01s, cm.jt,
 * cm.jalt.
 *
 * No core has both, and the opcode does not say which it is.  What the instruction wrote does:
 * c.fsdsp writes 8 bytes of memory and no register, the others an integer register, but for cm.jt.
 * RISCV_ZC and RISCV_FSDSP of operands.h mark an opcode that is decided.
 */
#ifndef SPOOR_ISA_RISCV_ZC_H
#define SPOOR_ISA_RISCV_ZC_H

#include "isa/operands.h"

enum riscv_zc { RISCV_ZC_UNKNOWN, RISCV_ZC_FSDSP, RISCV_ZC_OTHER };
/* The opcode as what it is; as it was where that is not known. */
static inline uint64_t riscv_zc_decide(uint64_t opcode, enum riscv_zc which)
{
    return opcode | (which == RISCV_ZC_OTHER   ? RISCV_ZC
                     : which == RISCV_ZC_FSDSP ? RISCV_FSDSP
                                               : 0);
}
/* Which of them an instruction with a shared opcode is, by what it wrote; `states_registers`: the
 * trace has such writes at all. */
enum riscv_zc riscv_zc_of_effects(uint64_t opcode, bool writes_integer, bool writes_memory,
                                  bool states_registers);
/* Which it is by the records of a batch after the instruction `index` and near it. */
enum riscv_zc riscv_zc_of(const struct spoor_batch *batch, size_t index);
/* The name of a shared opcode; both, "c.fsdsp|cm.push", if it is not known which it is. */
const char *riscv_zc_name(uint64_t opcode, enum riscv_zc which);
/* Writes the text of a shared opcode: of both, if it is not known which it is. */
void riscv_zc_text(uint64_t pc, uint64_t opcode, enum riscv_zc which, char *text, size_t capacity);

#endif
