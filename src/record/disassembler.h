/* SPDX-License-Identifier: MIT */
/*
 * record/disassembler.h: the disassembly of an Arm instruction, and the registers that it writes.
 *
 * A build without capstone has neither.
 */
#ifndef SPOOR_RECORD_DISASSEMBLER_H
#define SPOOR_RECORD_DISASSEMBLER_H

#include "record/events.h"
#include "record/guest.h"

enum { DISASSEMBLY_SIZE = 200 };

struct disassembly {
    char text[DISASSEMBLY_SIZE]; /* "ldr x0, [sp, #8]"; "" if unknown */
    uint64_t writes;             /* bit i: enum event_register i */
};

struct disassembler;
/* NULL without capstone, or if memory runs out: describe then returns nothing. */
struct disassembler *disassembler_open(enum machine_id machine);
void disassembler_close(struct disassembler *disassembler);
/* `thumb`: for Arm, whether it was executed in Thumb state. */
void disassemble(struct disassembler *disassembler, const struct instruction *instruction,
                 bool thumb, struct disassembly *disassembly);

#endif
