/* SPDX-License-Identifier: MIT */
/*
 * simd_text_scalar.h: the operations of simd_text.h for any processor, in plain C: eight bytes of a
 * word at a time.  Masks alone are made with the vectors of simd_step.h.
 */
#ifndef SPOOR_BASE_SIMD_TEXT_SCALAR_H
#define SPOOR_BASE_SIMD_TEXT_SCALAR_H

#include "base/byte_order.h"
#include "base/hex_run.h"
#include "base/inline.h"
#include "base/simd_step.h"

/* Text stays where it is. */
struct simd_block {
    const char *at;
};

SIMD_FUNCTION struct simd_block simd_load(const void *at, unsigned bytes)
{
    (void)bytes;
    return (struct simd_block){at};
}

SIMD_FUNCTION uint64_t simd_first_or_any(uint64_t mask)
{
    return (uint64_t)__builtin_ctzll(mask | UINT64_C(1) << 63);
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes; i += SIMD_STEP) mask |= simd_equal_step(text.at + i, '\n') << i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_equals(struct simd_block text, simd_byte wanted)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < SIMD_BLOCK; i += SIMD_STEP)
        mask |= simd_equal_step(text.at + i, wanted) << i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_controls(struct simd_block text)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < SIMD_BLOCK; i += SIMD_STEP)
        mask |= simd_controls_step(text.at + i) << i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_pairs(struct simd_block text, simd_byte first, simd_byte second,
                                  unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes; i += SIMD_STEP)
        mask |= (simd_equal_step(text.at + i, first) & simd_equal_step(text.at + i + 1, second))
                << i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_words(struct simd_block text, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes; i += SIMD_STEP) mask |= simd_words_step(text.at + i) << i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_masked_word(const char *at, const void *mask, unsigned i)
{
    return simd_load_word(at + i) & simd_load_word((const char *)mask + i);
}

SIMD_FUNCTION bool simd_is(struct simd_block text, const void *mask, const void *other,
                           unsigned bytes)
{
    uint64_t differ = 0;
    for (unsigned i = 0; i < bytes; i += 8)
        differ |= simd_masked_word(text.at, mask, i) ^ simd_load_word((const char *)other + i);
    return differ == 0;
}

SIMD_FUNCTION uint64_t simd_differ(const void *a, const void *b, unsigned count)
{
    return memcmp(a, b, count) != 0;
}

SIMD_FUNCTION uint64_t simd_hash(struct simd_block text, const void *mask, unsigned bytes)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < bytes; i += 8) {
        const uint64_t word = simd_masked_word(text.at, mask, i);
        hash += (word ^ word >> 29) * (UINT64_C(0x9e3779b97f4a7c15) + i);
    }
    return hash;
}

SIMD_FUNCTION void simd_copy(void *to, const void *from)
{
    memcpy(to, from, SIMD_BLOCK);
}

/* ---- numbers ---- */

typedef struct {
    uint64_t value[2];
} simd_values;

SIMD_FUNCTION simd_values simd_no_values(void)
{
    return (simd_values){{0, 0}};
}

SIMD_FUNCTION uint64_t simd_value(simd_values values, unsigned index)
{
    return values.value[index];
}

/* The digits of a number, zeros in front: the last eight, and those before. */
struct simd_words {
    uint64_t high, low;
};

SIMD_FUNCTION uint64_t simd_put_zeros(uint64_t word, unsigned digits)
{
    if (digits == 0) return HEX_BYTES('0');
    return digits < 8 ? word << (64 - 8 * digits) | HEX_BYTES('0') >> 8 * digits : word;
}

/* False where the first digit is one that is refused. */
SIMD_FUNCTION bool simd_find_digits(const char *at, const struct simd_pair *pair, unsigned index,
                                    struct simd_words *digits)
{
    const uint8_t last = pair->moves[index][SIMD_DIGITS - 1], count = (uint8_t)(last + 1);
    *digits = (struct simd_words){HEX_BYTES('0'), HEX_BYTES('0')};
    if (count == 0) return true;
    digits->low = simd_put_zeros(simd_load_word(count > 8 ? at + count - 8 : at), count);
    if (count > 8) digits->high = simd_put_zeros(simd_load_word(at), count - 8u);
    return (uint8_t)*at != pair->refused[index][SIMD_DIGITS - count];
}

/* Their values in each byte; the letters' top bits are added to `upper` or `lower`. */
SIMD_FUNCTION bool simd_hex_values(uint64_t *word, uint64_t *upper, uint64_t *lower)
{
    const uint64_t letters = hex_within(*word | HEX_BYTES(0x20), 'a', 'f');
    const uint64_t numbers = hex_within(*word, '0', '9'), top = HEX_BYTES(0x80);
    *upper |= letters & ~(*word << 2);
    *lower |= letters & *word << 2;
    if ((*word & top) || (letters | numbers) != top) return false;
    *word = (*word & HEX_BYTES(15)) + (letters >> 7) * 9;
    return true;
}

/* Letters of two numbers: nonzero in the first or last 16 bits if that number has some. */
struct simd_digits {
    uint32_t upper, lower;
};

