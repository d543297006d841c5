/* SPDX-License-Identifier: MIT */
/* rows TRACE FIELD...: prints fields of the records of a trace as CSV ("rows a.trace pc disasm").
 */
#include <spoor/spoor.h>
#include <stdio.h>
#include <string.h>

/* Prints all records of the trace. */
static enum spoor_status print_rows(struct spoor_reader *reader, struct spoor_rows *rows,
                                    struct spoor_error *error)
{
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_rows_begin(rows, spoor_reader_stream(reader), error);
    while (status == SPOOR_OK) {
        status = spoor_reader_next(reader, &batch, error);
        if (status == SPOOR_OK) status = spoor_rows_feed(rows, batch, 0, batch->count, error);
    }
    return status == SPOOR_END ? spoor_rows_end(rows, error) : status;
}

int main(int count, char **words)
{
    enum spoor_field fields[SPOOR_FIELDS_ALL];
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    struct spoor_output *output = NULL;
    struct spoor_rows *rows = NULL;
    if (count < 3 || count - 2 > SPOOR_FIELDS_ALL) {
        fprintf(stderr, "usage: rows TRACE FIELD...\n");
        return 2;
    }
    for (int i = 2; i < count; i++) {
        const int field = spoor_field_find(words[i], strlen(words[i]));
        if (field < 0) {
            fprintf(stderr, "rows: no field is called '%s'\n", words[i]);
            return 2;
        }
        fields[i - 2] = (enum spoor_field)field;
    }
    const struct spoor_rows_options options = {.struct_size = sizeof options,
                                               .form = SPOOR_ROWS_CSV,
                                               .fields = fields,
                                               .field_count = (size_t)count - 2};
    enum spoor_status status = spoor_reader_open(&reader, words[1], NULL, &error);
    if (status == SPOOR_OK) status = spoor_output_open(&output, NULL, &error);
    if (status == SPOOR_OK) status = spoor_rows_new(&rows, output, &options, &error);
    if (status == SPOOR_OK) status = print_rows(reader, rows, &error);
    spoor_rows_free(rows);
    if (status == SPOOR_OK)
        status = spoor_output_close(output, &error);
    else if (output)
        spoor_output_discard(output);
    if (reader) spoor_reader_close(reader);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
