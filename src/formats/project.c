/* SPDX-License-Identifier: MIT */
/* project.c: decode to records, or to a projection. */
#include "base/array.h"
#include "formats/format.h"
#include "formats/text/text.h"
#include "model/batch_own.h"
#include "model/layout.h"
#include "model/names.h"
#include "views/stats.h"

static bool batch_is_unnamed(struct spoor_record *record)
{
    if (record->cpu == SPOOR_NAMES_FULL) return true;
    for (const uint8_t *offset = record_layouts[record->kind].names; *offset; offset++)
        if (*layout_name(record, *offset) == SPOOR_NAMES_FULL) return true;
    return false;
}

/* Adds a fault to every record that has SPOOR_NAMES_FULL for a name.  Faults are sorted by record:
 * the new ones are merged with the others from the end on. */
static void batch_fault_unnamed(struct spoor_batch *batch)
{
    static const char words[] = "a further name"; /* where the batch does not have the line */
    size_t unnamed = 0, old = batch->fault_count;
    for (size_t i = 0; i < batch->count; i++) unnamed += batch_is_unnamed(&batch->records[i]);
    if (unnamed == 0) return;
    if (!array_reserve(&batch->faults, &batch_own(batch)->fault_capacity, old + unnamed)) {
        batch->out_of_memory = true;
        return;
    }
    size_t at = batch->fault_count = old + unnamed;
    for (size_t i = batch->count; at > old && i-- > 0;) {
        if (!batch_is_unnamed(&batch->records[i])) continue;
        while (old && batch->faults[old - 1].record > i) batch->faults[--at] = batch->faults[--old];
        batch->records[i].has |= SPOOR_IS_FAULTY;
        struct spoor_ref found;
        if (!spoor_batch_find_spill(batch, i, SPOOR_SPILL_LINE, &found))
            found = spoor_batch_keep(batch, words, sizeof words - 1);
        batch->faults[--at] =
            (struct spoor_fault){.record = (uint32_t)i,
                                 .rule = "names",
                                 .expected = "only the first 65,534 different names of the trace",
                                 .found = found};
    }
}

/* Any format counts its records where they depend neither on earlier batches nor, several for a
 * line, on their lines. */
bool format_projects(const struct spoor_format *format, enum projection_kind kind)
{
    return format->projects >> kind & 1 ||
           (kind == PROJECT_STATS && !format->resolve && !format->multi_record);
}

void format_decode(const struct spoor_format *format, const struct decoder *decoder,
                   const struct projection *projection, struct spoor_batch *batch)
{
    const bool digests = projection && projection->kind == PROJECT_DIGEST;
    const bool projects = projection && !digests && format->projects >> projection->kind & 1;
    struct decoder own = *decoder;
    own.format = format;
    batch->projected = projection && !digests;
    if (projects)
        format->project(&own, projection, batch);
    else if (format->decode)
        format->decode(&own, batch);
    else
        text_decode(format->text, &own, batch, NULL);
    if (batch->projected && !projects) { /* there is no faster way than to count its records */
        struct stats *stats = stats_reserve(batch);
        if (stats) stats->flows = batch->stream->format->exceptions_are_stated;
        if (stats) stats_add(stats, batch, 0, batch->count, decoder->names, decoder->spellings);
    }
    if (!batch->projected && format->record_size == 0 && !format->multi_record)
        batch_line_up(batch);
    if (digests && !batch->out_of_memory) projection->digest(batch, decoder->names);
    if (batch->projected && names_are_full(decoder->names)) {
        /* beside a projection, records are made for the faults of names */
        batch->count = batch->spill_count = batch->fault_count = batch->arena_size = 0;
        format_decode(format, decoder, NULL, batch);
        batch->projected = true;
    } else if (names_are_full(decoder->names)) {
        batch_fault_unnamed(batch);
    }
    batch->out_of_memory |=
        names_out_of_memory(decoder->names) || names_out_of_memory(decoder->spellings);
}

/* ---- consumers of a few records at a time, and the one that counts them ---- */

void record_sink_empty(struct record_sink *sink, struct spoor_batch *batch)
{
    const size_t count = batch->count;
    projection_move_faults(batch, sink->faults, sink->records);
    sink->records += count;
    sink->faults = batch->fault_count;
}

void record_sink_end(const struct record_sink *sink, struct spoor_batch *batch)
{
    batch->count = sink->records;
}

bool stats_sink_begin(struct stats_sink *sink, const struct decoder *decoder,
                      struct spoor_batch *batch)
{
    *sink = (struct stats_sink){
        .sink = {.consume = stats_sink_consume, .stats = stats_reserve(batch)}, .decoder = decoder};
    return sink->sink.stats != NULL;
}

void stats_sink_consume(struct record_sink *sink, struct spoor_batch *batch)
{
    const struct stats_sink *counting = (const struct stats_sink *)sink;
    stats_add(sink->stats, batch, 0, batch->count, counting->decoder->names,
              counting->decoder->spellings);
    record_sink_empty(sink, batch);
}
