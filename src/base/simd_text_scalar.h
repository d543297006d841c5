/* SPDX-License-Identifier: MIT */
/* simd_text_scalar.h: simd_text.h for any processor: eight bytes of a word at a time. */
#ifndef SPOOR_BASE_SIMD_TEXT_SCALAR_H
#define SPOOR_BASE_SIMD_TEXT_SCALAR_H

#include <endian.h>

#include "base/scan.h"

#define SIMD_FUNCTION __attribute__((always_inline)) static inline
#define SIMD_EACH(byte) (UINT64_C(0x0101010101010101) * (uint8_t)(byte))

struct simd_block {
    uint64_t words[SIMD_BLOCK / 8];
};

SIMD_FUNCTION uint64_t simd_load_word(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return le64toh(word);
}

SIMD_FUNCTION struct simd_block simd_load(const void *at, unsigned bytes)
{
    struct simd_block block;
    for (unsigned i = 0; i < bytes / 8; i++)
        block.words[i] = simd_load_word((const char *)at + 8 * i);
    return block;
}

/* The top bits of eight bytes, as eight bits. */
SIMD_FUNCTION uint64_t simd_top_bits(uint64_t word)
{
    return (word >> 7 & SIMD_EACH(1)) * UINT64_C(0x0102040810204080) >> 56;
}

/* The top bit of each byte of first .. first + count - 1. */
SIMD_FUNCTION uint64_t simd_within(uint64_t word, uint8_t first, uint8_t count)
{
    const uint64_t low = word & SIMD_EACH(0x7F);
    const uint64_t from = low + SIMD_EACH(0x80 - first);
    const uint64_t behind = low + SIMD_EACH(0x80 - first - count);
    return from & ~behind & ~word & SIMD_EACH(0x80);
}

SIMD_FUNCTION uint64_t simd_equal(struct simd_block text, const char *c, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes / 8; i++)
        mask |= simd_top_bits(simd_within(text.words[i], (uint8_t)*c, 1)) << 8 * i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    return simd_equal(text, "\n", bytes);
}

SIMD_FUNCTION uint64_t simd_zeros(struct simd_block text, unsigned bytes)
{
    return simd_equal(text, "0", bytes);
}

struct simd_words {
    uint64_t words, digits;
};

SIMD_FUNCTION struct simd_words simd_words(struct simd_block text, unsigned bytes)
{
    struct simd_words found = {0, 0};
    for (unsigned i = 0; i < bytes / 8; i++) {
        const uint64_t word = text.words[i], lower = word | SIMD_EACH(0x20);
        const uint64_t number = simd_within(word, '0', 10);
        found.words |= simd_top_bits(number | simd_within(lower, 'a', 26)) << 8 * i;
        found.digits |= simd_top_bits(number | simd_within(lower, 'a', 6)) << 8 * i;
    }
    return found;
}

SIMD_FUNCTION uint64_t simd_bit6(struct simd_block text, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes / 8; i++) mask |= simd_top_bits(text.words[i] << 1) << 8 * i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_bit5(struct simd_block text, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes / 8; i++) mask |= simd_top_bits(text.words[i] << 2) << 8 * i;
    return mask;
}

SIMD_FUNCTION struct simd_block simd_masked(struct simd_block text, const void *mask,
                                            unsigned bytes)
{
    const struct simd_block ones = simd_load(mask, bytes);
    for (unsigned i = 0; i < bytes / 8; i++) text.words[i] &= ones.words[i];
    return text;
}

SIMD_FUNCTION bool simd_is(struct simd_block text, const void *other, unsigned bytes)
{
    const struct simd_block same = simd_load(other, bytes);
    uint64_t differ = 0;
    for (unsigned i = 0; i < bytes / 8; i++) differ |= text.words[i] ^ same.words[i];
    return differ == 0;
}

SIMD_FUNCTION uint64_t simd_hash(struct simd_block text, unsigned bytes)
{
    uint64_t hash = 0;
    for (unsigned i = 0; i < bytes / 8; i++) {
        const uint64_t product = text.words[i] * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i);
        hash += product ^ product >> 32;
    }
    return hash;
}

SIMD_FUNCTION void simd_copy(void *to, const void *from)
{
    memcpy(to, from, SIMD_BLOCK);
}

/* A number from the 16 bytes that `moves` selects. */
SIMD_FUNCTION uint64_t simd_number(const char *at, const uint8_t *moves, unsigned base)
{
    uint64_t value = 0;
    for (int i = 0; i < SIMD_DIGITS; i++)
        if (moves[i] < SIMD_DIGITS) value = value * base + hex_value[(uint8_t)at[moves[i]]];
    return value;
}

SIMD_FUNCTION void simd_hex_pair(const char *first, const char *second, const void *moves,
                                 uint64_t values[2])
{
    values[0] = simd_number(first, moves, 16);
    values[1] = simd_number(second, (const uint8_t *)moves + SIMD_DIGITS, 16);
}

SIMD_FUNCTION void simd_decimal_pair(const char *first, const char *second, const void *moves,
                                     uint64_t values[2])
{
    values[0] = simd_number(first, moves, 10);
    values[1] = simd_number(second, (const uint8_t *)moves + SIMD_DIGITS, 10);
}

#endif
