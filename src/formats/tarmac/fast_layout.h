/* SPDX-License-Identifier: MIT */
/*
 * fast_layout.h: lines that differ in digits alone, as a pattern to hold others against.
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
    LAYOUT_DIGITS = 16, /* of a field, at most */
    LAYOUT_SETS = 64,
    LAYOUT_WAYS = 2,
    LAYOUT_CASES = 8, /* bit by bit: upper case in the addresses, and in the data or the opcode */
};

/* What a layout depends on besides its bytes. */
enum {
    TAG_HEAD = 0, /* its serial number, which is never 0 */
    TAG_FORM = 8,
    TAG_INDEX = 10,
    TAG_CRLF = 11,
};

struct line_layout {
    uint32_t tag;               /* 0: there is none */
    uint32_t size;              /* bytes; of an instruction, up to its disassembly */
    uint64_t digits;            /* bit by bit: which bytes are hexadecimal digits */
    uint64_t region;            /* of so many: ones */
    uint8_t same[LAYOUT_BYTES]; /* bytes that are the same in every line, and ones where they are */
    uint8_t same_mask[LAYOUT_BYTES];
    uint8_t moves[LAYOUT_FIELDS][LAYOUT_DIGITS]; /* of a shuffle: its digits after zeros */
    uint8_t at[LAYOUT_FIELDS];                   /* where its digits begin */
    uint8_t low_bits;                            /* of data in two parts: what the low one has */
    spoor_name spellings[LAYOUT_CASES];          /* SPOOR_NO_NAME: not known */
    struct spoor_record like;                    /* a record of this layout */
};

struct layouts {
    bool any;
    struct line_layout sets[LAYOUT_SETS][LAYOUT_WAYS]; /* the latest first */
};

/* Where to look for a layout.  `digits` are those of the whole layout; of an instruction, which may
 * go on in any way, those before the second byte that is none. */
__attribute__((always_inline)) static inline size_t layout_set(uint64_t digits, uint32_t tag)
{
    return (digits ^ (uint64_t)tag << 40) * UINT64_C(0x9e3779b97f4a7c15) >> 58;
}

/* A line that was taken. */
struct layout_line {
    const char *at;   /* where the layout begins: after the word, the index, the name */
    const char *stop; /* where it ends */
    uint64_t key;     /* of the line's spelling */
};

/* Note the layout of a line, if it has one.  64 bytes are readable where it begins. */
void layouts_learn(struct layouts *layouts, const struct layout_line *line,
                   const struct spoor_record *record);

#endif
