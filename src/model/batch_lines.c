/* SPDX-License-Identifier: MIT */
/* batch_lines.c: finding the lines that records were decoded from. */
#include "model/batch_lines.h"

#include <stdlib.h>

#include "base/scan.h"
#include "model/batch_own.h"

void batch_line_up(struct spoor_batch *batch)
{
    struct batch_own *own = batch_own(batch);
    if (!own->lines) own->lines = malloc(sizeof *own->lines);
    if (own->lines)
        *own->lines = (struct line_place){0};
    else
        batch->out_of_memory = true;
}

const char *batch_source(const struct spoor_batch *batch, size_t record)
{
    struct line_place *place = batch_own_of(batch)->lines;
    const char *end = batch->text + batch->text_size;
    if (record == batch->count) return end;
    if (record < place->record) *place = (struct line_place){0};
    const char *at = scan_lines(batch->text + place->offset, end, record - place->record);
    *place = (struct line_place){record, (size_t)(at - batch->text)};
    return at;
}
