/* SPDX-License-Identifier: MIT */
/* record/disassembler.h: the disassembly of an Arm instruction; a build without capstone has none.
 */
#ifndef SPOOR_RECORD_DISASSEMBLER_H
#define SPOOR_RECORD_DISASSEMBLER_H

#include "record/events.h"
#include "record/guest.h"

enum { DISASSEMBLY_SIZE = 200 };

struct disassembler;
/* NULL without capstone, or if memory runs out: there is no text then. */
struct disassembler *disassembler_open(enum machine_id machine);
void disassembler_close(struct disassembler *disassembler);
/* Puts "ldr x0, [sp, #8]", or "" if it is unknown.  `thumb`: for Arm, whether it was executed in
 * Thumb state. */
void disassemble(struct disassembler *disassembler, const struct instruction *instruction,
                 bool thumb, char text[DISASSEMBLY_SIZE]);

#endif
