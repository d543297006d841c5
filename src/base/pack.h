/* SPDX-License-Identifier: MIT */
/* pack.h: counts and strings as bytes, for files that hold the state of a fold: see varint.h. */
#ifndef SPOOR_BASE_PACK_H
#define SPOOR_BASE_PACK_H

#include "base/varint.h"

/* Appends the numbers of an array. */
static inline void text_counts(struct text *text, const uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) text_varint(text, counts[i]);
}
static inline void unpack_counts(struct unpacker *from, uint64_t *counts, size_t count)
{
    for (size_t i = 0; i < count; i++) counts[i] = unpack(from);
}

/* Appends the size of some bytes, and the bytes. */
static inline void text_sized(struct text *text, const void *bytes, size_t size)
{
    text_varint(text, size);
    text_put(text, bytes, size);
}
/* The bytes, in place; NULL if fewer are left. */
static inline const char *unpack_sized(struct unpacker *from, size_t *size)
{
    *size = (size_t)unpack(from);
    const uint8_t *bytes = unpack_bytes(from, *size);
    if (!bytes) *size = 0;
    return (const char *)bytes;
}
/* Appends a string and its NUL, or nothing for NULL. */
static inline void text_optional(struct text *text, const char *string)
{
    text_sized(text, string, string ? strlen(string) + 1 : 0);
}
/* The string, in place; NULL where there was none, or the bytes are damaged. */
static inline const char *unpack_optional(struct unpacker *from)
{
    size_t size;
    const char *string = unpack_sized(from, &size);
    if (!size) return NULL;
    from->failed |= string[size - 1] || strlen(string) + 1 != size;
    return from->failed ? NULL : string;
}
/* Appends bytes that are zero for the most part: alternately, how many are zero, and how many are
 * not with these.  A state that is packed so is read only by a program with the same layout. */
static inline void text_sparse(struct text *text, const char *bytes, size_t size)
{
    enum { WORD = 8 }; /* fewer zeros go with the bytes around them */
    for (size_t at = 0; at < size;) {
        size_t from = at, to;
        while (from < size && !bytes[from]) from++;
        for (to = from; to < size; to++) {
            size_t zeros = 0;
            while (zeros < WORD && to + zeros < size && !bytes[to + zeros]) zeros++;
            if (zeros == WORD || to + zeros == size) break;
            to += zeros;
        }
        text_varint(text, from - at);
        text_sized(text, bytes + from, to - from);
        at = to;
    }
}
/* Into `size` bytes that are zero. */
static inline void unpack_sparse(struct unpacker *from, char *bytes, size_t size)
{
    for (size_t at = 0; at < size && !from->failed;) {
        size_t count;
        const uint64_t zeros = unpack(from);
        const uint8_t *rest;
        if (zeros > size - at) from->failed = true;
        count = (size_t)unpack(from);
        rest = unpack_bytes(from, count);
        if (from->failed || count > size - at - zeros || zeros + count == 0) {
            from->failed = true;
            return;
        }
        at += (size_t)zeros;
        memcpy(bytes + at, rest, count);
        at += count;
    }
}

/* A number of items that each take at least one byte: more than there are bytes is a failure. */
static inline size_t unpack_count(struct unpacker *from)
{
    const uint64_t count = unpack(from);
    if (count <= (uint64_t)(from->end - from->at)) return (size_t)count;
    from->failed = true;
    return 0;
}
/* A number that must lie below a limit. */
static inline size_t unpack_below(struct unpacker *from, size_t limit)
{
    const uint64_t value = unpack(from);
    if (value < limit) return (size_t)value;
    from->failed = true;
    return 0;
}

#endif
