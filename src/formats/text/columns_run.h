/* SPDX-License-Identifier: MIT */
/*
 * formats/text/columns_run.h: finds and converts the fields of a line; compiled for each width
 * (base/simd_text.h).
 *
 * No branch depends on the sizes of the fields: lines differ in them, and the processor would not
 * predict it.
 */
#ifndef SPOOR_FORMATS_TEXT_COLUMNS_RUN_H
#define SPOOR_FORMATS_TEXT_COLUMNS_RUN_H

#include "base/inline.h"
#include "base/simd_text.h"
#include "formats/text/columns.h"
#include "formats/text/columns_small.h"

enum { SECOND_EDGES = 4 /* fields that begin in the second block, of most lines */ };

/* Stores the positions of at least `count` bits; those that are missing are undefined.  Where the
 * count is a constant, there is no loop.  Volatile: compilers would join the stores to vectors,
 * which takes longer. */
SIMD_FUNCTION void columns_put(volatile size_t *to, uint64_t bits, unsigned count, unsigned base)
{
    for (unsigned i = 0; i < count; i += SECOND_EDGES)
        for (unsigned j = 0; j < SECOND_EDGES; j++, bits &= bits - 1)
            to[i + j] = base + simd_first_or_any(bits);
}

/* Stores the positions of the bits of two blocks; false if there are others than `count`. */
SIMD_FUNCTION bool columns_edges(size_t *to, const uint64_t bits[2], unsigned count)
{
    const unsigned first = (unsigned)__builtin_popcountll(bits[0]);
    const unsigned second = (unsigned)__builtin_popcountll(bits[1]);
    if (first + second != count) return false;
    columns_put(to, bits[0], COLUMNS, 0);
    columns_put(to + first, bits[1], SECOND_EDGES, SIMD_BLOCK);
    if (__builtin_expect(second > SECOND_EDGES, false))
        columns_put(to + first, bits[1], second, SIMD_BLOCK);
    return true;
}

/* The bytes of the line that are of fields, and those that are zeros. */
struct text_bytes {
    uint64_t text[2], zeros[2];
};

/* Finds the end of the line and its bytes; false if it does not end in a newline. */
SIMD_FUNCTION bool columns_bytes(const char *at, struct text_column_line *line,
                                 struct text_bytes *bytes)
{
    const struct simd_block first = simd_load(at, SIMD_BLOCK);
    const struct simd_block second = simd_load(at + SIMD_BLOCK, SIMD_BLOCK);
    const simd_byte space = simd_each(' '), zero = simd_each('0');
    const uint64_t controls = simd_controls(first);
    const bool is_long = controls == 0;
    const uint64_t stops = is_long ? simd_controls(second) : controls;
    const uint64_t inside = (stops - 1) & ~stops;
    if (stops == 0) return false;
    const unsigned size = simd_first(stops) + (is_long ? SIMD_BLOCK : 0);
    bytes->text[0] = ~simd_equals(first, space) & (is_long ? UINT64_MAX : inside);
    bytes->text[1] = ~simd_equals(second, space) & (is_long ? inside : 0);
    bytes->zeros[0] = simd_equals(first, zero);
    bytes->zeros[1] = simd_equals(second, zero);
    line->size = (uint8_t)size;
    line->blanks = (uint8_t)(size - (unsigned)(__builtin_popcountll(bytes->text[0]) +
                                               __builtin_popcountll(bytes->text[1])));
    line->crlf = at[size] == '\r';
    line->next = at + size + line->crlf + 1;
    return line->next[-1] == '\n';
}

/* Finds where the fields begin and end; false if one begins with a zero and has more bytes. */
SIMD_FUNCTION bool columns_fields(const char *at, unsigned count, struct text_column_line *line)
{
    struct text_bytes bytes;
    if (!columns_bytes(at, line, &bytes)) return false;
    const uint64_t *text = bytes.text;
    const uint64_t before[2] = {text[0] << 1, text[1] << 1 | text[0] >> 63};
    const uint64_t after[2] = {text[0] >> 1 | text[1] << 63, text[1] >> 1};
    const uint64_t begins[2] = {text[0] & ~before[0], text[1] & ~before[1]};
    const uint64_t ends[2] = {~text[0] & before[0], ~text[1] & before[1]};
    const uint64_t led =
        (begins[0] & after[0] & bytes.zeros[0]) | (begins[1] & after[1] & bytes.zeros[1]);
    return led == 0 && columns_edges(line->begin, begins, count) &&
           columns_edges(line->end, ends, count);
}

/* Converts two hexadecimal fields; false if one has too many digits. */
SIMD_FUNCTION bool columns_hex(const char *at, struct text_column_line *line,
                               const uint8_t column[2], simd_verdict *good)
{
    const unsigned first = column[0], second = column[1];
    const char *const from[2] = {at + line->begin[first], at + line->begin[second]};
    const unsigned sizes[2] = {(unsigned)(line->end[first] - line->begin[first]),
                               (unsigned)(line->end[second] - line->begin[second])};
    const simd_values values = simd_hex_sized(from, sizes, good);
    line->value[first] = simd_value(values, 0);
    line->value[second] = simd_value(values, 1);
    return ((sizes[0] - 1) | (sizes[1] - 1)) < SIMD_DIGITS;
}

/* Converts a decimal field with or without a sign. */
SIMD_FUNCTION bool columns_decimal(const char *at, struct text_column_line *line, unsigned column,
                                   simd_verdict *good)
{
    const char *begin = at + line->begin[column];
    const bool negative = *begin == '-';
    const unsigned size = (unsigned)(line->end[column] - line->begin[column]) - negative;
    const uint64_t sign = 0 - (uint64_t)negative;
    begin += negative;
    const simd_values values = simd_decimal_sized((const char *const[2]){begin, begin},
                                                  (const unsigned[2]){size, size}, good);
    line->value[column] = (simd_value(values, 0) ^ sign) - sign;
    return (size - 1 < SIMD_DIGITS) & !(negative & (*begin == '0'));
}

SIMD_LOOP static bool columns_line(const struct text_columns *columns, const char *at,
                                   const char *end, struct text_column_line *line)
{
    simd_verdict good = simd_no_verdict();
    bool plain = true;
    if (end - at <= SIMD_BLOCK || !columns_fields(at, columns->count, line)) return false;
    for (unsigned i = 0; i < columns->hex_count; i += 2)
        plain &= columns_hex(at, line, columns->hex + i, &good);
    for (unsigned i = 0; i < columns->decimal_count; i++)
        plain &= columns_decimal(at, line, columns->decimal[i], &good);
    return plain && columns_small(at, line, columns) && simd_is_good(good) && line->next <= end;
}

#endif
