/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/block.h: the blocks of a .spoor file.
 *
 * A file is a signature of 16 bytes, which ends in the version, then blocks.  A block is a head of
 * 32 bytes (type, flags, size and checksum of the payload, checksum of the head) and its payload.
 * docs/formats/spoor.md is the specification.
 */
#ifndef SPOOR_FORMATS_SPOOR_BLOCK_H
#define SPOOR_FORMATS_SPOOR_BLOCK_H

#include "base/text.h"

enum {
    BLOCK_SIGNATURE_SIZE = 16,
    BLOCK_HEAD_SIZE = 32,
    BLOCK_MAX_PAYLOAD = 64 << 20,
    BLOCK_VERSION = 1, /* of the file: readers refuse others */
};

/* Four letters, the first in the low byte. */
#define BLOCK_TYPE(a, b, c, d) \
    ((uint32_t)(a) | (uint32_t)(b) << 8 | (uint32_t)(c) << 16 | (uint32_t)(d) << 24)
enum block_type {
    BLOCK_HEADER = BLOCK_TYPE('H', 'E', 'A', 'D'),
    BLOCK_DICTIONARY = BLOCK_TYPE('D', 'I', 'C', 'T'),
    BLOCK_SEGMENT = BLOCK_TYPE('S', 'E', 'G', 'M'),
    BLOCK_LATE = BLOCK_TYPE('L', 'A', 'T', 'E'), /* of the description: what the end makes known */
    BLOCK_HISTORY = BLOCK_TYPE('H', 'I', 'S', 'T'),
    BLOCK_INDEX = BLOCK_TYPE('I', 'N', 'D', 'X'),
    BLOCK_TAIL = BLOCK_TYPE('T', 'A', 'I', 'L'),
};

struct block {
    uint32_t type, flags;
    uint64_t size; /* of the payload */
    uint64_t hash; /* of the payload */
};

/* False: this build cannot compute checksums. */
bool block_hashes(void);

void block_put_signature(struct text *out);
/* True if the bytes begin with the signature of some version; *version is then its number. */
bool block_is_signature(const char *bytes, size_t size, uint64_t *version);
/* True if they begin with that of BLOCK_VERSION. */
bool block_is_readable(const char *bytes, size_t size);

/* Appends a block. */
void block_put(struct text *out, enum block_type type, const void *payload, size_t size);
/* Parses the head at `at`, which has BLOCK_HEAD_SIZE bytes; false if it is none. */
bool block_parse(const char *at, struct block *block);
/* True if the payload has its checksum. */
bool block_is_intact(const struct block *block, const char *payload);

/* A part of a file: a block, or bytes that are none. */
struct block_part {
    struct block block;  /* type 0: bytes that are no block */
    const char *payload; /* in the file's bytes; NULL: of no block */
    size_t at, size;     /* of all its bytes */
    bool intact;         /* a block whose payload has its checksum */
};
/* Reads the part that begins at `at`; false at the end. */
bool block_next(const char *bytes, size_t size, size_t at, struct block_part *part);
/* The size of the next chunk, for struct container. */
size_t block_chunk(const char *at, size_t size, bool ended, size_t *needed);

/* Numbers of the file: little-endian. */
static inline uint16_t block_u16(const char *at)
{
    const unsigned char *b = (const unsigned char *)at;
    return (uint16_t)(b[0] | b[1] << 8);
}
static inline uint32_t block_u32(const char *at)
{
    return block_u16(at) | (uint32_t)block_u16(at + 2) << 16;
}
static inline uint64_t block_u64(const char *at)
{
    return block_u32(at) | (uint64_t)block_u32(at + 4) << 32;
}
static inline char *block_put_number(char *at, uint64_t value, unsigned size)
{
    for (unsigned i = 0; i < size; i++) *at++ = (char)(value >> (8 * i));
    return at;
}

#endif
