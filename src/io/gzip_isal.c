/* SPDX-License-Identifier: MIT */
/*
 * gzip_isal.c: gzip with ISA-L, which inflates three times as fast as zlib.
 *
 * This file parses a member itself, header, deflate data and trailer (RFC 1952), so that another
 * thread can compute its checksum.
 */
#include <isa-l/crc.h>
#include <isa-l/igzip_lib.h>
#include <stdlib.h>

#include "base/byte_order.h"
#include "io/compression.h"
#include "io/source.h"

enum {
    TRAILER = 8,       /* bytes: the checksum and the size */
    WINDOW = 32 << 10, /* bytes that deflate looks back */
    HEADER_MAX = 512,  /* more than the header of a block can have, and less than a long block */
    LEVEL = 2,
};

enum part { PART_HEADER, PART_DATA, PART_TRAILER };

struct gzip_inflater {
    struct inflate_state state;
    struct isal_gzip_header header;
    enum part part;         /* the next part of the member */
    uint8_t taken[TRAILER]; /* the last bytes consumed of it */
    uint8_t trailer[TRAILER];
    size_t trailer_size;
    /* For checkpoints: whether the block that comes next, or the one that is being inflated, is
     * watched; and of that one, the bit offset in the file of its header. */
    enum { WATCH_NOTHING, WATCH_NEXT, WATCH_BLOCK } watch;
    uint64_t header_bit;
};

static bool gzip_isal_inflate_again(void *inflater)
{
    struct gzip_inflater *inflating = inflater;
    isal_inflate_reset(&inflating->state);
    isal_gzip_header_init(&inflating->header);
    inflating->part = PART_HEADER;
    inflating->trailer_size = 0;
    inflating->watch = WATCH_NEXT;
    return true;
}

static void *gzip_isal_open_inflater(unsigned threads)
{
    (void)threads;
    struct gzip_inflater *inflating =
        calloc(1, sizeof *inflating); /* on damage ISA-L outputs the content of its buffers */
    if (!inflating) return NULL;
    isal_inflate_init(&inflating->state);
    gzip_isal_inflate_again(inflating);
    return inflating;
}

static const char *gzip_isal_explain(int result)
{
    switch (result) {
    case ISAL_INVALID_BLOCK: return "found an invalid deflate block";
    case ISAL_INVALID_SYMBOL: return "found an invalid deflate symbol";
    case ISAL_INVALID_LOOKBACK: return "found a copy from before the beginning";
    case ISAL_INVALID_WRAPPER: return "found an invalid gzip header";
    case ISAL_UNSUPPORTED_METHOD: return "found a method that is not deflate";
    case ISAL_INCORRECT_CHECKSUM: return GZIP_TRAILER_MISMATCH;
    default: return "found an undefined deflate code";
    }
}

/* Stores the last bytes consumed. */
static void gzip_isal_remember(struct gzip_inflater *inflating, const uint8_t *bytes, size_t size)
{
    const size_t fresh = size < TRAILER ? size : TRAILER;
    memmove(inflating->taken, inflating->taken + fresh, TRAILER - fresh);
    memcpy(inflating->taken + TRAILER - fresh, bytes + size - fresh, fresh);
}

/* ---- checkpoints ----
 *
 * ISA-L does not stop at the end of a block, unless the block is marked as the last one (`bfinal`),
 * and it keeps the bits that it has read ahead while it has pending output.  So this code sets the
 * mark and provides no output memory: ISA-L fills its own buffer until that is full or the block
 * ends; then this code empties the buffer.
 *
 * A checkpoint lies where a block ends.  Some compressors write blocks of many MiB (igzip -0: one
 * for all); inside such a block a checkpoint has the position of the block's header, which has the
 * codes.  Therefore the first block after each checkpoint is watched, too: if it goes on for as
 * long as checkpoints are apart, its header is known. */

/* Offset in the file of the next bit that ISA-L decodes. */
static uint64_t gzip_isal_bit_offset(const struct inflate_state *state, const struct flow *flow)
{
    return 8 * (flow_place(flow) - (uint64_t)state->tmp_in_size) - (uint64_t)state->read_in_length;
}

