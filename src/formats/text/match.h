/* SPDX-License-Identifier: MIT */
/*
 * formats/text/match.h: compares a line with layouts and cached lines, and converts its numbers,
 * many bytes at a time; compiled for each width (base/simd_text.h).
 *
 * Of a line whose key ends within 32, 64 or 128 bytes, so many bytes are compared; `reach` is that
 * number.
 */
#ifndef SPOOR_FORMATS_TEXT_MATCH_H
#define SPOOR_FORMATS_TEXT_MATCH_H

#include "base/simd_text.h"
#include "formats/text/cache.h"
#include "formats/text/layout.h"

/* A line, up to where its key ends. */
struct look {
    const char *at;
    uint64_t newlines;    /* of the block where the key ends, */
    const char *block_at; /* which begins here */
    struct text_key key;
    unsigned stop; /* offset of the end of the key */
};

/* The number of bytes of a block, and of blocks, that are compared. */
#define BYTES(reach) ((reach) == SIMD_HALF ? SIMD_HALF : SIMD_BLOCK)
#define BLOCKS(reach) ((reach) > SIMD_BLOCK ? 2u : 1u)

/* Looks at the next block: whether the key ends in it, at a newline or at the mark; NULL: there is
 * none. */
SIMD_FUNCTION bool text_look(struct look *look, unsigned block, unsigned bytes,
                             const simd_byte *mark)
{
    const char *at = look->at + SIMD_BLOCK * block;
    const struct simd_block text = simd_load(at, bytes);
    const uint64_t newlines = simd_newlines(text, bytes);
    const uint64_t stops = mark ? newlines | simd_pairs(text, mark[0], mark[1], bytes) : newlines;
    const uint64_t first = stops & (0 - stops);
    look->newlines = newlines;
    look->block_at = at;
    /* all of them, where there is no stop */
    look->key.words[block] = (simd_words(text, bytes) & (first - 1)) | first;
    if (stops) look->stop = SIMD_BLOCK * block + simd_first(stops);
    return stops != 0;
}

/* The number of bytes that are compared; 0 if the key ends after those.  `wide`: lines have more
 * than 32 bytes. */
SIMD_FUNCTION unsigned text_look_at(struct look *look, const char *at, const char *end,
                                    const simd_byte *mark, bool wide)
{
    look->at = at;
    look->key.words[1] = 0;
    if (!wide && text_look(look, 0, SIMD_HALF, mark)) return SIMD_HALF;
    if (text_look(look, 0, SIMD_BLOCK, mark)) return SIMD_BLOCK;
    if (end - at <= SIMD_BLOCK) return 0;
    return text_look(look, 1, SIMD_BLOCK, mark) ? 2 * SIMD_BLOCK : 0;
}

/* ---- layouts ---- */

SIMD_FUNCTION bool text_is_layout(const struct text_layout *layout, const struct text_shape *shape,
                                  const char *at, unsigned reach)
{
    return layout->serial == shape->serial &&
           simd_is(simd_load(at, BYTES(reach)), shape->same, layout->same, BYTES(reach)) &&
           (BLOCKS(reach) == 1 ||
            simd_is(simd_load(at + SIMD_BLOCK, SIMD_BLOCK), shape->same + SIMD_BLOCK,
                    layout->same + SIMD_BLOCK, SIMD_BLOCK));
}

/* The hash of the bytes that are the same in every line, for shapes whose layouts differ anywhere.
 */
SIMD_FUNCTION uint64_t text_hash_line(const struct text_shape *shape, const char *at,
                                      unsigned reach)
{
    return simd_hash(simd_load(at, BYTES(reach)), shape->same, BYTES(reach));
}

SIMD_LOOP static uint64_t text_hash_of(const uint8_t same[TEXT_LINE])
{
    return simd_hash(simd_load(same, SIMD_BLOCK), same, SIMD_BLOCK);
}

/* ---- the numbers ---- */

/* Adds the groups of a pair of fields that have letters in upper case; false if one has both
 * cases, or if its spelling in upper case is not known. */
SIMD_FUNCTION bool text_add_mixed(const struct text_shape *shape, unsigned pair,
                                  const struct simd_digits *digits, unsigned *cases)
{
    const unsigned first = shape->group[2 * pair], second = shape->group[2 * pair + 1];
    uint32_t upper, lower;
    simd_cases(digits, &upper, &lower);
    const unsigned ups = ((uint16_t)upper ? first : 0) | (upper >> 16 ? second : 0);
    const unsigned lows = ((uint16_t)lower ? first : 0) | (lower >> 16 ? second : 0);
    *cases |= ups;
    return !(ups & lows) && !((uint16_t)upper && !first) && !(upper >> 16 && !second);
}

SIMD_FUNCTION bool text_add_cases(const struct text_shape *shape, unsigned pair,
                                  const struct simd_digits *digits, unsigned *cases)
{
    const unsigned group = pair < 2 ? shape->pair_group[pair] : TEXT_MIXED;
    if (!simd_has_upper(digits)) return true;
    if (group == TEXT_MIXED) return text_add_mixed(shape, pair, digits, cases);
    *cases |= group;
    return group && !simd_has_lower(digits);
}

SIMD_FUNCTION simd_values text_hex(const struct text_shape *shape, const char *at, unsigned pair,
                                   simd_verdict *good, struct simd_digits *digits)
{
    const char *const from[2] = {at + shape->at[2 * pair], at + shape->at[2 * pair + 1]};
    return simd_hex_pair(from, &shape->pair[pair], good, digits);
}

