/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/parity.h: parity of blocks that many segments need.
 *
 * A block of type PARI guards the block before it.  Its parity is the sum (exclusive or) of all
 * slices of the guarded bytes.  A slice is 1/32 of them; so damage in one place, up to half a
 * slice, can be undone: the checksum shows which slice it is in.
 */
#ifndef SPOOR_FORMATS_SPOOR_PARITY_H
#define SPOOR_FORMATS_SPOOR_PARITY_H

#include "formats/spoor/block.h"

enum {
    PARITY_SLICES = 32,
    PARITY_SMALLEST = 16, /* bytes of a slice */
    PARITY_HEAD_SIZE = 16 /* of the payload: checksum and number of the guarded bytes */
};

/* Appends the block that guards these bytes, a whole block. */
void parity_put(struct text *out, const char *bytes, size_t size);
/* The size of the block that guards a block with such a payload. */
size_t parity_size(size_t payload);
/* The number of bytes that a payload guards; 0: it is no such payload. */
size_t parity_guards(const char *payload, size_t size);
/* Repairs the guarded bytes in place; false: they cannot be repaired, and are as they were. */
bool parity_repair(char *bytes, const char *payload, size_t payload_size);

/* ---- reading blocks one after another ---- */

/* A part of a file: a block, or bytes that are none. */
struct block_part {
    struct block block;  /* type 0: bytes that are no block */
    const char *payload; /* in the file's bytes, or in `repaired` */
    size_t at, size;     /* of all its bytes */
    bool intact;
    char *repaired; /* owned; NULL: it was not repaired */
};

/* Reads the part that begins at `at`; false at the end.  Free part->repaired afterwards. */
bool block_next(const char *bytes, size_t size, size_t at, struct block_part *part);

#endif