/* Bytes in ISA-L's buffer that are not delivered yet. */
static size_t gzip_isal_buffered(const struct inflate_state *state)
{
    return (size_t)(state->tmp_out_valid - state->tmp_out_processed);
}

/* Adds a checkpoint here, if one is due.  Its window is the end of ISA-L's buffer. */
static void gzip_isal_note(const struct gzip_inflater *inflating, const struct flow *flow,
                           uint64_t header)
{
    const struct inflate_state *state = &inflating->state;
    const size_t valid = (size_t)state->tmp_out_valid, size = valid < WINDOW ? valid : WINDOW;
    const uint64_t bit = gzip_isal_bit_offset(state, flow);
    struct checkpoint checkpoint = {
        .offset = flow_offset(flow) + gzip_isal_buffered(state),
        .place = (bit + 7) / 8,
        .kind = CHECKPOINT_DEFLATE,
        .detail = (uint32_t)(-bit % 8),
        .header = header,
    };
    if (!checkpoints_want(flow->checkpoints, checkpoint.offset) || size == 0) return;
    /* Packs the window as raw deflate. */
    struct isal_zstream stream;
    uint8_t packed[CHECKPOINT_WINDOW_MAX], *level_buffer = malloc(ISAL_DEF_LVL2_DEFAULT);
    isal_deflate_stateless_init(&stream);
    stream.level = LEVEL;
    stream.level_buf = level_buffer;
    stream.level_buf_size = ISAL_DEF_LVL2_DEFAULT;
    stream.end_of_stream = 1;
    stream.next_in = not_const(state->tmp_out_buffer + valid - size);
    stream.avail_in = (uint32_t)size;
    stream.next_out = packed;
    stream.avail_out = CHECKPOINT_WINDOW_MAX;
    if (level_buffer && isal_deflate_stateless(&stream) == COMP_OK) {
        checkpoint.window = packed;
        checkpoint.window_size = CHECKPOINT_WINDOW_MAX - stream.avail_out;
        checkpoints_add(flow->checkpoints, &checkpoint);
    } else {
        flow->checkpoints->failed = true;
    }
    free(level_buffer);
}

/* Output the content of ISA-L's buffer.  Of the bytes that were output, exactly the window stays
 * before those that were not, because ISA-L expects capacity for another window in its buffer. */
static void gzip_isal_empty_buffer(struct inflate_state *state, struct flow *flow)
{
    const size_t size =
        gzip_isal_buffered(state) < flow->out_left ? gzip_isal_buffered(state) : flow->out_left;
    memcpy(flow->out, state->tmp_out_buffer + state->tmp_out_processed, size);
    flow->out += size;
    flow->out_left -= size;
    state->tmp_out_processed += (int32_t)size;
    int32_t shift = state->tmp_out_valid - WINDOW;
    if (shift > state->tmp_out_processed) shift = state->tmp_out_processed;
    if (shift <= 0) return;
    state->tmp_out_valid -= shift;
    state->tmp_out_processed -= shift;
    memmove(state->tmp_out_buffer, state->tmp_out_buffer + shift, (size_t)state->tmp_out_valid);
}

/* Inflates some input into ISA-L's buffer, as if the block were the last one or not.  False: it
 * failed, or the bits that it has read ahead are lost. */
static bool gzip_isal_inflate_ahead(struct inflate_state *state, const uint8_t **in,
                                    size_t *in_left, bool final)
{
    uint8_t none;
    state->next_in = not_const(*in);
    state->avail_in = (uint32_t)*in_left;
    state->next_out = &none;
    state->avail_out = 0;
    if (final) state->bfinal = 1;
    const int result = isal_inflate(state);
    if (final) state->bfinal = 0;
    *in += *in_left - state->avail_in;
    *in_left = state->avail_in;
    return result >= ISAL_DECOMP_OK && state->block_state != ISAL_BLOCK_FINISH;
}

