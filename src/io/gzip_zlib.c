/* SPDX-License-Identifier: MIT */
/* gzip_zlib.c: gzip with zlib, if ISA-L is not available. */
#include <stdlib.h>
#include <zlib.h>

#include "io/compression.h"
#include "io/source.h"

enum {
    GZIP_WINDOW = MAX_WBITS + 16,
    MEMORY_LEVEL = 8,
    OUT_SIZE = 64 << 10,
    WINDOW = 32 << 10, /* bytes that deflate looks back */
    TRAILER = 8,
};

struct gzip_inflater {
    z_stream stream;
    bool raw;         /* deflate data without the gzip wrapper: reading began inside a member */
    bool trailer;     /* the data have ended: the trailer follows, */
    unsigned skipped; /* of which so much was passed */
};

static void *gzip_zlib_open_inflater(unsigned threads)
{
    (void)threads;
    struct gzip_inflater *inflating = calloc(1, sizeof *inflating);
    if (inflating && inflateInit2(&inflating->stream, GZIP_WINDOW) == Z_OK) return inflating;
    free(inflating);
    return NULL;
}

static bool gzip_zlib_inflate_again(void *inflater)
{
    struct gzip_inflater *inflating = inflater;
    inflating->raw = inflating->trailer = false;
    inflating->skipped = 0;
    return inflateReset2(&inflating->stream, GZIP_WINDOW) == Z_OK;
}

/* ---- checkpoints ---- */

/* zlib has stopped at the end of a block of deflate, which is not the last one. */
static void gzip_zlib_note(struct gzip_inflater *inflating, const struct flow *flow)
{
    Bytef window[WINDOW];
    uint8_t packed[CHECKPOINT_WINDOW_MAX];
    uInt size = WINDOW;
    struct checkpoint checkpoint = {
        .offset = flow_offset(flow),
        .place = flow_place(flow),
        .kind = CHECKPOINT_DEFLATE,
        .detail = (uint32_t)inflating->stream.data_type & 7,
        .window = packed,
    };
    if (inflateGetDictionary(&inflating->stream, window, &size) != Z_OK || size == 0) return;
    /* Raw deflate at the default level. */
    z_stream stream = {.next_in = window, .avail_in = size};
    int result = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, -MAX_WBITS, MEMORY_LEVEL,
                              Z_DEFAULT_STRATEGY);
    if (result == Z_OK) {
        stream.next_out = packed;
        stream.avail_out = CHECKPOINT_WINDOW_MAX;
        result = deflate(&stream, Z_FINISH);
        deflateEnd(&stream);
    }
    checkpoint.window_size = CHECKPOINT_WINDOW_MAX - stream.avail_out;
    if (result == Z_STREAM_END)
        checkpoints_add(flow->checkpoints, &checkpoint);
    else
        flow->checkpoints->failed = true; /* memory ran out */
}

static bool gzip_zlib_enter(void *inflater, const struct checkpoint *checkpoint,
                            const struct source *source)
{
    struct gzip_inflater *inflating = inflater;
    Bytef window[WINDOW];
    const uint32_t bits = checkpoint->detail;
    uint8_t before = 0;
    if (bits > 7 || checkpoint->place == 0 || checkpoint->header) return false;
    if (source_read_at(source, checkpoint->place - 1, &before, 1) == 0) return false;
    z_stream stream = {.next_in = not_const(checkpoint->window),
                       .avail_in = checkpoint->window_size};
    if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) return false;
    stream.next_out = window;
    stream.avail_out = WINDOW;
    const int result = inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    const uInt size = result == Z_STREAM_END ? WINDOW - stream.avail_out : 0;
    if (size == 0 || inflateReset2(&inflating->stream, -MAX_WBITS) != Z_OK) return false;
    if (bits && inflatePrime(&inflating->stream, (int)bits, before >> (8 - bits)) != Z_OK)
        return false;
    inflating->raw = true;
    return inflateSetDictionary(&inflating->stream, window, size) == Z_OK;
}

