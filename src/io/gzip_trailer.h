/* SPDX-License-Identifier: MIT */
/*
 * gzip_trailer.h: checksums of gzip members, computed outside the inflating thread.
 *
 * The checksum is a third of the cost of inflating gzip, and only one thread can inflate.  So the
 * trailer of a member, with its expected checksum, is passed with the chunk in which the member
 * ends, and the ordered stage computes the checksum.
 */
#ifndef SPOOR_IO_GZIP_TRAILER_H
#define SPOOR_IO_GZIP_TRAILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gzip_trailer {
    uint64_t end;       /* offset in the decompressed trace after the member */
    uint64_t place;     /* offset in the file after it */
    uint32_t sum, size; /* of its bytes: the checksum, and how many there are, modulo 2^32 */
    bool entered;       /* reading began inside the member: neither can be checked */
};

/* The message for a mismatch. */
#define GZIP_TRAILER_MISMATCH "the checksum or length of the member does not match"

/* In the order of the trace. */
struct gzip_trailers {
    struct gzip_trailer *items;
    size_t count, capacity;
};

/* False if memory runs out. */
bool gzip_trailers_add(struct gzip_trailers *trailers, const struct gzip_trailer *trailer);
/* Moves the trailers of members that end at `end` or before to the end of the other list; false if
 * memory runs out. */
bool gzip_trailers_move(struct gzip_trailers *from, struct gzip_trailers *to, uint64_t end);
void gzip_trailers_free(struct gzip_trailers *trailers);

#endif
