/* SPDX-License-Identifier: MIT */
/*
 * crew.h: several pieces inflated at the same time, each by a thread of its own.
 *
 * The reader takes the packed bytes of one piece after the other into windows; a thread each makes
 * windows of what is in them, and the reader gives these out, those of the oldest piece first.  The
 * thread of the oldest goes on as long as what it makes is taken; those of younger pieces keep what
 * they make, and wait for theirs to be the oldest once there is too much of it.  Thus memory is
 * bounded whatever a piece says of its size, and no piece need be held whole.
 *
 * All functions are for the reader alone.
 */
#ifndef SPOOR_IO_CREW_H
#define SPOOR_IO_CREW_H

#include "io/pieces.h"

enum {
    CREW_MEMORY_MOST = 44 << 20,   /* bytes of all decoders and windows together */
    CREW_PACKED_MOST = 8 << 20,    /* of windows of packed bytes among them */
    CREW_DECODERS_MOST = 26 << 20, /* of decoders: the most that one piece may need */
};

struct crew;

/* NULL without memory. */
struct crew *crew_open(const struct piece_kind *kind, unsigned threads);
void crew_close(struct crew *crew);

/* Whether there are pieces that have not been dropped. */
bool crew_is_busy(const struct crew *crew);
/* Whether the next piece can begin: all of the last one was taken, and there is room. */
bool crew_can_begin(const struct crew *crew);
/* False: there is no thread to be had, not even one. */
bool crew_begin(struct crew *crew, const struct piece *piece);
/* Take bytes of the piece that has begun, as many as there is room for; with INPUT_ALL, they are
 * its last ones.  Whether it wants more than there were. */
bool crew_take(struct crew *crew, struct flow *flow);
/* Give what was made of the oldest piece.  INFLATE_MORE: there may be more of it; or how it ended,
 * once all of it has been given: then *piece describes it. */
enum inflate_result crew_give(struct crew *crew, struct flow *flow, struct piece *piece,
                              const char **what);
/* Be done with the oldest, which has ended. */
void crew_drop(struct crew *crew);
/* Wait until there is something to give or to drop or, with input, room to take it.  False: the
 * oldest piece cannot go on without more input. */
bool crew_wait(struct crew *crew, bool has_input);

#endif
