/* SPDX-License-Identifier: MIT */
/*
 * gzip_isal.c: gzip by ISA-L, which inflates three times as fast as zlib.
 *
 * A member is taken apart here, header, deflate data and trailer (RFC 1952), so that its checksum
 * can be left to others.
 */
#include <endian.h>
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "io/gzip.h"

enum { TRAILER = 8 /* bytes: the checksum and the size */ };

enum part { PART_HEADER, PART_DATA, PART_TRAILER };

struct inflating {
    struct inflate_state state;
    struct isal_gzip_header header;
    enum part part;         /* of the member, that comes next */
    uint8_t taken[TRAILER]; /* the last bytes that were taken of it */
    uint8_t trailer[TRAILER];
    size_t trailer_size;
};

static bool inflate_again(void *inflater)
{
    struct inflating *inflating = inflater;
    isal_inflate_reset(&inflating->state);
    isal_gzip_header_init(&inflating->header);
    inflating->part = PART_HEADER;
    inflating->trailer_size = 0;
    return true;
}

static void *open_inflater(void)
{
    struct inflating *inflating =
        calloc(1, sizeof *inflating); /* on damage ISA-L gives what lies in its buffers */
    if (!inflating) return NULL;
    isal_inflate_init(&inflating->state);
    inflate_again(inflating);
    return inflating;
}

static const char *explain(int result)
{
    switch (result) {
    case ISAL_INVALID_BLOCK: return "found an invalid deflate block";
    case ISAL_INVALID_SYMBOL: return "found an invalid deflate symbol";
    case ISAL_INVALID_LOOKBACK: return "found a copy from before the beginning";
    case ISAL_INVALID_WRAPPER: return "found an invalid gzip header";
    case ISAL_UNSUPPORTED_METHOD: return "found a method that is not deflate";
    case ISAL_INCORRECT_CHECKSUM: return GZIP_TRAILER_MISMATCH;
    default: return "found what deflate does not define";
    }
}

/* Remember the last bytes taken. */
static void remember(struct inflating *inflating, const uint8_t *bytes, size_t size)
{
    const size_t fresh = size < TRAILER ? size : TRAILER;
    memmove(inflating->taken, inflating->taken + fresh, TRAILER - fresh);
    memcpy(inflating->taken + TRAILER - fresh, bytes + size - fresh, fresh);
}

/* The header or some of the data. */
static int inflate_part(struct inflating *inflating, struct flow *flow, size_t *given_back)
{
    struct inflate_state *state = &inflating->state;
    state->next_in = not_const(flow->in);
    state->avail_in = (uint32_t)flow->in_left;
    state->next_out = flow->out;
    state->avail_out = (uint32_t)flow->out_left;
    int result = inflating->part == PART_HEADER ? isal_read_gzip_header(state, &inflating->header)
                                                : isal_inflate(state);
    *given_back = state->avail_in > flow->in_left ? state->avail_in - flow->in_left : 0;
    const size_t size = *given_back ? 0 : flow->in_left - state->avail_in;
    if (*given_back == 0) remember(inflating, flow->in, size);
    flow_move(flow, flow->in + size, flow->in_left - size, state->next_out, state->avail_out);
    return result;
}

/* ISA-L reads some bytes ahead.  At the end of the data those that it did not need are still there,
 * or, from 2.32.1 on, it gives them back, be it of what it was given before. */
static void begin_trailer(struct inflating *inflating, size_t given_back)
{
    struct inflate_state *state = &inflating->state;
    uint64_t ahead = htole64(state->read_in >> state->read_in_length % 8);
    const size_t size = (size_t)state->read_in_length / 8;
    memcpy(inflating->trailer, inflating->taken + TRAILER - given_back, given_back);
    if (size) memcpy(inflating->trailer, &ahead, size);
    inflating->trailer_size = size ? size : given_back;
}

static void take_trailer(struct inflating *inflating, struct flow *flow)
{
    const size_t wanted = TRAILER - inflating->trailer_size;
    const size_t size = flow->in_left < wanted ? flow->in_left : wanted;
    memcpy(inflating->trailer + inflating->trailer_size, flow->in, size);
    inflating->trailer_size += size;
    flow->in += size;
    flow->in_left -= size;
}

