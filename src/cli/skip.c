/* SPDX-License-Identifier: MIT */
/* skip.c: decides which segments are skipped, and continues after them. */
#include "cli/skip.h"

#include <stdlib.h>

#include "cli/indexed.h"

enum { RUN_OF_THREADS = 8 /* segments: fewer are decoded by one thread */ };

struct skipping {
    struct index *index;
    struct index_selection selection;
    size_t segment; /* that begins with the next batch, or after it */
    bool passed;    /* batches since the last decision */
};

/* Begins a range of records where the file's own table says that it lies; false if it has none, or
 * another condition needs the index. */
static bool skip_by_table(struct trace_input *trace_input, const struct index_selection *selection)
{
    enum { FEW_RECORDS = RUN_OF_THREADS << 16 };
    const struct spoor_span *records = &selection->records;
    struct reader_place place;
    struct spoor_error error = {0};
    if (!records->given || selection->time.given || selection->cpu || selection->where ||
        !reader_locate(trace_input->reader, records->first, &place))
        return false;
    reader_limit(trace_input->reader, records->last);
    reader_jump(trace_input->reader, &place, NULL, records->last - place.record > FEW_RECORDS,
                &error);
    return true;
}

void input_skip(struct trace_input *trace_input, const char *path,
                const struct index_selection *selection)
{
    struct indexing indexing;
    if (!selection->records.given && !selection->time.given && !selection->cpu && !selection->where)
        return;
    if (skip_by_table(trace_input, selection)) return;
    indexing_start(&indexing, trace_input->settings, false);
    indexing.use.tell = NULL;
    struct index *index = index_find(path, &indexing.use);
    if (!index) return;
    struct skipping *skipping = calloc(1, sizeof *skipping);
    if (!skipping || !index_is_skippable(index) || index->format != trace_input->stream->format) {
        index_free(index);
        free(skipping);
        return;
    }
    skipping->index = index;
    skipping->selection = *selection;
    trace_input->skipping = skipping;
}

/* Nothing after the last record of a range is read. */
static bool is_wanted(const struct skipping *skipping, size_t segment)
{
    const struct spoor_span *records = &skipping->selection.records;
    if (records->given && skipping->index->segments[segment].place.record > records->last)
        return false;
    return (skipping->index->segments[segment].flags & SEGMENT_FAULTS) ||
           index_selects(skipping->index, segment, &skipping->selection);
}

/* Returns the number of wanted segments from there on, up to a limit. */
static size_t run_from(const struct skipping *skipping, size_t segment)
{
    size_t length = 0;
    while (length < RUN_OF_THREADS && segment + length < skipping->index->count &&
           is_wanted(skipping, segment + length))
        length++;
    return length;
}

static enum spoor_status jump(struct trace_input *trace_input, size_t segment,
                              struct spoor_error *error)
{
    struct skipping *skipping = trace_input->skipping;
    const struct index *index = skipping->index;
    struct spoor_reader *reader = trace_input->reader;
    struct reader_place place = index->segments[segment].place;
    size_t size;
    const char *cpu = spoor_names_text(index->names, place.carry.cpu, &size);
    place.carry.cpu = spoor_names_intern(reader->stream.names, cpu, size);
    if (spoor_names_out_of_memory(reader->stream.names))
        return reader_out_of_memory(reader->path, error);
    skipping->passed = true;
    return reader_jump(reader, &place, &index->checkpoints,
                       run_from(skipping, segment) == RUN_OF_THREADS, error);
}

enum spoor_status skip_ahead(struct trace_input *trace_input, struct spoor_error *error)
{
    struct skipping *skipping = trace_input->skipping;
    struct reader_place here;
    if (!skipping) return SPOOR_OK;
    const struct index *index = skipping->index;
    reader_where(trace_input->reader, &here);
    if (skipping->segment >= index->count ||
        here.record != index->segments[skipping->segment].place.record)
        return SPOOR_OK;
    size_t next = skipping->segment;
    while (next < index->count && !is_wanted(skipping, next)) next++;
    if (next == index->count) return SPOOR_END;
    const bool jumps = next > skipping->segment;
    skipping->segment = next + 1;
    return jumps ? jump(trace_input, next, error) : SPOOR_OK;
}

bool skip_passed(struct trace_input *trace_input, const char **cpu, bool *timed)
{
    struct skipping *skipping = trace_input->skipping;
    if (!skipping || !skipping->passed) return false;
    const struct index *index = skipping->index;
    const size_t segment = skipping->segment - 1; /* that begins now */
    uint64_t named = 0;
    *timed = false;
    for (size_t i = 0; i < segment; i++) {
        named |= index->segments[i].cpus;
        *timed |= index->segments[i].flags & SEGMENT_TIMED;
    }
    *cpu = named ? machine_cpu_name(&index->machine, index->segments[segment].cpu) : NULL;
    skipping->passed = false;
    return true;
}

void skipping_close(struct skipping *skipping)
{
    if (!skipping) return;
    index_free(skipping->index);
    free(skipping);
}
