/* SPDX-License-Identifier: MIT */
/* zstd.c: Zstandard frames, skippable ones and --long windows included. */
#include <zstd.h>

#include <zstd_errors.h>

#include "io/compression.h"

enum { WINDOW_LOG_MOST = 31 };

static void *open_inflater(void)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (context) ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, WINDOW_LOG_MOST);
    return context;
}

static bool inflate_again(void *inflater)
{
    return !ZSTD_isError(ZSTD_DCtx_reset(inflater, ZSTD_reset_session_only));
}

static enum inflate_result inflate_some(void *inflater, struct flow *flow, const char **what)
{
    ZSTD_inBuffer in = {flow->in, flow->in_left, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
    size_t result = ZSTD_decompressStream(inflater, &out, &in);
    flow->in += in.pos;
    flow->in_left -= in.pos;
    flow->out += out.pos;
    flow->out_left -= out.pos;
    if (result == 0) return INFLATE_END;
    if (!ZSTD_isError(result)) return INFLATE_MORE;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return INFLATE_MEMORY;
    *what = ZSTD_getErrorName(result);
    return INFLATE_DAMAGE;
}

static void close_inflater(void *inflater)
{
    ZSTD_freeDCtx(inflater);
}

const struct inflater inflate_zstd = {
    .open = open_inflater,
    .inflate = inflate_some,
    .again = inflate_again,
    .close = close_inflater,
};

static void *open_deflater(void)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (!context) return NULL;
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    /* beside the caller, who makes what is compressed; refused where the library has no threads */
    ZSTD_CCtx_setParameter(context, ZSTD_c_nbWorkers, 1);
    return context;
}

static bool deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                         struct text *out)
{
    ZSTD_inBuffer in = {bytes, size, 0};
    size_t left;
    do {
        char *at = text_reserve(out, ZSTD_CStreamOutSize());
        if (!at) return false;
        ZSTD_outBuffer to = {at, ZSTD_CStreamOutSize(), 0};
        left = ZSTD_compressStream2(deflater, &to, &in, finish ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left)) return false;
        text_commit(out, at + to.pos);
    } while (in.pos < in.size || (finish && left));
    return true;
}

static void close_deflater(void *deflater)
{
    ZSTD_freeCCtx(deflater);
}

const struct deflater deflate_zstd = {
    .open = open_deflater, .deflate = deflate_some, .close = close_deflater, .beside = true};
