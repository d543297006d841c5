/* SPDX-License-Identifier: MIT */
/* gzip_zlib.c: gzip by zlib, where ISA-L is not to be had. */
#include <stdlib.h>
#include <zlib.h>

#include "io/gzip.h"

enum { GZIP_WINDOW = 15 + 16, MEMORY_LEVEL = 8, OUT_SIZE = 64 << 10 };

static void *open_inflater(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && inflateInit2(stream, GZIP_WINDOW) == Z_OK) return stream;
    free(stream);
    return NULL;
}

static bool inflate_again(void *inflater)
{
    return inflateReset(inflater) == Z_OK;
}

static enum inflate_result inflate_some(void *inflater, struct flow *flow, const char **what)
{
    z_stream *stream = inflater;
    stream->next_in = not_const(flow->in);
    stream->avail_in = (uInt)flow->in_left;
    stream->next_out = flow->out;
    stream->avail_out = (uInt)flow->out_left;
    int result = inflate(stream, Z_NO_FLUSH);
    flow_move(flow, stream->next_in, stream->avail_in, stream->next_out, stream->avail_out);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return INFLATE_MORE;
    case Z_STREAM_END: return INFLATE_END;
    case Z_MEM_ERROR: return INFLATE_MEMORY;
    default: *what = stream->msg ? stream->msg : "a preset dictionary"; return INFLATE_DAMAGE;
    }
}

static void close_inflater(void *inflater)
{
    inflateEnd(inflater);
    free(inflater);
}

const struct inflater inflate_gzip = {
    .open = open_inflater,
    .inflate = inflate_some,
    .again = inflate_again,
    .close = close_inflater,
    .instead = gzip_or_bgzf,
};

const struct inflater inflate_gzip_whole = {
    .open = open_inflater,
    .inflate = inflate_some,
    .again = inflate_again,
    .close = close_inflater,
};

static void *open_deflater(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                               Z_DEFAULT_STRATEGY) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static bool deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                         struct text *out)
{
    z_stream *stream = deflater;
    stream->next_in = not_const(bytes);
    do {
        uInt most = size > UINT32_MAX ? UINT32_MAX : (uInt)size;
        stream->avail_in = most;
        stream->next_out = (Bytef *)text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out) return false;
        int result = deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
        size -= most - stream->avail_in;
        text_commit(out, (char *)stream->next_out);
    } while (size || stream->avail_out == 0);
    return true;
}

static void close_deflater(void *deflater)
{
    deflateEnd(deflater);
    free(deflater);
}

const struct deflater deflate_gzip = {
    .open = open_deflater, .deflate = deflate_some, .close = close_deflater};
