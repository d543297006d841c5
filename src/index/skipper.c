/* SPDX-License-Identifier: MIT */
/* skipper.c: decides which segments are excluded, and jumps over them. */
#include "index/index.h"

#include <stdlib.h>

#include "io/reader.h"
#include "model/error.h"
#include "model/names.h"
#include "model/options.h"

/* Nothing after the last record of a range is read. */
static bool skipper_is_wanted(const struct skipper *skipper, size_t segment)
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
    for (size_t i = 0; i < skipper->index->count; i++) wanted += skipper_is_wanted(skipper, i);
    return wanted;
}

/* True if so many segments from there on are wanted that threads decode them faster. */
static bool skipper_begins_run(const struct skipper *skipper, size_t segment)
{
    if (skipper->index->count - segment < SKIPPER_RUN) return false;
    for (size_t i = 0; i < SKIPPER_RUN; i++)
        if (!skipper_is_wanted(skipper, segment + i)) return false;
    return true;
}

enum spoor_status skipper_ahead(struct skipper *skipper, struct spoor_reader *reader,
                                struct spoor_error *error)
{
    const struct index *index = skipper->index;
    struct reader_place here;
    size_t next = skipper->segment;
    reader_where(reader, &here, NULL);
    if (next >= index->count || here.record != index->segments[next].place.record) return SPOOR_OK;
    while (next < index->count && !skipper_is_wanted(skipper, next)) next++;
    if (next == index->count) return SPOOR_END;
    const bool few = next == 0 && index->count > SKIPPER_RUN && !skipper_begins_run(skipper, 0);
    const bool jumps = next > skipper->segment;
    skipper->passed |= jumps;
    skipper->segment = next + 1;
    if (!jumps && !few) return SPOOR_OK;
    struct reader_place place = index->segments[next].place;
    size_t size;
    const char *cpu = spoor_names_text(index->names, place.carry.cpu, &size);
    place.carry.cpu = spoor_names_intern(reader->stream.names, cpu, size);
    if (names_out_of_memory(reader->stream.names))
        return error_no_memory_while(error, reader->path, "reading");
    return reader_jump(reader, &place, &index->checkpoints, skipper_begins_run(skipper, next),
                       error);
}

/* ---- the public interface ---- */

struct spoor_skipper {
    struct spoor_reader *reader;
    struct skipper skipper; /* index NULL: the reader is where it begins */
};

/* Begins a range of records where the file's own table says that it lies; SPOOR_END: it has none,
 * or another condition needs an index. */
static enum spoor_status skipper_jump_by_table(struct spoor_reader *reader,
                                               const struct index_selection *selection,
                                               struct spoor_error *error)
{
    enum { FEW_RECORDS = SKIPPER_RUN << 16 };
    const struct spoor_span *records = &selection->records;
    struct reader_place place;
    if (!records->given || selection->time.given || selection->cpu || selection->where ||
        !reader_locate(reader, records->first, &place))
        return SPOOR_END;
    reader_limit(reader, 0, READER_ISA_RECORDS - 1);
    reader_decide_isa(reader);
    reader_limit(reader, records->first, records->last);
    return reader_jump(reader, &place, NULL, records->last - place.record > FEW_RECORDS, error);
}

enum spoor_status spoor_skipper_open(struct spoor_skipper **skipper, struct spoor_reader *reader,
                                     const struct spoor_index *index,
                                     const struct spoor_skipper_options *options,
                                     struct spoor_error *error)
{
    const struct index *seen = index ? index_seen(index) : NULL;
    struct spoor_skipper_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    const struct index_selection selection = {own.records, own.time, own.cpu, own.where};
    if (!seen)
        status = skipper_jump_by_table(reader, &selection, error);
    else if (!index_is_skippable(seen) || seen->format != reader->stream.format)
        status = SPOOR_END;
    if (status != SPOOR_OK) return status;
    *skipper = calloc(1, sizeof **skipper);
    if (!*skipper) return memory_status(false, error);
    if (seen) {
        reader->stream.isa = (enum spoor_isa)seen->machine.isa;
        reader->stream.isa_decided = true;
    }
    (*skipper)->reader = reader;
    (*skipper)->skipper =
        (struct skipper){.index = seen, .selection = selection, .with_faults = true};
    return SPOOR_OK;
}

void spoor_skipper_close(struct spoor_skipper *skipper)
{
    free(skipper);
}

enum spoor_status spoor_skipper_skip(struct spoor_skipper *skipper, struct spoor_error *error)
{
    if (!skipper->skipper.index) return SPOOR_OK;
    return skipper_ahead(&skipper->skipper, skipper->reader, error);
}

bool spoor_skipper_passed(struct spoor_skipper *skipper, const char **cpu, bool *timed)
{
    struct skipper *own = &skipper->skipper;
    const struct index *index = own->index;
    if (!own->passed) return false;
    const size_t segment = own->segment - 1; /* that begins now */
    uint64_t named = 0;
    *timed = false;
    for (size_t i = 0; i < segment; i++) {
        named |= index->segments[i].cpus;
        *timed |= index->segments[i].flags & SEGMENT_TIMED;
    }
    *cpu = named ? machine_cpu_name(&index->machine, index->segments[segment].cpu) : NULL;
    own->passed = false;
    return true;
}
