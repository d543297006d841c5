/* SPDX-License-Identifier: MIT */
/*
 * spelling.h: how a line of the Tarmac family was written, apart from what it says.
 *
 * A line is regenerated from its record's fields and its spelling: the spaces before each token,
 * the digits of each number, the case of its letters, the grouping of its data.  A trace has a few
 * dozen spellings; each is interned once and a record names it by its id.
 */
#ifndef SPOOR_FORMATS_TARMAC_SPELLING_H
#define SPOOR_FORMATS_TARMAC_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/format.h"

enum {
    SPELLING_GAPS = 12,     /* tokens whose spacing is kept: all that the longest line has */
    SPELLING_NUMBERS = 4,   /* numbers of one line, besides its data */
    SPELLING_DATA = 4,      /* the bit of `upper` that is about the data */
    SPELLING_DECIMALS = 18, /* of a fractional time, at most */
};

/* Compared and hashed as bytes: no padding, unused parts zero. */
struct spelling {
    char unit[SPELLING_UNIT_SIZE];   /* of record.time, NUL-padded; "" where the line has none */
    uint8_t gap[SPELLING_GAPS];      /* spaces before each token behind the first */
    uint8_t width[SPELLING_NUMBERS]; /* digits of each number; 0: the canonical number of them */
    uint16_t data_digits;            /* digits of the data, separators not counted; 0: canonical */
    uint16_t separators;             /* of the data: 0 where it is in one piece */
    uint8_t group;                   /* digits of each group of the data but the first */
    char separator;                  /* '_', ':' or ' ' */
    uint8_t upper;                   /* bit i: number i has upper-case letters */
    uint8_t indent;                  /* leading spaces; before a time: the column where it ends */
    uint8_t trailing;                /* spaces at the end of the line */
    uint8_t decimals;                /* of a fractional time: see time.c */
    uint8_t shape;                   /* a rule's own variant: enum spelling_shape */
    uint8_t dialect;                 /* whose spelling it is: struct dialect's tag */
    uint8_t reserved[4];
};
_Static_assert(sizeof(struct spelling) == 40, "five words without padding");

enum spelling_shape {
    SHAPE_NOTE_FIRST = 1 << 0, /* R: the annotation stands before the value */
    SHAPE_DOTS = 1 << 1,       /* R: the bit range is <high..low>, else <high:low> */
    SHAPE_BARE = 1 << 2,       /* TLB: the physical address has no 0x */
    SHAPE_TWO_LOCKS = 1 << 3,  /* B: a place for L and one for X */
};

/* The spelling of a line of single spaces; everything else canonical. */
extern const struct spelling spelling_plain;

/* The last few spellings seen, so that a line like one before costs no look-up in the table. */
enum { RECENT_SPELLINGS = 64 };
struct recent_spellings {
    struct spelling spelling[RECENT_SPELLINGS];
    spoor_name name[RECENT_SPELLINGS];
};

/* The id of a spelling, or SPOOR_NAMES_FULL. */
spoor_name spelling_intern(struct recent_spellings *recent, struct spoor_names *names,
                           const struct spelling *spelling);

/* The spelling behind an id of `dialect`'s own stream, copied to *spelling; spelling_plain where it
 * has none. */
void spelling_find(const struct spoor_names *names, spoor_name name, uint8_t dialect,
                   struct spelling *spelling);

#endif
