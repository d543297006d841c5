/* SPDX-License-Identifier: MIT */
/* lz4.c: LZ4 frames. */
#include <lz4frame.h>
#include <stdlib.h>

#include "io/compression.h"

static void *lz4_open_inflater(unsigned threads)
{
    (void)threads;
    LZ4F_dctx *context;
    return LZ4F_isError(LZ4F_createDecompressionContext(&context, LZ4F_VERSION)) ? NULL : context;
}

static bool lz4_inflate_again(void *inflater)
{
    LZ4F_resetDecompressionContext(inflater);
    return true;
}

/* The library does not say where damage lies.  So it gets parts of the file of one size, and the
 * begin of a part is the place of its damage, whatever pieces the file was read in. */
enum { PART = 64 << 10 };

static enum inflate_result lz4_inflate_some(void *inflater, struct flow *flow, const char **what)
{
    const size_t at = (size_t)(flow_place(flow) % PART);
    size_t in = flow->in_left < PART - at ? flow->in_left : PART - at, out = flow->out_left;
    size_t result = LZ4F_decompress(inflater, flow->out, &out, flow->in, &in, NULL);
    if (LZ4F_isError(result)) {
        flow->ahead = at;
        *what = LZ4F_getErrorName(result);
        return INFLATE_DAMAGE;
    }
    flow->in += in;
    flow->in_left -= in;
    flow->out += out;
    flow->out_left -= out;
    return result == 0 ? INFLATE_END : INFLATE_MORE;
}

static void lz4_close_inflater(void *inflater)
{
    LZ4F_freeDecompressionContext(inflater);
}

const struct inflater inflate_lz4 = {
    .open = lz4_open_inflater,
    .inflate = lz4_inflate_some,
    .again = lz4_inflate_again,
    .close = lz4_close_inflater,
};

struct lz4_writer {
    LZ4F_cctx *context;
    bool begun;
};

/* Bytes compressed at a time, which limits the output memory that the library needs. */
enum { PIECE = 64 << 10 };

static const LZ4F_preferences_t preferences = {
    .frameInfo = {.contentChecksumFlag = LZ4F_contentChecksumEnabled},
};

static void *lz4_open_deflater(void)
{
    struct lz4_writer *writer = calloc(1, sizeof *writer);
    if (writer && !LZ4F_isError(LZ4F_createCompressionContext(&writer->context, LZ4F_VERSION)))
        return writer;
    free(writer);
    return NULL;
}

static bool lz4_commit(struct text *out, char *at, size_t size)
{
    if (LZ4F_isError(size)) return false;
    text_commit(out, at + size);
    return true;
}

static bool lz4_deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                             struct text *out)
{
    struct lz4_writer *writer = deflater;
    const char *from = bytes;
    size_t capacity = LZ4F_compressBound(PIECE, &preferences);
    if (!writer->begun) {
        char *at = text_reserve(out, LZ4F_HEADER_SIZE_MAX);
        writer->begun = at && lz4_commit(out, at,
                                         LZ4F_compressBegin(writer->context, at,
                                                            LZ4F_HEADER_SIZE_MAX, &preferences));
        if (!writer->begun) return false;
    }
    while (size) {
        size_t maximum = size < PIECE ? size : PIECE;
        char *at = text_reserve(out, capacity);
        if (!at ||
            !lz4_commit(out, at,
                        LZ4F_compressUpdate(writer->context, at, capacity, from, maximum, NULL)))
            return false;
        from += maximum;
        size -= maximum;
    }
    if (!finish) return true;
    char *at = text_reserve(out, capacity);
    return at && lz4_commit(out, at, LZ4F_compressEnd(writer->context, at, capacity, NULL));
}

static void lz4_close_deflater(void *deflater)
{
    struct lz4_writer *writer = deflater;
    LZ4F_freeCompressionContext(writer->context);
    free(writer);
}

const struct deflater deflate_lz4 = {
    .open = lz4_open_deflater, .deflate = lz4_deflate_some, .close = lz4_close_deflater};
