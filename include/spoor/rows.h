/* SPDX-License-Identifier: MIT */
/*
 * rows.h: prints records as rows of their fields: separated by tabs, as CSV or as JSON.
 *
 *     struct spoor_rows *rows;
 *     const enum spoor_field fields[] = {SPOOR_FIELD_RECORD, SPOOR_FIELD_PC, SPOOR_FIELD_DISASM};
 *     const struct spoor_rows_options options = {
 *         .form = SPOOR_ROWS_CSV, .fields = fields, .field_count = 3};
 *     status = spoor_rows_new(&rows, output, &options, &error);
 *     if (status == SPOOR_OK) status = spoor_rows_begin(rows, spoor_reader_stream(reader), &error);
 *     while (status == SPOOR_OK && spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
 *         status = spoor_rows_feed(rows, batch, 0, batch->count, &error);
 *     if (status == SPOOR_OK) status = spoor_rows_end(rows, &error);
 *     spoor_rows_free(rows);
 *
 * A field that a record does not have is empty; JSON leaves it out.
 */
#ifndef SPOOR_ROWS_H
#define SPOOR_ROWS_H

#include "field.h"
#include "writer.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_rows_form {
    SPOOR_ROWS_TABS,       /* separated by tabs; tab, line end and backslash in text are escaped */
    SPOOR_ROWS_CSV,        /* RFC 4180, but lines end in LF; the first line names the fields */
    SPOOR_ROWS_JSON_LINES, /* an object a line.  Addresses are strings "0x...": JSON has no such
                            * numbers */
    SPOOR_ROWS_JSON,       /* an array of these objects */
};

struct spoor_rows_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_rows_form form;
    const enum spoor_field *fields; /* in their order, each as often as it is named; copied */
    size_t field_count; /* at most SPOOR_FIELDS_ALL; 0: `record`, `line` (of text), `kind` and every
                         * field that the format can have; those that images define, too, if the
                         * stream has a locator.  JSON leaves out flags that are false then */
};

struct spoor_rows;

/* Rows that go to `output`, which they do not own.  On SPOOR_OK the caller owns *rows.
 * SPOOR_EUSAGE: too many fields. */
enum spoor_status spoor_rows_new(struct spoor_rows **rows, struct spoor_output *output,
                                 const struct spoor_rows_options *options,
                                 struct spoor_error *error);
void spoor_rows_free(struct spoor_rows *rows);

/* Begins a trace.  SPOOR_EUSAGE, for CSV: its format has other columns than the trace before, and
 * `fields` does not state them. */
enum spoor_status spoor_rows_begin(struct spoor_rows *rows, const struct spoor_stream *stream,
                                   struct spoor_error *error);
/* Prints records from .. to - 1 of a batch of the trace. */
enum spoor_status spoor_rows_feed(struct spoor_rows *rows, const struct spoor_batch *batch,
                                  size_t from, size_t to, struct spoor_error *error);
/* Hands all rows so far to the output. */
enum spoor_status spoor_rows_flush(struct spoor_rows *rows, struct spoor_error *error);
/* Ends the array of JSON, and hands the rest to the output. */
enum spoor_status spoor_rows_end(struct spoor_rows *rows, struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
