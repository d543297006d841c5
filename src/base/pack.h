/* SPDX-License-Identifier: MIT */
/* pack.h: counts and sized bytes, for files that hold state: see varint.h. */
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

#endif
