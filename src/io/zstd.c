/* SPDX-License-Identifier: MIT */
/*
 * zstd.c: Zstandard frames, skippable ones and --long windows included (RFC 8878).
 *
 * Frames depend on nothing outside of themselves.  One that states the size of its content, and not
 * too large a one, is a block (blocks.h): several are inflated at a time.  That is how frames are
 * written here: 4 MiB of content each, then a table of them in the "seekable format" of zstd's
 * contrib/seekable_format.  Other frames are inflated as they come.
 *
 * A .zstf file of STF (formats/stf/) has a frame for each chunk of instructions, after a header of
 * 20 bytes and before an index of the chunks.  Its frames do not state the size of their content,
 * but their chunks have one, so that they are blocks, too.
 */
#include <stdlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "io/blocks.h"
#include "io/compression.h"

enum {
    MIN_WINDOW_LOG = 27, /* 128 MiB: allowed without being asked for */
    MAX_WINDOW_LOG = 31,
    MAX_CONTENT = 32 << 20,     /* bytes of a frame that is a block */
    CONTEXT_MEMORY = 512 << 10, /* of a decoder, in addition to its window */
};

/* ---- the shape of a frame ---- */

enum {
    MAGIC = 4,
    FRAME_HEADER_MIN = 6, /* with the descriptor and one byte more */
    FRAME_HEADER_MAX = 18,
    BLOCK_HEADER = 3,
    CHECKSUM = 4,
    SKIPPABLE_HEADER = 8,
};

struct frame_header {
    size_t size; /* of the header */
    bool has_checksum;
    bool has_content_size;
    uint64_t content_size;
    uint64_t window_size;
};

static uint64_t zstd_number(const uint8_t *bytes, size_t size)
{
    uint64_t value = 0;
    while (size--) value = value << 8 | bytes[size];
    return value;
}

/* The size of a header that begins so. */
static size_t zstd_frame_header_size(const uint8_t *bytes)
{
    static const uint8_t of_dictionary[] = {0, 1, 2, 4}, of_content[] = {0, 2, 4, 8};
    const uint8_t descriptor = bytes[MAGIC];
    const bool single = descriptor & 0x20;
    const size_t content = of_content[descriptor >> 6];
    return MAGIC + 1 + (size_t)!single + of_dictionary[descriptor & 3] +
           (content ? content : single);
}

/* False: more of it has to be seen. */
static bool zstd_read_frame_header(const uint8_t *bytes, size_t size, struct frame_header *header)
{
    if (size < FRAME_HEADER_MIN) return false;
    const uint8_t descriptor = bytes[MAGIC];
    const bool single = descriptor & 0x20;
    const size_t content = (descriptor >> 6) ? (size_t)1 << (descriptor >> 6) : single;
    header->size = zstd_frame_header_size(bytes);
    if (size < header->size) return false;
    header->has_checksum = descriptor & 4;
    header->has_content_size = content > 0;
    header->content_size = zstd_number(bytes + header->size - content, content);
    if (content == 2) header->content_size += 256;
    const uint64_t base = UINT64_C(1) << (10 + (bytes[MAGIC + 1] >> 3));
    header->window_size = single ? header->content_size : base + base / 8 * (bytes[MAGIC + 1] & 7);
    return true;
}

/* ---- inflating frames one after the other ---- */

static void *zstd_open_frame(void)
{
    ZSTD_DCtx *context = ZSTD_createDCtx();
    if (context) ZSTD_DCtx_setParameter(context, ZSTD_d_windowLogMax, MIN_WINDOW_LOG);
    return context;
}

static bool zstd_begin_frame(void *context, struct block *block)
{
    (void)block;
    return !ZSTD_isError(ZSTD_DCtx_reset(context, ZSTD_reset_session_only));
}

static enum inflate_result zstd_inflate_frame(void *context, struct flow *flow, const char **what)
{
    ZSTD_inBuffer in = {flow->in, flow->in_left, 0};
    ZSTD_outBuffer out = {flow->out, flow->out_left, 0};
    const size_t result = ZSTD_decompressStream(context, &out, &in);
    flow_move(flow, flow->in + in.pos, flow->in_left - in.pos, flow->out + out.pos,
              flow->out_left - out.pos);
    if (result == 0) return INFLATE_END;
    if (!ZSTD_isError(result)) return INFLATE_MORE;
    if (ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) return INFLATE_MEMORY;
    if (ZSTD_getErrorCode(result) == ZSTD_error_frameParameter_windowTooLarge)
        return INFLATE_WINDOW;
    *what = ZSTD_getErrorName(result);
    return INFLATE_DAMAGE;
}

