/* SPDX-License-Identifier: MIT */
/* append.h: joining many records of a trace: spoor_batch_append() with a memory. */
#ifndef SPOOR_MODEL_APPEND_H
#define SPOOR_MODEL_APPEND_H

#include "spoor/batch.h"

/* What the ids of one stream are in the tables of another, as far as they were met; zeroed: none.
 * Of use as long as the two streams are the same. */
struct name_maps {
    spoor_name names[1 << 16], spellings[1 << 16];
};

/* spoor_batch_append(), where `maps` may be NULL. */
enum spoor_status batch_append(struct spoor_batch *to, const struct spoor_batch *from, size_t index,
                               struct name_maps *maps, struct spoor_error *error);

#endif
