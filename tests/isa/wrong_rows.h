/* SPDX-License-Identifier: MIT */
/* wrong_rows.h: rows of a table of encodings that are made wrong, to see whether a test fails. */
#ifndef SPOOR_TESTS_ISA_WRONG_ROWS_H
#define SPOOR_TESTS_ISA_WRONG_ROWS_H

#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "isa/encoding.h"

/* Replaces a row, which is among the constants of this program.  False: it cannot be changed. */
static inline bool wrong_rows_put(const struct encoding_table *table, unsigned row,
                                  const struct encoding *with)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE),
                    begin = (uintptr_t)&table->rows[row] / page * page,
                    end = (uintptr_t)(&table->rows[row] + 1);
    if (mprotect((void *)begin, end - begin, PROT_READ | PROT_WRITE) != 0) return false;
    memcpy((void *)(uintptr_t)&table->rows[row], with, sizeof *with);
    for (unsigned i = 0; i < ENCODING_KEYS; i++) table->first[i] = 0; /* rows that were found */
    return true;
}

#endif
