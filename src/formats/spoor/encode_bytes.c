/* SPDX-License-Identifier: MIT */
/* encode_bytes.c: the texts, spills and faults of records, which no model predicts. */
#include <string.h>

#include "base/sorted.h"
#include "formats/spoor/encode.h"

void encode_text(struct segment_encoder *encoder, const char *bytes, size_t size)
{
    text_varint(&encoder->columns[SEGMENT_TEXT_SIZES], size);
    text_put(&encoder->columns[SEGMENT_TEXT], bytes, size);
}

/* A spill: what it is, and whether it has the bytes of the last one of its sort. */
static void put_spill(struct segment_encoder *encoder, const struct spoor_batch *batch,
                      const struct spoor_spill *spill)
{
    struct text *column = &encoder->columns[SEGMENT_SPILLS];
    struct spoor_ref *last = &encoder->last_spills[spill->what];
    const char *bytes = spoor_batch_bytes(batch, spill->ref);
    const uint32_t size = spill->ref.size;
    const bool same = last->size == size && size > 0 && !encoder->spilled.failed &&
                      memcmp(encoder->spilled.bytes + last->at, bytes, size) == 0;
    text_varint(column, spill->what << 1 | same);
    if (same) return;
    text_varint(column, size);
    text_put(&encoder->columns[SEGMENT_SPILL_BYTES], bytes, size);
    if (spill->what == SPOOR_SPILL_LINE) return;
    *last = (struct spoor_ref){(uint32_t)encoder->spilled.size, size};
    text_put(&encoder->spilled, bytes, size);
}

void encode_spills(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index)
{
    const size_t first = SORTED_BELOW(batch->spills, batch->spill_count, record, index);
    size_t end = first;
    while (end < batch->spill_count && batch->spills[end].record == index) end++;
    text_varint(&encoder->columns[SEGMENT_SPILLS], end - first);
    for (size_t i = first; i < end; i++) put_spill(encoder, batch, &batch->spills[i]);
}

static void put_string(struct segment_encoder *encoder, const char *bytes, size_t size)
{
    text_varint(&encoder->columns[SEGMENT_FAULTS], size);
    text_put(&encoder->columns[SEGMENT_FAULT_BYTES], bytes, size);
}

void encode_faults(struct segment_encoder *encoder, const struct spoor_batch *batch, size_t index)
{
    const size_t first = SORTED_BELOW(batch->faults, batch->fault_count, record, index);
    size_t end = first;
    while (end < batch->fault_count && batch->faults[end].record == index) end++;
    struct text *column = &encoder->columns[SEGMENT_FAULTS];
    text_varint(column, end - first);
    for (size_t i = first; i < end; i++) {
        const struct spoor_fault *fault = &batch->faults[i];
        text_varint(column, fault->column);
        put_string(encoder, fault->rule, strlen(fault->rule));
        put_string(encoder, fault->expected, strlen(fault->expected));
        put_string(encoder, spoor_batch_bytes(batch, fault->found), fault->found.size);
    }
}
