/* SPDX-License-Identifier: MIT */
/*
 * uop_scan.c: parses any micro-op line: first finds its fields, then converts each of them.
 *
 * Every scanner of a field relies on 64 readable bytes after the line.
 */
#include <string.h>

#include "base/hex_run.h"
#include "base/scan.h"
#include "formats/uop/uop.h"

enum {
    WORD_BYTES = 8, /* bytes of a word that are looked at together */
    EDGES = 2 * UOP_FIELDS,
};

static const char *const wanted[UOP_FIELDS] = {
    [UOP_STEP] = "Uop, a decimal number of 32 bits",
    [UOP_PC] = "PC, a hexadecimal number of 64 bits",
    [UOP_SRC1] = "Src1, a decimal number of 32 bits",
    [UOP_SRC2] = "Src2, a decimal number of 32 bits",
    [UOP_DEST] = "Dest, a decimal number of 32 bits",
    [UOP_FLAGS] = "Flags, one of R W -",
    [UOP_BRANCH] = "Branch, one of T N -",
    [UOP_LDST] = "Ld/St, one of L S -",
    [UOP_IMMEDIATE] = "Immediate, a decimal number of 64 bits",
    [UOP_ADDRESS] = "Memory Address, a hexadecimal number of 64 bits",
    [UOP_FALL] = "Fallthrough PC, a hexadecimal number of 64 bits",
    [UOP_TARGET] = "Target PC, a hexadecimal number of 64 bits",
    [UOP_MACRO] = "Macro Opcode, a word",
    [UOP_MICRO] = "Micro Opcode, a word",
};

static bool uop_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool uop_fail(struct uop_line *line, const char *column, const char *expected)
{
    line->column = column;
    line->expected = expected;
    return false;
}

/* ---- converting them ---- */

/* The digits of a field end at `end`: so must the field. */
static bool uop_ends(struct uop_line *line, enum uop_field field, const char *end)
{
    return end == uop_end(line, field) || uop_fail(line, end, "a space between fields");
}

/* Returns the value of any number of digits [at, end); false if it needs over 64 bits. */
static bool uop_long_value(const char *at, const char *end, unsigned base, uint64_t *value)
{
    uint64_t sum = 0;
    for (; at < end; at++)
        if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)hex_value[(unsigned char)*at], &sum))
            return false;
    *value = sum;
    return true;
}

static bool uop_decimal(struct uop_line *line, enum uop_field field, int64_t minimum,
                        int64_t maximum, int64_t *value)
{
    const char *begin = uop_begin(line, field);
    const bool negative = *begin == '-';
    const char *first = begin + (negative || *begin == '+'), *end = first;
    uint64_t sum = 0;
    while ((unsigned)(unsigned char)*end - '0' < 10) end++;
    if (end == first || !uop_long_value(first, end, 10, &sum) ||
        sum > (uint64_t)INT64_MAX + negative)
        return uop_fail(line, begin, wanted[field]);
    *value = (int64_t)(negative ? 0 - sum : sum);
    if (*value < minimum || *value > maximum) return uop_fail(line, begin, wanted[field]);
    if (*begin == '+' || (*first == '0' && (end > first + 1 || negative))) line->plain = false;
    return uop_ends(line, field, end);
}

static bool uop_decimal32(struct uop_line *line, enum uop_field field, int32_t *value)
{
    int64_t wide = 0;
    if (!uop_decimal(line, field, INT32_MIN, INT32_MAX, &wide)) return false;
    *value = (int32_t)wide;
    return true;
}

static bool uop_hexadecimal(struct uop_line *line, enum uop_field field, uint64_t *value)
{
    const char *first = uop_begin(line, field);
    if (first[0] == '0' && (first[1] | 0x20) == 'x' && hex_value[(unsigned char)first[2]] != 0xFF) {
        line->plain = false; /* "0x", which the published reader accepts as well */
        first += 2;
    }
    const char *end = first;
    unsigned digit;
    for (; (digit = hex_value[(unsigned char)*end]) < 16; end++)
        if (digit > 9 && !(*end & 0x20)) line->plain = false;
    if (end == first || !uop_long_value(first, end, 16, value))
        return uop_fail(line, uop_begin(line, field), wanted[field]);
    if (*first == '0' && end > first + 1) line->plain = false;
    return uop_ends(line, field, end);
}

/* Reads '-', or one of two letters, each with its bit. */
static bool uop_letter(struct uop_line *line, enum uop_field field, char first, uint8_t first_bit,
                       char second, uint8_t second_bit)
{
    const char found = *uop_begin(line, field);
    const bool is_first = found == first, is_second = found == second;
    line->op |= (uint8_t)((is_first ? first_bit : 0) | (is_second ? second_bit : 0));
    if (uop_end(line, field) - uop_begin(line, field) == 1 &&
        (is_first | is_second | (found == '-')))
        return true;
    return uop_fail(line, uop_begin(line, field), wanted[field]);
}

/* Any bytes but control characters. */
static bool uop_word(struct uop_line *line, enum uop_field field)
{
    const char *at = uop_begin(line, field), *end = uop_end(line, field);
    if (at == end) return uop_fail(line, at, wanted[field]);
    for (; at < end; at += WORD_BYTES) {
        const unsigned control = first_below(at, ' ');
        if (control < WORD_BYTES && at + control < end)
            return uop_fail(line, at + control, "a space between fields");
    }
    return true;
}

bool uop_scan(struct uop_line *line, const char *start, const char *stop)
{
    struct spoor_uop_full *number = &line->number;
    line->start = start;
    line->stop = stop;
    line->tabs = memchr(start, '\t', (size_t)(stop - start));
    line->op = 0;
    line->plain = true;
    const char *at = start; /* fields that are missing are empty, at the end */
    for (unsigned edge = 0; edge <= EDGES; edge += 2) {
        while (uop_is_blank(*at)) at++;
        line->edges[edge] = at;
        while (at < stop && !uop_is_blank(*at)) at++;
        if (edge < EDGES) line->edges[edge + 1] = at;
    }
    if (!uop_decimal32(line, UOP_STEP, &number->step) ||
        !uop_hexadecimal(line, UOP_PC, &number->pc) ||
        !uop_decimal32(line, UOP_SRC1, &number->src1) ||
        !uop_decimal32(line, UOP_SRC2, &number->src2) ||
        !uop_decimal32(line, UOP_DEST, &number->dest) ||
        !uop_letter(line, UOP_FLAGS, 'R', SPOOR_UOP_READS_FLAGS, 'W', SPOOR_UOP_WRITES_FLAGS) ||
        !uop_letter(line, UOP_BRANCH, 'T', SPOOR_UOP_TAKEN, 'N', SPOOR_UOP_NOT_TAKEN) ||
        !uop_letter(line, UOP_LDST, 'L', SPOOR_UOP_LOAD, 'S', SPOOR_UOP_STORE) ||
        !uop_decimal(line, UOP_IMMEDIATE, INT64_MIN, INT64_MAX, &number->immediate) ||
        !uop_hexadecimal(line, UOP_ADDRESS, &number->address) ||
        !uop_hexadecimal(line, UOP_FALL, &number->fall) ||
        !uop_hexadecimal(line, UOP_TARGET, &number->target) || !uop_word(line, UOP_MACRO) ||
        !uop_word(line, UOP_MICRO))
        return false;
    if (line->edges[EDGES] == stop) return true;
    return uop_fail(line, line->edges[EDGES], "the end of the line: a micro-op has 14 fields");
}
