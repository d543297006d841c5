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
