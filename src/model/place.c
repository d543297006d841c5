/* SPDX-License-Identifier: MIT */
/* place.c: the position of a record in its trace. */
#include <stdlib.h>

#include "base/array.h"
#include "model/batch_own.h"
#include "spoor/batch.h"

size_t spoor_batch_number(struct spoor_batch *batch)
{
    if (!array_reserve(&batch->places, &batch_own(batch)->place_capacity, batch->count)) {
        batch->out_of_memory = true;
        return batch->count;
    }
    uint32_t place = 0;
    for (size_t i = 0; i < batch->count; i++) {
        place += i > 0 && !(batch->records[i].has & SPOOR_CONTINUES);
        batch->places[i] = place;
    }
    batch->place_count = batch->count;
    return batch->count ? (size_t)place + 1 : 0;
}

uint64_t spoor_batch_line(const struct spoor_batch *batch, size_t index)
{
    return batch->line ? batch->line + spoor_batch_place(batch, index) : 0;
}

/* Of records of various lengths. */
static size_t model_place_offset_of(const struct spoor_batch *batch, size_t place)
{
    size_t at = 0;
    for (; place > 0 && at < batch->text_size; place--) {
        const size_t length = batch->stream->length(batch->text + at, batch->text_size - at);
        at += length ? length : batch->text_size - at;
    }
    return at;
}

uint64_t spoor_batch_offset(const struct spoor_batch *batch, size_t index)
{
    const size_t size = batch->stream->record_size;
    const size_t header = batch->offset ? 0 : batch->stream->header_size;
    const size_t place = spoor_batch_place(batch, index);
    if (batch->stream->length) return batch->offset + model_place_offset_of(batch, place);
    if (!size || (header && !place)) return size ? batch->offset : 0;
    return batch->offset + header + (place - (header != 0)) * size;
}

bool spoor_batch_is_header(const struct spoor_batch *batch, size_t index)
{
    const struct spoor_record *record = &batch->records[index];
    return index == 0 && batch->offset == 0 && record->kind == SPOOR_NOTE &&
           record->op == SPOOR_NOTE_HEADER && batch->stream->header_size > 0;
}
