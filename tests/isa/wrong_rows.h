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
#include "isa/operands.h"

static inline uint32_t random_bits(void)
{
    static uint64_t seed = 1;
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(seed >> 32);
}

/* The row that an opcode has, without the way in which the library finds it. */
static inline const struct encoding *first_match(const struct encoding_table *table,
                                                 uint32_t opcode)
{
    const struct encoding *row = table->rows;
    while ((opcode & row->mask) != row->match) row++;
    return row;
}

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

static inline bool wrong_rows_register_sets(const uint8_t *a, unsigned count, const uint8_t *b,
                                            unsigned other)
{
    bool has[2][ISA_REGISTERS] = {{false}};
    for (unsigned i = 0; i < count; i++) has[0][a[i]] = true;
    for (unsigned i = 0; i < other; i++) has[1][b[i]] = true;
    return memcmp(has[0], has[1], sizeof has[0]) == 0;
}

/* True if a row that is wrong says of any opcode what the right one says: a letter that it has
 * stands for the register of another.  The wrong row stays. */
static inline bool wrong_rows_same(const struct encoding_table *table, unsigned row,
                                   const struct encoding *right, const struct encoding *wrong)
{
    enum { TRIES = 500 };
    const bool thumb = table == &encodings_t32 || table == &encodings_t32_narrow;
    const unsigned size =
        table == &encodings_t32_narrow || table == &encodings_riscv_narrow ? 2 : 4;
    const enum isa isa = encoding_is_riscv(table)  ? ISA_RISCV
                         : table == &encodings_a64 ? ISA_AARCH64
                                                   : ISA_AARCH32;
    bool same = true;
    for (unsigned i = 0; i < TRIES && same; i++) {
        uint32_t opcode = right->match | (random_bits() & ~right->mask);
        struct isa_operands operands[2];
        bool known = true;
        if (size == 2) opcode &= UINT16_MAX;
        if (first_match(table, opcode) != &table->rows[row] ||
            encoding_table_of(isa, thumb, opcode, size) != table)
            continue;
        for (unsigned side = 0; side < 2; side++) {
            known &= wrong_rows_put(table, row, side ? wrong : right);
            known &= isa_operands_of(&operands[side], isa, thumb, opcode, size);
        }
        if (!known) continue;
        const struct isa_operands *a = &operands[0], *b = &operands[1];
        same = wrong_rows_register_sets(a->reads, a->read_count, b->reads, b->read_count) &&
               wrong_rows_register_sets(a->writes, a->write_count, b->writes, b->write_count) &&
               a->data_count == b->data_count && a->load == b->load && a->store == b->store &&
               a->branch == b->branch;
    }
    return same;
}

#endif
