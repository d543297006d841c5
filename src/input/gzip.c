/* SPDX-License-Identifier: MIT */
/*
 * gzip.c: gzip, and BGZF, which is gzip in members of at most 64 KiB that say how long they are.
 *
 * Where a member ends, only inflating it tells; but one whose extra field has a subfield "BC" says
 * it there ("Sequence Alignment/Map Format Specification", section 4.1): such members are pieces
 * (pieces.h), several of which are inflated at a time.
 */
#include "input/gzip.h"

#include <stdlib.h>

#include "input/pieces.h"

/* RFC 1952, 2.3: the header up to the extra field's length, and that of a subfield. */
enum { FLAGS = 3, FLAG_EXTRA = 4, EXTRA_SIZE = 10, EXTRA = 12, SUBFIELD = 4 };

static size_t number16(const uint8_t *bytes)
{
    return (size_t)bytes[0] | (size_t)bytes[1] << 8;
}

/* ---- members that say how long they are ---- */

/* What the extra field says, 0 where it does not. */
static size_t stated_size(const uint8_t *extra, size_t size)
{
    while (size >= SUBFIELD) {
        const size_t length = number16(extra + 2);
        if (length > size - SUBFIELD) return 0;
        if (extra[0] == 'B' && extra[1] == 'C' && length == 2)
            return number16(extra + SUBFIELD) + 1;
        extra += SUBFIELD + length;
        size -= SUBFIELD + length;
    }
    return 0;
}

/* Whether a member begins here that is a piece, and all of it; WALK_END: none.  One that the end of
 * the file cuts short is none. */
static enum walk look(const struct flow *flow, struct piece *piece)
{
    const uint8_t *bytes = flow->in;
    const enum walk shorter = flow->input == INPUT_ALL ? WALK_END : WALK_MORE;
    *piece = (struct piece){0};
    if (flow->in_left < EXTRA) return shorter;
    if (memcmp(bytes, "\x1f\x8b\x08", FLAGS) != 0 || !(bytes[FLAGS] & FLAG_EXTRA)) return WALK_END;
    const size_t size = number16(bytes + EXTRA_SIZE);
    if (flow->in_left - EXTRA < size) return shorter;
    piece->packed = stated_size(bytes + EXTRA, size);
    if (piece->packed == 0) return WALK_END;
    return flow->in_left < piece->packed ? shorter : WALK_PIECE;
}

static enum walk walk(void *walker, struct flow *flow, bool alone, struct piece *piece,
                      const char **what)
{
    (void)walker;
    (void)alone;
    (void)what;
    return look(flow, piece);
}

static void *open_decoder(void)
{
    return inflate_gzip_whole.open();
}

static bool begin_member(void *decoder, struct piece *piece)
{
    (void)piece;
    return inflate_gzip_whole.again(decoder);
}

/* All of it or, where it is damaged, nothing: so few bytes, one of which at least is wrong. */
static enum inflate_result inflate_member(void *decoder, struct flow *flow, const char **what)
{
    struct flow member = *flow;
    enum inflate_result result = inflate_gzip_whole.inflate(decoder, &member, what);
    if (result == INFLATE_MORE) {
        *what = "found more in a member than its header says";
        return INFLATE_DAMAGE;
    }
    if (result == INFLATE_END && member.in_left) {
        *what = "found less in a member than its header says";
        return INFLATE_DAMAGE;
    }
    if (result == INFLATE_END) *flow = member;
    return result;
}

static void close_decoder(void *decoder)
{
    inflate_gzip_whole.close(decoder);
}

static const struct piece_kind members = {
    .walk = walk,
    .open = open_decoder,
    .begin = begin_member,
    .inflate = inflate_member,
    .close = close_decoder,
};

/* ---- any member ---- */

struct gzip {
    enum { AT_MEMBER, IN_MEMBER, IN_PIECES } at;
    void *member, *pieces;
};

static void close_inflater(void *state)
{
    struct gzip *gzip = state;
    if (gzip->member) inflate_gzip_member.close(gzip->member);
    if (gzip->pieces) pieces_close(gzip->pieces);
    free(gzip);
}

/* Decoding what was inflated takes as long as inflating it, at least: half of the threads do. */
static void *open_wide(unsigned threads)
{
    struct gzip *gzip = calloc(1, sizeof *gzip);
    if (!gzip) return NULL;
    gzip->member = inflate_gzip_member.open();
    gzip->pieces = pieces_open(&members, threads / 2);
    if (gzip->member && gzip->pieces) return gzip;
    close_inflater(gzip);
    return NULL;
}

static void *open_inflater(void)
{
    return open_wide(1);
}

static enum inflate_result inflate_any(void *state, struct flow *flow, const char **what)
{
    struct gzip *gzip = state;
    struct piece piece;
    if (gzip->at == AT_MEMBER) {
        const enum walk found = look(flow, &piece);
        if (found == WALK_MORE) return INFLATE_MORE;
        gzip->at = found == WALK_PIECE ? IN_PIECES : IN_MEMBER;
    }
    return gzip->at == IN_PIECES ? pieces_inflate(gzip->pieces, flow, what)
                                 : inflate_gzip_member.inflate(gzip->member, flow, what);
}

static bool inflate_again(void *state)
{
    struct gzip *gzip = state;
    gzip->at = AT_MEMBER;
    return inflate_gzip_member.again(gzip->member) && pieces_again(gzip->pieces);
}

const struct inflater inflate_gzip = {
    .open = open_inflater,
    .inflate = inflate_any,
    .again = inflate_again,
    .close = close_inflater,
    .open_wide = open_wide,
    .look = PIECES_WINDOW,
};
