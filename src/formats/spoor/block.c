/* SPDX-License-Identifier: MIT */
/* block.c: heads of blocks, their checksums, and where a chunk of blocks ends. */
#include "formats/spoor/block.h"

#include <string.h>

#ifdef SPOOR_WITH_XXHASH
#define XXH_INLINE_ALL
#include <xxhash.h>
#endif

/* A byte over 127, the name, both line ends and an end of file: what damages text damages this. */
static const char signature[12] = "\x89spoor\r\n\x1a\n\0";

uint64_t block_hash(const void *bytes, size_t size)
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
    char version[4];
    block_put_number(version, BLOCK_VERSION, sizeof version);
    text_put(out, version, sizeof version);
}

bool block_is_signature(const char *bytes, size_t size, unsigned *version)
{
    if (size < BLOCK_SIGNATURE_SIZE || memcmp(bytes, signature, sizeof signature) != 0)
        return false;
    *version = block_u32(bytes + sizeof signature);
    return true;
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

static bool is_letter(char c)
{
    return c >= 'A' && c <= 'Z';
}

bool block_parse(const char *at, struct block *block)
{
    if (!is_letter(at[0]) || !is_letter(at[1]) || !is_letter(at[2]) || !is_letter(at[3]))
        return false;
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
static size_t next_head(const char *bytes, size_t size, size_t at)
{
    struct block block;
    for (; at + BLOCK_HEAD_SIZE <= size; at++)
        if (block_parse(bytes + at, &block)) return at;
    return size;
}

enum { MAX_JUNK = 1 << 20 };

/* The end of bytes that are no block: where the next one begins. */
static size_t junk(const char *bytes, size_t size, size_t at, bool ended, size_t *needed)
{
    const size_t next = next_head(bytes, size, at + 1);
    if (next < size || ended) return next;
    if (size - at > MAX_JUNK) return size - BLOCK_HEAD_SIZE;
    *needed = size + MAX_JUNK / 4;
    return 0;
}

size_t block_chunk(const char *at, size_t size, bool ended, size_t *needed)
{
    unsigned version;
    size_t end = 0;
    bool has_segment = false;
    if (size < BLOCK_SIGNATURE_SIZE && !ended) {
        *needed = BLOCK_SIGNATURE_SIZE;
        return 0;
    }
    if (block_is_signature(at, size, &version)) end = BLOCK_SIGNATURE_SIZE;
    for (;;) {
        struct block block;
        if (size - end < BLOCK_HEAD_SIZE) {
            *needed = end + BLOCK_HEAD_SIZE;
            return ended ? size : 0;
        }
        if (!block_parse(at + end, &block)) {
            if (end > 0) return end;
            return junk(at, size, end, ended, needed);
        }
        const bool begins = block.type == BLOCK_SEGMENT || block.type == BLOCK_DICTIONARY;
        if (has_segment && begins) return end;
        if (size - end - BLOCK_HEAD_SIZE < block.size) {
            *needed = end + BLOCK_HEAD_SIZE + (size_t)block.size;
            return ended ? size : 0;
        }
        end += BLOCK_HEAD_SIZE + (size_t)block.size;
        has_segment |= block.type == BLOCK_SEGMENT;
    }
}
