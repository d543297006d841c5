/* SPDX-License-Identifier: MIT */
/* simd_text_scalar.h: what simd_text.h says, for any processor: eight bytes of a word at a time. */
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

typedef uint8_t simd_byte;

SIMD_FUNCTION simd_byte simd_each(char c)
{
    return (simd_byte)c;
}

SIMD_FUNCTION uint64_t simd_equal(struct simd_block text, simd_byte each, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes / 8; i++)
        mask |= simd_top_bits(simd_within(text.words[i], each, 1)) << 8 * i;
    return mask;
}

SIMD_FUNCTION uint64_t simd_newlines(struct simd_block text, unsigned bytes)
{
    return simd_equal(text, '\n', bytes);
}

SIMD_FUNCTION uint64_t simd_words(struct simd_block text, unsigned bytes)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < bytes / 8; i++) {
        const uint64_t word = text.words[i];
        mask |=
            simd_top_bits(simd_within(word, '0', 10) | simd_within(word | SIMD_EACH(0x20), 'a', 26))
            << 8 * i;
    }
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

SIMD_FUNCTION uint64_t simd_hash(const struct simd_block *text, unsigned blocks, unsigned bytes)
{
    uint64_t hash = 0;
    for (unsigned block = 0; block < blocks; block++)
        for (unsigned i = 0; i < bytes / 8; i++) {
            const uint64_t product =
                text[block].words[i] * (UINT64_C(0x9e3779b97f4a7c15) + 2 * i + 1000 * block);
            hash += product ^ product >> 32;
        }
    return hash;
}

SIMD_FUNCTION void simd_copy(void *to, const void *from)
{
    memcpy(to, from, SIMD_BLOCK);
}

/* A number of the 16 bytes that `moves` says. */
SIMD_FUNCTION bool simd_number(const char *at, const uint8_t *moves, unsigned base, uint64_t *value,
                               uint32_t *upper, uint32_t *lower)
{
    *value = *upper = *lower = 0;
    for (unsigned i = 0; i < SIMD_DIGITS; i++) {
        if (moves[i] >= SIMD_DIGITS) continue;
        const char c = at[moves[i]];
        const uint8_t digit = hex_value[(uint8_t)c];
        if (digit >= base) return false;
        *value = *value * base + digit;
        *upper |= (uint32_t)(c >= 'A' && c <= 'F') << i;
        *lower |= (uint32_t)(c >= 'a') << i;
    }
    return true;
}

SIMD_FUNCTION void simd_store(const uint64_t values[2], void *const to[2])
{
    memcpy(to[1], &values[1], sizeof values[1]);
    memcpy(to[0], &values[0], sizeof values[0]);
}

SIMD_FUNCTION bool simd_hex_pair(const char *const from[2], const void *places, void *const to[2],
                                 uint32_t *upper, uint32_t *lower)
{
    const uint8_t *moves = places;
    uint32_t uppers, lowers;
    uint64_t values[2];
    if (!simd_number(from[0], moves, 16, &values[0], upper, lower) ||
        !simd_number(from[1], moves + SIMD_DIGITS, 16, &values[1], &uppers, &lowers))
        return false;
    *upper |= uppers << SIMD_DIGITS;
    *lower |= lowers << SIMD_DIGITS;
    simd_store(values, to);
    return true;
}

SIMD_FUNCTION bool simd_decimal_pair(const char *const from[2], const void *places,
                                     void *const to[2])
{
    const uint8_t *moves = places;
    uint32_t upper, lower;
    uint64_t values[2];
    if (!simd_number(from[0], moves, 10, &values[0], &upper, &lower) ||
        !simd_number(from[1], moves + SIMD_DIGITS, 10, &values[1], &upper, &lower))
        return false;
    simd_store(values, to);
    return true;
}

#endif
