/* SPDX-License-Identifier: MIT */
/* mem.h: shared by the dialects' memory accesses. */
#ifndef SPOOR_FORMATS_TARMAC_MEM_H
#define SPOOR_FORMATS_TARMAC_MEM_H

#include "formats/tarmac/writing.h"

/* The numbers of an access in its spelling. */
enum { MEM_ADDRESS, MEM_PHYSICAL, MEM_PC, MEM_INDEX, MEM_SIZE = MEM_INDEX };

/* ---- mem_parts.c ---- */

/* Reads a decimal number of bytes. */
bool mem_size_read(struct reading *reading);
/* Reads "(ABORTED)" in place of the data. */
bool mem_is_aborted(struct reading *reading);
/* Reads a gap and data, or (ABORTED). */
bool mem_data_read(struct reading *reading);
/* Stores the data in the record. */
void mem_data_keep(struct reading *reading, const struct data *data);

struct data access_data(const struct writing *writing);
void mem_data_write(struct writing *writing, const struct data *data);

/* ---- mem_diagram.c and mem_rtl.c ---- */

/* Writes an access of another format that has gaps: a line for each run of accessed bytes. */
bool mem_runs_write(struct writing *writing, rule_write *write);
rule_write cycle_line_write, cs_mem_line_write;

/* Reads the letters after the size of an RTL access, up to the next space, into the spelling. */
enum { CYCLE_LETTERS = 4 };
bool cycle_letters_read(struct reading *reading, bool *fetch);

#endif
