/* SPDX-License-Identifier: MIT */
/*
 * uop_scan.c: parses a micro-op line in one pass.
 *
 * Every scanner of a field relies on the byte after the line being neither blank nor printable, so
 * no loop needs a bound.
 */

#include "base/byte_order.h"
#include "base/scan.h"
#include "formats/uop/uop.h"

enum {
    SAFE_DIGITS = 18,     /* decimal digits that always fit in 63 bits */
    SAFE_HEX_DIGITS = 16, /* hexadecimal digits that always fit in 64 */
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

/* Returns the address after the spaces at `at`, eight at a time: half of a padded line is spaces.
 */
static inline const char *skip_spaces(const char *at)
{
    if (at[0] != ' ') return at;
    if (at[1] != ' ') return at + 1;
    for (;; at += 8) {
        uint64_t others;
        memcpy(&others, at, 8); /* the batch's text has readable bytes after it */
        others = little_endian64(others) ^ UINT64_C(0x2020202020202020);
        if (others != 0) return at + __builtin_ctzll(others) / 8;
    }
}

static const char *skip_tabs(struct uop_line *line, const char *at)
{
    line->tabs = true;
    while (is_blank(*at)) at++;
    return at;
}

static inline const char *skip_blanks(struct uop_line *line, const char *at)
{
    at = skip_spaces(at);
    return *at == '\t' ? skip_tabs(line, at) : at;
}

/* Skips the blanks before a field. */
static inline bool open_field(struct uop_line *line, const char **at, enum uop_field field)
{
    const char *begin = *at;
    *at = skip_blanks(line, begin);
    line->begin[field] = *at;
    if (*at != begin || field == UOP_STEP) return true;
    return fail(line, begin, begin == line->stop ? wanted[field] : "a space between fields");
}

static inline bool close_field(struct uop_line *line, const char **at, const char *end,
                               enum uop_field field)
{
    *at = line->end[field] = end;
    return true;
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

static inline bool decimal(struct uop_line *line, const char **at, enum uop_field field,
                           int64_t minimum, int64_t maximum, int64_t *value)
{
    if (!open_field(line, at, field)) return false;
    const char *begin = *at;
    const bool negative = *begin == '-';
    const char *first = begin + (negative || *begin == '+'), *end = first;
    uint64_t sum = 0;
    unsigned digit;
    for (; (digit = (unsigned)(unsigned char)*end - '0') < 10; end++) sum = sum * 10 + digit;
    const size_t digits = (size_t)(end - first);
    if (digits == 0 || (digits > SAFE_DIGITS && !long_value(first, end, 10, &sum)) ||
        sum > (uint64_t)INT64_MAX + negative)
        return fail(line, begin, wanted[field]);
    *value = (int64_t)(negative ? 0 - sum : sum);
    if (*value < minimum || *value > maximum) return fail(line, begin, wanted[field]);
    if (*begin == '+' || (*first == '0' && (digits > 1 || negative))) line->plain = false;
    return close_field(line, at, end, field);
}

static inline bool decimal32(struct uop_line *line, const char **at, enum uop_field field,
                             int32_t *value)
{
    int64_t wide = 0;
    if (!decimal(line, at, field, INT32_MIN, INT32_MAX, &wide)) return false;
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

static inline bool hexadecimal(struct uop_line *line, const char **at, enum uop_field field,
                               uint64_t *value)
{
    if (!open_field(line, at, field)) return false;
    const char *first = skip_prefix(line, *at), *end = first;
    uint64_t sum = 0;
    unsigned digit, upper = 0;
    for (; (digit = hex_value[(unsigned char)*end]) < 16; end++) {
        upper |= (digit > 9) & ~((unsigned)*end >> 5);
        sum = sum << 4 | digit;
    }
    const size_t digits = (size_t)(end - first);
    if (digits == 0 || (digits > SAFE_HEX_DIGITS && !long_value(first, end, 16, &sum)))
        return fail(line, *at, wanted[field]);
    if ((upper & 1) || (*first == '0' && digits > 1)) line->plain = false;
    *value = sum;
    return close_field(line, at, end, field);
}

/* Reads '-', or one of two letters, each with its bit. */
static inline bool letter(struct uop_line *line, const char **at, enum uop_field field, char first,
                          uint8_t first_bit, char second, uint8_t second_bit)
{
    if (!open_field(line, at, field)) return false;
    const char found = **at;
    const bool alone = (unsigned char)(*at)[1] <= ' ';
    if (found == first && alone)
        line->op |= first_bit;
    else if (found == second && alone)
        line->op |= second_bit;
    else if (found != '-' || !alone)
        return fail(line, *at, wanted[field]);
    return close_field(line, at, *at + 1, field);
}

static inline bool word(struct uop_line *line, const char **at, enum uop_field field)
{
    if (!open_field(line, at, field)) return false;
    const char *end = *at;
    while ((unsigned char)*end > ' ') end++;
    if (end == *at) return fail(line, end, wanted[field]);
    return close_field(line, at, end, field);
}

static bool finish(struct uop_line *line, const char *at)
{
    at = skip_blanks(line, at);
    return at == line->stop || fail(line, at, "the end of the line: a micro-op has 14 fields");
}

bool uop_scan(struct uop_line *line, const char *start, const char *stop)
{
    struct spoor_uop_full *number = &line->number;
    const char *at = start;
    line->start = start;
    line->stop = stop;
    line->op = 0;
    line->plain = true;
    line->tabs = false;
    return decimal32(line, &at, UOP_STEP, &number->step) &&
           hexadecimal(line, &at, UOP_PC, &number->pc) &&
           decimal32(line, &at, UOP_SRC1, &number->src1) &&
           decimal32(line, &at, UOP_SRC2, &number->src2) &&
           decimal32(line, &at, UOP_DEST, &number->dest) &&
           letter(line, &at, UOP_FLAGS, 'R', SPOOR_UOP_READS_FLAGS, 'W', SPOOR_UOP_WRITES_FLAGS) &&
           letter(line, &at, UOP_BRANCH, 'T', SPOOR_UOP_TAKEN, 'N', SPOOR_UOP_NOT_TAKEN) &&
           letter(line, &at, UOP_LDST, 'L', SPOOR_UOP_LOAD, 'S', SPOOR_UOP_STORE) &&
           decimal(line, &at, UOP_IMMEDIATE, INT64_MIN, INT64_MAX, &number->immediate) &&
           hexadecimal(line, &at, UOP_ADDRESS, &number->address) &&
           hexadecimal(line, &at, UOP_FALL, &number->fall) &&
           hexadecimal(line, &at, UOP_TARGET, &number->target) && word(line, &at, UOP_MACRO) &&
           word(line, &at, UOP_MICRO) && finish(line, at);
}