SIMD_FUNCTION simd_values text_decimal(const struct text_shape *shape, const char *at,
                                       simd_verdict *good)
{
    const char *const from[2] = {at + shape->at[TEXT_FIELDS - 2], at + shape->at[TEXT_FIELDS - 1]};
    return simd_decimal_pair(from, &shape->pair[TEXT_PAIRS - 1], good);
}

/* Converts the first pairs of fields, of which there are one or two; false if the line is not of
 * the shape after all. */
SIMD_FUNCTION bool text_first_hex(const struct text_shape *shape, const char *at, bool two,
                                  simd_values values[2], simd_verdict *good, unsigned *cases)
{
    struct simd_digits digits[2];
    values[0] = text_hex(shape, at, 0, good, &digits[0]);
    if (two) values[1] = text_hex(shape, at, 1, good, &digits[1]);
    if (shape->refuses) {
        simd_refuse(good, &digits[0], &shape->pair[0]);
        if (two) simd_refuse(good, &digits[1], &shape->pair[1]);
    }
    if (!two) return !simd_has_upper(&digits[0]) || text_add_cases(shape, 0, &digits[0], cases);
    return !simd_have_upper(&digits[0], &digits[1]) ||
           (text_add_cases(shape, 0, &digits[0], cases) &&
            text_add_cases(shape, 1, &digits[1], cases));
}

SIMD_FUNCTION bool text_next_hex(const struct text_shape *shape, const char *at, unsigned pair,
                                 simd_values *values, simd_verdict *good, unsigned *cases)
{
    struct simd_digits digits;
    *values = text_hex(shape, at, pair, good, &digits);
    if (shape->refuses) simd_refuse(good, &digits, &shape->pair[pair]);
    return text_add_cases(shape, pair, &digits, cases);
}

/* A second field that is none has the place of the first, whose value comes last. */
SIMD_FUNCTION void text_put_values(const struct text_shape *shape, unsigned pair,
                                   simd_values values, char *records)
{
    for (unsigned i = 2; i-- > 0;) {
        const uint64_t value = simd_value(values, i);
        memcpy(records + shape->place[2 * pair + i], &value, sizeof value);
    }
}

/* Converts the numbers, and puts them into the records; false if the line is not of the shape after
 * all.  Few lines have fields for the loop. */
SIMD_FUNCTION bool text_convert(const struct text_shape *shape, const char *at, unsigned *cases,
                                char *records)
{
    const unsigned hex = shape->hex_pairs;
    simd_verdict good = simd_no_verdict();
    simd_values values[2];
    if (hex == 1) {
        if (!text_first_hex(shape, at, false, values, &good, cases)) return false;
        text_put_values(shape, 0, values[0], records);
    } else if (hex > 1) {
        if (!text_first_hex(shape, at, true, values, &good, cases)) return false;
        for (unsigned i = 0; i < 2; i++) text_put_values(shape, i, values[i], records);
        for (unsigned i = 2; i < hex; i++) {
            if (!text_next_hex(shape, at, i, values, &good, cases)) return false;
            text_put_values(shape, i, values[0], records);
        }
    }
    if (shape->decimals)
        text_put_values(shape, TEXT_PAIRS - 1, text_decimal(shape, at, &good), records);
    return simd_is_good(good);
}

/* ---- text ---- */

/* Returns the first newline at `at` or after it; NULL if there is none. */
SIMD_FUNCTION const char *text_find_newline(const struct text_run *run, const char *at)
{
    for (; at < run->end; at += SIMD_BLOCK) {
        const uint64_t newlines = simd_newlines(simd_load(at, SIMD_BLOCK), SIMD_BLOCK);
        if (newlines) return at + simd_first(newlines);
    }
    return NULL;
}

SIMD_FUNCTION bool text_has_refused(const struct text_layout *layout, const char *begin,
                                    const char *end)
{
    if (!layout->tail_refuse[0]) return false;
    const simd_byte first = simd_each(layout->tail_refuse[0]);
    const simd_byte second = simd_each(layout->tail_refuse[1]);
    for (;; begin += SIMD_HALF) {
        const uint64_t pairs = simd_pairs(simd_load(begin, SIMD_HALF), first, second, SIMD_HALF);
        if (end - begin <= SIMD_HALF) return simd_below(pairs, (unsigned)(end - begin));
        if (pairs) return true;
    }
}

/* ---- cached lines ---- */

/* Returns the end of the line at `at`, with its newline, if it has at most 128 bytes; else `at`.
 * Lines have at least `from` bytes, 0 or 64; those that have not are found to be of no entry. */
SIMD_FUNCTION const char *cache_line_end(const char *at, const char *end, unsigned from)
{
    uint64_t newlines = simd_newlines(simd_load(at + from, SIMD_BLOCK), SIMD_BLOCK);
    if (newlines) return at + from + simd_first(newlines) + 1;
    if (from || end - at <= SIMD_BLOCK) return at;
    newlines = simd_newlines(simd_load(at + SIMD_BLOCK, SIMD_BLOCK), SIMD_BLOCK);
    return newlines ? at + SIMD_BLOCK + simd_first(newlines) + 1 : at;
}

/* True if the line, up to `next`, has the bytes of the entry. */
SIMD_FUNCTION bool cache_is(const struct cached_line *line, const char *at, const char *next)
{
    const unsigned front = line->front, back = line->back;
    if (next - at != (ptrdiff_t)(front + back + line->digits)) return false;
    return (simd_differ(at, line->bytes, front) |
            simd_differ(next - back, line->bytes + front, back)) == 0;
}

#endif
