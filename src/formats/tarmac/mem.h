/* SPDX-License-Identifier: MIT */
/* mem.h: what the dialects' accesses to memory share. */
#ifndef SPOOR_FORMATS_TARMAC_MEM_H
#define SPOOR_FORMATS_TARMAC_MEM_H

#include "formats/tarmac/writing.h"

/* The numbers of an access in its spelling. */
enum { MEM_ADDRESS, MEM_PHYSICAL, MEM_PC, MEM_INDEX, MEM_SIZE = MEM_INDEX };

/* A decimal number of bytes. */
bool mem_size_read(struct reading *reading);
/* "(ABORTED)" in the place of the data. */
bool mem_is_aborted(struct reading *reading);
/* A gap and data, or (ABORTED). */
bool mem_data_read(struct reading *reading);
/* The data of the record. */
void mem_data_keep(struct reading *reading, const struct data *data);
/* The bytes of the access that are not known, as a mask of digits. */
uint32_t mem_unknown_digits(const struct spoor_mem *mem);

struct data access_data(const struct writing *writing);
void mem_data_write(struct writing *writing, const struct data *data);
/* A foreign access with gaps: a line for each run of bytes that were accessed. */
bool mem_runs_write(struct writing *writing, rule_write *write);
rule_write cycle_line_write, cs_mem_line_write;

/* The letters after the size of an RTL access, up to the next space, into the spelling. */
enum { CYCLE_LETTERS = 4 };
bool cycle_letters_read(struct reading *reading, bool *fetch);

#endif