/* After raw data: its trailer cannot be checked. */
static enum inflate_result gzip_zlib_skip_trailer(struct gzip_inflater *inflating,
                                                  struct flow *flow)
{
    const size_t left = TRAILER - inflating->skipped;
    const size_t size = flow->in_left < left ? flow->in_left : left;
    flow->in += size;
    flow->in_left -= size;
    inflating->skipped += (unsigned)size;
    return inflating->skipped == TRAILER ? INFLATE_END : INFLATE_MORE;
}

static enum inflate_result gzip_zlib_inflate_some(void *inflater, struct flow *flow,
                                                  const char **what)
{
    struct gzip_inflater *inflating = inflater;
    z_stream *stream = &inflating->stream;
    if (inflating->trailer) return gzip_zlib_skip_trailer(inflating, flow);
    const bool seeks = checkpoints_want(flow->checkpoints, flow_offset(flow));
    stream->next_in = not_const(flow->in);
    stream->avail_in = (uInt)flow->in_left;
    stream->next_out = flow->out;
    stream->avail_out = (uInt)flow->out_left;
    int result = inflate(stream, seeks ? Z_BLOCK : Z_NO_FLUSH);
    flow_move(flow, stream->next_in, stream->avail_in, stream->next_out, stream->avail_out);
    enum { BLOCK_ENDED = 128, LAST_BLOCK = 64 };
    if (seeks && result == Z_OK && (stream->data_type & (BLOCK_ENDED | LAST_BLOCK)) == BLOCK_ENDED)
        gzip_zlib_note(inflating, flow);
    switch (result) {
    case Z_OK:
    case Z_BUF_ERROR: return INFLATE_MORE;
    case Z_STREAM_END:
        inflating->trailer = inflating->raw;
        return inflating->raw ? gzip_zlib_skip_trailer(inflating, flow) : INFLATE_END;
    case Z_MEM_ERROR: return INFLATE_MEMORY;
    default: *what = stream->msg ? stream->msg : "a preset dictionary"; return INFLATE_DAMAGE;
    }
}

static void gzip_zlib_close_inflater(void *inflater)
{
    inflateEnd(&((struct gzip_inflater *)inflater)->stream);
    free(inflater);
}

const struct inflater inflate_gzip = {
    .open = gzip_zlib_open_inflater,
    .inflate = gzip_zlib_inflate_some,
    .again = gzip_zlib_inflate_again,
    .close = gzip_zlib_close_inflater,
    .enter = gzip_zlib_enter,
};

const struct inflater inflate_gzip_whole = {
    .open = gzip_zlib_open_inflater,
    .inflate = gzip_zlib_inflate_some,
    .again = gzip_zlib_inflate_again,
    .close = gzip_zlib_close_inflater,
};

static void *gzip_zlib_open_deflater(void)
{
    z_stream *stream = calloc(1, sizeof *stream);
    if (stream && deflateInit2(stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW, MEMORY_LEVEL,
                               Z_DEFAULT_STRATEGY) == Z_OK)
        return stream;
    free(stream);
    return NULL;
}

static bool gzip_zlib_deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                                   struct text *out)
{
    z_stream *stream = deflater;
    stream->next_in = not_const(bytes);
    do {
        uInt maximum = size > UINT32_MAX ? UINT32_MAX : (uInt)size;
        stream->avail_in = maximum;
        stream->next_out = (Bytef *)text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out) return false;
        int result = deflate(stream, finish ? Z_FINISH : Z_NO_FLUSH);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR) return false;
        size -= maximum - stream->avail_in;
        text_commit(out, (char *)stream->next_out);
    } while (size || stream->avail_out == 0);
    return true;
}

static void gzip_zlib_close_deflater(void *deflater)
{
    deflateEnd(deflater);
    free(deflater);
}

const struct deflater deflate_gzip = {.open = gzip_zlib_open_deflater,
                                      .deflate = gzip_zlib_deflate_some,
                                      .close = gzip_zlib_close_deflater};
