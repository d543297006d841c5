/* SPDX-License-Identifier: MIT */
/* byu_project.c: shared by the projections of all BYU formats. */
#include "formats/byu/byu_project.h"

struct byu_type_references byu_type_references(const struct projection *projection)
{
    struct byu_type_references types;
    for (int type = 0; type < 256; type++) types.ops[type] = projection->bus.ops[byu_type_op[type]];
    return types;
}

size_t byu_project_end(struct spoor_batch *batch, size_t count)
{
    const size_t faults = batch->fault_count, record = batch->stream->format->record_size;
    trailing_bytes(batch, (uint32_t)record);
    const size_t notes = batch->count;
    projection_move_faults(batch, faults, count);
    batch->count = count + notes;
    return notes ? batch->text_size % record : 0;
}

struct stats *byu_stats_begin(struct spoor_batch *batch, size_t count)
{
    struct stats *stats = stats_reserve(batch);
    if (!stats || count == 0) return stats;
    stats->kinds = 1u << SPOOR_BUS;
    stats->names = 1;
    stats->spelled[SPOOR_NO_NAME] = count;
    stats->time.relative = true;
    return stats;
}

void byu_stats_end(struct stats *stats, struct spoor_batch *batch, size_t count)
{
    stats->trailing_bytes = byu_project_end(batch, count);
    stats->timed[0] = stats->time.any;
    if (stats->trailing_bytes == 0) return;
    stats->kinds |= 1u << SPOOR_NOTE;
    stats->names = 1;
    stats->ops[SPOOR_NOTE][SPOOR_NOTE_TRAILING]++;
    stats->spelled[SPOOR_NO_NAME]++;
}
