/* SPDX-License-Identifier: MIT */
/*
 * formats/text/columns.h: lines of fields between spaces, with their numbers converted.
 *
 * A format whose every line has the same fields declares which of them are numbers.  Its rules may
 * then ask for the fields of a line, all found and converted together, many bytes at a time
 * (base/simd_text.h).  This serves lines that repeat in no part, which neither a layout nor the
 * cache recognises.  Rules do not depend on it: they parse a line that it refuses.
 */
#ifndef SPOOR_FORMATS_TEXT_COLUMNS_H
#define SPOOR_FORMATS_TEXT_COLUMNS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COLUMNS = 16,      /* maximum fields of a line */
    COLUMNS_LINE = 128 /* maximum bytes of a line, with its end */
};

/* The fields of a format's lines, and the indexes of those that are numbers. */
struct text_columns {
    uint8_t count;
    uint8_t hex_count, decimal_count, small_count;
    uint8_t hex[COLUMNS]; /* hexadecimal ones; their count is even */
    uint8_t decimal[COLUMNS];
    uint8_t small[4]; /* decimal ones between -9 and 99 in nearly all lines */
};

/* The fields of a line. */
struct text_column_line {
    const char *next; /* the next line */
    bool crlf;
    uint8_t size;                        /* bytes without the line end */
    uint8_t blanks;                      /* spaces among these */
    size_t begin[COLUMNS + COLUMNS / 2]; /* offsets in the line; after the last one, undefined */
    size_t end[COLUMNS + COLUMNS / 2];
    uint64_t value[COLUMNS]; /* of numbers; a decimal one is a signed value */
};

/* Finds the fields of the line at `at`, in text that ends at `end`.  64 bytes after that, and the
 * one before the line, are readable.  False if the line has other fields, other blanks than spaces,
 * or numbers spelled otherwise than as 1 to 16 digits, in lower case, without zeros in front, a
 * minus sign before decimal ones; or if one that should be small is not.
 */
typedef bool text_columns_find(const struct text_columns *columns, const char *at, const char *end,
                               struct text_column_line *line);

#endif
