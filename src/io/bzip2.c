/* SPDX-License-Identifier: MIT */
/* bzip2.c: bzip2 streams. */
#include <bzlib.h>
#include <stdlib.h>

#include "io/compression.h"

enum { LEVEL = 9, OUT_SIZE = 64 << 10 };

static bool bzip2_inflate_again(void *inflater)
{
    bz_stream *stream = inflater;
    BZ2_bzDecompressEnd(stream);
    *stream = (bz_stream){0};
    return BZ2_bzDecompressInit(stream, 0, 0) == BZ_OK;
}

static void *bzip2_open_inflater(unsigned threads)
{
    (void)threads;
    bz_stream *stream = calloc(1, sizeof *stream);
    if (stream && bzip2_inflate_again(stream)) return stream;
    free(stream);
    return NULL;
}

static enum inflate_result bzip2_inflate_some(void *inflater, struct flow *flow, const char **what)
{
    bz_stream *stream = inflater;
    stream->next_in = not_const(flow->in);
    stream->avail_in = (unsigned)flow->in_left;
    stream->next_out = (char *)flow->out;
    stream->avail_out = (unsigned)flow->out_left;
    int result = BZ2_bzDecompress(stream);
    flow_move(flow, (const uint8_t *)stream->next_in, stream->avail_in, (uint8_t *)stream->next_out,
              stream->avail_out);
    switch (result) {
    case BZ_OK: return INFLATE_MORE;
    case BZ_STREAM_END: return INFLATE_END;
    case BZ_MEM_ERROR: return INFLATE_MEMORY;
    default: *what = "the data or a checksum is corrupt"; return INFLATE_DAMAGE;
    }
}

static void bzip2_close_inflater(void *inflater)
{
    BZ2_bzDecompressEnd(inflater);
    free(inflater);
}

const struct inflater inflate_bzip2 = {
    .open = bzip2_open_inflater,
    .inflate = bzip2_inflate_some,
    .again = bzip2_inflate_again,
    .close = bzip2_close_inflater,
};

static void *bzip2_open_deflater(void)
{
    bz_stream *stream = calloc(1, sizeof *stream);
    if (stream && BZ2_bzCompressInit(stream, LEVEL, 0, 0) == BZ_OK) return stream;
    free(stream);
    return NULL;
}

static bool bzip2_deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                               struct text *out)
{
    bz_stream *stream = deflater;
    if (size == 0 && !finish) return true; /* bzip2 reports that as an error */
    stream->next_in = not_const(bytes);
    int result;
    do {
        unsigned maximum = size > UINT32_MAX ? UINT32_MAX : (unsigned)size;
        stream->avail_in = maximum;
        stream->next_out = text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out) return false;
        result = BZ2_bzCompress(stream, finish ? BZ_FINISH : BZ_RUN);
        if (result < 0) return false;
        size -= maximum - stream->avail_in;
        text_commit(out, stream->next_out);
    } while (size || (finish && result != BZ_STREAM_END));
    return true;
}

static void bzip2_close_deflater(void *deflater)
{
    BZ2_bzCompressEnd(deflater);
    free(deflater);
}

const struct deflater deflate_bzip2 = {
    .open = bzip2_open_deflater, .deflate = bzip2_deflate_some, .close = bzip2_close_deflater};
