/* SPDX-License-Identifier: MIT */
/* section.c: compress and decompress the columns of a block. */
#include "formats/spoor/section.h"

#include <string.h>

#include "formats/spoor/block.h"

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>
#endif

enum { METHOD_STORED, METHOD_ZSTD, METHOD_REPEATED /* one byte, repeated */ };
enum { ENTRY_SIZE = 12 }; /* id, method, 2 zero bytes, size, stored size */

void section_packer_free(struct section_packer *packer)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeCCtx(packer->context);
#endif
    packer->context = NULL;
}

void sections_free(struct sections *sections)
{
#ifdef SPOOR_WITH_ZSTD
    ZSTD_freeDCtx(sections->context);
#endif
    for (size_t i = 0; i < SECTIONS_MAX; i++) text_free(&sections->bytes[i]);
    *sections = (struct sections){0};
}

/* Append the compressed column; false if that is not smaller. */
static bool compress(struct section_packer *packer, const struct text *column, struct text *out)
{
#ifdef SPOOR_WITH_ZSTD
    enum { SMALLEST = 24 };
    if (packer->level == 0 || column->size < SMALLEST) return false;
    if (!packer->context) packer->context = ZSTD_createCCtx();
    const size_t bound = ZSTD_compressBound(column->size);
    char *at = packer->context ? text_reserve(out, bound) : NULL;
    if (!at) return false;
    const size_t size =
        ZSTD_compressCCtx(packer->context, at, bound, column->bytes, column->size, packer->level);
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

static bool is_repeated(const struct text *column)
{
    return column->size > 1 && memcmp(column->bytes, column->bytes + 1, column->size - 1) == 0;
}

void sections_put(struct section_packer *packer, struct text *columns, size_t count,
                  struct text *out)
{
    size_t used = 0;
    for (size_t i = 0; i < count; i++) used += columns[i].size > 0;
    char *at = text_reserve(out, 4 + used * ENTRY_SIZE);
    if (!at) return;
    size_t entry = out->size + 4;
    text_commit(out, block_put_number(at, used, 4) + used * ENTRY_SIZE);
    for (size_t i = 0; i < count; i++) {
        struct text *column = &columns[i];
        if (column->size == 0) continue;
        out->failed |= column->failed;
        const size_t begin = out->size;
        unsigned method = METHOD_REPEATED;
        if (is_repeated(column)) {
            text_put(out, column->bytes, 1);
        } else if (compress(packer, column, out)) {
            method = METHOD_ZSTD;
        } else {
            method = METHOD_STORED;
            text_put(out, column->bytes, column->size);
        }
        if (out->failed) return;
        char *head = out->bytes + entry;
        head = block_put_number(head, i, 1);
        head = block_put_number(head, method, 3);
        head = block_put_number(head, column->size, 4);
        block_put_number(head, out->size - begin, 4);
        entry += ENTRY_SIZE;
        column->size = 0;
    }
}

static bool decompress(struct sections *sections, unsigned method, const char *at, size_t stored,
                       char *to, size_t size)
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
    default: (void)sections; return false;
    }
}

/* A size that a damaged table states must not take memory that the content cannot fill. */
static bool is_plausible(unsigned method, const char *at, size_t stored, size_t size)
{
#ifdef SPOOR_WITH_ZSTD
    if (method == METHOD_ZSTD) return ZSTD_getFrameContentSize(at, stored) == size;
#endif
    (void)at;
    (void)stored;
    (void)method;
    return size <= SECTION_MAX_SIZE;
}

bool sections_get(struct sections *sections, const char *at, size_t size)
{
    for (size_t i = 0; i < SECTIONS_MAX; i++) sections->bytes[i].size = 0;
    if (size < 4) return false;
    const size_t count = block_u32(at);
    if (count > SECTIONS_MAX || (size - 4) / ENTRY_SIZE < count) return false;
    const char *entry = at + 4, *content = entry + count * ENTRY_SIZE, *end = at + size;
    for (size_t i = 0; i < count; i++, entry += ENTRY_SIZE) {
        const unsigned id = (unsigned char)entry[0], method = (unsigned char)entry[1];
        const size_t whole = block_u32(entry + 4), stored = block_u32(entry + 8);
        if (stored > (size_t)(end - content)) return false;
        if (id < SECTIONS_MAX) { /* others are of later versions */
            if (whole > SECTION_MAX_SIZE || !is_plausible(method, content, stored, whole))
                return false;
            struct text *bytes = &sections->bytes[id];
            bytes->size = 0;
            char *to = text_reserve(bytes, whole + 8);
            if (!to || !decompress(sections, method, content, stored, to, whole)) return false;
            bytes->size = whole;
        }
        content += stored;
    }
    return true;
}