static void zstd_close_frame(void *context)
{
    ZSTD_freeDCtx(context);
}

/* ---- frames as blocks ---- */

struct walker {
    uint64_t skip; /* bytes of a skippable frame that have not been passed */
    /* The state of zstd_measure() in the present frame. */
    uint8_t bytes[FRAME_HEADER_MAX]; /* the first bytes of the next header */
    size_t seen;                     /* the number of these bytes */
    uint64_t passing;                /* bytes before the next header, or before the end */
    bool begun;                      /* the frame's header was seen */
    bool last;                       /* the header of the frame's last block was seen */
    bool has_checksum;
};

/* True if a frame begins here that is to be a block; WALK_END: none. */
static enum walk zstd_look(const struct flow *flow, struct block *block)
{
    struct frame_header header;
    const enum walk shorter = flow->input == INPUT_ALL ? WALK_END : WALK_MORE;
    *block = (struct block){0};
    if (flow->in_left < MAGIC) return shorter;
    if (memcmp(flow->in, "\x28\xb5\x2f\xfd", MAGIC) != 0) return WALK_END;
    if (!zstd_read_frame_header(flow->in, flow->in_left, &header)) return shorter;
    if (!header.has_content_size || header.content_size > MAX_CONTENT) return WALK_END;
    if (header.window_size > MAX_CONTENT) return WALK_END;
    block->memory = (size_t)header.window_size + CONTEXT_MEMORY;
    return WALK_BLOCK;
}

/* Skips the available bytes of a skippable frame. */
static void zstd_skip(struct walker *walker, struct flow *flow)
{
    const size_t size = walker->skip < flow->in_left ? (size_t)walker->skip : flow->in_left;
    flow->in += size;
    flow->in_left -= size;
    walker->skip -= size;
}

static enum walk zstd_walk(void *state, struct flow *flow, bool only, struct block *block,
                           const char **what)
{
    struct walker *walker = state;
    (void)only;
    (void)what;
    zstd_skip(walker, flow);
    while (walker->skip == 0 && flow->in_left >= SKIPPABLE_HEADER && (flow->in[0] & 0xf0) == 0x50 &&
           memcmp(flow->in + 1, "\x2a\x4d\x18", 3) == 0) {
        walker->skip = SKIPPABLE_HEADER + zstd_number(flow->in + MAGIC, 4);
        zstd_skip(walker, flow);
    }
    if (walker->skip) return WALK_MORE;
    const enum walk found = zstd_look(flow, block);
    if (found == WALK_BLOCK) *walker = (struct walker){0};
    return found;
}

static size_t zstd_measure(void *state, const uint8_t *bytes, size_t size, bool *ends)
{
    struct walker *walker = state;
    size_t at = 0;
    for (;;) {
        const size_t passed = walker->passing < size - at ? (size_t)walker->passing : size - at;
        at += passed;
        walker->passing -= passed;
        *ends = walker->last && walker->passing == 0;
        if (*ends || at == size) return at;
        walker->bytes[walker->seen++] = bytes[at++];
        if (!walker->begun) {
            if (walker->seen < FRAME_HEADER_MIN) continue;
            if (walker->seen < zstd_frame_header_size(walker->bytes)) continue;
            struct frame_header frame = {0};
            zstd_read_frame_header(walker->bytes, walker->seen, &frame);
            walker->begun = true;
            walker->has_checksum = frame.has_checksum;
        } else if (walker->seen == BLOCK_HEADER) {
            enum { RLE = 1, RESERVED = 3 };
            const uint32_t block = (uint32_t)zstd_number(walker->bytes, BLOCK_HEADER);
            const uint32_t type = block >> 1 & 3;
            walker->last = block & 1 || type == RESERVED; /* which its decoder calls damage */
            walker->passing = type == RLE ? 1 : type == RESERVED ? 0 : block >> 3;
            if (walker->last && walker->has_checksum) walker->passing += CHECKSUM;
        } else {
            continue;
        }
        walker->seen = 0;
    }
}

