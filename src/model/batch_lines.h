/* SPDX-License-Identifier: MIT */
/* batch_lines.h: the lines that the records of a batch were decoded from. */
#ifndef SPOOR_MODEL_BATCH_LINES_H
#define SPOOR_MODEL_BATCH_LINES_H

#include "spoor/batch.h"

/* The start of the line of the record found last. */
struct line_place {
    size_t record, offset;
};
/* State that record i was decoded from line i of the text, for all records of the batch; if memory
 * runs out, the batch states that instead. */
void batch_line_up(struct spoor_batch *batch);
/* For such a batch: the start of the line of a record; for `count`, the end of the text.  Fast for
 * records in order.  Not safe for several threads at a time, because it caches the last result. */
const char *batch_source(const struct spoor_batch *batch, size_t record);

#endif
