/* SPDX-License-Identifier: MIT */
/*
 * xz.c: xz streams.
 *
 * A stream is a header, blocks, an index of them and a footer.  Each block is a block; whether its
 * header states how many bytes it has, as those of xz -T do, decides whether several can be
 * inflated at a time.  liblzma reads and checks every part; the order of parts is the walker's, as
 * "The .xz File Format" 1.1.0 (tukaani.org/xz/xz-file-format.txt) defines it.
 */
#include <lzma.h>
#include <stdlib.h>

#include "io/blocks.h"
#include "io/compression.h"

/* A dictionary is at most 1.5 GiB; only the memory that the data reach is used. */
static const uint64_t memory_maximum = UINT64_C(2) << 30;

static void xz_free_filters(lzma_filter *filters)
{
    for (size_t i = 0; i < LZMA_FILTERS_MAX && filters[i].id != LZMA_VLI_UNKNOWN; i++)
        free(filters[i].options);
}

/* ---- between blocks ---- */

struct walker {
    enum { AT_HEADER, AT_BLOCK, AT_INDEX, AT_FOOTER } at;
    lzma_stream_flags flags;
    lzma_index_hash *blocks; /* those that have ended */
    bool entered;            /* `blocks` lacks some: the index cannot be compared with them */
    lzma_stream reader;      /* of the index, if entered */
    lzma_index *index;
    uint64_t index_size;
};

static bool xz_walker_again(void *state)
{
    struct walker *walker = state;
    walker->at = AT_HEADER;
    walker->entered = false;
    walker->blocks = lzma_index_hash_init(walker->blocks, NULL);
    return walker->blocks;
}

static void xz_walker_close(void *state)
{
    struct walker *walker = state;
    lzma_index_hash_end(walker->blocks, NULL);
    lzma_end(&walker->reader);
    lzma_index_end(walker->index, NULL);
    free(walker);
}

static bool xz_walker_enter(void *state, const struct checkpoint *checkpoint)
{
    struct walker *walker = state;
    if (checkpoint->detail > LZMA_CHECK_ID_MAX) return false;
    walker->at = AT_BLOCK;
    walker->flags = (lzma_stream_flags){.check = (lzma_check)checkpoint->detail};
    walker->entered = true;
    lzma_index_end(walker->index, NULL);
    walker->index = NULL;
    return lzma_index_decoder(&walker->reader, &walker->index, memory_maximum) == LZMA_OK;
}

static void xz_consume(struct flow *flow, size_t size)
{
    flow->in += size;
    flow->in_left -= size;
}

static enum walk xz_refuse(lzma_ret result, const char *damage, const char **what)
{
    if (result == LZMA_MEM_ERROR) return WALK_MEMORY;
    *what = result == LZMA_OPTIONS_ERROR ? "found options that liblzma does not know" : damage;
    return WALK_DAMAGE;
}