static const struct block_kind zstd_frames = {
    .checkpoint = CHECKPOINT_MEMBER,
    .walker_size = sizeof(struct walker),
    .walk = zstd_walk,
    .measure = zstd_measure,
    .open = zstd_open_frame,
    .begin = zstd_begin_frame,
    .inflate = zstd_inflate_frame,
    .close = zstd_close_frame,
};

/* ---- the frames of a .zstf file ---- */

enum {
    ZSTF_HEADER = 20, /* "ZSTF", the instructions of a chunk (8), the offset of the index (8) */
    ZSTF_COUNT = 8,   /* of the index: the number of its entries */
    ZSTF_ENTRY = 24,
};

struct zstf_walker {
    struct walker frame; /* first: zstd_measure() has it as its state */
    bool begun;          /* the header is passed */
    bool indexed;        /* the count of the index is passed */
    uint64_t left;       /* bytes of the entries that are not passed */
};

static bool zstf_enter_walker(void *state, const struct checkpoint *checkpoint)
{
    struct zstf_walker *walker = state;
    *walker = (struct zstf_walker){.begun = true};
    return checkpoint->kind == CHECKPOINT_ZSTF_FRAME;
}

static enum walk zstf_walk(void *state, struct flow *flow, bool only, struct block *block,
                           const char **what)
{
    struct zstf_walker *walker = state;
    struct frame_header header;
    *block = (struct block){0};
    if (!walker->begun) {
        if (flow->in_left < ZSTF_HEADER) return WALK_MORE;
        flow->in += ZSTF_HEADER;
        flow->in_left -= ZSTF_HEADER;
        walker->begun = true;
    }
    if (!walker->indexed) {
        if (flow->in_left < ZSTF_COUNT) return WALK_MORE;
        if (memcmp(flow->in, "\x28\xb5\x2f\xfd", MAGIC) == 0) {
            if (!zstd_read_frame_header(flow->in, flow->in_left, &header)) return WALK_MORE;
            walker->frame = (struct walker){0};
            const uint64_t memory = header.window_size + CONTEXT_MEMORY;
            block->memory = memory < SIZE_MAX ? (size_t)memory : SIZE_MAX;
            return WALK_BLOCK;
        }
        if (!only) return WALK_LATER;
        const uint64_t count = zstd_number(flow->in, ZSTF_COUNT);
        if (count > UINT32_MAX) {
            *what = "found neither a frame nor the index of the chunks";
            return WALK_DAMAGE;
        }
        flow->in += ZSTF_COUNT;
        flow->in_left -= ZSTF_COUNT;
        walker->indexed = true;
        walker->left = count * ZSTF_ENTRY;
    }
    const size_t size = walker->left < flow->in_left ? (size_t)walker->left : flow->in_left;
    flow->in += size;
    flow->in_left -= size;
    walker->left -= size;
    if (walker->left == 0) return WALK_END;
    return WALK_MORE;
}

static const struct block_kind zstf_frames = {
    .checkpoint = CHECKPOINT_ZSTF_FRAME,
    .walker_size = sizeof(struct zstf_walker),
    .walker_enter = zstf_enter_walker,
    .walk = zstf_walk,
    .measure = zstd_measure,
    .open = zstd_open_frame,
    .begin = zstd_begin_frame,
    .inflate = zstd_inflate_frame,
    .close = zstd_close_frame,
};

static void *zstf_open_inflater(unsigned threads)
{
    return blocks_open(&zstf_frames, threads);
}

const struct inflater inflate_zstf = {
    .open = zstf_open_inflater,
    .inflate = blocks_inflate,
    .again = blocks_again,
    .close = blocks_close,
    .look = BLOCK_WINDOW,
    .enter = blocks_enter,
};

/* ---- a file of both kinds ---- */

struct zstd_inflater {
    enum { AT_FRAME, IN_FRAME, IN_BLOCKS } at;
    void *frame, *blocks;
};

static void zstd_close_inflater(void *state)
{
    struct zstd_inflater *inflater = state;
    zstd_close_frame(inflater->frame);
    if (inflater->blocks) blocks_close(inflater->blocks);
    free(inflater);
}

