/* SPDX-License-Identifier: MIT */
/* time_unit.c: the unit of time of a record. */
#include "formats/format.h"

const char *spoor_record_unit(const struct spoor_batch *batch, const struct spoor_record *record)
{
    if (record->spelling == SPOOR_NO_NAME) return batch->stream->format->time_unit;
    size_t size;
    const char *unit = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    /* a spelling begins with its unit, NUL-padded: see SPELLING_UNIT_SIZE */
    return size >= SPELLING_UNIT_SIZE && !unit[SPELLING_UNIT_SIZE - 1] ? unit : "";
}
