/* SPDX-License-Identifier: MIT */
/*
 * seal.h: checksums that are taken behind the back of who inflates.
 *
 * Of gzip, the checksum is a third of inflating, and only one thread can inflate.  So a member's
 * seal, what its bytes should sum up to, goes with the chunk in which the member ends, and whoever
 * takes the chunks in their order takes the sum.
 */
#ifndef SPOOR_IO_SEAL_H
#define SPOOR_IO_SEAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct seal {
    uint64_t end;       /* offset in the decompressed trace behind the member */
    uint64_t place;     /* offset in the file behind it */
    uint32_t sum, size; /* of its bytes: the checksum, and how many there are, modulo 2^32 */
};

/* What there is to say where one does not hold. */
#define SEAL_BROKEN "the checksum or length of the member does not match"

/* In the order of the trace. */
struct seals {
    struct seal *items;
    size_t count, room;
};

/* False without memory. */
bool seals_add(struct seals *seals, const struct seal *seal);
/* Move those of members that end at `end` or before to the others' end; false without memory. */
bool seals_move(struct seals *from, struct seals *to, uint64_t end);
void seals_free(struct seals *seals);

#endif
