/* SPDX-License-Identifier: MIT */
/*
 * fast_layout.h: the layouts of lines that differ only in digits.
 *
 * After the head, the leading word, the index and a register's name, most lines of a trace have
 * one of a few layouts: numbers of so many digits between bytes that are always the same.  It is
 * noted where such a line was taken word by word, with all of its record that these bytes decide;
 * fast_simd_decode.h then finds the layout by which bytes are digits, and has only to convert the
 * numbers.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_LAYOUT_H
#define SPOOR_FORMATS_TARMAC_FAST_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/record.h"

enum {
    LAYOUT_BYTES = 64,
    LAYOUT_FIELDS = 4,  /* two addresses; then data in two parts, or an opcode */
    LAYOUT_DIGITS = 16, /* maximum of a field */
    LAYOUT_SETS = 64,
    LAYOUT_WAYS = 2,
    LAYOUT_CASES = 8, /* bit by bit: upper case in the addresses, and in the data or the opcode */
};

/* The properties that a layout depends on besides its bytes. */
enum {
    TAG_HEAD = 0, /* its serial number, which is never 0 */
    TAG_FORM = 8,
    TAG_INDEX = 10,
    TAG_CRLF = 11,
};

struct line_layout {
    uint32_t tag;               /* 0: empty */
    uint32_t size;              /* bytes; of an instruction, up to its disassembly */
    uint64_t digits;            /* one bit for each byte: it is a hexadecimal digit */
    uint64_t region;            /* ones for the bytes of the layout */
    uint8_t same[LAYOUT_BYTES]; /* bytes that are the same in every line, and a mask of them */
    uint8_t same_mask[LAYOUT_BYTES];
    uint8_t moves[LAYOUT_FIELDS][LAYOUT_DIGITS]; /* of a shuffle: its digits after zeros */
    uint8_t at[LAYOUT_FIELDS];                   /* beginning of its digits */
    uint8_t low_bits;                            /* of data in two parts: bits of the low one */
    spoor_name spellings[LAYOUT_CASES];          /* SPOOR_NO_NAME: unknown */
    struct spoor_record like;                    /* a record of this layout */
};

struct layouts {
    bool any;
    struct line_layout sets[LAYOUT_SETS][LAYOUT_WAYS]; /* the latest first */
};

/* Returns the set of a layout.  `digits` are those of the whole layout; for an instruction, whose
 * end varies, those before the second byte that is not a digit. */
__attribute__((always_inline)) static inline size_t layout_set(uint64_t digits, uint32_t tag)
{
    return (digits ^ (uint64_t)tag << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 58;
}

/* A decoded line. */
struct layout_line {
    const char *at;   /* beginning of the layout: after the word, the index, the name */
    const char *stop; /* its end */
    uint64_t key;     /* of the line's spelling */
};

/* Stores the layout of a line, if it has one.  64 bytes are readable at its beginning. */
void layouts_learn(struct layouts *layouts, const struct layout_line *line,
                   const struct spoor_record *record);

#endif
