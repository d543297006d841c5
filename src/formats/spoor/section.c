/* SPDX-License-Identifier: MIT */
/* section.c: compress and decompress the columns of a block. */
#include "formats/spoor/section.h"

#include "formats/spoor/block.h"
#include "formats/spoor/segment.h"

#include <stdlib.h>
#include <string.h>

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

#ifdef SPOOR_WITH_XZ
#include <lzma.h>
#endif

enum { METHOD_STORED, METHOD_ZSTD, METHOD_REPEATED /* one byte, repeated */, METHOD_LZMA };

void section_packer_free(struct section_packer *packer)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeCCtx(packer->context);
#endif
    packer->context = NULL;
    text_free(&packer->bytes);
}

void sections_free(struct sections *sections)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeDCtx(sections->context);
#endif
    for (size_t i = 0; i < SECTIONS_MAX; i++) text_free(&sections->bytes[i]);
    *sections = (struct sections){0};
}

/* Appends the compressed column; false if that is not smaller. */
static bool section_compress(struct section_packer *packer, const struct text *column,
                             struct text *out)
{
#ifdef SPOOR_WITH_ZSTD
    if (packer->level == 0) return false;
    if (!packer->context) packer->context = ZSTD_createCCtx();
    const size_t bound = ZSTD_compressBound(column->size);
    char *at = packer->context ? text_reserve(out, bound) : NULL;
    out->failed |= !packer->context;
    if (!at) return false;
    const size_t size =
        ZSTD_compressCCtx(packer->context, at, bound, column->bytes, column->size, packer->level);
    out->failed |= ZSTD_isError(size); /* memory ran out: the capacity suffices */
    if (ZSTD_isError(size) || size >= column->size) return false;
    text_commit(out, at + size);
    return true;
#else
    (void)packer;
    (void)column;
    (void)out;
    return false;
#endif
}

#ifdef SPOOR_WITH_XZ
/* LZMA2 without a header; the size of the dictionary is that of the column. */
static bool section_set_filters(lzma_options_lzma *options, lzma_filter filters[2], size_t size)
{
    if (lzma_lzma_preset(options, 9 | LZMA_PRESET_EXTREME)) return false;
    options->dict_size = size < LZMA_DICT_SIZE_MIN ? LZMA_DICT_SIZE_MIN : (uint32_t)size;
    options->lc = options->lp = options->pb = 0;
    filters[0] = (lzma_filter){LZMA_FILTER_LZMA2, options};
    filters[1] = (lzma_filter){LZMA_VLI_UNKNOWN, NULL};
    return true;
}

#endif

/* Appends the column; returns the method. */
static unsigned section_put(struct section_packer *packer, const struct text *column,
                            struct text *out)
{
    const size_t begin = out->size;
    (void)begin; /* without xz */
    if (column->size > 1 && memcmp(column->bytes, column->bytes + 1, column->size - 1) == 0) {
        text_put(out, column->bytes, 1);
        return METHOD_REPEATED;
    }
    const bool compressible = column->size >= SECTION_SMALLEST;
    unsigned method =
        compressible && section_compress(packer, column, out) ? METHOD_ZSTD : METHOD_STORED;
    if (method == METHOD_STORED) text_put(out, column->bytes, column->size);
#ifdef SPOOR_WITH_XZ
    const size_t size = out->size - begin;
    const bool tried = compressible && column->size <= packer->try_lzma;
    lzma_options_lzma options;
    lzma_filter filters[2];
    size_t smaller = 0;
    char *at = tried ? text_reserve(out, size) : NULL;
    if (!at || !section_set_filters(&options, filters, column->size)) return method;
    const lzma_ret result = lzma_raw_buffer_encode(filters, NULL, (const uint8_t *)column->bytes,
                                                   column->size, (uint8_t *)at, &smaller, size);
    out->failed |= result == LZMA_MEM_ERROR;
    if (result == LZMA_OK && smaller < size) {
        memmove(out->bytes + begin, at, smaller);
        out->size = begin + smaller;
        method = METHOD_LZMA;
    }
#endif
    return method;
}

void sections_put(struct section_packer *packer, struct text *columns, size_t count,
                  struct text *out)
{
    struct text table = {0}, *bytes = &packer->bytes;
    bytes->size = 0;
    size_t used = 0;
    for (size_t i = 0; i < count; i++) used += columns[i].size > 0;
    text_varint(&table, used);
    for (size_t i = 0; i < count; i++) {
        struct text *column = &columns[i];
        bytes->failed |= column->failed;
        if (column->size == 0) continue;
        const size_t begin = bytes->size;
        const unsigned method = section_put(packer, column, bytes);
        text_varint(&table, i);
        text_varint(&table, method);
        text_varint(&table, column->size);
        text_varint(&table, bytes->size - begin);
        column->size = 0;
    }
    text_put(out, table.bytes, table.size);
    text_put(out, bytes->bytes, bytes->size);
    out->failed |= table.failed || bytes->failed;
    text_free(&table);
}