static enum inflate_result inflate_some(void *inflater, struct flow *flow, const char **what)
{
    struct inflating *inflating = inflater;
    while (inflating->part != PART_TRAILER) {
        size_t given_back;
        const int result = inflate_part(inflating, flow, &given_back);
        if (result < ISAL_DECOMP_OK) {
            *what = explain(result);
            return INFLATE_DAMAGE;
        }
        const bool ends = inflating->part == PART_HEADER
                              ? result == ISAL_DECOMP_OK
                              : inflating->state.block_state == ISAL_BLOCK_FINISH;
        if (!ends) return INFLATE_MORE;
        if (++inflating->part == PART_TRAILER) begin_trailer(inflating, given_back);
    }
    take_trailer(inflating, flow);
    return inflating->trailer_size == TRAILER ? INFLATE_END : INFLATE_MORE;
}

static void read_trailer(const void *inflater, struct gzip_trailer *trailer)
{
    const struct inflating *inflating = inflater;
    uint32_t words[2];
    memcpy(words, inflating->trailer, TRAILER);
    trailer->sum = le32toh(words[0]);
    trailer->size = le32toh(words[1]);
}

static uint32_t sum_on(uint32_t sum, const void *bytes, size_t size)
{
    return crc32_gzip_refl(sum, bytes, size);
}

const struct inflater inflate_gzip = {
    .open = open_inflater,
    .inflate = inflate_some,
    .again = inflate_again,
    .close = free,
    .trailer = read_trailer,
    .sum = sum_on,
    .instead = gzip_or_bgzf,
};

/* ---- a member that is there in whole ---- */

/* What ISA-L says of a damaged member must not depend on tables of the one before. */
static bool whole_again(void *inflater)
{
    struct inflate_state *state = inflater;
    memset(state, 0, offsetof(struct inflate_state, tmp_out_buffer));
    isal_inflate_reset(state);
    state->crc_flag = ISAL_GZIP;
    return true;
}

static void *open_whole(void)
{
    struct inflate_state *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    isal_inflate_init(state);
    whole_again(state);
    return state;
}

/* In one call, straight to where it belongs. */
static enum inflate_result inflate_whole(void *inflater, struct flow *flow, const char **what)
{
    struct inflate_state *state = inflater;
    state->next_in = not_const(flow->in);
    state->avail_in = (uint32_t)flow->in_left;
    state->next_out = flow->out;
    state->avail_out = (uint32_t)flow->out_left;
    const int result = isal_inflate_stateless(state);
    flow_move(flow, state->next_in, state->avail_in, state->next_out, state->avail_out);
    if (result == ISAL_END_INPUT || result == ISAL_OUT_OVERFLOW) return INFLATE_MORE;
    if (result == ISAL_DECOMP_OK) return INFLATE_END;
    *what = explain(result);
    return INFLATE_DAMAGE;
}

const struct inflater inflate_gzip_whole = {
    .open = open_whole,
    .inflate = inflate_whole,
    .again = whole_again,
    .close = free,
};

enum { LEVEL = 2, OUT_SIZE = 64 << 10 };

struct gzip_writer {
    struct isal_zstream stream;
    uint8_t level_buffer[ISAL_DEF_LVL2_DEFAULT];
};

static void *open_deflater(void)
{
    struct gzip_writer *writer = malloc(sizeof *writer);
    if (!writer) return NULL;
    isal_deflate_init(&writer->stream);
    writer->stream.level = LEVEL;
    writer->stream.level_buf = writer->level_buffer;
    writer->stream.level_buf_size = sizeof writer->level_buffer;
    writer->stream.gzip_flag = IGZIP_GZIP;
    return writer;
}

static bool deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                         struct text *out)
{
    struct isal_zstream *stream = &((struct gzip_writer *)deflater)->stream;
    stream->end_of_stream = finish;
    stream->next_in = not_const(bytes);
    do {
        uint32_t most = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
        stream->avail_in = most;
        stream->next_out = (uint8_t *)text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out || isal_deflate(stream) != COMP_OK) return false;
        size -= most - stream->avail_in;
        text_commit(out, (char *)stream->next_out);
    } while (size || stream->avail_out == 0);
    return true;
}

const struct deflater deflate_gzip = {
    .open = open_deflater, .deflate = deflate_some, .close = free};
