/* SPDX-License-Identifier: MIT */
/* time_unit.c: the unit of time of a record, and of a trace. */
#include "formats/time_unit.h"

#include <stdio.h>

#include "formats/format.h"

const char *spoor_record_unit(const struct spoor_batch *batch, const struct spoor_record *record)
{
    if (record->spelling == SPOOR_NO_NAME) return batch->stream->format->time_unit;
    size_t size;
    const char *unit = spoor_names_text(batch->stream->spellings, record->spelling, &size);
    /* a spelling begins with its unit, NUL-padded: see SPELLING_UNIT_SIZE */
    return size >= SPELLING_UNIT_SIZE && !unit[SPELLING_UNIT_SIZE - 1] ? unit : "";
}

void time_unit_find(char unit[TIME_UNIT_SIZE], const struct spoor_batch *batch)
{
    for (size_t i = 0; !unit[0] && i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        if (!(record->has & SPOOR_HAS_TIME)) continue;
        snprintf(unit, TIME_UNIT_SIZE, "%s", spoor_record_unit(batch, record));
        return;
    }
}
