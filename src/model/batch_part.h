/* SPDX-License-Identifier: MIT */
/* batch_part.h: some of the records of a batch as a batch of their own, which shares its bytes. */
#ifndef SPOOR_MODEL_BATCH_PART_H
#define SPOOR_MODEL_BATCH_PART_H

#include "spoor/batch.h"

/* Makes `part` the records `from` to `to` - 1 of the batch, with their spills and faults but
 * without their lines.  `part` is zeroed before its first use, and its memory is used again.  It
 * lives as long as the batch.  False if memory runs out. */
bool batch_part(struct spoor_batch *part, const struct spoor_batch *batch, size_t from, size_t to);
/* Releases what batch_part() allocated. */
void batch_part_free(struct spoor_batch *part);

#endif
