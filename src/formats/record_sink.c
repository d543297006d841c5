/* SPDX-License-Identifier: MIT */
/* record_sink.c: consumers of a few records at a time, and the one that counts them. */
#include "formats/format.h"
#include "views/stats.h"

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