/* Inflates `size` bytes of the flow in this way. */
static bool gzip_isal_inflate_flow(struct gzip_inflater *inflating, struct flow *flow, size_t size,
                                   bool final)
{
    const uint8_t *in = flow->in;
    size_t left = size;
    const bool good = gzip_isal_inflate_ahead(&inflating->state, &in, &left, final);
    gzip_isal_remember(inflating, flow->in, size - left);
    flow->in = in;
    flow->in_left -= size - left;
    return good;
}

static bool gzip_isal_is_at_header(const struct inflate_state *state)
{
    return state->block_state == ISAL_BLOCK_NEW_HDR || state->block_state == ISAL_BLOCK_HDR;
}

/* If a checkpoint is due or a block is watched, inflate up to it.  False: inflating continues
 * without a watch; if it failed, from the state before. */
static bool gzip_isal_inflate_watched(struct gzip_inflater *inflating, struct flow *flow)
{
    struct inflate_state *state = &inflating->state;
    const bool wanted =
        checkpoints_want(flow->checkpoints, flow_offset(flow) + gzip_isal_buffered(state));
    if (!wanted && inflating->watch == WATCH_NOTHING) return false;
    gzip_isal_empty_buffer(state, flow);
    if (gzip_isal_buffered(state)) return true;
    if (state->block_state == ISAL_BLOCK_NEW_HDR) gzip_isal_note(inflating, flow, 0);
    const bool can_watch = gzip_isal_is_at_header(state)
                               ? inflating->watch == WATCH_NEXT
                               : !state->bfinal && (state->block_state == ISAL_BLOCK_CODED ||
                                                    state->block_state == ISAL_BLOCK_TYPE0);
    struct gzip_inflater *before = can_watch ? malloc(sizeof *before) : NULL;
    if (!before) {
        inflating->watch = WATCH_NOTHING;
        return false;
    }
    const struct flow flow_before = *flow;
    *before = *inflating;
    bool good;
    if (gzip_isal_is_at_header(state)) {
        /* Reads the header of the next block byte by byte, so that it is known where it begins.
         * (Two blocks may begin in one byte only if both have the fixed codes; then either header
         * will do.) */
        uint8_t ahead[sizeof state->read_in];
        const uint8_t *in = ahead;
        const uint32_t bits = (uint32_t)state->read_in_length % 8;
        size_t left = (size_t)state->read_in_length / 8;
        for (size_t i = 0; i < left; i++) ahead[i] = (uint8_t)(state->read_in >> (bits + 8 * i));
        state->read_in &= (UINT64_C(1) << bits) - 1;
        state->read_in_length = (int32_t)bits;
        good = true;
        for (; left && good; left--) {
            size_t one = 1;
            if (gzip_isal_is_at_header(state))
                inflating->header_bit = gzip_isal_bit_offset(state, flow) - 8 * left;
            good = gzip_isal_inflate_ahead(state, &in, &one, false);
        }
        while (good && gzip_isal_is_at_header(state)) {
            inflating->header_bit = gzip_isal_bit_offset(state, flow);
            good = gzip_isal_inflate_flow(inflating, flow, flow->in_left ? 1 : 0, false);
            if (flow->in_left == 0) break;
        }
        if (good && !gzip_isal_is_at_header(state)) inflating->watch = WATCH_BLOCK;
    } else { /* no further than to the end of a block */
        good = gzip_isal_inflate_flow(inflating, flow, flow->in_left, true);
        if (good && state->block_state == ISAL_BLOCK_INPUT_DONE) {
            gzip_isal_note(inflating, flow, 0);
            inflating->watch = wanted ? WATCH_NEXT : WATCH_NOTHING;
            state->block_state = ISAL_BLOCK_NEW_HDR;
        } else if (good && inflating->watch == WATCH_BLOCK &&
                   state->block_state == ISAL_BLOCK_CODED) {
            gzip_isal_note(inflating, flow, inflating->header_bit);
        }
        if (good) gzip_isal_empty_buffer(state, flow);
    }
    if (!good) {
        *inflating = *before;
        *flow = flow_before;
        inflating->watch = WATCH_NOTHING;
    }
    free(before);
    return good;
}

