/* SPDX-License-Identifier: MIT */
/* rows.c: records as rows: the columns of a format, the head, and the frame around the rows. */
#include "spoor/rows.h"

#include <stdlib.h>
#include <string.h>

#include "model/error.h"
#include "model/options.h"
#include "query/value.h"

enum { FLUSH_AT = 256 << 10 };

struct spoor_rows {
    enum spoor_rows_form form;
    struct row_columns columns;
    struct row_printer *printer; /* of the current trace; NULL: before the first */
    struct spoor_output *output;
    struct text text; /* not yet handed to the output */
    bool any;         /* a row was printed */
};

/* ---- columns ---- */

static void rows_add_column(struct row_columns *columns, int field)
{
    columns->fields[columns->count++] = (enum spoor_field)field;
}

/* ---- rows ---- */

enum spoor_status spoor_rows_new(struct spoor_rows **rows, struct spoor_output *output,
                                 const struct spoor_rows_options *options,
                                 struct spoor_error *error)
{
    struct spoor_rows_options own;
    *rows = NULL;
    const enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    if (own.field_count > SPOOR_FIELDS_ALL)
        return spoor_error_set(error, SPOOR_EUSAGE, "found %zu fields of rows, expected at most %d",
                               own.field_count, (int)SPOOR_FIELDS_ALL);
    struct spoor_rows *new = calloc(1, sizeof *new);
    if (!new) return error_no_memory_while(error, NULL, "printing");
    new->form = own.form;
    new->output = output;
    new->columns.form = own.form;
    new->columns.given = own.field_count > 0;
    new->columns.count = own.field_count;
    if (own.field_count)
        memcpy(new->columns.fields, own.fields, own.field_count * sizeof *own.fields);
    *rows = new;
    return SPOOR_OK;
}

enum spoor_status spoor_rows_begin(struct spoor_rows *rows, const struct spoor_stream *stream,
                                   struct spoor_error *error)
{
    const struct row_columns before = rows->columns;
    const bool first = !rows->printer, is_csv = rows->form == SPOOR_ROWS_CSV;
    if (!rows->columns.given) {
        /* The place of a record, its kind and every field that reading the format can produce. */
        const struct spoor_format *format = stream->format;
        spoor_field_set carried = SPOOR_FIELD_BIT(OP) | SPOOR_FIELD_BIT(TEXT); /* of every NOTE */
        for (int kind = 0; kind < SPOOR_KINDS; kind++)
            if (spoor_format_produces(format, (enum spoor_kind)kind))
                carried |= spoor_format_fields(format, (enum spoor_kind)kind);
        rows->columns.located = stream->locator != NULL;
        rows->columns.count = 0;
        rows_add_column(&rows->columns, SPOOR_FIELD_RECORD);
        if (spoor_format_record_size(format) == 0)
            rows_add_column(&rows->columns, SPOOR_FIELD_LINE);
        rows_add_column(&rows->columns, SPOOR_FIELD_KIND);
        for (int field = 0; field < SPOOR_FIELDS; field++)
            if (carried >> field & 1) rows_add_column(&rows->columns, field);
        for (int field = SPOOR_FIRST_LOCATED; rows->columns.located && field < SPOOR_FIELDS_ALL;
             field++)
            rows_add_column(&rows->columns, field);
    }
    if (is_csv && first) {
        for (size_t i = 0; i < rows->columns.count; i++) {
            if (i) text_puts(&rows->text, ",");
            text_puts(&rows->text, spoor_field_name(rows->columns.fields[i]));
        }
        text_puts(&rows->text, "\n");
    }
    free(rows->printer);
    rows->printer = row_printer_new(&rows->columns);
    if (!rows->printer) return error_no_memory_while(error, NULL, "printing");
    const size_t size = before.count * sizeof *before.fields;
    if (!is_csv || first ||
        (before.count == rows->columns.count &&
         memcmp(before.fields, rows->columns.fields, size) == 0))
        return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "the traces are in formats with different columns: "
                           "choose the fields (print --fields)");
}

enum spoor_status spoor_rows_flush(struct spoor_rows *rows, struct spoor_error *error)
{
    if (rows->text.failed) return error_no_memory_while(error, NULL, "printing");
    const size_t size = rows->text.size;
    rows->text.size = 0;
    return spoor_output_put(rows->output, rows->text.bytes, size, error);
}

enum spoor_status spoor_rows_feed(struct spoor_rows *rows, const struct spoor_batch *batch,
                                  size_t from, size_t to, struct spoor_error *error)
{
    const bool is_array = rows->form == SPOOR_ROWS_JSON;
    for (size_t i = from; i < to; i++) {
        if (is_array) text_puts(&rows->text, rows->any ? ",\n  " : "[\n  ");
        row_printer_put(rows->printer, batch, i, &rows->text);
        rows->any = true;
        if (rows->text.size < FLUSH_AT && !rows->text.failed) continue;
        const enum spoor_status status = spoor_rows_flush(rows, error);
        if (status != SPOOR_OK) return status;
    }
    return SPOOR_OK;
}

enum spoor_status spoor_rows_end(struct spoor_rows *rows, struct spoor_error *error)
{
    if (rows->form == SPOOR_ROWS_JSON) text_puts(&rows->text, rows->any ? "\n]\n" : "[]\n");
    return spoor_rows_flush(rows, error);
}

void spoor_rows_free(struct spoor_rows *rows)
{
    if (!rows) return;
    free(rows->printer);
    text_free(&rows->text);
    free(rows);
}
