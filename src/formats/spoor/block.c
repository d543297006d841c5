/* SPDX-License-Identifier: MIT */
/* block.c: heads of blocks, their checksums, and where a chunk of blocks ends. */
#include "formats/spoor/block.h"

#include <string.h>

#ifdef SPOOR_WITH_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

/* A byte over 127, the name, both line ends and an end of file: what damages text damages this. The
 * version follows. */
static const char signature[10] = "\x89spoor\r\n\x1a\n";
enum { VERSION_SIZE = BLOCK_SIGNATURE_SIZE - sizeof signature };

/* The checksum of bytes: XXH3, 64 bits; 0 in a build without libxxhash, which verifies none. */
static uint64_t block_hash(const void *bytes, size_t size)
{
#ifdef SPOOR_WITH_XXHASH
    return XXH3_64bits(bytes, size);
#else
    (void)bytes;
    (void)size;
    return 0;
#endif
}

bool block_hashes(void)
{
#ifdef SPOOR_WITH_XXHASH
    return true;
#else
    return false;
#endif
}

void block_put_signature(struct text *out)
{
    text_put(out, signature, sizeof signature);
    char version[VERSION_SIZE];
    block_put_number(version, BLOCK_VERSION, sizeof version);
    text_put(out, version, sizeof version);
}

bool block_is_signature(const char *bytes, size_t size, uint64_t *version)
{
    if (size < BLOCK_SIGNATURE_SIZE || memcmp(bytes, signature, sizeof signature) != 0)
        return false;
    *version = block_u32(bytes + sizeof signature) |
               (uint64_t)block_u16(bytes + sizeof signature + 4) << 32;
    return true;
}

bool block_is_readable(const char *bytes, size_t size)
{
    uint64_t version;
    return block_is_signature(bytes, size, &version) && version == BLOCK_VERSION;
}

enum { HASHED_HEAD = 24 };

void block_put(struct text *out, enum block_type type, const void *payload, size_t size)
{
    char head[BLOCK_HEAD_SIZE], *at = head;
    at = block_put_number(at, (uint32_t)type, 4);
    at = block_put_number(at, 0, 4);
    at = block_put_number(at, size, 8);
    at = block_put_number(at, block_hash(payload, size), 8);
    block_put_number(at, block_hash(head, HASHED_HEAD), 8);
    text_put(out, head, sizeof head);
    text_put(out, payload, size);
}

bool block_parse(const char *at, struct block *block)
{
    for (int i = 0; i < 4; i++)
        if (at[i] < 'A' || at[i] > 'Z') return false;
    *block =
        (struct block){block_u32(at), block_u32(at + 4), block_u64(at + 8), block_u64(at + 16)};
    const uint64_t hash = block_u64(at + HASHED_HEAD);
    if (block->size > BLOCK_MAX_PAYLOAD) return false;
    return hash == block_hash(at, HASHED_HEAD) || (hash != 0 && !block_hashes()) || hash == 0;
}

bool block_is_intact(const struct block *block, const char *payload)
{
    return block->hash == 0 || !block_hashes() ||
           block_hash(payload, (size_t)block->size) == block->hash;
}

/* The offset of the next head in the bytes, from `at` on; `size` if there is none. */
static size_t block_seek(const char *bytes, size_t size, size_t at)
{
    struct block block;
    for (; at + BLOCK_HEAD_SIZE <= size; at++)
        if (block_parse(bytes + at, &block)) return at;
    return size;
}

bool block_next(const char *bytes, size_t size, size_t at, struct block_part *part)
{
    *part = (struct block_part){.at = at, .size = size - at};
    if (at >= size) return false;
    if (part->size >= BLOCK_HEAD_SIZE && block_parse(bytes + at, &part->block) &&
        part->block.size <= part->size - BLOCK_HEAD_SIZE) {
        part->payload = bytes + at + BLOCK_HEAD_SIZE;
        part->size = BLOCK_HEAD_SIZE + (size_t)part->block.size;
        part->intact = block_is_intact(&part->block, part->payload);
    } else {
        part->block = (struct block){0};
        part->size = block_seek(bytes, size, at + 1) - at;
    }
    return true;
}

enum { MAX_JUNK = 8 << 20, MORE_JUNK = 1 << 20 };

/* A chunk ends before the blocks of the next segment, or before bytes that are no block. */
size_t block_chunk(const char *at, size_t size, bool ended, size_t *needed)
{
    size_t end = 0;
    bool has_segment = false;
    if (size < BLOCK_SIGNATURE_SIZE && !ended) {
        *needed = BLOCK_SIGNATURE_SIZE;
        return 0;
    }
    if (block_is_readable(at, size)) end = BLOCK_SIGNATURE_SIZE;
    for (;;) {
        struct block block = {0};
        const size_t left = size - end;
        if (left < BLOCK_HEAD_SIZE) {
            *needed = end + BLOCK_HEAD_SIZE;
            return ended ? size : 0;
        }
        const bool is_block = block_parse(at + end, &block);
        const bool begins =
            !is_block || block.type == BLOCK_SEGMENT || block.type == BLOCK_DICTIONARY;
        if (has_segment && begins) return end;
        if (!is_block) {
            /* up to where the next block begins */
            const size_t begin = end;
            end = block_seek(at, size, begin + 1);
            if (end == size && !ended) {
                if (left > MAX_JUNK) return size - BLOCK_HEAD_SIZE;
                *needed = size + MORE_JUNK;
                return 0;
            }
            if (end - begin > MAX_JUNK / 2) return end;
            continue;
        }
        end += BLOCK_HEAD_SIZE + (size_t)block.size;
        if (end > size) {
            *needed = end;
            return ended ? size : 0;
        }
        has_segment |= block.type == BLOCK_SEGMENT;
        /* who follows a file need not wait for bytes after its end */
        if (block.type == BLOCK_TAIL) return end;
    }
}
