/* SPDX-License-Identifier: MIT */
/* insn.h: shared by the dialects' instructions. */
#ifndef SPOOR_FORMATS_TARMAC_INSN_H
#define SPOOR_FORMATS_TARMAC_INSN_H

#include "formats/tarmac/writing.h"

/* The numbers of an instruction in its spelling. */
enum { INSN_ADDRESS, INSN_PHYSICAL, INSN_OPCODE, INSN_SECOND };

/* ---- insn_parts.c ---- */

/* Hexadecimal digits or dashes. */
bool insn_opcode_read(struct reading *reading);
/* Gaps and {A|T|X|O} {<mode>} : */
bool insn_state_read(struct reading *reading);
bool insn_is_iset(struct spoor_slice token);

void insn_opcode_write(struct writing *writing);
/* Writes gaps, {A|T|X|O} {<mode>} : and {<disasm>}. */
void insn_state_write(struct writing *writing);

/* ---- insn_es.c and insn_rtl.c ---- */

/* Writes a record with a virtual address, from the leading word on. */
void es_insn_line_write(struct writing *writing);
void rtl_insn_line_write(struct writing *writing);
void bare_insn_line_write(struct writing *writing);
void cs_insn_line_write(struct writing *writing);

#endif
