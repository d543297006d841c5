/* SPDX-License-Identifier: MIT */
/*
 * hex_run.h: up to eight hexadecimal digits at a time.
 *
 * Eight characters are loaded into one word, and each step below is done to all of them at once, a
 * byte each.
 */
#ifndef SPOOR_BASE_HEX_RUN_H
#define SPOOR_BASE_HEX_RUN_H

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

/* Reads the digits at `at`, of which eight bytes must be readable. */
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

#endif
