/* SPDX-License-Identifier: MIT */
/* block_serial.h: inflate one block after another in the reading thread. */
#ifndef SPOOR_IO_BLOCK_SERIAL_H
#define SPOOR_IO_BLOCK_SERIAL_H

#include "io/blocks.h"

struct block_serial {
    const struct block_kind *kind;
    void *decoder; /* NULL: not needed yet */
    struct block block;
    bool inside;         /* a block has begun, and is not delivered completely */
    uint64_t used, made; /* bytes of the block, packed and unpacked */
    uint8_t *kept;       /* a window that holds output beyond the caller's capacity: */
    size_t kept_at, kept_end;
    enum inflate_result result; /* of the block, after the buffered output is delivered */
    const char *what;
};

/* False: memory ran out. */
bool block_serial_begin(struct block_serial *serial, const struct block *block);
/* INFLATE_END: the block has ended; serial->block describes it. */
enum inflate_result block_serial_inflate(struct block_serial *serial, struct flow *flow,
                                         const char **what);
void block_serial_close(struct block_serial *serial);

#endif
