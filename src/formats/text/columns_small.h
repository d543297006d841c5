/* SPDX-License-Identifier: MIT */
/*
 * formats/text/columns_small.h: converts the small decimal fields of a line together, in lanes of a
 * word.
 */
#ifndef SPOOR_FORMATS_TEXT_COLUMNS_SMALL_H
#define SPOOR_FORMATS_TEXT_COLUMNS_SMALL_H

#include "base/inline.h"
#include "formats/text/columns.h"

#define EACH_LANE(value) (UINT64_C(0x0001000100010001) * (value))

/* Returns ones in the lanes of 16 bits that are `value`; all are below 0x8000. */
static FORCE_INLINE uint64_t columns_lanes_equal(uint64_t lanes, uint16_t value)
{
    const uint64_t top = EACH_LANE(UINT64_C(0x8000));
    const uint64_t others = ((lanes ^ EACH_LANE(value)) | top) - EACH_LANE(UINT64_C(1));
    return ((~others & top) >> 15) * UINT16_MAX;
}

/* Converts up to four decimal fields of one digit or of two bytes, in lanes of 16 bits.  Before a
 * single digit there is a space, or the previous line's end. */
static FORCE_INLINE bool columns_small(const char *at, struct text_column_line *line,
                                       const struct text_columns *columns)
{
    const uint64_t over = EACH_LANE(UINT64_C(0x80) - 10) /* to the top bit, from ten on */;
    uint64_t text = EACH_LANE(UINT64_C(0x3020)); /* " 0" */
    size_t sizes = 0;
    for (unsigned i = 0; i < columns->small_count; i++) {
        const size_t end = line->end[columns->small[i]], from = line->begin[columns->small[i]];
        const unsigned char *last = (const unsigned char *)at + end - 1;
        sizes |= end - from - 1;
        text = text << 16 | (uint64_t)last[0] << 8 | last[-1];
    }
    text ^= EACH_LANE(UINT64_C(0x3030));
    const uint64_t ones = text >> 8 & EACH_LANE(UINT64_C(0xFF));
    const uint64_t before = text & EACH_LANE(UINT64_C(0xFF));
    const uint64_t minus = columns_lanes_equal(before, '-' ^ '0');
    const uint64_t blank =
        columns_lanes_equal(before, ' ' ^ '0') | columns_lanes_equal(before, '\n' ^ '0');
    const uint64_t tens = before & ~(minus | blank);
    const uint64_t bad = (ones | tens | (ones + over) | (tens + over)) & EACH_LANE(UINT64_C(0x80));
    const uint64_t zeros = columns_lanes_equal(ones, 0) & minus;
    uint64_t values = ((tens * 10 + ones) ^ minus) + (minus & EACH_LANE(UINT64_C(1)));
    for (unsigned i = columns->small_count; i-- > 0; values >>= 16)
        line->value[columns->small[i]] = (uint64_t)(int64_t)(int16_t)values;
    return (bad | zeros) == 0 && sizes < 2;
}

#endif
