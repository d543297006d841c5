/* SPDX-License-Identifier: MIT */
/*
 * bgzf.c: BGZF, which is gzip in members of at most 64 KiB that state their size.
 *
 * The end of a gzip member is known only after inflating it; but the subfield "BC" of its extra
 * field states its size ("Sequence Alignment/Map Format Specification", section 4.1): such members
 * are blocks (blocks.h), which are inflated in parallel.
 */
#include <stdlib.h>

#include "io/blocks.h"

/* RFC 1952, 2.3: the header up to the extra field's length, and that of a subfield. */
enum { FLAGS = 3, FLAG_EXTRA = 4, EXTRA_SIZE = 10, EXTRA = 12, SUBFIELD = 4 };

static size_t bgzf_number16(const uint8_t *bytes)
{
    return (size_t)bytes[0] | (size_t)bytes[1] << 8;
}

/* ---- members that state their size ---- */

/* Parses the header at the beginning of these bytes: the size of the member that its extra field
 * states, 0 if none.  False: more bytes are needed. */
static bool bgzf_read_header(const uint8_t *bytes, size_t size, uint64_t *packed)
{
    *packed = 0;
    if (size < EXTRA) return false;
    if (memcmp(bytes, "\x1f\x8b\x08", FLAGS) != 0 || !(bytes[FLAGS] & FLAG_EXTRA)) return true;
    const uint8_t *extra = bytes + EXTRA;
    size_t left = bgzf_number16(bytes + EXTRA_SIZE);
    if (size - EXTRA < left) return false;
    while (left >= SUBFIELD && *packed == 0) {
        const size_t length = bgzf_number16(extra + 2);
        if (length > left - SUBFIELD) break;
        if (extra[0] == 'B' && extra[1] == 'C' && length == 2)
            *packed = bgzf_number16(extra + SUBFIELD) + 1;
        extra += SUBFIELD + length;
        left -= SUBFIELD + length;
    }
    return true;
}

/* True if a complete member that is a block begins here; WALK_END: no.  A member truncated by the
 * end of the file is not a block. */
static enum walk bgzf_look(void *walker, struct flow *flow, bool only, struct block *block,
                           const char **what)
{
    (void)walker;
    (void)only;
    (void)what;
    const enum walk shorter = flow->input == INPUT_ALL ? WALK_END : WALK_MORE;
    *block = (struct block){0};
    if (!bgzf_read_header(flow->in, flow->in_left, &block->packed)) return shorter;
    if (block->packed == 0) return WALK_END;
    return flow->in_left < block->packed ? shorter : WALK_BLOCK;
}

static void *bgzf_open_decoder(void)
{
    return inflate_gzip_whole.open(1);
}

static bool bgzf_begin_member(void *decoder, struct block *block)
{
    (void)block;
    return inflate_gzip_whole.again(decoder);
}

/* Outputs the whole member, or nothing if it is damaged: members are small. */
static enum inflate_result bgzf_inflate_member(void *decoder, struct flow *flow, const char **what)
{
    struct flow member = *flow;
    enum inflate_result result = inflate_gzip_whole.inflate(decoder, &member, what);
    if (result == INFLATE_MORE) {
        *what = "found more data in a member than its header states";
        return INFLATE_DAMAGE;
    }
    if (result == INFLATE_END && member.in_left) {
        *what = "found less data in a member than its header states";
        return INFLATE_DAMAGE;
    }
    if (result == INFLATE_END) *flow = member;
    return result;
}

static void bgzf_close_decoder(void *decoder)
{
    inflate_gzip_whole.close(decoder);
}

static const struct block_kind bgzf_members = {
    .walk = bgzf_look,
    .open = bgzf_open_decoder,
    .begin = bgzf_begin_member,
    .inflate = bgzf_inflate_member,
    .close = bgzf_close_decoder,
};

/* ---- a file that begins with such members ---- */

struct bgzf {
    enum { AT_MEMBER, IN_MEMBER, IN_BLOCKS } at;
    void *member, *blocks;
    uint32_t sum, size; /* of the output of a member that is not a block */
};

static void bgzf_close_inflater(void *state)
{
    struct bgzf *bgzf = state;
    if (bgzf->member) inflate_gzip.close(bgzf->member);
    if (bgzf->blocks) blocks_close(bgzf->blocks);
    free(bgzf);
}

/* Decoding takes at least as long as inflating, so half of the threads inflate. */
static void *bgzf_open_inflater(unsigned threads)
{
    struct bgzf *bgzf = calloc(1, sizeof *bgzf);
    if (!bgzf) return NULL;
    bgzf->member = inflate_gzip.open(1);
    bgzf->blocks = blocks_open(&bgzf_members, threads / 2);
    if (bgzf->member && bgzf->blocks) return bgzf;
    bgzf_close_inflater(bgzf);
    return NULL;
}

static enum inflate_result bgzf_inflate(void *state, struct flow *flow, const char **what)
{
    struct bgzf *bgzf = state;
    struct block block;
    if (bgzf->at == AT_MEMBER) {
        const enum walk found = bgzf_look(NULL, flow, false, &block, what);
        if (found == WALK_MORE) return INFLATE_MORE;
        bgzf->at = found == WALK_BLOCK ? IN_BLOCKS : IN_MEMBER;
    }
    if (bgzf->at == IN_BLOCKS) return blocks_inflate(bgzf->blocks, flow, what);
    /* A member that is not a block is checked here, too. */
    const uint8_t *out = flow->out;
    const enum inflate_result result = inflate_gzip.inflate(bgzf->member, flow, what);
    if (!inflate_gzip.trailer) return result;
    const size_t made = (size_t)(flow->out - out);
    bgzf->sum = inflate_gzip.sum(bgzf->sum, out, made);
    bgzf->size += (uint32_t)made;
    if (result != INFLATE_END) return result;
    struct gzip_trailer trailer;
    inflate_gzip.trailer(bgzf->member, &trailer);
    if (trailer.sum == bgzf->sum && trailer.size == bgzf->size) return result;
    *what = GZIP_TRAILER_MISMATCH;
    return INFLATE_DAMAGE;
}

static bool bgzf_inflate_again(void *state)
{
    struct bgzf *bgzf = state;
    bgzf->at = AT_MEMBER;
    bgzf->sum = bgzf->size = 0;
    return inflate_gzip.again(bgzf->member) && blocks_again(bgzf->blocks);
}

static const struct inflater inflate_bgzf = {
    .open = bgzf_open_inflater,
    .inflate = bgzf_inflate,
    .again = bgzf_inflate_again,
    .close = bgzf_close_inflater,
    .look = BLOCK_WINDOW,
};

const struct inflater *gzip_or_bgzf(const uint8_t *bytes, size_t size)
{
    uint64_t packed;
    return bgzf_read_header(bytes, size, &packed) && packed ? &inflate_bgzf : &inflate_gzip;
}
