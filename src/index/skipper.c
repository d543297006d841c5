/* SPDX-License-Identifier: MIT */
/* skipper.c: decides which segments are excluded, and jumps over them. */
#include "index/skipper.h"

#include "io/reader.h"

/* Nothing after the last record of a range is read. */
static bool is_wanted(const struct skipper *skipper, size_t segment)
{
    const struct spoor_span *records = &skipper->selection.records;
    const struct segment *it = &skipper->index->segments[segment];
    if (records->given && it->place.record > records->last) return false;
    return (skipper->with_faults && (it->flags & SEGMENT_FAULTS)) ||
           index_selects(skipper->index, segment, &skipper->selection);
}

size_t skipper_count_wanted(const struct skipper *skipper)
{
    size_t wanted = 0;
    for (size_t i = 0; i < skipper->index->count; i++) wanted += is_wanted(skipper, i);
    return wanted;
}

/* True if so many segments from there on are wanted that threads decode them faster. */
static bool begins_run(const struct skipper *skipper, size_t segment)
{
    if (skipper->index->count - segment < SKIPPER_RUN) return false;
    for (size_t i = 0; i < SKIPPER_RUN; i++)
        if (!is_wanted(skipper, segment + i)) return false;
    return true;
}

static enum spoor_status jump(const struct skipper *skipper, struct spoor_reader *reader,
                              size_t segment, struct spoor_error *error)
{
    const struct index *index = skipper->index;
    struct reader_place place = index->segments[segment].place;
    size_t size;
    const char *cpu = spoor_names_text(index->names, place.carry.cpu, &size);
    place.carry.cpu = spoor_names_intern(reader->stream.names, cpu, size);
    if (spoor_names_out_of_memory(reader->stream.names))
        return reader_out_of_memory(reader->path, error);
    return reader_jump(reader, &place, &index->checkpoints, begins_run(skipper, segment), error);
}

enum spoor_status skipper_ahead(struct skipper *skipper, struct spoor_reader *reader,
                                struct spoor_error *error)
{
    const struct index *index = skipper->index;
    struct reader_place here;
    size_t next = skipper->segment;
    reader_where(reader, &here);
    if (next >= index->count || here.record != index->segments[next].place.record) return SPOOR_OK;
    while (next < index->count && !is_wanted(skipper, next)) next++;
    if (next == index->count) return SPOOR_END;
    const bool few = next == 0 && index->count > SKIPPER_RUN && !begins_run(skipper, 0);
    const bool jumps = next > skipper->segment;
    skipper->passed |= jumps;
    skipper->segment = next + 1;
    return jumps || few ? jump(skipper, reader, next, error) : SPOOR_OK;
}
