/* SPDX-License-Identifier: MIT */
/*
 * xz.c: xz streams.
 *
 * Blocks that state their sizes, as xz -T writes them, are decoded on several threads where they
 * are small enough: each thread holds a whole one, packed and unpacked, beside its dictionary.
 */
#include <lzma.h>
#include <stdlib.h>

#include "input/compression.h"

/* A dictionary is at most 1.5 GiB; its memory is used as far as the data reaches. */
static const uint64_t memory_most = UINT64_C(2) << 30;
/* Of all threads together; one thread alone goes on where that is not enough. */
static const uint64_t threads_memory_most = UINT64_C(44) << 20;

enum { OUT_SIZE = 64 << 10 };

struct inflating {
    lzma_stream stream;
    unsigned threads;
};

/* liblzma has it from 5.4.0 on; up to 5.8.0 it needs the fix of CVE-2025-31115, which distributions
 * have added.  Where one has not, spoor is built with -Dxz_threads=false. */
static lzma_ret start_wide(struct inflating *inflating)
{
#if defined SPOOR_XZ_THREADS && LZMA_VERSION >= UINT32_C(50040002)
    const lzma_mt options = {.threads = inflating->threads,
                             .memlimit_threading = threads_memory_most,
                             .memlimit_stop = memory_most};
    return lzma_stream_decoder_mt(&inflating->stream, &options);
#else
    (void)threads_memory_most;
    return lzma_stream_decoder(&inflating->stream, memory_most, 0);
#endif
}

static bool inflate_again(void *inflater)
{
    struct inflating *inflating = inflater;
    if (inflating->threads > 1) return start_wide(inflating) == LZMA_OK;
    return lzma_stream_decoder(&inflating->stream, memory_most, 0) == LZMA_OK;
}

static void *open_wide(unsigned threads)
{
    struct inflating *inflating = calloc(1, sizeof *inflating);
    if (!inflating) return NULL;
    inflating->threads = threads;
    if (inflate_again(inflating)) return inflating;
    free(inflating);
    return NULL;
}

static void *open_inflater(void)
{
    return open_wide(1);
}

/* Several threads may first give what they have, and only when asked once more wait for more. */
static lzma_ret code(struct inflating *inflating)
{
    lzma_stream *stream = &inflating->stream;
    const size_t in = stream->avail_in, out = stream->avail_out;
    lzma_ret result = LZMA_OK;
    for (int turns = inflating->threads > 1 ? 3 : 1; turns > 0 && result == LZMA_OK; turns--) {
        result = lzma_code(stream, LZMA_RUN);
        if (stream->avail_in != in || stream->avail_out != out) break;
    }
    return result;
}

static enum inflate_result inflate_some(void *inflater, struct flow *flow, const char **what)
{
    struct inflating *inflating = inflater;
    lzma_stream *stream = &inflating->stream;
    stream->next_in = flow->in;
    stream->avail_in = flow->in_left;
    stream->next_out = flow->out;
    stream->avail_out = flow->out_left;
    lzma_ret result = code(inflating);
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

static void close_inflater(void *inflater)
{
    lzma_end(&((struct inflating *)inflater)->stream);
    free(inflater);
}

const struct inflater inflate_xz = {
    .open = open_inflater,
    .inflate = inflate_some,
    .again = inflate_again,
    .close = close_inflater,
    .open_wide = open_wide,
};

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

static void close_stream(void *stream)
{
    lzma_end(stream);
    free(stream);
}

const struct deflater deflate_xz = {open_deflater, deflate_some, close_stream};
