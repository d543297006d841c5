/* SPDX-License-Identifier: MIT */
/*
 * table_scan.c: finds the records of a trace that match conditions.  Segments that an index
 * excludes are not read.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/scan.h"
#include "model/error.h"
#include "query/select_test.h"
#include "tables/internal.h"

struct spoor_reader_options tables_reader_options(const struct tables_options *options)
{
    return (struct spoor_reader_options){
        .format = options->format,
        .decode = options->decode,
        .threads = options->threads,
        .memory = options->memory,
        .program = options->program,
    };
}

static struct index_use scan_index_use(const struct tables_options *options)
{
    return (struct index_use){.options = {.format = options->format,
                                          .decode = options->decode,
                                          .threads = options->threads,
                                          .memory = options->memory},
                              .nowhere = options->no_index};
}

const char *tables_trace(const struct tables_options *options, const char *words,
                         struct spoor_error *error)
{
    uint64_t number = 0;
    if (!words && options->trace) return options->trace;
    if (!words) {
        spoor_error_set(error, SPOOR_EUSAGE, "expected a trace as last argument: its path");
        return NULL;
    }
    if (strcmp(words, "main") == 0) number = 1;
    if (words[0] == 't' && !scan_all_decimal(words + 1, &number)) number = 0;
    if (number > 0 && number <= options->trace_count) return options->traces[number - 1];
    bool allowed = !options->read_only;
    for (size_t i = 0; i < options->trace_count; i++)
        allowed |= strcmp(words, options->traces[i]) == 0;
    if (allowed) return words;
    spoor_error_set(error, SPOOR_EUSAGE, "found another trace, expected t1, t2 ...");
    return NULL;
}

enum spoor_status tables_index(struct index **index, const char *path,
                               const struct tables_options *options, struct spoor_error *error)
{
    const struct index_use use = scan_index_use(options);
    enum index_origin origin;
    return index_open(index, path, &use, &origin, error);
}

/* Says how much of the trace the scan reads, and by which conditions. */
static void scan_explain(const struct table_scan *scan, const char *path,
                         const struct scan_conditions *conditions, struct tables_options *options)
{
    const struct spoor_span *records = &conditions->records;
    struct text text = {0};
    if (options->explained == 0 || !options->tell) return;
    options->explained--;
    text_printf(&text, "%s: ", path);
    if (conditions->nothing)
        text_puts(&text, "no record can match: ");
    else if (records->given && records->last < UINT64_MAX)
        text_printf(&text, "records %" PRIu64 " to %" PRIu64 ": ", records->first, records->last);
    else if (records->given)
        text_printf(&text, "records from %" PRIu64 ": ", records->first);
    if (!conditions->nothing && conditions->where.size)
        text_printf(&text, "%s: ", conditions->where.bytes);
    if (conditions->nothing)
        text_puts(&text, "nothing is read");
    else if (scan->index)
        text_printf(&text, "%zu of %zu segments are skipped",
                    scan->index->count - skipper_count_wanted(&scan->skipper), scan->index->count);
    else if (records->given || conditions->where.size)
        text_puts(&text, "no index is used, no segment is skipped");
    else
        text_puts(&text, "no condition, the whole trace is read");
    text_put(&text, "", 1);
    if (!text.failed) options->tell(options->context, text.bytes);
    text_free(&text);
}

/* Finds the first record from the current one on that fits, in the batch; false: there is none. */
static bool scan_find_in_batch(struct table_scan *scan)
{
    const struct spoor_span *records = &scan->skipper.selection.records;
    size_t end = scan->batch->count;
    if (records->given) {
        const uint64_t first = scan->batch->first;
        if (records->first > first && records->first - first > scan->at)
            scan->at = records->first - first < end ? (size_t)(records->first - first) : end;
        scan->ended = records->last < first;
        if (!scan->ended && records->last - first < end) end = (size_t)(records->last - first) + 1;
        if (scan->ended) return true;
    }
    if (scan->select && scan->at < end)
        scan->at = spoor_select_next(scan->select, scan->batch, scan->at, end, true);
    if (scan->at < end) {
        scan->run_end = scan->select
                            ? spoor_select_next(scan->select, scan->batch, scan->at + 1, end, false)
                            : end;
        return true;
    }
    scan->ended = end < scan->batch->count;
    return scan->ended;
}

enum spoor_status scan_find(struct table_scan *scan, struct tables_options *options,
                            struct spoor_error *error)
{
    while (!scan->batch || !scan_find_in_batch(scan)) {
        enum spoor_status status = SPOOR_OK;
        scan->at = 0;
        if (scan->index) status = skipper_ahead(&scan->skipper, scan->reader, error);
        if (status == SPOOR_OK) status = spoor_reader_next(scan->reader, &scan->batch, error);
        if (status == SPOOR_OK) options->faults += scan->batch->fault_count;
        if (status == SPOOR_OK) continue;
        scan->ended = true;
        scan->batch = NULL;
        return status == SPOOR_END ? SPOOR_OK : status;
    }
    return SPOOR_OK;
}

enum spoor_status scan_open(struct table_scan *scan, const char *path,
                            const struct scan_conditions *conditions,
                            struct tables_options *options, struct spoor_error *error)
{
    /* The scan has not passed the first record, and checks the same conditions. */
    const struct text *where = &conditions->where;
    const bool goes_on =
        scan->batch && !conditions->nothing && conditions->records.given &&
        scan->skipper.selection.records.given && conditions->records.first >= scan->batch->first &&
        (scan->where ? where->size && strcmp(where->bytes, scan->where) == 0 : !where->size);
    if (goes_on) {
        scan->skipper.selection.records = conditions->records;
        scan->ended = false;
        scan->at = 0;
        return scan_find(scan, options, error);
    }
    scan_close(scan);
    scan->ended = conditions->nothing;
    scan->skipper.with_faults = true;
    if (conditions->nothing) {
        scan_explain(scan, path, conditions, options);
        return SPOOR_OK;
    }
    const struct spoor_reader_options reader = tables_reader_options(options);
    struct index_selection *selection = &scan->skipper.selection;
    enum spoor_status status = SPOOR_OK;
    selection->records = conditions->records;
    if (where->size) {
        scan->where = strdup(where->bytes);
        if (!scan->where) return error_no_memory(error);
        status = spoor_select_compile(&scan->select, where->bytes, error);
        selection->where = scan->select;
    }
    if (status == SPOOR_OK) status = spoor_reader_open(&scan->reader, path, &reader, error);
    if (status != SPOOR_OK) return status;
    if (!options->no_index && (selection->records.given || selection->where)) {
        /* The index that lies there, if there is one, lets it skip segments. */
        const struct index_use use = scan_index_use(options);
        struct index *index = index_find(path, &use);
        if (index && index_is_skippable(index) &&
            index->format == spoor_reader_stream(scan->reader)->format)
            scan->skipper.index = scan->index = index;
        else
            index_free(index);
    }
    scan_explain(scan, path, conditions, options);
    return scan_find(scan, options, error);
}

void scan_close(struct table_scan *scan)
{
    spoor_select_free(scan->select);
    spoor_reader_close(scan->reader);
    index_free(scan->index);
    free(scan->where);
    *scan = (struct table_scan){0};
}
