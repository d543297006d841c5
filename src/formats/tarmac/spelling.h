/* SPDX-License-Identifier: MIT */
/*
 * spelling.h: the spelling of a line of the Tarmac family, without its content.
 *
 * A line is regenerated from its record's fields and its spelling: the spaces before each token,
 * the digits of each number, the case of its letters, the grouping of its data.  A trace has a few
 * dozen spellings; each is interned once, and records refer to it by its id.
 */
#ifndef SPOOR_FORMATS_TARMAC_SPELLING_H
#define SPOOR_FORMATS_TARMAC_SPELLING_H

#include <stdbool.h>
#include <stdint.h>

#include "formats/format.h"

enum {
    SPELLING_GAPS = 12,     /* tokens whose spacing is stored: as many as the longest line has */
    SPELLING_NUMBERS = 4,   /* numbers of one line, without its data */
    SPELLING_DATA = 4,      /* the bit of `upper` for the data */
    SPELLING_DECIMALS = 18, /* maximum of a fractional time */
};

/* Compared and hashed as bytes: it has no padding, and unused parts are zero. */
struct spelling {
    char unit[SPELLING_UNIT_SIZE];   /* of record.time, NUL-padded; "" if the line has none */
    uint8_t gap[SPELLING_GAPS];      /* spaces before each token after the first */
    uint8_t width[SPELLING_NUMBERS]; /* digits of each number; 0: the canonical number */
    uint16_t data_digits;            /* digits of the data, without separators; 0: canonical */
    uint16_t separators;             /* of the data; 0: none */
    uint8_t group;                   /* digits of each group of the data except the first */
    char separator;                  /* '_', ':' or ' ' */
    uint8_t upper;                   /* bit i: number i has upper-case letters */
    uint8_t indent;                  /* leading spaces; before a time: the column of its end */
    uint8_t trailing;                /* spaces at the end of the line */
    uint8_t decimals;                /* of a fractional time: see writer.c */
    uint8_t shape;                   /* a rule's own variant: enum spelling_shape */
    uint8_t dialect;                 /* the dialect that it belongs to: struct dialect's tag */
    uint8_t producer;                /* enum producer: the only producer of such lines */
    uint8_t lane;                    /* of the diagram: its lowest accessed byte */
    uint16_t hidden;                 /* bit i: byte i of the diagram was accessed, but is ## */
    union {
        uint32_t capitals; /* bit i: digit i of the data, from the lowest, is X and not x */
        char access[4];    /* RTL: the letters after the size of an access: "___D", "_I" */
    };
    char unknown; /* represents an unknown digit: '-' or 'x'; 0: '-' */
    char cycle;   /* RTL: N, S or C: how the access follows the previous one; 0: not stated */
    uint8_t reserved[2];
};
_Static_assert(sizeof(struct spelling) == 48, "six words without padding");

/* The variant of a line, by kind.  Forms exclude each other. */
enum reg_shape {
    SHAPE_NOTE_FIRST = 1 << 0, /* the annotation precedes the value */
    SHAPE_DOTS = 1 << 1,       /* the bit range is <high..low>, else <high:low> */
    SHAPE_POWER = 1 << 2,      /* it is a word [first:last], counted from the highest of 64 bits */
};
enum tlb_shape { SHAPE_BARE = 1 << 2 /* the physical address has no 0x */ };
enum bus_shape {
    SHAPE_TWO_LOCKS = 1 << 3, /* separate columns for L and X */
    BUS_CYCLE = 1 << 4,       /* BNR4___I address data */
    BUS_BYTES = 1 << 5,       /* bytes of the data are in the order of their addresses */
};
enum insn_shape {
    INSN_PLAIN,           /* IT (index) address opcode ... */
    INSN_ES,              /* ES  (address:opcode) ... */
    INSN_RTL,             /* IT (address:index) address opcode ... */
    INSN_BARE,            /* IT address opcode disassembly */
    INSN_CS,              /* IT (address) opcode ... */
    INSN_FORM = 7,        /* the bits above */
    INSN_FOLDED = 1 << 3, /* the word is IF */
    INSN_WIDTH = 1 << 4,  /* the instruction set includes its width: T16, T32 */
    INSN_COLON = 1 << 5,  /* a colon precedes the disassembly */
    INSN_SILENT = 1 << 6, /* the instruction set is not printed: it is an option of the reader */
};
enum mem_shape {
    MEM_PLAIN,           /* MR4X address data */
    MEM_DIAGRAM,         /* LD address ........ ........ ........ 00000048 */
    MEM_CONTINUED,       /* the same without its word */
    MEM_CYCLE,           /* MNW4___D {(pc:index)} address data */
    MEM_CS,              /* W04 {X} address data */
    MEM_FORM = 7,        /* the bits above */
    MEM_APART = 1 << 3,  /* X is a separate word */
    MEM_ORIGIN = 1 << 4, /* the instruction precedes the address */
    MEM_WORDS = 1 << 5,  /* words of the data are in the order of their addresses */
    MEM_BYTES = 1 << 6,  /* bytes of the data are in that order */
    MEM_LANES = 1 << 7,  /* the data is a word of the bus, of which the address selects bytes */
};
enum event_shape {
    EVENT_ES = 1 << 0,  /* begins with ES */
    EVENT_EXC = 1 << 1, /* has the word EXC */
    EVENT_0X = 1 << 2,  /* the number has 0x before it and is hexadecimal */
};

/* The spelling of a line of single spaces that is otherwise canonical. */
extern const struct spelling spelling_plain;

/* The last few spellings, so that a line like an earlier one needs no lookup in the table. */
enum { RECENT_SPELLINGS = 64 };
struct recent_spellings {
    struct spelling spelling[RECENT_SPELLINGS];
    spoor_name name[RECENT_SPELLINGS];
};

/* Returns the id of a spelling, or SPOOR_NAMES_FULL. */
spoor_name spelling_intern(struct recent_spellings *recent, struct spoor_names *names,
                           const struct spelling *spelling);

/* Copies the spelling of an id of `dialect`'s own stream to *spelling; spelling_plain if it has
 * none. */
void spelling_find(const struct spoor_names *names, spoor_name name, uint8_t dialect,
                   struct spelling *spelling);

#endif
