/* SPDX-License-Identifier: MIT */
/* activity_input.c: hands the calls of a trace, or those that its index keeps, to a report. */
#include "cli/activity_input.h"

#include "cli/selection.h"

static bool fail_memory(const char *path, int *code)
{
    complain("%s: out of memory", path);
    *code = worse(*code, EXIT_UNREADABLE);
    return false;
}

static bool read_trace(const struct activity_report *report, const char *path,
                       const struct settings *settings, const struct located *located, int *code)
{
    struct trace_input input;
    const struct spoor_batch *batch;
    const struct spoor_reader_options with = located_reading(located);
    if (!input_open_with(&input, path, settings, with)) {
        *code = worse(*code, input.exit_code);
        return false;
    }
    if (report->format) *report->format = spoor_format_name(input.stream->format);
    const bool begun = report->begin(report->context, input.stream, code);
    bool good = begun;
    while (good && input_next(&input, &batch)) good = report->feed(report->context, batch);
    good = good && report->end(report->context);
    if (begun && !good) *code = worse(*code, selection_fail(report->where));
    if (report->broken) *report->broken = input.broken;
    *code = worse(*code, input_close(&input));
    return good;
}

/* A file whose damaged parts lose records, while an index says only that something is wrong. */
static bool may_lack_records(const char *path)
{
    const struct spoor_format *container = NULL;
    return spoor_reader_container(path, &container, NULL) != SPOOR_OK || container;
}

/* Hands the calls over that the index keeps.  *reads: they are not those of the images. */
static bool use_index(const struct activity_report *report, struct indexing *indexing,
                      const char *path, bool *reads, int *code)
{
    struct spoor_index *index;
    if (!indexing_find(indexing, path, &index, code)) return false;
    if (report->broken) *report->broken = spoor_index_damage(index);
    if (report->format) *report->format = spoor_format_name(spoor_index_format(index));
    *reads = !spoor_index_has_calls(index, indexing->options.images) ||
             (spoor_index_has_faults(index) && may_lack_records(path));
    if (!*reads) *code = worse(*code, index_state_damage(index, path)); /* else the reader does */
    bool good = false;
    if (!*reads && report->begin(report->context, NULL, code))
        good = (report->use(report->context, index) && report->end(report->context)) ||
               fail_memory(path, code);
    spoor_index_close(index);
    return good;
}

bool activity_input(const struct activity_report *report, const char *path,
                    const struct settings *settings, const struct located *located, bool reads,
                    int *code)
{
    struct indexing indexing;
    bool good = false;
    indexing_start(&indexing, settings, false);
    indexing.file = located->file;
    indexing.options.needs = SPOOR_INDEX_CALLS;
    indexing.options.images = located->images;
    reads |= located->fills || !can_be_read_twice(path);
    const bool asks = !reads;
    if (asks) good = use_index(report, &indexing, path, &reads, code);
    if (reads) good = read_trace(report, path, settings, located, code);
    if (asks && reads && !indexing_is_same(&indexing, path)) *code = worse(*code, EXIT_UNREADABLE);
    return good;
}
