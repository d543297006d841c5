/* SPDX-License-Identifier: MIT */
/*
 * formats/uop/uop.h: the parts of the micro-op format.
 *
 * A line is fourteen fields between blanks.  uop_scan.c takes a line apart, uop_spelling.c names
 * the blanks between the fields, uop_write.c puts lines together, uop.c is the format.  uop_simd.h
 * reads the two common spellings many bytes at a time where the processor can.
 */
#ifndef SPOOR_FORMATS_UOP_UOP_H
#define SPOOR_FORMATS_UOP_UOP_H

#include "formats/format.h"

enum uop_field {
    UOP_STEP,
    UOP_PC,
    UOP_SRC1,
    UOP_SRC2,
    UOP_DEST,
    UOP_FLAGS,
    UOP_BRANCH,
    UOP_LDST,
    UOP_IMMEDIATE,
    UOP_ADDRESS,
    UOP_FALL,
    UOP_TARGET,
    UOP_MACRO,
    UOP_MICRO,
    UOP_FIELDS,
    UOP_GAPS /* one before each field and one after the last */
};

/* Least width of each field as the course's printf pads it: to the left, but the macro opcode. */
extern const uint8_t uop_widths[UOP_FIELDS];

/* A line taken apart. */
struct uop_line {
    struct spoor_uop_full number;
    uint8_t op;                    /* enum spoor_uop_op */
    bool plain;                    /* every number is written as printf writes it */
    bool tabs;                     /* not all blanks are spaces */
    const char *start, *stop;      /* of the line, line end excluded */
    const char *begin[UOP_FIELDS]; /* of each field */
    const char *end[UOP_FIELDS];   /* after each field */
    const char *column, *expected; /* where it is no micro-op, and what was expected there */
};

/* Take [start, stop) apart: false where it is no micro-op.  The byte at `stop` is readable and
 * neither blank nor printable (a line end or a zero). */
bool uop_scan(struct uop_line *line, const char *start, const char *stop);

/* ---- spellings: what lies between the fields ---- */

enum { LONGEST_SPELLING = 512 }; /* bytes of all gaps with their terminators */

/* The spelling used last: lines come in few spellings. */
struct uop_spellings {
    spoor_name single; /* one space between fields; 0: not met yet */
    spoor_name last;
    size_t last_size;
    char last_bytes[LONGEST_SPELLING];
};

/* The id of the line's spelling, 0 for the course's printf; SPOOR_NAMES_FULL where the table is
 * full or the blanks are too long: the line must be kept. */
spoor_name uop_spelling(const struct decoder *decoder, struct uop_spellings *spellings,
                        const struct uop_line *line);

/* ---- decoding ---- */

/* Opcodes by their bytes: a few dozen names come millions of times. */
enum { CACHED_NAMES = 256, CACHED_BYTES = 8 };
struct uop_names {
    struct {
        uint64_t bytes; /* of the name, zeros after; 0: empty */
        spoor_name name;
    } slots[CACHED_NAMES];
};

/* What decoding a batch carries from line to line. */
struct uop_reading {
    const struct decoder *decoder;
    struct spoor_batch *batch;
    struct uop_spellings spellings;
    struct uop_names names;
};

/* Decode a batch line by line, or also many bytes at a time: the records are the same.  `sink`
 * NULL: they stay in the batch. */
void uop_decode_lines(const struct decoder *decoder, struct spoor_batch *batch,
                      struct record_sink *sink);
void uop_decode_avx2(const struct decoder *decoder, struct spoor_batch *batch,
                     struct record_sink *sink);
/* Whichever the processor can. */
void uop_decode_into(const struct decoder *decoder, struct spoor_batch *batch,
                     struct record_sink *sink);

/* Decode the line at `at`, whatever it is: where the next begins. */
const char *uop_decode_line(struct uop_reading *reading, const char *at);

/* ---- struct spoor_format's project, write and print ---- */

void uop_project(const struct decoder *decoder, const struct projection *projection,
                 struct spoor_batch *batch);

void uop_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);
void uop_print(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
               struct text *out);

#endif
