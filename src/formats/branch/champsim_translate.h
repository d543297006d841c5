/* SPDX-License-Identifier: MIT */
/*
 * formats/branch/champsim_translate.h: converts instructions and branches of other traces to
 * ChampSim's.
 *
 * The opcode of an instruction determines what it reads and writes, if it is known; else the
 * registers that the trace states beside it do.  Its branch is the one that the view of branches
 * finds, which may wait for the next instruction of the processor, so an instruction is written
 * when the next one of its processor begins.
 *
 * Registers: the link register is ChampSim's register 6, by which ChampSim identifies calls and
 * returns; the flags are 25, the instruction pointer is 26, and register n of the instruction set
 * (enum isa_register) is 64 + n.  Registers with names that no known instruction set has are 128
 * and up, in the order of the trace.  A source or a result that ChampSim needs to identify the type
 * of a branch is added; register 32 is the source of a target that has none.
 */
#ifndef SPOOR_FORMATS_BRANCH_CHAMPSIM_TRANSLATE_H
#define SPOOR_FORMATS_BRANCH_CHAMPSIM_TRANSLATE_H

#include "formats/branch/branch.h"
#include "formats/branch/champsim.h"

struct champsim_held;

/* Zeroed, it is at the start of a trace. */
struct champsim_translation {
    const struct champsim_shape *shape; /* of the records to write */
    struct branch_finder view;
    struct champsim_held *held; /* by name of the processor */
    size_t held_capacity;
    spoor_name last_cpu; /* processor of the last instruction that began */
    uint16_t *numbers;   /* numbers of registers, by name: 1 + number; 0: none assigned yet */
    uint8_t given;       /* numbers given to names that no known instruction set has */
    bool owes;           /* no instruction is stated at the target of the last branch: */
    uint64_t target;
};

/* Adds record `index`, and appends the instructions that this completes; false: ChampSim's record
 * cannot represent it.  Sets out->failed if memory runs out. */
bool champsim_translate(struct champsim_translation *translation, const struct spoor_batch *batch,
                        size_t index, struct text *out);
/* The trace ends: append what was held, release everything, and be as at the start of a trace. */
void champsim_translate_end(struct champsim_translation *translation, struct text *out);

#endif
