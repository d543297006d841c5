/* SPDX-License-Identifier: MIT */
/* activity_input.c: hands the calls of a trace, or the index's section of them, to a report. */
#include "cli/activity_input.h"

#include <stdlib.h>

#include "explore/activity_section.h"

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
    const bool begun = report->begin(report->context, input.stream, code);
    bool good = begun;
    while (good && input_next(&input, &batch)) good = report->feed(report->context, batch);
    good = good && report->end(report->context);
    if (begun && !good) fail_memory(path, code);
    if (report->broken) *report->broken = input.broken;
    *code = worse(*code, input_close(&input));
    return good;
}

/* Hands the section over.  *reads: it is not that of the images. */
static bool use_index(const struct activity_report *report, struct indexing *indexing,
                      const char *path, struct functions *functions, bool *reads, int *code)
{
    const struct index_fold fold = functions ? activity_fold_named(functions) : activity_fold;
    const struct index_fold *const folds[] = {&fold, NULL};
    struct index *index = NULL;
    size_t size;
    indexing->use.options.folds = folds;
    if (!indexing_open(indexing, path, &index, code)) return false;
    const uint8_t *bytes = index_section(index, fold.id, fold.version, &size);
    if (report->broken) *report->broken = index->damage;
    *reads = bytes && functions && !activity_section_is_of(functions->images, &bytes, &size);
    bool good = false;
    if (!bytes)
        fail_memory(path, code);
    else if (!*reads && report->begin(report->context, NULL, code))
        good =
            (report->use(report->context, index_of_users(index)) && report->end(report->context)) ||
            fail_memory(path, code);
    index_free(index);
    return good;
}

bool activity_input(const struct activity_report *report, const char *path,
                    const struct settings *settings, const struct located *located, bool reads,
                    int *code)
{
    struct functions *functions = NULL;
    struct indexing indexing;
    bool good = false;
    indexing_start(&indexing, settings, false);
    indexing.file = located->file;
    reads |= located->fills || !can_be_read_twice(path);
    if (!reads && located->images) {
        functions = calloc(1, sizeof *functions);
        if (!functions) return fail_memory(path, code);
        functions->images = located->images;
    }
    const bool asks = !reads;
    if (asks) good = use_index(report, &indexing, path, functions, &reads, code);
    free(functions);
    if (reads) good = read_trace(report, path, settings, located, code);
    if (asks && reads && !indexing_is_same(&indexing, path)) *code = worse(*code, EXIT_UNREADABLE);
    return good;
}
