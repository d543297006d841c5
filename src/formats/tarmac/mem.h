/* SPDX-License-Identifier: MIT */
/* mem.h: shared by the dialects' memory accesses. */
#ifndef SPOOR_FORMATS_TARMAC_MEM_H
#define SPOOR_FORMATS_TARMAC_MEM_H

#include "formats/tarmac/writer.h"

/* The numbers of an access in its spelling. */
enum { MEM_ADDRESS, MEM_PHYSICAL, MEM_PC, MEM_INDEX, MEM_SIZE = MEM_INDEX };

/* ---- mem.c ---- */

/* Reads a decimal number of bytes. */
bool mem_read_size(struct tarmac_reader *reader);
/* Reads "(ABORTED)" in place of the data. */
bool mem_is_aborted(struct tarmac_reader *reader);
/* Reads a gap and data, or (ABORTED). */
bool mem_read_data(struct tarmac_reader *reader);
/* Stores the data in the record. */
void mem_keep_data(struct tarmac_reader *reader, const struct data *data);

struct data mem_data_of(const struct tarmac_writer *writer);
void mem_write_data(struct tarmac_writer *writer, const struct data *data);

/* ---- other dialects ---- */

/* Writes an access of another format that has gaps: a line for each run of accessed bytes. */
bool mem_write_runs(struct tarmac_writer *writer, rule_write *write);
rule_write cycle_line_write, cs_mem_line_write;

/* Reads the letters after the size of an RTL access, up to the next space, into the spelling. */
enum { CYCLE_LETTERS = 4 };
bool mem_read_cycle_letters(struct tarmac_reader *reader, bool *fetch);

#endif
