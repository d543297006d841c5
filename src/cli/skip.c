/* SPDX-License-Identifier: MIT */
/* skip.c: decides which segments are skipped, and continues after them. */
#include "cli/skip.h"

#include <stdlib.h>

#include "cli/indexed.h"
#include "cli/simpoints.h"
#include "index/skipper.h"

struct skipping {
    struct index *index;
    bool shared; /* the index is that of all simpoints */
    struct skipper skipper;
};

/* Begins a range of records where the file's own table says that it lies; false if it has none, or
 * another condition needs the index. */
static bool skip_by_table(struct trace_input *trace_input, const struct index_selection *selection)
{
    enum { FEW_RECORDS = SKIPPER_RUN << 16 };
    const struct spoor_span *records = &selection->records;
    struct reader_place place;
    struct spoor_error error = {0};
    if (!records->given || selection->time.given || selection->cpu || selection->where ||
        !reader_locate(trace_input->reader, records->first, &place))
        return false;
    /* the simpoint after this one may read on */
    reader_limit(trace_input->reader, records->first,
                 trace_input->settings->carried ? UINT64_MAX : records->last);
    reader_jump(trace_input->reader, &place, NULL, records->last - place.record > FEW_RECORDS,
                &error);
    return true;
}

/* The index of the trace, which simpoints share; NULL: there is none that fits. */
static struct index *find_index(const struct settings *settings, const char *path)
{
    struct carried *carried = settings->carried;
    struct indexing indexing;
    if (carried && carried->index) return carried->index;
    indexing_start(&indexing, settings, false);
    indexing.use.tell = NULL;
    struct index *index = index_find(path, &indexing.use);
    if (carried) carried->index = index;
    return index;
}

void input_skip(struct trace_input *trace_input, const char *path,
                const struct index_selection *selection)
{
    if (!selection->records.given && !selection->time.given && !selection->cpu && !selection->where)
        return;
    if (skip_by_table(trace_input, selection)) return;
    struct index *index = find_index(trace_input->settings, path);
    const bool shared = trace_input->settings->carried != NULL;
    if (!index) return;
    struct skipping *skipping = calloc(1, sizeof *skipping);
    if (!skipping || !index_is_skippable(index) || index->format != trace_input->stream->format) {
        if (!shared) index_free(index);
        free(skipping);
        return;
    }
    skipping->index = index;
    skipping->shared = shared;
    skipping->skipper =
        (struct skipper){.index = index, .selection = *selection, .with_faults = true};
    trace_input->skipping = skipping;
}

enum spoor_status skip_ahead(struct trace_input *trace_input, struct spoor_error *error)
{
    struct skipping *skipping = trace_input->skipping;
    return skipping ? skipper_ahead(&skipping->skipper, trace_input->reader, error) : SPOOR_OK;
}

bool skip_passed(struct trace_input *trace_input, const char **cpu, bool *timed)
{
    struct skipping *skipping = trace_input->skipping;
    if (!skipping || !skipping->skipper.passed) return false;
    const struct index *index = skipping->index;
    const size_t segment = skipping->skipper.segment - 1; /* that begins now */
    uint64_t named = 0;
    *timed = false;
    for (size_t i = 0; i < segment; i++) {
        named |= index->segments[i].cpus;
        *timed |= index->segments[i].flags & SEGMENT_TIMED;
    }
    *cpu = named ? machine_cpu_name(&index->machine, index->segments[segment].cpu) : NULL;
    skipping->skipper.passed = false;
    return true;
}

void skipping_close(struct skipping *skipping)
{
    if (!skipping) return;
    if (!skipping->shared) index_free(skipping->index);
    free(skipping);
}
