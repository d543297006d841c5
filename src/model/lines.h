/* SPDX-License-Identifier: MIT */
/* lines.h: the lines that the records of a batch were decoded from. */
#ifndef SPOOR_MODEL_LINES_H
#define SPOOR_MODEL_LINES_H

#include "spoor/batch.h"

/* Where the line of some record begins: what was found last. */
struct line_place {
    size_t record, offset;
};
/* Say that record i was decoded from line i of the text, for all records of the batch; without
 * memory, nothing is said. */
void batch_line_up(struct spoor_batch *batch);
/* In a batch of which that was said: where the line of a record begins, which for `count` is where
 * the text ends.  Fast where records are asked for in order; not by several threads at a time, as
 * what was found is kept. */
const char *batch_source(const struct spoor_batch *batch, size_t record);

#endif
