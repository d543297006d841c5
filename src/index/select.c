/* SPDX-License-Identifier: MIT */
/* select.c: which segments may have a record that a selection accepts. */
#include <string.h>

#include "index/internal.h"
#include "model/cpu_name.h"
#include "model/options.h"
#include "query/select_test.h"

struct one_segment {
    const struct index *index;
    size_t segment;
};

static bool index_select_overlaps(uint64_t first, uint64_t last, uint64_t minimum, uint64_t maximum)
{
    return first <= maximum && last >= minimum;
}

static bool index_select_touches(const struct one_segment *one, enum index_set set,
                                 enum index_set other, uint64_t first, uint64_t last)
{
    return index_touches(one->index, one->segment, set, first, last) ||
           index_touches(one->index, one->segment, other, first, last);
}

/* True if a record that accesses no memory may have the address. */
static bool index_select_touches_otherwise(const struct one_segment *one, uint32_t kinds,
                                           enum index_set set, uint64_t first, uint64_t last)
{
    const struct segment *segment = &one->index->segments[one->segment];
    if (segment->flags & SEGMENT_ADDRESSES) return true;
    if (segment->flags & SEGMENT_OTHERS)
        return index_touches(one->index, one->segment, set, first, last);
    return segment->kinds & kinds;
}

static bool index_select_has_number(void *context, enum spoor_field field, uint64_t first,
                                    uint64_t last)
{
    const struct one_segment *one = context;
    const struct segment *segment = &one->index->segments[one->segment];
    const bool is_last = one->segment + 1 == one->index->count;
    switch (field) {
    case SPOOR_FIELD_TIME:
        return (segment->flags & SEGMENT_TIMED) &&
               index_select_overlaps(first, last, segment->time_minimum, segment->time_maximum);
    case SPOOR_FIELD_RECORD:
        return index_select_overlaps(first, last, segment->place.record,
                                     segment->place.record + segment->records - 1);
    case SPOOR_FIELD_LINE:
        /* A line may be in two segments, and the last segment ends with the trace. */
        return index_select_overlaps(first, last, segment->place.line,
                                     is_last ? UINT64_MAX : segment[1].place.line);
    case SPOOR_FIELD_PC: return index_touches(one->index, one->segment, SET_EXECUTED, first, last);
    case SPOOR_FIELD_ADDRESS:
        return ((segment->kinds & 1U << SPOOR_UOP) && first == 0) ||
               index_select_touches(one, SET_READ, SET_WRITTEN, first, last) ||
               index_select_touches_otherwise(one, OTHER_VIRTUAL, SET_OTHER, first, last);
    case SPOOR_FIELD_PA:
        return index_select_touches(one, SET_READ_PHYSICAL, SET_WRITTEN_PHYSICAL, first, last) ||
               index_select_touches_otherwise(one, OTHER_PHYSICAL, SET_OTHER_PHYSICAL, first, last);
    default: return true;
    }
}

static bool index_select_lists(void *context, enum spoor_field field)
{
    const struct one_segment *one = context;
    const struct segment *segment = &one->index->segments[one->segment];
    return field == SPOOR_FIELD_CPU && !(segment->flags & SEGMENT_AGENTS) && !(segment->cpus >> 63);
}

static bool index_select_text(void *context, enum spoor_field field, size_t number,
                              struct spoor_slice *text)
{
    const struct one_segment *one = context;
    uint64_t cpus = one->index->segments[one->segment].cpus;
    (void)field;
    for (; number > 0 && cpus; number--) cpus &= cpus - 1;
    if (!cpus) return false;
    text->bytes = machine_cpu_name(&one->index->machine, (unsigned)__builtin_ctzll(cpus));
    text->size = strlen(text->bytes);
    return true;
}

bool index_selects(const struct index *index, size_t number,
                   const struct index_selection *selection)
{
    const struct segment *segment = &index->segments[number];
    const struct select_bounds bounds = {.kinds = segment->kinds,
                                         .context = &(struct one_segment){index, number},
                                         .has_number = index_select_has_number,
                                         .lists = index_select_lists,
                                         .text = index_select_text};
    const uint64_t first = segment->place.record, end = first + segment->records;
    if (selection->records.given &&
        !(end > selection->records.first && first <= selection->records.last))
        return false;
    if (selection->time.given &&
        !index_select_overlaps(selection->time.first, selection->time.last, segment->time_minimum,
                               segment->time_maximum))
        return false;
    /* Records may belong to the processor if they name it, or if it was named last. */
    bool has_cpu = !selection->cpu || (segment->flags & (SEGMENT_NO_CPU | SEGMENT_AGENTS)) ||
                   segment->cpus >> 63;
    for (unsigned cpu = 0; cpu < 63 && !has_cpu; cpu++)
        has_cpu = (segment->cpus >> cpu & 1) &&
                  cpu_is_named(machine_cpu_name(&index->machine, cpu), selection->cpu);
    if (!has_cpu) return false;
    return !selection->where || select_may_match(selection->where, &bounds);
}

bool index_is_skippable(const struct index *index)
{
    return index->enterable && !index->damage && !index->crowded && index->count > 1;
}

/* ---- for users of the library ---- */

size_t spoor_index_segment_count(const struct spoor_index *index)
{
    return index_seen(index)->count;
}

bool spoor_index_segment(const struct spoor_index *shown, size_t number,
                         struct spoor_segment *segment)
{
    const struct index *index = index_seen(shown);
    if (number >= index->count) return false;
    const struct segment *own = &index->segments[number];
    const struct spoor_segment made = {
        .from = own->place.record,
        .end = own->place.record + own->records,
        .offset = own->place.offset,
        .bytes = own->bytes,
        .line = spoor_format_record_size(index->format) ? 0 : own->place.line,
        .time = own->time_first,
        .pc_lowest = own->pc_low,
        .pc_highest = own->pc_high,
        .kinds = own->kinds,
        .names_cpus = !(own->flags & SEGMENT_NO_CPU),
    };
    struct_fill(segment, &made, sizeof made);
    return true;
}

size_t spoor_index_segment_of(const struct spoor_index *index, uint64_t record)
{
    return index_seen(index)->count ? index_segment_of(index_seen(index), record) : 0;
}

bool spoor_index_may_execute(const struct spoor_index *index, size_t number, uint64_t first,
                             uint64_t last)
{
    return number < index_seen(index)->count &&
           index_touches(index_seen(index), number, SET_EXECUTED, first, last);
}

bool spoor_index_may_select(const struct spoor_index *index, size_t number,
                            const struct spoor_skipper_options *given)
{
    struct spoor_skipper_options own;
    if (number >= index_seen(index)->count) return false;
    if (options_read(&own, sizeof own, given, NULL) != SPOOR_OK) return true;
    const struct index_selection selection = {own.records, own.time, own.cpu, own.where};
    return !index_is_skippable(index_seen(index)) ||
           index_selects(index_seen(index), number, &selection);
}
