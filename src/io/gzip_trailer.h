/* SPDX-License-Identifier: MIT */
/*
 * gzip_trailer.h: checksums that are taken behind the back of who inflates.
 *
 * Of gzip, the checksum is a third of inflating, and only one thread can inflate.  So a member's
 * trailer, what its bytes should sum up to, goes with the chunk in which the member ends, and
 * whoever takes the chunks in their order takes the sum.
 */
#ifndef SPOOR_IO_GZIP_TRAILER_H
#define SPOOR_IO_GZIP_TRAILER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct gzip_trailer {
    uint64_t end;       /* offset in the decompressed trace behind the member */
    uint64_t place;     /* offset in the file behind it */
    uint32_t sum, size; /* of its bytes: the checksum, and how many there are, modulo 2^32 */
    bool entered;       /* reading began inside the member: neither can be checked */
};

/* What there is to say where one does not hold. */
#define GZIP_TRAILER_MISMATCH "the checksum or length of the member does not match"

/* In the order of the trace. */
struct gzip_trailers {
    struct gzip_trailer *items;
    size_t count, room;
};

/* False without memory. */
bool gzip_trailers_add(struct gzip_trailers *trailers, const struct gzip_trailer *trailer);
/* Move those of members that end at `end` or before to the others' end; false without memory. */
bool gzip_trailers_move(struct gzip_trailers *from, struct gzip_trailers *to, uint64_t end);
void gzip_trailers_free(struct gzip_trailers *trailers);

#endif
