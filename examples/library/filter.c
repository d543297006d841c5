/* SPDX-License-Identifier: MIT */
/* filter EXPRESSION IN OUT: writes the records of a trace that match an expression ("kind == mem
 * and size > 4") to another file of the same format, byte for byte. */
#include <spoor/spoor.h>
#include <stdio.h>

/* Passes each run of consecutive records that match to the writer. */
static enum spoor_status filter_batch(const struct spoor_select *where,
                                      const struct spoor_batch *batch, struct spoor_writer *writer,
                                      struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    size_t from = 0;
    while (from < batch->count && status == SPOOR_OK) {
        from = spoor_select_next(where, batch, from, batch->count, true);
        const size_t to = spoor_select_next(where, batch, from, batch->count, false);
        if (to > from) status = spoor_writer_put(writer, batch, from, to, error);
        from = to;
    }
    return status == SPOOR_OK ? spoor_select_status(where, error) : status;
}

static enum spoor_status filter(struct spoor_reader *reader, const struct spoor_select *where,
                                struct spoor_output *output, struct spoor_error *error)
{
    const struct spoor_batch *batch;
    struct spoor_writer *writer;
    const struct spoor_format *format = spoor_reader_stream(reader)->format;
    enum spoor_status status = spoor_writer_open(&writer, format, NULL, output, error);
    if (status != SPOOR_OK) return status;
    while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK) {
        status = filter_batch(where, batch, writer, error);
        if (status != SPOOR_OK) break;
    }
    const enum spoor_status closed = spoor_writer_close(writer, status == SPOOR_END ? error : NULL);
    return status == SPOOR_END ? closed : status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_select *where = NULL;
    struct spoor_reader *reader = NULL;
    struct spoor_output *output = NULL;
    if (count != 4) {
        fprintf(stderr, "usage: filter EXPRESSION IN OUT\n");
        return 2;
    }
    enum spoor_status status = spoor_select_compile(&where, words[1], &error);
    if (status == SPOOR_OK) status = spoor_reader_open(&reader, words[2], NULL, &error);
    if (status == SPOOR_OK) status = spoor_output_open(&output, words[3], &error);
    if (status == SPOOR_OK) {
        status = filter(reader, where, output, &error);
        if (status != SPOOR_OK)
            spoor_output_discard(output); /* no file that looks whole */
        else
            status = spoor_output_close(output, &error);
    }
    if (reader) spoor_reader_close(reader);
    spoor_select_free(where);
    if (status == SPOOR_OK) return 0;
    fprintf(stderr, "%s\n", error.text);
    return 3;
}
