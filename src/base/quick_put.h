/* SPDX-License-Identifier: MIT */
/*
 * quick_put.h: unchecked put functions that store many bytes at once, for printers of millions of
 * lines.
 *
 * Each stores PUT_SLACK bytes from its start and returns the end of the bytes that it needed.  The
 * caller reserves PUT_SLACK bytes more than its longest line, and the next put overwrites the bytes
 * after the end.  No branch depends on the number, so the cost does not depend on its size.
 */
#ifndef SPOOR_BASE_QUICK_PUT_H
#define SPOOR_BASE_QUICK_PUT_H

#include <stdint.h>
#include <string.h>

#include "base/byte_order.h"
#include "base/simd_text.h"
#include "base/text.h"

enum { PUT_SLACK = 32 };

static inline void store8(char *at, uint64_t bytes)
{
    bytes = little_endian64(bytes);
    memcpy(at, &bytes, 8);
}

/* The 16 hexadecimal digits of a number. */
static inline void store_hex16(char *at, uint64_t value)
{
    typedef uint8_t half __attribute__((vector_size(8)));
    const uint64_t bytes = big_endian64(value);
    half halves;
    memcpy(&halves, &bytes, sizeof halves);
    const simd_pairs pairs = __builtin_convertvector(halves, simd_pairs);
    const simd_bytes digits =
        (simd_bytes)(BYTE_ORDER_IS_BIG ? pairs << 4 | pairs : pairs >> 4 | pairs << 8) & 15;
    const simd_bytes letters = (simd_bytes)((simd_signed)digits > 9);
    const simd_bytes text = digits + '0' + (letters & ('a' - '0' - 10));
    memcpy(at, &text, sizeof text);
}

/* Hexadecimal, as printf's %x. */
static inline char *quick_put_hex(char *at, uint64_t value)
{
    const unsigned size = hex_digits(value);
    store_hex16(at, value << (64 - 4 * size));
    return at + size;
}

/* At least `digits` digits, at most 16: as %08x. */
static inline char *quick_put_hex_zeros(char *at, uint64_t value, unsigned digits)
{
    const unsigned needed = hex_digits(value), size = needed > digits ? needed : digits;
    store_hex16(at, value << (64 - 4 * size));
    return at + size;
}

/* Right-aligned in `width`, at most 16: as %12x. */
static inline char *quick_put_hex_padded(char *at, uint64_t value, unsigned width)
{
    const unsigned size = hex_digits(value), blanks = size < width ? width - size : 0;
    memset(at, ' ', 16);
    store_hex16(at + blanks, value << (64 - 4 * size));
    return at + blanks + size;
}

/* Eight decimal digits of a number below 100,000,000, the first in the lowest byte. */
static inline uint64_t decimal_digits8(uint32_t value)
{
    const uint64_t fours = value / 10000 | (uint64_t)(value % 10000) << 32;
    const uint64_t hundreds = (fours * 10486 >> 20) & UINT64_C(0x0000007f0000007f);
    const uint64_t twos = hundreds | (fours - hundreds * 100) << 16;
    const uint64_t tens = (twos * 103 >> 10) & UINT64_C(0x000f000f000f000f);
    return tens | (twos - tens * 10) << 8;
}

/* Decimal, as printf's %llu. */
static inline char *quick_put_unsigned(char *at, uint64_t value)
{
    if (value >= UINT64_C(10000000000000000)) return put_decimal(at, value);
    const uint64_t high = value / 100000000, ascii = UINT64_C(0x3030303030303030);
    const uint64_t digits = decimal_digits8((uint32_t)(high ? high : value));
    const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    store8(at, (digits | ascii) >> (8 * zeros));
    at += 8 - zeros;
    if (high == 0) return at;
    store8(at, decimal_digits8((uint32_t)(value % 100000000)) | ascii);
    return at + 8;
}

/* Decimal, right-aligned in `width`, at most 16: as %9d; width 0 does not pad. */
static inline char *quick_put_signed(char *at, int64_t value, unsigned width)
{
    const uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    if (magnitude >= 100000000) return put_signed_padded(at, value, width);
    const uint64_t digits = decimal_digits8((uint32_t)magnitude);
    const unsigned zeros = (unsigned)__builtin_ctzll(digits | UINT64_C(1) << 56) / 8;
    const unsigned size = 8 - zeros + (value < 0), blanks = size < width ? width - size : 0;
    memset(at, ' ', 16);
    at[blanks] = '-';
    store8(at + blanks + (value < 0), (digits | UINT64_C(0x3030303030303030)) >> (8 * zeros));
    return at + blanks + size;
}

#endif
