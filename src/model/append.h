/* SPDX-License-Identifier: MIT */
/* append.h: append many records of a trace: spoor_batch_append() with a cache of translated ids. */
#ifndef SPOOR_MODEL_APPEND_H
#define SPOOR_MODEL_APPEND_H

#include "spoor/batch.h"

/* The ids of one stream in the tables of another, for the names that occurred so far; zeroed: none.
 * Valid only for one pair of streams. */
struct name_maps {
    spoor_name names[1 << 16], spellings[1 << 16];
};

/* As spoor_batch_append(); `maps` may be NULL. */
enum spoor_status batch_append(struct spoor_batch *to, const struct spoor_batch *from, size_t index,
                               struct name_maps *maps, struct spoor_error *error);

#endif
