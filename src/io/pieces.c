/* SPDX-License-Identifier: MIT */
/* pieces.c: who inflates the next piece: a crew, or the caller. */
#include "io/pieces.h"

#include <stdlib.h>

#include "io/alone.h"
#include "io/crew.h"

struct pieces {
    const struct piece_kind *kind;
    void *walker;
    unsigned threads;
    struct alone alone;
    struct crew *crew; /* NULL: none at work */
};

void *pieces_open(const struct piece_kind *kind, unsigned threads)
{
    struct pieces *pieces = calloc(1, sizeof *pieces);
    if (!pieces) return NULL;
    pieces->kind = pieces->alone.kind = kind;
    pieces->threads = threads;
    if (!kind->walker_open) return pieces;
    pieces->walker = kind->walker_open();
    if (pieces->walker) return pieces;
    free(pieces);
    return NULL;
}

bool pieces_again(void *state)
{
    struct pieces *pieces = state;
    return !pieces->kind->walker_again || pieces->kind->walker_again(pieces->walker);
}

void pieces_close(void *state)
{
    struct pieces *pieces = state;
    crew_close(pieces->crew);
    alone_close(&pieces->alone);
    if (pieces->walker) pieces->kind->walker_close(pieces->walker);
    free(pieces);
}

/* Where the caller has to inflate, the crew's memory is free for that. */
static bool begin_alone(struct pieces *pieces, const struct piece *piece)
{
    crew_close(pieces->crew);
    pieces->crew = NULL;
    return alone_begin(&pieces->alone, piece);
}

/* Let the crew have the piece. */
static bool begin_in_crew(struct pieces *pieces, const struct piece *piece)
{
    if (pieces->threads < 2 || piece->packed == 0 || piece->memory > CREW_DECODERS_MOST)
        return false;
    if (!pieces->crew) pieces->crew = crew_open(pieces->kind, pieces->threads);
    return pieces->crew && crew_begin(pieces->crew, piece);
}

static bool is_busy(const struct pieces *pieces)
{
    return pieces->crew && crew_is_busy(pieces->crew);
}

/* What stands here, where it can be asked; a piece begins with the crew, or waits to be the only
 * one and begins alone. */
static enum walk walk(struct pieces *pieces, struct flow *flow, const char **what)
{
    struct piece piece;
    if (pieces->crew && !crew_can_begin(pieces->crew)) return WALK_LATER;
    const bool busy = is_busy(pieces);
    enum walk found = pieces->kind->walk(pieces->walker, flow, !busy, &piece, what);
    if (found != WALK_PIECE || begin_in_crew(pieces, &piece)) return found;
    if (busy) return WALK_LATER;
    return begin_alone(pieces, &piece) ? WALK_PIECE : WALK_MEMORY;
}

/* Between pieces, none of which is being inflated. */
static enum inflate_result conclude(enum walk found)
{
    switch (found) {
    case WALK_END: return INFLATE_END;
    case WALK_DAMAGE: return INFLATE_DAMAGE;
    case WALK_MEMORY: return INFLATE_MEMORY;
    default: return INFLATE_MORE;
    }
}

/* A piece has ended. */
static enum inflate_result note(struct pieces *pieces, const struct piece *piece, const char **what)
{
    if (!pieces->kind->walker_note) return INFLATE_END;
    return pieces->kind->walker_note(pieces->walker, piece, what);
}

/* Give what the crew has made.  INFLATE_END: the oldest piece has ended, and was dropped. */
static enum inflate_result give(struct pieces *pieces, struct flow *flow, const char **what)
{
    struct piece piece;
    enum inflate_result result = crew_give(pieces->crew, flow, &piece, what);
    if (result != INFLATE_END) return result;
    result = note(pieces, &piece, what);
    crew_drop(pieces->crew);
    return result;
}

/* With the crew at work: INFLATE_END: there may be more to do at once. */
static enum inflate_result inflate_together(struct pieces *pieces, struct flow *flow, bool wants,
                                            const char **what)
{
    const enum inflate_result result = give(pieces, flow, what);
    if (result != INFLATE_MORE || flow->out_left == 0) return result;
    if (wants && flow->input == INPUT_MORE) return INFLATE_MORE;
    return crew_wait(pieces->crew, flow->in_left > 0) ? INFLATE_END : INFLATE_MORE;
}

static enum inflate_result inflate_alone(struct pieces *pieces, struct flow *flow,
                                         const char **what)
{
    const enum inflate_result result = alone_inflate(&pieces->alone, flow, what);
    if (result != INFLATE_END) return result;
    return note(pieces, &pieces->alone.piece, what);
}

enum inflate_result pieces_inflate(void *state, struct flow *flow, const char **what)
{
    struct pieces *pieces = state;
    enum inflate_result result;
    do {
        flow->ahead = 0;
        if (pieces->alone.inside) {
            result = inflate_alone(pieces, flow, what);
            continue;
        }
        const bool wants = is_busy(pieces) && crew_take(pieces->crew, flow);
        const enum walk found = walk(pieces, flow, what);
        if (found == WALK_PIECE)
            result = INFLATE_END;
        else if (is_busy(pieces))
            result = inflate_together(pieces, flow, wants || found == WALK_MORE, what);
        else
            return conclude(found);
    } while (result == INFLATE_END);
    return result;
}