SIMD_FUNCTION bool simd_hex_number(const char *at, const struct simd_pair *pair, unsigned index,
                                   uint64_t *value, struct simd_digits *letters)
{
    struct simd_words digits;
    uint64_t uppers = 0, lowers = 0;
    if (!simd_find_digits(at, pair, index, &digits) ||
        !simd_hex_values(&digits.low, &uppers, &lowers))
        return false;
    *value = hex_join(digits.low);
    if (digits.high != HEX_BYTES('0')) {
        if (!simd_hex_values(&digits.high, &uppers, &lowers)) return false;
        *value |= (uint64_t)hex_join(digits.high) << 32;
    }
    letters->upper |= (uint32_t)(uppers != 0) << SIMD_DIGITS * index;
    letters->lower |= (uint32_t)(lowers != 0) << SIMD_DIGITS * index;
    return true;
}

/* False if a number is not as it has to be. */
typedef bool simd_verdict;

SIMD_FUNCTION simd_verdict simd_no_verdict(void)
{
    return true;
}

SIMD_FUNCTION bool simd_is_good(simd_verdict good)
{
    return good;
}

/* Does nothing: simd_find_digits() has refused it. */
SIMD_FUNCTION void simd_refuse(const simd_verdict *good, const struct simd_digits *digits,
                               const struct simd_pair *pair)
{
    (void)good, (void)digits, (void)pair;
}

SIMD_FUNCTION bool simd_has_upper(const struct simd_digits *digits)
{
    return digits->upper;
}

SIMD_FUNCTION bool simd_have_upper(const struct simd_digits *a, const struct simd_digits *b)
{
    return a->upper | b->upper;
}

SIMD_FUNCTION bool simd_has_lower(const struct simd_digits *digits)
{
    return digits->lower;
}

SIMD_FUNCTION void simd_cases(const struct simd_digits *digits, uint32_t *upper, uint32_t *lower)
{
    *upper = digits->upper;
    *lower = digits->lower;
}

SIMD_FUNCTION simd_values simd_hex_pair(const char *const from[2], const struct simd_pair *pair,
                                        simd_verdict *good, struct simd_digits *digits)
{
    simd_values values = {{0, 0}};
    *digits = (struct simd_digits){0, 0};
    *good = *good && simd_hex_number(from[0], pair, 0, &values.value[0], digits) &&
            simd_hex_number(from[1], pair, 1, &values.value[1], digits);
    return values;
}

SIMD_FUNCTION bool simd_hex_lower(const char *at, const struct simd_pair *pair, uint64_t *number)
{
    struct simd_digits letters = {0, 0};
    *number = 0;
    return simd_hex_number(at, pair, 0, number, &letters) && !letters.upper;
}

SIMD_FUNCTION bool simd_join_decimal(uint64_t word, uint64_t *value)
{
    const uint64_t top = HEX_BYTES(0x80);
    if ((word & top) || hex_within(word, '0', '9') != top) return false;
    *value = decimal_join(word & HEX_BYTES(15));
    return true;
}

SIMD_FUNCTION bool simd_decimal_number(const char *at, const struct simd_pair *pair, unsigned index,
                                       uint64_t *value)
{
    struct simd_words digits;
    uint64_t high = 0;
    if (!simd_find_digits(at, pair, index, &digits) || !simd_join_decimal(digits.low, value))
        return false;
    if (digits.high != HEX_BYTES('0') && !simd_join_decimal(digits.high, &high)) return false;
    *value += high * 100000000;
    return true;
}

SIMD_FUNCTION simd_values simd_decimal_pair(const char *const from[2], const struct simd_pair *pair,
                                            simd_verdict *good)
{
    simd_values values = {{0, 0}};
    *good = *good && simd_decimal_number(from[0], pair, 0, &values.value[0]) &&
            simd_decimal_number(from[1], pair, 1, &values.value[1]);
    return values;
}

SIMD_FUNCTION bool simd_hex_number_sized(const char *at, unsigned size, uint64_t *value)
{
    uint64_t high = 0;
    if (size <= 8) return hex_run_lower(at, size, value);
    if (size > SIMD_DIGITS) return false;
    if (!hex_run_lower(at, size - 8, &high) || !hex_run_lower(at + size - 8, 8, value))
        return false;
    *value |= high << 32;
    return true;
}

SIMD_FUNCTION simd_values simd_hex_sized(const char *const from[2], const unsigned size[2],
                                         simd_verdict *good)
{
    simd_values values = {{0, 0}};
    *good = *good && simd_hex_number_sized(from[0], size[0], &values.value[0]) &&
            simd_hex_number_sized(from[1], size[1], &values.value[1]);
    return values;
}

SIMD_FUNCTION bool simd_decimal_number_sized(const char *at, unsigned size, uint64_t *value)
{
    uint64_t high = 0;
    if (size <= 8) return decimal_run_at(at, size, value);
    if (!decimal_run_at(at, size - 8, &high) || !decimal_run_at(at + size - 8, 8, value))
        return false;
    *value += high * 100000000;
    return true;
}

SIMD_FUNCTION simd_values simd_decimal_sized(const char *const from[2], const unsigned size[2],
                                             simd_verdict *good)
{
    simd_values values = {{0, 0}};
    *good = *good && simd_decimal_number_sized(from[0], size[0], &values.value[0]) &&
            simd_decimal_number_sized(from[1], size[1], &values.value[1]);
    return values;
}

#endif
