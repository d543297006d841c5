/* SPDX-License-Identifier: MIT */
/*
 * table_scan.c: finds the records of a trace that match conditions: by reading on, or, if an index
 * excludes most segments, by visiting the others.
 */
#include <string.h>

#include "base/scan.h"
#include "tables/internal.h"

struct spoor_reader_options tables_reader_options(const struct tables_options *options)
{
    return (struct spoor_reader_options){
        .format = options->format,
        .decode = options->decode,
        .threads = options->threads,
        .memory = options->memory,
    };
}

static struct index_use use_of(const struct tables_options *options)
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
        spoor_error_set(error, SPOOR_EUSAGE, "expected a trace as last argument");
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
    const struct index_use use = use_of(options);
    enum index_origin origin;
    return index_open(index, path, &use, &origin, error);
}

struct index *tables_find_index(const char *path, const struct tables_options *options)
{
    const struct index_use use = use_of(options);
    return options->no_index ? NULL : index_find(path, &use);
}

/* ---- by segments ---- */

/* True if visiting single segments is better than reading on with all threads. */
static bool is_selective(const struct table_scan *scan)
{
    size_t wanted = 0;
    for (size_t i = 0; i < scan->index->count; i++)
        wanted += index_selects(scan->index, i, &scan->selection);
    return wanted <= scan->index->count / 4 + 1;
}

static bool open_segments(struct table_scan *scan, const char *path,
                          const struct tables_options *options)
{
    struct spoor_error error = {0};
    if (!scan->selection.records.given && !scan->selection.where) return false;
    scan->index = tables_find_index(path, options);
    if (!scan->index) return false;
    if (index_is_skippable(scan->index) && is_selective(scan) &&
        explorer_open(&scan->explorer, path, scan->index, &error) == SPOOR_OK)
        return true;
    index_free(scan->index);
    scan->index = NULL;
    return false;
}

/* The next batch of the next segment that is wanted. */
static enum spoor_status next_of_segments(struct table_scan *scan, struct spoor_error *error)
{
    const struct index *index = scan->index;
    while (scan->at_batch == scan->batch_count) {
        while (scan->segment < index->count &&
               !index_selects(index, scan->segment, &scan->selection))
            scan->segment++;
        if (scan->segment == index->count) return SPOOR_END;
        const enum spoor_status status = explorer_segment(
            scan->explorer, scan->segment++, &scan->batches, &scan->batch_count, error);
        if (status != SPOOR_OK) return status;
        scan->at_batch = 0;
    }
    scan->batch = &scan->batches[scan->at_batch++];
    return SPOOR_OK;
}

/* ---- all ---- */

static enum spoor_status next_batch(struct table_scan *scan, struct tables_options *options,
                                    struct spoor_error *error)
{
    enum spoor_status status;
    scan->at = 0;
    if (scan->explorer)
        status = next_of_segments(scan, error);
    else
        status = spoor_reader_next(scan->reader, &scan->batch, error);
    if (status == SPOOR_OK && scan->reader) options->faults += scan->batch->fault_count;
    return status;
}

/* The current record, or the first after it that fits. */
static enum spoor_status find_record(struct table_scan *scan, struct tables_options *options,
                                     struct spoor_error *error)
{
    for (;;) {
        for (; scan->batch && scan->at < scan->batch->count; scan->at++) {
            const uint64_t record = scan->batch->first + scan->at;
            const struct spoor_span *records = &scan->selection.records;
            if (records->given && record > records->last) {
                scan->ended = true;
                return SPOOR_OK;
            }
            if (records->given && record < records->first) continue;
            if (!scan->select || spoor_select_match(scan->select, scan->batch, scan->at))
                return SPOOR_OK;
        }
        const enum spoor_status status = next_batch(scan, options, error);
        if (status == SPOOR_OK) continue;
        scan->ended = true;
        return status == SPOOR_END ? SPOOR_OK : status;
    }
}

enum spoor_status scan_open(struct table_scan *scan, const char *path,
                            const struct scan_conditions *conditions,
                            struct tables_options *options, struct spoor_error *error)
{
    const struct spoor_reader_options reader = tables_reader_options(options);
    enum spoor_status status = SPOOR_OK;
    *scan = (struct table_scan){.ended = conditions->nothing};
    if (conditions->nothing) return SPOOR_OK;
    scan->selection.records = conditions->records;
    if (conditions->where.size) {
        status = spoor_select_compile(&scan->select, conditions->where.bytes, error);
        scan->selection.where = scan->select;
    }
    if (status == SPOOR_OK && !open_segments(scan, path, options))
        status = spoor_reader_open(&scan->reader, path, &reader, error);
    return status == SPOOR_OK ? find_record(scan, options, error) : status;
}

enum spoor_status scan_next(struct table_scan *scan, struct tables_options *options,
                            struct spoor_error *error)
{
    scan->at++;
    return find_record(scan, options, error);
}

void scan_close(struct table_scan *scan)
{
    spoor_select_free(scan->select);
    spoor_reader_close(scan->reader);
    explorer_close(scan->explorer);
    index_free(scan->index);
    *scan = (struct table_scan){0};
}
