/* SPDX-License-Identifier: MIT */
/* project.c: decode to records, or to a projection. */
#include "base/array.h"
#include "formats/format.h"
#include "formats/text/text.h"
#include "model/batch_own.h"
#include "model/layout.h"
#include "views/stats.h"

static bool is_unnamed(struct spoor_record *record)
{
    if (record->cpu == SPOOR_NAMES_FULL) return true;
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++)
        if (*layout_name(record, *offset) == SPOOR_NAMES_FULL) return true;
    return false;
}

/* The record's line, where the batch has it; else words. */
static struct spoor_ref found_in(struct spoor_batch *batch, size_t index)
{
    static const char words[] = "a further name";
    struct spoor_ref line;
    if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_LINE, &line)) return line;
    return spoor_batch_keep(batch, words, sizeof words - 1);
}

static struct spoor_fault fault_of(struct spoor_batch *batch, size_t index)
{
    return (struct spoor_fault){.record = (uint32_t)index,
                                .rule = "names",
                                .expected = "only the first 65,534 different names of the trace",
                                .found = found_in(batch, index)};
}

/* Adds a fault to every record that has SPOOR_NAMES_FULL for a name.  Faults are sorted by record:
 * the new ones are merged with the others from the end on. */
static void batch_fault_unnamed(struct spoor_batch *batch)
{
    size_t unnamed = 0, old = batch->fault_count;
    for (size_t i = 0; i < batch->count; i++) unnamed += is_unnamed(&batch->records[i]);
    if (unnamed == 0) return;
    if (!array_reserve(&batch->faults, &batch_own(batch)->fault_capacity, old + unnamed)) {
        batch->out_of_memory = true;
        return;
    }
    size_t at = batch->fault_count = old + unnamed;
    for (size_t i = batch->count; at > old && i-- > 0;) {
        if (!is_unnamed(&batch->records[i])) continue;
        while (old && batch->faults[old - 1].record > i) batch->faults[--at] = batch->faults[--old];
        batch->records[i].has |= SPOOR_IS_FAULTY;
        batch->faults[--at] = fault_of(batch, i);
    }
}

/* True if the content of a batch's records depends neither on earlier batches nor on their
 * lines. */
static bool stands_alone(const struct spoor_format *format)
{
    return !format->resolve && !format->multi_record;
}

bool format_projects(const struct spoor_format *format, enum projection_kind kind)
{
    return format->projects >> kind & 1 || (kind == PROJECT_STATS && stands_alone(format));
}

void format_decode_records(const struct spoor_format *format, const struct decoder *decoder,
                           struct spoor_batch *batch)
{
    struct decoder own = *decoder;
    own.format = format;
    if (format->decode)
        format->decode(&own, batch);
    else
        text_decode(format->text, &own, batch, NULL);
}

static void decode_projected(const struct spoor_format *format, const struct decoder *decoder,
                             const struct projection *projection, struct spoor_batch *batch)
{
    struct decoder own = *decoder;
    own.format = format;
    format->project(&own, projection, batch);
}

/* For a format without a faster way: count its records. */
static void count_records(const struct spoor_format *format, const struct decoder *decoder,
                          struct spoor_batch *batch)
{
    format_decode_records(format, decoder, batch);
    struct stats *stats = stats_reserve(batch);
    if (stats) stats->flows = batch->stream->format->exceptions_are_stated;
    if (stats) stats_add(stats, batch, 0, batch->count, decoder->names, decoder->spellings);
}

static void decode(const struct spoor_format *format, const struct decoder *decoder,
                   const struct projection *projection, struct spoor_batch *batch)
{
    const bool digests = projection && projection->kind == PROJECT_DIGEST;
    batch->projected = projection && !digests;
    if (!batch->projected)
        format_decode_records(format, decoder, batch);
    else if (format->projects >> projection->kind & 1)
        decode_projected(format, decoder, projection, batch);
    else
        count_records(format, decoder, batch);
    if (!batch->projected && format->record_size == 0 && !format->multi_record)
        batch_line_up(batch);
    if (digests && !batch->out_of_memory) projection->digest(batch, decoder->names);
}

/* Faults for the names that are not in the full table.  Beside a projection, records are made for
 * them. */
static void find_unnamed(const struct spoor_format *format, const struct decoder *decoder,
                         struct spoor_batch *batch)
{
    if (batch->projected) {
        batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
        format_decode_records(format, decoder, batch);
    }
    batch_fault_unnamed(batch);
}

void format_decode(const struct spoor_format *format, const struct decoder *decoder,
                   const struct projection *projection, struct spoor_batch *batch)
{
    decode(format, decoder, projection, batch);
    if (spoor_names_are_full(decoder->names)) find_unnamed(format, decoder, batch);
    batch->out_of_memory |=
        spoor_names_out_of_memory(decoder->names) || spoor_names_out_of_memory(decoder->spellings);
}
