/* SPDX-License-Identifier: MIT */
/* wrong_rows.h: rows of a table of encodings that are made wrong, to see whether a test fails. */
#ifndef SPOOR_TESTS_ISA_WRONG_ROWS_H
#define SPOOR_TESTS_ISA_WRONG_ROWS_H

#include <stdbool.h>
#include <stddef.h>
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

/* Ways to make a row wrong.  A letter of an operand goes, or one is added that the row has on the
 * other side; memory is loaded or not, stored or not; it is a branch or not. */
enum wrong {
    WRONG_READS,                    /* without a letter, the first to the last */
    WRONG_WRITES = WRONG_READS + 7, /* likewise */
    WRONG_READS_MORE = WRONG_WRITES + 5,
    WRONG_WRITES_MORE,
    WRONG_LOAD,
    WRONG_STORE,
    WRONG_BRANCH,
    WRONGS
};

static inline bool wrong_rows_drop(char *letters, unsigned place)
{
    if (place >= strlen(letters) || letters[place] == ':') return false;
    memmove(letters + place, letters + place + 1, strlen(letters + place));
    const size_t size = strlen(letters);
    if (size && letters[size - 1] == ':') letters[size - 1] = '\0';
    return true;
}

/* Puts the first letter of others that letters lack before them. */
static inline bool wrong_rows_add(char *letters, size_t room, const char *others)
{
    for (; *others; others++)
        if (*others != ':' && !strchr(letters, *others) && strlen(letters) + 1 < room) {
            memmove(letters + 1, letters, strlen(letters) + 1);
            *letters = *others;
            return true;
        }
    return false;
}

static inline bool wrong_rows_make(struct encoding *row, unsigned wrong)
{
    char *colon = strchr(row->reads, ':');
    if (wrong < WRONG_WRITES) return wrong_rows_drop(row->reads, wrong);
    if (wrong < WRONG_READS_MORE) return wrong_rows_drop(row->writes, wrong - WRONG_WRITES);
    switch (wrong) {
    case WRONG_READS_MORE: return wrong_rows_add(row->reads, sizeof row->reads, row->writes);
    case WRONG_WRITES_MORE: return wrong_rows_add(row->writes, sizeof row->writes, row->reads);
    case WRONG_LOAD: row->does ^= LOAD; return true;
    case WRONG_STORE:
        if (colon) memmove(colon, colon + 1, strlen(colon));
        return colon != NULL;
    case WRONG_BRANCH:
        if (!(row->does & BRANCH)) return false;
        row->does &= ~(uint64_t)INDIRECT;
        return true;
    default: return false;
    }
}

#endif
