/* SPDX-License-Identifier: MIT */
/* block_serial.h: one block after the other, inflated by who reads them. */
#ifndef SPOOR_IO_BLOCK_SERIAL_H
#define SPOOR_IO_BLOCK_SERIAL_H

#include "io/blocks.h"

struct block_serial {
    const struct block_kind *kind;
    void *decoder; /* NULL: not needed so far */
    struct block block;
    bool inside;         /* a block has begun, and not everything has been given */
    uint64_t used, made; /* bytes of the block, packed and unpacked */
    uint8_t *kept;       /* a window; what a caller had no room for lies in it: */
    size_t kept_at, kept_end;
    enum inflate_result result; /* of the block, once everything kept has been given */
    const char *what;
};

/* False: memory ran out. */
bool block_serial_begin(struct block_serial *serial, const struct block *block);
/* INFLATE_END: the block has ended; serial->block says how. */
enum inflate_result block_serial_inflate(struct block_serial *serial, struct flow *flow,
                                         const char **what);
void block_serial_close(struct block_serial *serial);

#endif
