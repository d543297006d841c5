/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/section.h: the sections of a block, each a column of bytes that is compressed on
 * its own.
 */
#ifndef SPOOR_FORMATS_SPOOR_SECTION_H
#define SPOOR_FORMATS_SPOOR_SECTION_H

#include "base/text.h"
#include "base/varint.h"

enum {
    SECTIONS_MAX = 26, /* their ids are less */
    SECTION_MAX_SIZE = 16 << 20,
    SECTION_SMALLEST = 24, /* a shorter column is stored: the head of a compressed one takes more */
    SECTION_SHORT = 128 << 10, /* LZMA is read slower: it is tried for columns up to this */
};

/* Compresses sections, one after another.  Zeroed: level 0 stores them. */
struct section_packer {
    void *context;   /* of the compressor */
    int level;       /* of zstd */
    size_t try_lzma; /* for columns up to this size */
    struct text bytes;
};
void section_packer_free(struct section_packer *packer);

/* Appends the columns that are not empty: their number, their table, their bytes. Empties
 * the columns. */
void sections_put(struct section_packer *packer, struct text *columns, size_t count,
                  struct text *out);

enum { SECTION_SLACK = 8 };

/* Decompresses the sections of a block.  A section that is absent is empty; SECTION_SLACK bytes
 * after each other one may be read. */
struct sections {
    void *context;
    struct text bytes[SECTIONS_MAX];
};
void sections_free(struct sections *sections);
/* False if they are damaged, or need a compressor that this build lacks. */
bool sections_get(struct sections *sections, const char *at, size_t size);
/* Decompresses the sections whose bits `wanted` has. */
bool sections_get_some(struct sections *sections, uint64_t wanted, const char *at, size_t size);
/* Reads section `id` from its beginning. */
static inline struct unpacker section_read(const struct sections *sections, unsigned id)
{
    const struct text *bytes = &sections->bytes[id];
    const uint8_t *at = (const uint8_t *)bytes->bytes;
    return (struct unpacker){at, at ? at + bytes->size : NULL, false};
}

#endif
