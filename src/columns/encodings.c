/* SPDX-License-Identifier: MIT */
/* encodings.c: Parquet's encodings of values. */
#include "columns/column_chunk.h"

#include "base/simd_text.h"
#include "base/varint.h"
#include "columns/number_store.h"

enum { DELTA_BLOCK = 128, MINIBLOCKS = 4, MINIBLOCK = DELTA_BLOCK / MINIBLOCKS };

void encode_plain(struct text *out, const uint64_t *values, size_t count)
{
    text_put(out, values,
             count * sizeof *values); /* the machine is little-endian: see meson.build */
}

void encode_stored(struct text *out, const struct number_store *store, size_t first, size_t count)
{
    uint64_t buffer[STORE_BLOCK];
    for (size_t i = 0, some; i < count; i += some) {
        const uint64_t *values = number_store_block(store, first + i, count - i, buffer, &some);
        encode_plain(out, values, some);
    }
}

void encode_split(struct text *out, const struct number_store *store, size_t first, size_t count)
{
    uint64_t buffer[STORE_BLOCK];
    char *at = text_reserve(out, count * sizeof *buffer);
    if (!at) return;
    for (size_t i = 0, some; i < count; i += some) {
        const uint64_t *values = number_store_block(store, first + i, count - i, buffer, &some);
        for (size_t byte = 0; byte < sizeof *values; byte++)
            for (size_t k = 0; k < some; k++)
                at[byte * count + i + k] = (char)(values[k] >> 8 * byte);
    }
    text_commit(out, at + count * sizeof *buffer);
}

void encode_bits(struct text *out, const struct number_store *store, size_t first, size_t count)
{
    uint64_t buffer[STORE_BLOCK];
    char *at = text_reserve(out, (count + 7) / 8);
    if (!at) return;
    for (size_t i = 0, some; i < count; i += some) {
        const uint64_t *values = number_store_block(store, first + i, count - i, buffer, &some);
        for (size_t k = 0; k < some; k += 8) {
            unsigned byte = 0;
            for (size_t bit = 0; bit < 8 && k + bit < some; bit++)
                byte |= (unsigned)(values[k + bit] & 1) << bit;
            *at++ = (char)byte;
        }
    }
    text_commit(out, at);
}

/* Packs values of `width` bits, lowest first, into whole bytes; returns the end.  The bytes up to
 * eight after the end may be written. */
static char *encodings_pack(char *at, const uint64_t *values, size_t count, unsigned width)
{
    uint64_t word = 0;
    unsigned filled = 0;
    size_t i = 0;
    if (width == 0) return at;
    for (; width <= 8 && i + 8 <= count; i += 8) { /* as many bytes as the width has bits */
        const uint64_t *v = values + i;
        const unsigned twice = 2 * width;
        const uint64_t low = v[0] | v[1] << width | (v[2] | v[3] << width) << twice;
        const uint64_t high = v[4] | v[5] << width | (v[6] | v[7] << width) << twice;
        const uint64_t all = low | high << 2 * twice;
        memcpy(at, &all, sizeof all);
        at += width;
    }
    for (; i < count; i++) {
        word |= values[i] << filled;
        filled += width;
        if (filled < 64) continue;
        memcpy(at, &word, sizeof word);
        at += sizeof word;
        filled -= 64;
        word = filled ? values[i] >> (width - filled) : 0;
    }
    memcpy(at, &word, sizeof word);
    return at + (filled + 7) / 8;
}