static void *zstd_open_inflater(unsigned threads)
{
    struct zstd_inflater *inflater = calloc(1, sizeof *inflater);
    if (!inflater) return NULL;
    inflater->frame = zstd_open_frame();
    inflater->blocks = blocks_open(&zstd_frames, threads);
    if (inflater->frame && inflater->blocks) return inflater;
    zstd_close_inflater(inflater);
    return NULL;
}

/* The largest window that fits: a power of two. */
static void zstd_allow_memory(void *state, uint64_t memory)
{
    struct zstd_inflater *inflater = state;
    int log = MIN_WINDOW_LOG;
    while (log < MAX_WINDOW_LOG && UINT64_C(1) << (log + 1) <= memory) log++;
    ZSTD_DCtx_setParameter(inflater->frame, ZSTD_d_windowLogMax, log);
}

static enum inflate_result zstd_inflate_some(void *state, struct flow *flow, const char **what)
{
    struct zstd_inflater *inflater = state;
    struct block block;
    if (inflater->at == AT_FRAME) {
        const enum walk found = zstd_look(flow, &block);
        if (found == WALK_MORE) return INFLATE_MORE;
        inflater->at = found == WALK_BLOCK ? IN_BLOCKS : IN_FRAME;
    }
    return inflater->at == IN_BLOCKS ? blocks_inflate(inflater->blocks, flow, what)
                                     : zstd_inflate_frame(inflater->frame, flow, what);
}

static bool zstd_inflate_again(void *state)
{
    struct zstd_inflater *inflater = state;
    inflater->at = AT_FRAME;
    return zstd_begin_frame(inflater->frame, NULL) && blocks_again(inflater->blocks);
}

const struct inflater inflate_zstd = {
    .open = zstd_open_inflater,
    .inflate = zstd_inflate_some,
    .again = zstd_inflate_again,
    .close = zstd_close_inflater,
    .allow_memory = zstd_allow_memory,
    .look = BLOCK_WINDOW,
};

/* ---- writing ---- */

/* The seekable format: a skippable frame of an entry for each frame, its compressed and
 * decompressed size, and after them their number, a descriptor (no checksums) and a magic. */
enum {
    TABLE_MAGIC = 0x184d2a5e,
    TABLE_ENTRY = 8,
    TABLE_END = 9,
};
static const uint32_t table_end_magic = 0x8f92eab1;

static void *zstd_open_deflater(void)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    if (context) ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    return context;
}

static bool zstd_deflate_block(void *context, const void *bytes, size_t size, struct text *out,
                               struct deflated_block *made)
{
    const size_t bound = ZSTD_compressBound(size);
    char *at = text_reserve(out, bound);
    if (!at) return false;
    const size_t packed = ZSTD_compress2(context, at, bound, bytes, size);
    if (ZSTD_isError(packed)) return false;
    text_commit(out, at + packed);
    made->packed = packed;
    return true;
}

static char *zstd_put_number32(char *at, uint64_t value)
{
    for (unsigned i = 0; i < 4; i++) *at++ = (char)(uint8_t)(value >> 8 * i);
    return at;
}

/* Omitted if there are more frames than a skippable frame can list. */
static bool zstd_end_blocks(const struct deflated_block *blocks, size_t count, struct text *out)
{
    const uint64_t size = (uint64_t)count * TABLE_ENTRY + TABLE_END;
    if (size > UINT32_MAX) return true;
    char *at = text_reserve(out, (size_t)size + SKIPPABLE_HEADER);
    if (!at) return false;
    at = zstd_put_number32(zstd_put_number32(at, TABLE_MAGIC), size);
    for (size_t i = 0; i < count; i++)
        at = zstd_put_number32(zstd_put_number32(at, blocks[i].packed), blocks[i].content);
    at = zstd_put_number32(at, count);
    *at++ = 0;
    text_commit(out, zstd_put_number32(at, table_end_magic));
    return true;
}

static void zstd_close_deflater(void *context)
{
    ZSTD_freeCCtx(context);
}

const struct deflater deflate_zstd = {
    .open = zstd_open_deflater,
    .close = zstd_close_deflater,
    .block_size = DEFLATED_BLOCK_SIZE,
    .memory = (size_t)16 << 20,
    .deflate_block = zstd_deflate_block,
    .end = zstd_end_blocks,
};
