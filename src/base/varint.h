/* SPDX-License-Identifier: MIT */
/*
 * varint.h: numbers of variable length: seven bits per byte, lowest first; the top bit is set if
 * more bytes follow.  Reading never goes past the end: a truncated or too long number is a failure.
 */
#ifndef SPOOR_BASE_VARINT_H
#define SPOOR_BASE_VARINT_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

enum { VARINT_SIZE = 10 };

static inline char *put_varint(char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7) *at++ = (char)(value | 0x80);
    *at++ = (char)value;
    return at;
}

/* Signed numbers with the sign in the lowest bit. */
static inline uint64_t zigzag(int64_t value)
{
    return (uint64_t)value << 1 ^ (uint64_t)(value >> 63);
}
static inline int64_t unzigzag(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* Append; if memory runs out, the text is marked failed. */
static inline void text_varint(struct text *text, uint64_t value)
{
    char *at = text_reserve(text, VARINT_SIZE);
    if (at) text_commit(text, put_varint(at, value));
}
static inline void text_signed_varint(struct text *text, int64_t value)
{
    text_varint(text, zigzag(value));
}

/* A buffer from which numbers are read one after another. */
struct unpacker {
    const uint8_t *at, *end;
    bool failed; /* a read went past the end and returned 0 */
};

static inline uint64_t unpack(struct unpacker *from)
{
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && from->at < from->end; shift += 7) {
        const uint8_t byte = *from->at++;
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80) return value;
    }
    from->failed = true;
    from->at = from->end;
    return 0;
}
static inline int64_t unpack_signed(struct unpacker *from)
{
    return unzigzag(unpack(from));
}
/* The next `size` bytes, in place; NULL only if there are fewer.  An unpacker of no bytes may have
 * the address NULL. */
static inline const uint8_t *unpack_bytes(struct unpacker *from, size_t size)
{
    static const uint8_t none[1];
    if (size == 0 && !from->at) return none;
    if (size > (size_t)(from->end - from->at)) {
        from->failed = true;
        from->at = from->end;
        return NULL;
    }
    const uint8_t *bytes = from->at;
    from->at += size;
    return bytes;
}

#endif
