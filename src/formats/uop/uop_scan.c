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

static bool is_blank(char c)
{
    return c == ' ' || c == '\t';
}

static bool fail(struct uop_line *line, const char *column, const char *expected)
{
    line->column = column;
    line->expected = expected;
    return false;
}

/* ---- finding the fields ---- */

/* Fields that are missing are empty, at the end. */
static void find_fields(struct uop_line *line)
{
    const char *at = line->start;
    for (unsigned edge = 0; edge <= EDGES; edge += 2) {
        while (is_blank(*at)) at++;
        line->edges[edge] = at;
        while (at < line->stop && !is_blank(*at)) at++;
        if (edge < EDGES) line->edges[edge + 1] = at;
    }
}

/* ---- converting them ---- */

/* The digits of a field end at `end`: so must the field. */
static bool ends(struct uop_line *line, enum uop_field field, const char *end)
{
    return end == uop_end(line, field) || fail(line, end, "a space between fields");
}

/* Returns the value of any number of digits [at, end); false if it needs over 64 bits. */
static bool long_value(const char *at, const char *end, unsigned base, uint64_t *value)
{
    uint64_t sum = 0;
    for (; at < end; at++)
        if (__builtin_mul_overflow(sum, (uint64_t)base, &sum) ||
            __builtin_add_overflow(sum, (uint64_t)hex_value[(unsigned char)*at], &sum))
            return false;
    *value = sum;
    return true;
}

static bool decimal(struct uop_line *line, enum uop_field field, int64_t minimum, int64_t maximum,
                    int64_t *value)
{
    const char *begin = uop_begin(line, field);
    const bool negative = *begin == '-';
    const char *first = begin + (negative || *begin == '+'), *end = first;
    uint64_t sum = 0;
    while ((unsigned)(unsigned char)*end - '0' < 10) end++;
    if (end == first || !long_value(first, end, 10, &sum) || sum > (uint64_t)INT64_MAX + negative)
        return fail(line, begin, wanted[field]);
    *value = (int64_t)(negative ? 0 - sum : sum);
    if (*value < minimum || *value > maximum) return fail(line, begin, wanted[field]);
    if (*begin == '+' || (*first == '0' && (end > first + 1 || negative))) line->plain = false;
    return ends(line, field, end);
}

static bool decimal32(struct uop_line *line, enum uop_field field, int32_t *value)
{
    int64_t wide = 0;
    if (!decimal(line, field, INT32_MIN, INT32_MAX, &wide)) return false;
    *value = (int32_t)wide;
    return true;
}

/* Skips "0x", which the published reader accepts as well. */
static const char *skip_prefix(struct uop_line *line, const char *at)
{
    if (at[0] != '0' || (at[1] | 0x20) != 'x' || hex_value[(unsigned char)at[2]] == 0xFF) return at;
    line->plain = false;
    return at + 2;
}

static bool hexadecimal(struct uop_line *line, enum uop_field field, uint64_t *value)
{
    const char *first = skip_prefix(line, uop_begin(line, field)), *end = first;
    unsigned digit;
    for (; (digit = hex_value[(unsigned char)*end]) < 16; end++)
        if (digit > 9 && !(*end & 0x20)) line->plain = false;
    if (end == first || !long_value(first, end, 16, value))
        return fail(line, uop_begin(line, field), wanted[field]);
    if (*first == '0' && end > first + 1) line->plain = false;
    return ends(line, field, end);
}

/* Reads '-', or one of two letters, each with its bit. */
static bool letter(struct uop_line *line, enum uop_field field, char first, uint8_t first_bit,
                   char second, uint8_t second_bit)
{
    const char found = *uop_begin(line, field);
    const bool is_first = found == first, is_second = found == second;
    line->op |= (uint8_t)((is_first ? first_bit : 0) | (is_second ? second_bit : 0));
    if (uop_end(line, field) - uop_begin(line, field) == 1 &&
        (is_first | is_second | (found == '-')))
        return true;
    return fail(line, uop_begin(line, field), wanted[field]);
}

/* Any bytes but control characters. */
static bool word(struct uop_line *line, enum uop_field field)
{
    const char *at = uop_begin(line, field), *end = uop_end(line, field);
    if (at == end) return fail(line, at, wanted[field]);
    for (; at < end; at += WORD_BYTES) {
        const unsigned control = first_below(at, ' ');
        if (control < WORD_BYTES && at + control < end)
            return fail(line, at + control, "a space between fields");
    }
    return true;
}

static bool convert(struct uop_line *line)
{
    struct spoor_uop_full *number = &line->number;
    line->op = 0;
    line->plain = true;
    return decimal32(line, UOP_STEP, &number->step) && hexadecimal(line, UOP_PC, &number->pc) &&
           decimal32(line, UOP_SRC1, &number->src1) && decimal32(line, UOP_SRC2, &number->src2) &&
           decimal32(line, UOP_DEST, &number->dest) &&
           letter(line, UOP_FLAGS, 'R', SPOOR_UOP_READS_FLAGS, 'W', SPOOR_UOP_WRITES_FLAGS) &&
           letter(line, UOP_BRANCH, 'T', SPOOR_UOP_TAKEN, 'N', SPOOR_UOP_NOT_TAKEN) &&
           letter(line, UOP_LDST, 'L', SPOOR_UOP_LOAD, 'S', SPOOR_UOP_STORE) &&
           decimal(line, UOP_IMMEDIATE, INT64_MIN, INT64_MAX, &number->immediate) &&
           hexadecimal(line, UOP_ADDRESS, &number->address) &&
           hexadecimal(line, UOP_FALL, &number->fall) &&
           hexadecimal(line, UOP_TARGET, &number->target) && word(line, UOP_MACRO) &&
           word(line, UOP_MICRO);
}

bool uop_scan(struct uop_line *line, const char *start, const char *stop)
{
    line->start = start;
    line->stop = stop;
    line->tabs = memchr(start, '\t', (size_t)(stop - start));
    find_fields(line);
    if (!convert(line)) return false;
    if (line->edges[EDGES] == stop) return true;
    return fail(line, line->edges[EDGES], "the end of the line: a micro-op has 14 fields");
}