static bool gzip_isal_enter(void *inflater, const struct checkpoint *checkpoint,
                            const struct source *source)
{
    struct gzip_inflater *inflating = inflater;
    struct inflate_state *state = &inflating->state;
    const uint32_t bits = checkpoint->detail;
    uint8_t before = 0;
    if (bits > 7 || checkpoint->place == 0) return false;
    if (source_read_at(source, checkpoint->place - 1, &before, 1) == 0) return false;
    if (checkpoint->header) { /* ISA-L reads the header of the block in which reading begins */
        uint8_t bytes[HEADER_MAX];
        const size_t size = source_read_at(source, checkpoint->header / 8, bytes, sizeof bytes);
        if (size == 0) return false;
        state->read_in = (uint64_t)bytes[0] >> checkpoint->header % 8;
        state->read_in_length = (int32_t)(8 - checkpoint->header % 8);
        state->next_in = bytes + 1;
        state->avail_in = (uint32_t)size - 1;
        state->next_out = bytes;
        state->avail_out = 0;
        isal_inflate(state); /* fails where the block's first bytes refer to a window */
        if (state->block_state != ISAL_BLOCK_CODED) return false;
    }
    struct inflate_state *unpacking = malloc(sizeof *unpacking);
    if (!unpacking) return false;
    isal_inflate_init(unpacking);
    unpacking->next_in = not_const(checkpoint->window);
    unpacking->avail_in = checkpoint->window_size;
    unpacking->next_out = state->tmp_out_buffer;
    unpacking->avail_out = WINDOW;
    const int result = isal_inflate_stateless(unpacking);
    const size_t size = result == ISAL_DECOMP_OK ? WINDOW - unpacking->avail_out : 0;
    free(unpacking);
    inflating->part = PART_DATA;
    state->read_in = bits ? (uint64_t)before >> (8 - bits) : 0;
    state->read_in_length = (int32_t)bits;
    state->tmp_out_valid = state->tmp_out_processed = (int32_t)size;
    state->copy_overflow_length = state->copy_overflow_distance = 0;
    state->write_overflow_len = state->write_overflow_lits = 0;
    state->tmp_in_size = 0;
    state->bfinal = 0;
    return size > 0;
}

static enum inflate_result gzip_isal_inflate_some(void *inflater, struct flow *flow,
                                                  const char **what)
{
    struct gzip_inflater *inflating = inflater;
    while (inflating->part != PART_TRAILER) {
        struct inflate_state *state = &inflating->state;
        if (flow->checkpoints && inflating->part == PART_DATA &&
            gzip_isal_inflate_watched(inflating, flow))
            return INFLATE_MORE;
        /* The header or some of the data. */
        state->next_in = not_const(flow->in);
        state->avail_in = (uint32_t)flow->in_left;
        state->next_out = flow->out;
        state->avail_out = (uint32_t)flow->out_left;
        const int result = inflating->part == PART_HEADER
                               ? isal_read_gzip_header(state, &inflating->header)
                               : isal_inflate(state);
        const size_t given_back =
            state->avail_in > flow->in_left ? state->avail_in - flow->in_left : 0;
        const size_t used = given_back ? 0 : flow->in_left - state->avail_in;
        if (given_back == 0) gzip_isal_remember(inflating, flow->in, used);
        flow_move(flow, flow->in + used, flow->in_left - used, state->next_out, state->avail_out);
        if (result < ISAL_DECOMP_OK) {
            *what = gzip_isal_explain(result);
            return INFLATE_DAMAGE;
        }
        const bool ends = inflating->part == PART_HEADER ? result == ISAL_DECOMP_OK
                                                         : state->block_state == ISAL_BLOCK_FINISH;
        if (!ends) return INFLATE_MORE;
        if (++inflating->part == PART_TRAILER) {
            /* ISA-L reads some bytes ahead.  At the end of the data the unused ones are still in
             * its buffer, or, from 2.32.1 on, it returns them, even those of an earlier call. */
            uint64_t ahead = little_endian64(state->read_in >> state->read_in_length % 8);
            const size_t size = (size_t)state->read_in_length / 8;
            memcpy(inflating->trailer, inflating->taken + TRAILER - given_back, given_back);
            if (size) memcpy(inflating->trailer, &ahead, size);
            inflating->trailer_size = size ? size : given_back;
        }
    }
    const size_t wanted = TRAILER - inflating->trailer_size;
    const size_t size = flow->in_left < wanted ? flow->in_left : wanted;
    memcpy(inflating->trailer + inflating->trailer_size, flow->in, size);
    inflating->trailer_size += size;
    flow->in += size;
    flow->in_left -= size;
    return inflating->trailer_size == TRAILER ? INFLATE_END : INFLATE_MORE;
}

