/* SPDX-License-Identifier: MIT */
/*
 * hex_run.h: up to eight digits at a time.
 *
 * Eight characters are loaded into one word, and each step below is done to all of them at once, a
 * byte each.
 */
#ifndef SPOOR_BASE_HEX_RUN_H
#define SPOOR_BASE_HEX_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"

#define HEX_BYTES(byte) (UINT64_C(0x0101010101010101) * (byte))

/* A run of at most eight digits. */
struct hex_run {
    uint32_t value;
    unsigned digits;
    unsigned letters; /* 1: some upper case, 2: some lower case, 3: both, 0: none */
};

/* Returns the top bit of each byte of `word` (all below 0x80) that lies in low .. high. */
static inline uint64_t hex_within(uint64_t word, uint8_t low, uint8_t high)
{
    return ((word | HEX_BYTES(0x80)) - HEX_BYTES(low)) & (HEX_BYTES(0x80u | high) - word) &
           HEX_BYTES(0x80);
}

/* Returns the number whose digits are the eight low nibbles; the first byte is the highest digit.
 */
static inline uint32_t hex_join(uint64_t nibbles)
{
    uint64_t bytes = (nibbles << 4 | nibbles >> 8) & UINT64_C(0x00ff00ff00ff00ff);
    uint64_t halves = (bytes << 8 | bytes >> 16) & UINT64_C(0x0000ffff0000ffff);
    return (uint32_t)(halves << 16 | halves >> 32);
}

/* Reads the hexadecimal digits at `at`, of which eight bytes must be readable. */
static inline struct hex_run hex_run_at(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = little_endian64(word);
    uint64_t ascii = word & HEX_BYTES(0x7f);
    uint64_t letters = hex_within(ascii | HEX_BYTES(0x20), 'a', 'f');
    uint64_t others = (~(letters | hex_within(ascii, '0', '9')) | word) & HEX_BYTES(0x80);
    struct hex_run run = {0, 8, 0};
    if (others) {
        unsigned bits = (unsigned)__builtin_ctzll(others) & ~7u;
        run.digits = bits / 8;
        if (bits == 0) return run;
        word <<= 64 - bits; /* leading zeros do not change the value */
        letters <<= 64 - bits;
    }
    run.value = hex_join((word & HEX_BYTES(0x0f)) + (letters >> 7) * 9);
    run.letters = (letters >> 2 & ~word ? 1 : 0) | (letters >> 2 & word ? 2 : 0);
    return run;
}

/* Reads `digits` decimal digits at `at`, of which eight bytes must be readable; false if there are
 * none, more than eight, or other bytes among them. */
static inline bool decimal_run_at(const char *at, size_t digits, uint64_t *value)
{
    uint64_t word;
    if (digits - 1 >= sizeof word) return false;
    memcpy(&word, at, sizeof word);
    word = (little_endian64(word) ^ HEX_BYTES('0')) << (64 - 8 * digits);
    if (((word + HEX_BYTES(0x80 - 10)) | word) & HEX_BYTES(0x80)) return false;
    /* two digits, four, and eight become one number; the first byte is the highest digit */
    word = word * 10 + (word >> 8);
    word = (word & UINT64_C(0x00ff00ff00ff00ff)) * (1 + (UINT64_C(100) << 16)) >> 16;
    *value = (word & UINT64_C(0x0000ffff0000ffff)) * (1 + (UINT64_C(10000) << 32)) >> 32;
    return true;
}

/* Reads 1 to 8 hexadecimal digits at `at`, of which eight bytes must be readable; false if there
 * are others than digits in lower case among them. */
static inline bool hex_run_lower(const char *at, size_t digits, uint64_t *value)
{
    const uint64_t zeros = HEX_BYTES('0') >> 8 * (digits - 1) >> 8;
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = little_endian64(word) << (64 - 8 * digits) | zeros;
    const uint64_t nibbles = (word & HEX_BYTES(15)) + (word >> 6 & HEX_BYTES(1)) * 9;
    const uint64_t letters = (nibbles + HEX_BYTES(6)) >> 4 & HEX_BYTES(1);
    const uint64_t spelled = nibbles + HEX_BYTES('0') + letters * ('a' - '0' - 10);
    *value = hex_join(nibbles);
    return ((spelled ^ word) | (nibbles & HEX_BYTES(0xF0))) == 0;
}

/* Returns the offset of the first of the eight bytes at `at` that is below `limit`, at most 0x80; 8
 * if there is none. */
static inline unsigned first_below(const char *at, uint8_t limit)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    word = little_endian64(word);
    const uint64_t low = word & HEX_BYTES(0x7f);
    const uint64_t below = ~((low + HEX_BYTES(0x80u - limit)) | word) & HEX_BYTES(0x80);
    return below ? (unsigned)__builtin_ctzll(below) / 8 : 8;
}

/* Reads 1 to 16 hexadecimal digits in lower case, if a byte below '0' follows them.  Returns where
 * they end; NULL: they are spelled otherwise, or `end` is near, and scan_hex() decides. */
static inline const char *hex_lower_at(const char *at, const char *end, uint64_t *value)
{
    enum { RUN = 8 };
    if (end - at < RUN) return NULL;
    const unsigned digits = first_below(at, '0');
    if (digits == 0 || !hex_run_lower(at, digits, value)) return NULL;
    at += digits;
    if (digits < RUN) return at;
    if (end - at < RUN) return NULL;
    const unsigned more = first_below(at, '0');
    uint64_t low;
    if (more == 0) return at;
    if (!hex_run_lower(at, more, &low)) return NULL;
    *value = *value << 4 * more | low;
    return at + more == end || (unsigned char)at[more] < '0' ? at + more : NULL;
}

#endif