static enum walk xz_walk(void *state, struct flow *flow, bool only, struct block *block,
                         const char **what)
{
    struct walker *walker = state;
    lzma_ret result;
    if (walker->at == AT_HEADER) {
        if (flow->in_left < LZMA_STREAM_HEADER_SIZE) return WALK_MORE;
        result = lzma_stream_header_decode(&walker->flags, flow->in);
        if (result != LZMA_OK)
            return xz_refuse(result, "the header of the stream is corrupt", what);
        xz_consume(flow, LZMA_STREAM_HEADER_SIZE);
        walker->at = AT_BLOCK;
    }
    if (walker->at == AT_BLOCK && flow->in_left == 0) return WALK_MORE;
    if (walker->at == AT_BLOCK && flow->in[0] == 0) walker->at = AT_INDEX;
    if (walker->at == AT_BLOCK) {
        lzma_filter filters[LZMA_FILTERS_MAX + 1];
        lzma_block header = {.check = walker->flags.check,
                             .filters = filters,
                             .header_size = (flow->in[0] + UINT32_C(1)) * 4};
        if (flow->in_left < header.header_size) return WALK_MORE;
        result = lzma_block_header_decode(&header, NULL, flow->in);
        if (result != LZMA_OK) return xz_refuse(result, "the header of a block is corrupt", what);
        const uint64_t memory = lzma_raw_decoder_memusage(filters);
        const lzma_vli packed = lzma_block_total_size(&header);
        xz_free_filters(filters);
        if (memory == UINT64_MAX) return xz_refuse(LZMA_OPTIONS_ERROR, NULL, what);
        if (memory > memory_maximum) {
            *what = "asks for more than 2 GiB of memory";
            return WALK_DAMAGE;
        }
        if (packed == 0)
            return xz_refuse(LZMA_DATA_ERROR, "the header of a block is corrupt", what);
        *block = (struct block){.check = header.check,
                                .packed = packed == LZMA_VLI_UNKNOWN ? 0 : packed,
                                .memory = (size_t)memory};
        return WALK_BLOCK;
    }
    if (walker->at == AT_INDEX && only) {
        if (walker->entered) { /* not all blocks were read: the index is read but not compared */
            lzma_stream *reader = &walker->reader;
            reader->next_in = flow->in;
            reader->avail_in = flow->in_left;
            result = lzma_code(reader, LZMA_RUN);
            xz_consume(flow, flow->in_left - reader->avail_in);
            if (result == LZMA_STREAM_END) walker->index_size = lzma_index_size(walker->index);
        } else {
            size_t used = 0;
            result = lzma_index_hash_decode(walker->blocks, flow->in, &used, flow->in_left);
            xz_consume(flow, used);
            walker->index_size = lzma_index_hash_size(walker->blocks);
        }
        if (result == LZMA_OK || result == LZMA_BUF_ERROR) return WALK_MORE;
        if (result != LZMA_STREAM_END)
            return xz_refuse(result, "the index is corrupt, or is not that of the blocks", what);
        walker->at = AT_FOOTER;
    }
    if (walker->at != AT_FOOTER) return WALK_LATER;
    lzma_stream_flags flags;
    if (flow->in_left < LZMA_STREAM_HEADER_SIZE) return WALK_MORE;
    result = lzma_stream_footer_decode(&flags, flow->in);
    if (result == LZMA_OK && !walker->entered)
        result = lzma_stream_flags_compare(&walker->flags, &flags);
    if (result == LZMA_OK && flags.backward_size != walker->index_size) result = LZMA_DATA_ERROR;
    if (result != LZMA_OK)
        return xz_refuse(result, "the footer is corrupt, or is not that of the stream", what);
    xz_consume(flow, LZMA_STREAM_HEADER_SIZE);
    return WALK_END;
}

static enum inflate_result xz_walker_note(void *state, const struct block *block, const char **what)
{
    const struct walker *walker = state;
    if (walker->entered) return INFLATE_END;
    if (lzma_index_hash_append(walker->blocks, block->unpadded, block->unpacked) == LZMA_OK)
        return INFLATE_END;
    *what = "the blocks are more than an index can have";
    return INFLATE_DAMAGE;
}

/* ---- a block ---- */

struct decoder {
    lzma_stream stream;
    lzma_block header;
    struct block *block;
    bool begun; /* the block's header has been read */
};

static void *xz_open_decoder(void)
{
    return calloc(1, sizeof(struct decoder));
}

static bool xz_begin_block(void *state, struct block *block)
{
    struct decoder *decoder = state;
    decoder->block = block;
    decoder->begun = false;
    return true;
}

static enum inflate_result xz_inflate_block(void *state, struct flow *flow, const char **what)
{
    struct decoder *decoder = state;
    lzma_ret result = LZMA_OK;
    if (!decoder->begun) { /* the walker saw the header: it is whole, and it is sound */
        lzma_filter filters[LZMA_FILTERS_MAX + 1];
        lzma_block *header = &decoder->header;
        *header = (lzma_block){.check = (lzma_check)decoder->block->check,
                               .filters = filters,
                               .header_size = (flow->in[0] + UINT32_C(1)) * 4};
        result = lzma_block_header_decode(header, NULL, flow->in);
        if (result == LZMA_OK) {
            result = lzma_block_decoder(&decoder->stream, header);
            xz_free_filters(filters);
            xz_consume(flow, header->header_size);
            decoder->begun = true;
        }
        header->filters = NULL;
    }
    if (result == LZMA_OK) {
        lzma_stream *stream = &decoder->stream;
        stream->next_in = flow->in;
        stream->avail_in = flow->in_left;
        stream->next_out = flow->out;
        stream->avail_out = flow->out_left;
        result = lzma_code(stream, LZMA_RUN);
        flow_move(flow, stream->next_in, stream->avail_in, stream->next_out, stream->avail_out);
    }
    switch (result) {
    case LZMA_OK:
    case LZMA_BUF_ERROR: return INFLATE_MORE;
    case LZMA_STREAM_END:
        decoder->block->unpadded = lzma_block_unpadded_size(&decoder->header);
        decoder->block->unpacked = decoder->header.uncompressed_size;
        return INFLATE_END;
    case LZMA_MEM_ERROR: return INFLATE_MEMORY;
    case LZMA_OPTIONS_ERROR: *what = "found options that liblzma does not know"; break;
    default: *what = "the data or a checksum is corrupt"; break;
    }
    return INFLATE_DAMAGE;
}

