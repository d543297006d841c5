/* SPDX-License-Identifier: MIT */
/* alone.c: inflating in the caller's thread, a window at a time. */
#include "io/alone.h"

#include <stdlib.h>

bool alone_begin(struct alone *alone, const struct piece *piece)
{
    if (!alone->decoder) alone->decoder = alone->kind->open();
    if (!alone->kept) alone->kept = malloc(PIECES_WINDOW);
    alone->piece = *piece;
    alone->used = alone->made = 0;
    alone->kept_at = alone->kept_end = 0;
    alone->result = INFLATE_MORE;
    alone->inside =
        alone->decoder && alone->kept && alone->kind->begin(alone->decoder, &alone->piece);
    return alone->inside;
}

void alone_close(struct alone *alone)
{
    if (alone->decoder) alone->kind->close(alone->decoder);
    free(alone->kept);
    alone->decoder = NULL;
    alone->kept = NULL;
}

static size_t least(uint64_t a, uint64_t b)
{
    return (size_t)(a < b ? a : b);
}

/* What was kept comes first. */
static void give_kept(struct alone *alone, struct flow *flow)
{
    const size_t size = least(alone->kept_end - alone->kept_at, flow->out_left);
    if (size == 0) return;
    memcpy(flow->out, alone->kept + alone->kept_at, size);
    alone->kept_at += size;
    flow->out += size;
    flow->out_left -= size;
}

/* How much of the input the decoder is to see; false: its window is not there yet. */
static bool cut_window(const struct alone *alone, const struct flow *flow, size_t *size)
{
    uint64_t most = PIECES_WINDOW - alone->used % PIECES_WINDOW;
    if (alone->piece.packed) most = least(most, alone->piece.packed - alone->used);
    *size = least(flow->in_left, most);
    return *size == most || flow->input == INPUT_ALL;
}

/* One call of the decoder: straight to where the caller wants it if there is room for the window.
 * False: nothing came of it. */
static bool inflate_window(struct alone *alone, struct flow *flow, size_t in)
{
    const size_t room = PIECES_WINDOW - (size_t)(alone->made % PIECES_WINDOW);
    const bool keeps = flow->out_left < room;
    uint8_t *to = keeps ? alone->kept + (PIECES_WINDOW - room) : flow->out;
    struct flow part = {.in = flow->in, .in_left = in, .out = to, .out_left = room};
    alone->result = alone->kind->inflate(alone->decoder, &part, &alone->what);
    const size_t used = in - part.in_left, made = room - part.out_left;
    flow->in += used;
    flow->in_left -= used;
    alone->used += used;
    alone->made += made;
    if (keeps) {
        alone->kept_at = PIECES_WINDOW - room;
        alone->kept_end = alone->kept_at + made;
        give_kept(alone, flow);
    } else {
        flow->out += made;
        flow->out_left -= made;
    }
    const bool moved = used || made;
    alone->result = piece_judge(&alone->piece, alone->used, moved, alone->result, &alone->what);
    return moved;
}

enum inflate_result alone_inflate(struct alone *alone, struct flow *flow, const char **what)
{
    give_kept(alone, flow);
    while (alone->result == INFLATE_MORE && flow->out_left) {
        size_t in;
        if (!cut_window(alone, flow, &in) || !inflate_window(alone, flow, in)) break;
    }
    if (alone->kept_at < alone->kept_end || alone->result == INFLATE_MORE) return INFLATE_MORE;
    *what = alone->what;
    alone->inside = alone->result != INFLATE_END;
    return alone->result;
}
