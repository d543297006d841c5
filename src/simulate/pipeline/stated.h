/* SPDX-License-Identifier: MIT */
/*
 * stated.h: the registers and kind of an instruction, by its opcode or as its trace states them.
 */
#ifndef SPOOR_PIPELINE_STATED_H
#define SPOOR_PIPELINE_STATED_H

#include "isa/operands.h"
#include "simulate/pipeline/instruction.h"

/* The pipeline's numbers of the registers that a trace names.  Zeroed, it knows none. */
struct stated_registers {
    uint8_t *numbers;      /* by name: 1 + number; 0: not asked for yet */
    uint8_t given;         /* numbers given to names that no instruction set has */
    uint8_t stack_pointer; /* as the stream's special registers say */
    uint64_t foreign;      /* names that got no number any more */
};
/* The number of a register; SPOOR_NO_REGISTER: none waits for it, or there are too many. */
uint8_t stated_register(struct stated_registers *registers, const struct spoor_stream *stream,
                        enum isa isa, spoor_name name);
void stated_free(struct stated_registers *registers);

/* Fill in what the opcode of an INSN record says; false: nothing is known of it. */
bool stated_by_opcode(struct instruction *instruction, enum isa isa, bool is_thumb,
                      const struct spoor_record *record);
/* Its condition failed: it has looked at the flags and does nothing. */
void stated_skipped(struct instruction *instruction);

#endif
