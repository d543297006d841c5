/* SPDX-License-Identifier: MIT */
/*
 * stated.h: the registers and class of an instruction, from its opcode or as its trace states them.
 */
#ifndef SPOOR_PIPELINE_STATED_H
#define SPOOR_PIPELINE_STATED_H

#include "isa/operands.h"
#include "simulate/pipeline/instruction.h"

/* The pipeline's numbers of the registers that a trace names.  Initialise it with zeros. */
struct stated_registers {
    uint8_t *numbers;      /* indexed by name: 1 + number; 0: none assigned yet */
    uint8_t given;         /* numbers assigned to names that no instruction set has */
    uint8_t stack_pointer; /* as the stream's special registers state */
    uint64_t foreign;      /* number of names for which no number was left */
    bool failed;           /* memory ran out */
};
/* Returns the number of a register; SPOOR_NO_REGISTER if it is not modelled. */
uint8_t stated_register(struct stated_registers *registers, const struct spoor_stream *stream,
                        enum isa isa, spoor_name name);
void stated_free(struct stated_registers *registers);

/* Fills in what the opcode of an INSN record implies; false if the opcode is unknown. */
bool stated_by_opcode(struct instruction *instruction, enum isa isa, bool is_thumb,
                      const struct spoor_record *record);
/* Marks an instruction whose condition failed: it reads the flags and has no effect. */
void stated_skipped(struct instruction *instruction);

#endif