static void gzip_isal_read_trailer(const void *inflater, struct gzip_trailer *trailer)
{
    const struct gzip_inflater *inflating = inflater;
    uint32_t words[2];
    memcpy(words, inflating->trailer, TRAILER);
    trailer->sum = le32toh(words[0]);
    trailer->size = le32toh(words[1]);
}

static uint32_t gzip_isal_sum(uint32_t sum, const void *bytes, size_t size)
{
    return crc32_gzip_refl(sum, bytes, size);
}

const struct inflater inflate_gzip = {
    .open = gzip_isal_open_inflater,
    .inflate = gzip_isal_inflate_some,
    .again = gzip_isal_inflate_again,
    .close = free,
    .trailer = gzip_isal_read_trailer,
    .sum = gzip_isal_sum,
    .enter = gzip_isal_enter,
};

/* ---- a member that is completely in memory ---- */

/* ISA-L's report of a damaged member must not depend on tables of the previous one. */
static bool gzip_isal_whole_again(void *inflater)
{
    struct inflate_state *state = inflater;
    memset(state, 0, offsetof(struct inflate_state, tmp_out_buffer));
    isal_inflate_reset(state);
    state->crc_flag = ISAL_GZIP;
    return true;
}

static void *gzip_isal_open_whole(unsigned threads)
{
    (void)threads;
    struct inflate_state *state = calloc(1, sizeof *state);
    if (!state) return NULL;
    isal_inflate_init(state);
    gzip_isal_whole_again(state);
    return state;
}

/* In one call, straight to where it belongs. */
static enum inflate_result gzip_isal_inflate_whole(void *inflater, struct flow *flow,
                                                   const char **what)
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
    *what = gzip_isal_explain(result);
    return INFLATE_DAMAGE;
}

const struct inflater inflate_gzip_whole = {
    .open = gzip_isal_open_whole,
    .inflate = gzip_isal_inflate_whole,
    .again = gzip_isal_whole_again,
    .close = free,
};

enum { OUT_SIZE = 64 << 10 };

struct gzip_writer {
    struct isal_zstream stream;
    uint8_t level_buffer[ISAL_DEF_LVL2_DEFAULT];
};

static void *gzip_isal_open_deflater(void)
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

static bool gzip_isal_deflate_some(void *deflater, const void *bytes, size_t size, bool finish,
                                   struct text *out)
{
    struct isal_zstream *stream = &((struct gzip_writer *)deflater)->stream;
    stream->end_of_stream = finish;
    stream->next_in = not_const(bytes);
    do {
        uint32_t maximum = size > UINT32_MAX ? UINT32_MAX : (uint32_t)size;
        stream->avail_in = maximum;
        stream->next_out = (uint8_t *)text_reserve(out, OUT_SIZE);
        stream->avail_out = OUT_SIZE;
        if (!stream->next_out || isal_deflate(stream) != COMP_OK) return false;
        size -= maximum - stream->avail_in;
        text_commit(out, (char *)stream->next_out);
    } while (size || stream->avail_out == 0);
    return true;
}

const struct deflater deflate_gzip = {
    .open = gzip_isal_open_deflater, .deflate = gzip_isal_deflate_some, .close = free};
