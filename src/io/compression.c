/* SPDX-License-Identifier: MIT */
/*
 * compression.c: the table of compressions.
 *
 * Every build recognises all of them, so that a compression that is not built in is named, instead
 * of being reported as a damaged trace.
 */
#include "io/compression.h"

#include <string.h>

#include "spoor/reader.h"

static bool compression_begins(const uint8_t *bytes, size_t size, const char *magic,
                               size_t magic_size)
{
    return size >= magic_size && memcmp(bytes, magic, magic_size) == 0;
}

/* RFC 1952: two magic bytes, method 8 (deflate), the three high flag bits are reserved. */
static bool compression_is_gzip(const uint8_t *bytes, size_t size)
{
    return compression_begins(bytes, size, "\x1f\x8b\x08", 3) &&
           (size < 4 || (bytes[3] & 0xe0) == 0);
}

static bool compression_is_xz(const uint8_t *bytes, size_t size)
{
    return compression_begins(bytes, size,
                              "\xfd"
                              "7zXZ\0",
                              6);
}

/* "BZh", the level, then the magic of a block or of the end. */
static bool compression_is_bzip2(const uint8_t *bytes, size_t size)
{
    return size >= 10 && compression_begins(bytes, size, "BZh", 3) && bytes[3] >= '1' &&
           bytes[3] <= '9' &&
           (memcmp(bytes + 4, "\x31\x41\x59\x26\x53\x59", 6) == 0 ||
            memcmp(bytes + 4, "\x17\x72\x45\x38\x50\x90", 6) == 0);
}

/* zstd and lz4 share skippable frames: a magic of 184D2A50 .. 184D2A5F and a size of 32 bits. */
static bool compression_is_skippable(const uint8_t *bytes, size_t size)
{
    return size >= 8 && (bytes[0] & 0xf0) == 0x50 &&
           compression_begins(bytes + 1, size - 1, "\x2a\x4d\x18", 3);
}

/* The first frame that is not skippable, or its available part. */
static const uint8_t *compression_after_skippable(const uint8_t *bytes, size_t *size)
{
    while (compression_is_skippable(bytes, *size)) {
        size_t skip = (size_t)bytes[4] | (size_t)bytes[5] << 8 | (size_t)bytes[6] << 16 |
                      (size_t)bytes[7] << 24;
        skip += 8;
        if (skip > *size) skip = *size;
        bytes += skip;
        *size -= skip;
    }
    return bytes;
}

static bool compression_is_lz4(const uint8_t *bytes, size_t size)
{
    bytes = compression_after_skippable(bytes, &size);
    return compression_begins(bytes, size, "\x04\x22\x4d\x18", 4);
}

/* Skippable frames alone, or without bytes after them, are treated as zstd. */
static bool compression_is_zstd(const uint8_t *bytes, size_t size)
{
    bool skippable = compression_is_skippable(bytes, size);
    bytes = compression_after_skippable(bytes, &size);
    return compression_begins(bytes, size, "\x28\xb5\x2f\xfd", 4) || (skippable && size == 0);
}

/* "ZSTF", the instructions of a chunk, and where the index is. */
static bool compression_is_zstf(const uint8_t *bytes, size_t size)
{
    return compression_begins(bytes, size, "ZSTF", 4);
}

static const struct compression compressions[] = {
    {
        .name = "gzip",
        .suffix = ".gz",
        .package = "zlib1g-dev or libisal-dev",
        .member = "member",
        .inside = CHECKPOINT_DEFLATE,
        .padding = true,
        .recognise = compression_is_gzip,
#ifdef SPOOR_WITH_GZIP
        .inflater = &inflate_gzip,
        .instead = gzip_or_bgzf,
        .deflater = &deflate_gzip,
#endif
    },
    {
        .name = "zstd",
        .suffix = ".zst",
        .package = "libzstd-dev",
        .member = "frame",
        .recognise = compression_is_zstd,
#ifdef SPOOR_WITH_ZSTD
        .inflater = &inflate_zstd,
        .deflater = &deflate_zstd,
#endif
    },
    {
        .name = "xz",
        .suffix = ".xz",
        .package = "liblzma-dev",
        .member = "stream",
        .inside = CHECKPOINT_XZ_BLOCK,
        .padding = true,
        .recognise = compression_is_xz,
#ifdef SPOOR_WITH_XZ
        .inflater = &inflate_xz,
        .deflater = &deflate_xz,
#endif
    },
    {
        .name = "bzip2",
        .suffix = ".bz2",
        .package = "libbz2-dev",
        .member = "stream",
        .recognise = compression_is_bzip2,
#ifdef SPOOR_WITH_BZIP2
        .inflater = &inflate_bzip2,
        .deflater = &deflate_bzip2,
#endif
    },
    {
        .name = "lz4",
        .suffix = ".lz4",
        .package = "liblz4-dev",
        .member = "frame",
        .recognise = compression_is_lz4,
#ifdef SPOOR_WITH_LZ4
        .inflater = &inflate_lz4,
        .deflater = &deflate_lz4,
#endif
    },
    {
        .name = "zstf",
        .package = "libzstd-dev",
        .member = "file",
        .inside = CHECKPOINT_ZSTF_FRAME,
        .recognise = compression_is_zstf,
#ifdef SPOOR_WITH_ZSTD
        .inflater = &inflate_zstf,
#endif
    },
    {
        .name = "zip",
        .suffix = ".zip",
        .package = "zlib1g-dev or libisal-dev",
        .member = "archive",
        .recognise = is_zip,
#ifdef SPOOR_WITH_GZIP
        .inflater = &inflate_zip,
#endif
    },
};

enum { COMPRESSIONS = sizeof compressions / sizeof *compressions };

const struct compression *compression_at(size_t index)
{
    return index < COMPRESSIONS ? &compressions[index] : NULL;
}

const struct compression *compression_recognise(const uint8_t *bytes, size_t size)
{
    for (size_t i = 0; i < COMPRESSIONS; i++)
        if (compressions[i].recognise(bytes, size)) return &compressions[i];
    return NULL;
}

const char *spoor_reader_compression_of(const void *bytes, size_t size)
{
    const struct compression *found = compression_recognise(bytes, size);
    return found ? found->name : NULL;
}

const struct compression *compression_by_checkpoint(enum checkpoint_kind kind)
{
    for (size_t i = 0; i < COMPRESSIONS; i++)
        if (compressions[i].inside && compressions[i].inside == kind) return &compressions[i];
    return NULL;
}

const struct compression *compression_by_suffix(const char *path)
{
    size_t size = strlen(path);
    for (size_t i = 0; i < COMPRESSIONS; i++) {
        size_t suffix = compressions[i].suffix ? strlen(compressions[i].suffix) : size;
        if (size > suffix && strcmp(path + size - suffix, compressions[i].suffix) == 0)
            return &compressions[i];
    }
    return NULL;
}
