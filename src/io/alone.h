/* SPDX-License-Identifier: MIT */
/* alone.h: one piece after the other, inflated by who reads them. */
#ifndef SPOOR_IO_ALONE_H
#define SPOOR_IO_ALONE_H

#include "io/pieces.h"

struct alone {
    const struct piece_kind *kind;
    void *decoder; /* NULL: not needed so far */
    struct piece piece;
    bool inside;         /* a piece has begun, and not everything has been given */
    uint64_t used, made; /* bytes of the piece, packed and unpacked */
    uint8_t *kept;       /* a window; what a caller had no room for lies in it: */
    size_t kept_at, kept_end;
    enum inflate_result result; /* of the piece, once everything kept has been given */
    const char *what;
};

/* False: memory ran out. */
bool alone_begin(struct alone *alone, const struct piece *piece);
/* INFLATE_END: the piece has ended; alone->piece says how. */
enum inflate_result alone_inflate(struct alone *alone, struct flow *flow, const char **what);
void alone_close(struct alone *alone);

#endif
