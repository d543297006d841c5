/* SPDX-License-Identifier: MIT */
/* xz.c: xz streams.  One thread decodes: a multi-threaded decoder would hold whole blocks. */
#include <lzma.h>
#include <stdlib.h>

#include "input/compression.h"

/* A dictionary is at most 1.5 GiB; its memory is used as far as the data reaches. */
static const uint64_t memory_most = UINT64_C(2) << 30;

enum { OUT_SIZE = 64 << 10 };

static void *open_inflater(void)
{
    lzma_stream *stream = calloc(1, sizeof *stream);
    if (stream && lzma_stream_decoder(stream, memory_most, 0) == LZMA_OK) return stream;
    free(stream);
    return NULL;
}

static bool inflate_again(void *inflater)
{
    return lzma_stream_decoder(inflater, memory_most, 0) == LZMA_OK;
}

static enum inflate_result inflate_some(void *inflater, struct flow *flow, const char **what)
{
    lzma_stream *stream = inflater;
    stream->next_in = flow->in;
    stream->avail_in = flow->in_left;
    stream->next_out = flow->out;
    stream->avail_out = flow->out_left;
    lzma_ret result = lzma_code(stream, LZMA_RUN);
    *flow = (struct flow){stream->next_in, stream->avail_in, stream->next_out, stream->avail_out};
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return INFLATE_MORE;
    case LZMA_STREAM_END: return INFLATE_END;
    case LZMA_MEM_ERROR: return INFLATE_MEMORY;
    case LZMA_MEMLIMIT_ERROR: *what = "asks for more than 2 GiB of memory"; break;
    case LZMA_OPTIONS_ERROR: *what = "found options that liblzma does not know"; break;
    default: *what = "the data or a checksum is corrupt"; break;
    }
    return INFLATE_DAMAGE;
}

static void close_stream(void *stream)
{
    lzma_end(stream);
    free(stream);
}

const struct inflater inflate_xz = {open_inflater, inflate_some, inflate_again, close_stream};

static void *open_deflater(void)
{
    lzma_stream *stream = calloc(1, sizeof *stream);
    if (stream && lzma_easy_encoder(stream, LZMA_PRESET_DEFAULT, LZMA_CHECK_CRC64) == LZMA_OK)
        return stream;
    free(stream);
    return NULL;
}

static bool deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                         struct text *out)
{
    lzma_stream *stream = deflater;
    stream->next_in = bytes;
    stream->avail_in = size;
    do {
        stream->next_out = (uint8_t *)text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out) return false;
        lzma_ret result = lzma_code(stream, finish ? LZMA_FINISH : LZMA_RUN);
        if (result != LZMA_OK && result != LZMA_STREAM_END && result != LZMA_BUF_ERROR)
            return false;
        text_commit(out, (char *)stream->next_out);
    } while (stream->avail_in || stream->avail_out == 0);
    return true;
}

const struct deflater deflate_xz = {open_deflater, deflate_some, close_stream};
