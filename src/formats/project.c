/* SPDX-License-Identifier: MIT */
/* project.c: decode to records, or to a projection. */
#include "formats/format.h"
#include "formats/text/text.h"
#include "model/batch_lines.h"
#include "model/unnamed.h"
#include "views/stats.h"

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