static bool section_decompress(struct sections *sections, unsigned method, const char *at,
                               size_t stored, char *to, size_t size)
{
    switch (method) {
    case METHOD_STORED:
        if (stored != size) return false;
        memcpy(to, at, size);
        return true;
    case METHOD_REPEATED:
        if (stored != 1) return false;
        memset(to, *at, size);
        return true;
#ifdef SPOOR_WITH_ZSTD
    case METHOD_ZSTD:
        if (!sections->context) sections->context = ZSTD_createDCtx();
        return sections->context &&
               ZSTD_decompressDCtx(sections->context, to, size, at, stored) == size;
#endif
#ifdef SPOOR_WITH_XZ
    case METHOD_LZMA: {
        lzma_options_lzma options;
        lzma_filter filters[2];
        size_t from = 0, made = 0;
        return section_set_filters(&options, filters, size) &&
               lzma_raw_buffer_decode(filters, NULL, (const uint8_t *)at, &from, stored,
                                      (uint8_t *)to, &made, size) == LZMA_OK &&
               made == size;
    }
#endif
    default: return false;
    }
}

struct entry {
    uint64_t id, method, size, stored;
};

_Static_assert(SECTIONS_MAX <= 64, "a bit for each section");

bool sections_get_some(struct sections *sections, uint64_t wanted, const char *at, size_t size)
{
    for (size_t i = 0; i < SECTIONS_MAX; i++)
        if (wanted >> i & 1) sections->bytes[i].size = 0;
    struct unpacker table = {(const uint8_t *)at, (const uint8_t *)at + size, false};
    const uint64_t count = unpack(&table);
    struct entry entries[SECTIONS_MAX];
    if (count > SECTIONS_MAX) return false;
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &entries[i];
        entry->id = unpack(&table);
        entry->method = unpack(&table);
        entry->size = unpack(&table);
        entry->stored = unpack(&table);
    }
    if (table.failed) return false;
    for (size_t i = 0; i < count; i++) {
        const struct entry *entry = &entries[i];
        const size_t stored = (size_t)entry->stored;
        const char *content = (const char *)unpack_bytes(&table, stored);
        if (!content) return false;
        if (entry->id >= SECTIONS_MAX || !(wanted >> entry->id & 1)) continue;
        if (entry->method > METHOD_LZMA || entry->size > SECTION_MAX_SIZE) return false;
#ifdef SPOOR_WITH_ZSTD
        /* a size that a damaged table states must not take memory that the content cannot fill */
        if (entry->method == METHOD_ZSTD &&
            ZSTD_getFrameContentSize(content, stored) != entry->size)
            return false;
#endif
        struct text *bytes = &sections->bytes[entry->id];
        char *to = text_reserve(bytes, (size_t)entry->size + SECTION_SLACK);
        if (!to || !section_decompress(sections, (unsigned)entry->method, content, stored, to,
                                       (size_t)entry->size))
            return false;
        bytes->size = (size_t)entry->size;
    }
    return true;
}

bool sections_get(struct sections *sections, const char *at, size_t size)
{
    return sections_get_some(sections, UINT64_MAX, at, size);
}

/* ---- the numbers before the sections of a segment ---- */

bool segment_parse_head(const char *payload, size_t size, struct segment_head *head)
{
    if (size < SEGMENT_HEAD_SIZE) return false;
    *head = (struct segment_head){
        .record = block_u64(payload),
        .place = block_u64(payload + 8),
        .time = block_u64(payload + 16),
        .records = block_u32(payload + 24),
        .templates = block_u32(payload + 28),
        .dictionary = block_u32(payload + 32),
        .defined = block_u32(payload + 36),
        .flags = block_u32(payload + 40),
    };
    return head->records <= SEGMENT_RECORDS && head->templates <= head->records;
}

void segment_put_head(struct text *payload, const struct segment_head *head)
{
    char bytes[SEGMENT_HEAD_SIZE] = {0}, *at = bytes;
    at = block_put_number(at, head->record, 8);
    at = block_put_number(at, head->place, 8);
    at = block_put_number(at, head->time, 8);
    at = block_put_number(at, head->records, 4);
    at = block_put_number(at, head->templates, 4);
    at = block_put_number(at, head->dictionary, 4);
    at = block_put_number(at, head->defined, 4);
    block_put_number(at, head->flags, 4);
    text_put(payload, bytes, sizeof bytes);
}