static void xz_close_decoder(void *state)
{
    lzma_end(&((struct decoder *)state)->stream);
    free(state);
}

static const struct block_kind xz_blocks = {
    .checkpoint = CHECKPOINT_XZ_BLOCK,
    .walker_size = sizeof(struct walker),
    .walker_again = xz_walker_again,
    .walker_close = xz_walker_close,
    .walker_enter = xz_walker_enter,
    .walk = xz_walk,
    .walker_note = xz_walker_note,
    .open = xz_open_decoder,
    .begin = xz_begin_block,
    .inflate = xz_inflate_block,
    .close = xz_close_decoder,
};

static void *xz_open_inflater(unsigned threads)
{
    return blocks_open(&xz_blocks, threads);
}

const struct inflater inflate_xz = {
    .open = xz_open_inflater,
    .inflate = blocks_inflate,
    .again = blocks_again,
    .close = blocks_close,
    .look = BLOCK_WINDOW,
    .enter = blocks_enter,
};

/* ---- writing ---- */

/* The default settings of xz, except for a dictionary of half the size, because blocks are
 * independent: with 8 MiB a thread takes 94 MiB of memory, with 4 MiB it takes 48.  The effect on
 * the size is in docs/internals/io.md. */
struct block_encoder {
    lzma_options_lzma options;
    lzma_filter filters[2];
};

static const lzma_stream_flags stream_flags = {.check = LZMA_CHECK_CRC64};

static void *xz_open_deflater(void)
{
    struct block_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder) return NULL;
    lzma_lzma_preset(&encoder->options, LZMA_PRESET_DEFAULT);
    encoder->options.dict_size = DEFLATED_BLOCK_SIZE;
    encoder->filters[0] = (lzma_filter){.id = LZMA_FILTER_LZMA2, .options = &encoder->options};
    encoder->filters[1].id = LZMA_VLI_UNKNOWN;
    return encoder;
}

static bool xz_begin_stream(struct text *out)
{
    char *at = text_reserve(out, LZMA_STREAM_HEADER_SIZE);
    if (!at || lzma_stream_header_encode(&stream_flags, (uint8_t *)at) != LZMA_OK) return false;
    text_commit(out, at + LZMA_STREAM_HEADER_SIZE);
    return true;
}

static bool xz_deflate_block(void *state, const void *bytes, size_t size, struct text *out,
                             struct deflated_block *made)
{
    struct block_encoder *encoder = state;
    lzma_block block = {.check = stream_flags.check, .filters = encoder->filters};
    const size_t bound = lzma_block_buffer_bound(size);
    char *at = text_reserve(out, bound);
    size_t packed = 0;
    if (size == 0) return true; /* a stream may have no block */
    if (!at) return false;
    const lzma_ret result =
        lzma_block_buffer_encode(&block, NULL, bytes, size, (uint8_t *)at, &packed, bound);
    if (result == LZMA_MEM_ERROR) out->failed = true;
    if (result != LZMA_OK) return false;
    text_commit(out, at + packed);
    made->packed = packed;
    made->unpadded = lzma_block_unpadded_size(&block);
    return true;
}

/* The index of the blocks, and the footer. */
static bool xz_end_stream(const struct deflated_block *blocks, size_t count, struct text *out)
{
    lzma_index *index = lzma_index_init(NULL);
    bool good = index;
    for (size_t i = 0; i < count && good; i++)
        good = blocks[i].content == 0 ||
               lzma_index_append(index, NULL, blocks[i].unpadded, blocks[i].content) == LZMA_OK;
    if (!good) out->failed = true;
    if (good) {
        const size_t size = (size_t)lzma_index_size(index);
        char *at = text_reserve(out, size + LZMA_STREAM_HEADER_SIZE);
        size_t used = 0;
        lzma_stream_flags flags = stream_flags;
        flags.backward_size = size;
        good = at && lzma_index_buffer_encode(index, (uint8_t *)at, &used, size) == LZMA_OK &&
               lzma_stream_footer_encode(&flags, (uint8_t *)at + size) == LZMA_OK;
        if (good) text_commit(out, at + size + LZMA_STREAM_HEADER_SIZE);
    }
    lzma_index_end(index, NULL);
    return good;
}

const struct deflater deflate_xz = {
    .open = xz_open_deflater,
    .close = free,
    .block_size = DEFLATED_BLOCK_SIZE,
    .memory = (size_t)56 << 20,
    .deflate_block = xz_deflate_block,
    .begin = xz_begin_stream,
    .end = xz_end_stream,
};