void encode_delta(struct text *out, const struct number_store *store, size_t first, size_t count)
{
    enum { HEAD = 4 * VARINT_SIZE, BLOCK_HEAD = VARINT_SIZE + MINIBLOCKS + 8 };
    uint64_t buffer[DELTA_BLOCK + 1]; /* with the value before the block */
    const size_t blocks = count / DELTA_BLOCK + 1;
    char *at = text_reserve(out, HEAD + blocks * (BLOCK_HEAD + DELTA_BLOCK * sizeof *buffer) + 8);
    if (!at) return;
    const uint64_t start = count ? *number_store_get(store, first, 1, buffer) : 0;
    at = put_varint(at, DELTA_BLOCK);
    at = put_varint(at, MINIBLOCKS);
    at = put_varint(at, count);
    at = put_varint(at, zigzag((int64_t)start));
    for (size_t i = 1; i < count; i += DELTA_BLOCK) {
        const size_t left = count - i, some = left < DELTA_BLOCK ? left : DELTA_BLOCK;
        const uint64_t *values = number_store_get(store, first + i - 1, some + 1, buffer);
        /* A block: the smallest difference, the widths of the miniblocks, and the miniblocks. */
        uint64_t deltas[DELTA_BLOCK];
        const int64_t smallest = numbers_differences(values + 1, some, values[0], deltas);
        memset(deltas + some, 0, (DELTA_BLOCK - some) * sizeof *deltas);
        at = put_varint(at, zigzag(smallest));
        char *widths = at;
        at += MINIBLOCKS;
        for (size_t block = 0; block < MINIBLOCKS; block++) {
            const uint64_t *mini = deltas + block * MINIBLOCK;
            uint64_t all = 0;
            for (size_t j = 0; j < MINIBLOCK; j++) all |= mini[j];
            const bool used = block * MINIBLOCK < some;
            const unsigned width = used ? (all ? 64 - (unsigned)__builtin_clzll(all) : 0) : 0;
            widths[block] = (char)width;
            at = encodings_pack(at, mini, MINIBLOCK, width);
        }
    }
    text_commit(out, at);
}

void encode_codes(struct text *out, const struct codes *codes, size_t count, size_t entries)
{
    unsigned width = 1;
    while (width < 16 && entries > (size_t)1 << width) width *= 2;
    const char head = (char)width;
    text_put(out, &head, 1);
    if (count == 0) return;
    if (count < 2 || memcmp(codes->at, codes_from(codes, 1).at, (count - 1) * codes->width) == 0) {
        text_varint(out, (uint64_t)count << 1);
        text_put(out, codes->at, (width + 7) / 8);
        return;
    }
    /* A run of bit-packed codes: their number in groups of eight, then the groups. */
    const size_t groups = (count + 7) / 8, rest = count % 8;
    char *at = text_reserve(out, VARINT_SIZE + groups * width);
    if (!at) return;
    at = put_varint(at, groups << 1 | 1);
    at = codes_pack(at, codes, count - rest, width);
    if (rest > 0) {
        uint16_t last[8] = {0};
        const struct codes padded = {last, codes->width};
        memcpy(last, codes_from(codes, count - rest).at, rest * codes->width);
        at = codes_pack(at, &padded, 8, width);
    }
    text_commit(out, at);
}

static void encodings_put_level_run(struct text *out, size_t count, bool is_one)
{
    const char level = is_one;
    text_varint(out, (uint64_t)count << 1);
    text_put(out, &level, 1);
}

void encode_levels(struct text *out, const uint8_t *present, size_t count, size_t ones)
{
    enum {
        RARE = 64
    }; /* a level of one in so many rows: two runs for each take less than the bits */
    const size_t at = out->size, zeros = count - ones, rare = ones < zeros ? ones : zeros;
    text_put(out, "\0\0\0", 4);
    if (rare == 0) {
        encodings_put_level_run(out, count, ones != 0);
    } else if (rare < count / RARE) {
        /* A run for each sequence of equal levels. */
        for (size_t first = 0, next; first < count; first = next) {
            const uint8_t *end = memchr(present + first, !present[first], count - first);
            next = end ? (size_t)(end - present) : count;
            encodings_put_level_run(out, next - first, present[first]);
        }
    } else {
        const size_t groups = (count + 7) / 8;
        text_varint(out, groups << 1 | 1);
        char *bits = text_reserve(out, groups);
        size_t i = 0;
        for (; bits && i + SIMD_BYTES <= count; i += SIMD_BYTES) {
            const uint64_t levels =
                little_endian64(simd_equals((const char *)present + i, 1, SIMD_BYTES));
            memcpy(bits, &levels, SIMD_BYTES / 8);
            bits += SIMD_BYTES / 8;
        }
        for (; bits && i < count; i += 8) {
            unsigned byte = 0;
            for (size_t bit = 0; bit < 8 && i + bit < count; bit++)
                byte |= (unsigned)present[i + bit] << bit;
            *bits++ = (char)byte;
        }
        if (bits) text_commit(out, bits);
    }
    const uint32_t size = (uint32_t)(out->size - at - 4);
    if (!out->failed) memcpy(out->bytes + at, &size, sizeof size);
}
