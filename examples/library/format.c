/* SPDX-License-Identifier: MIT */
/*
 * format FILE OUT: a format of one's own, read into records and written in a format of spoor.
 *
 * The format is text with one access in a line, "PC r ADDRESS SIZE" or "PC w ADDRESS SIZE", in
 * hexadecimal; lines that begin with # are comments.  Each line becomes a record of kind MEM in a
 * batch of the program's own, and a writer makes a din trace of the batch.
 */
#include <inttypes.h>
#include <spoor/spoor.h>
#include <stdio.h>
#include <string.h>

enum { BATCH = 1000 };

/* Appends the record of a line; false: no rule of the format fits. */
static bool decode_line(struct spoor_batch *batch, const char *line)
{
    uint64_t pc, address;
    unsigned size;
    char op;
    int used = 0;
    if (sscanf(line, "%" SCNx64 " %c %" SCNx64 " %x %n", &pc, &op, &address, &size, &used) != 4 ||
        line[used] || (op != 'r' && op != 'w'))
        return false;
    struct spoor_record *record = spoor_batch_push(batch);
    record->kind = SPOOR_MEM;
    record->op = op == 'w' ? SPOOR_MEM_WRITE : SPOOR_MEM_READ;
    record->has = SPOOR_HAS_VA;
    record->mem.size = (uint16_t)size;
    record->mem.va = address;
    return true;
}

/* Passes the records to the writer and empties the batch. */
static enum spoor_status pass_on(struct spoor_batch *batch, struct spoor_writer *writer,
                                 struct spoor_error *error)
{
    if (batch->out_of_memory) return spoor_error_set(error, SPOOR_ENOMEM, "out of memory");
    const enum spoor_status status = spoor_writer_put(writer, batch, 0, batch->count, error);
    batch->first += batch->count;
    spoor_batch_clear(batch);
    return status;
}

static enum spoor_status convert(FILE *file, struct spoor_writer *writer,
                                 const struct spoor_stream *stream, struct spoor_error *error)
{
    struct spoor_batch batch = {.stream = stream};
    char line[256];
    uint64_t number = 0;
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK && fgets(line, sizeof line, file)) {
        number++;
        if (line[0] == '#' || line[0] == '\n') continue;
        if (!decode_line(&batch, line)) {
            status = spoor_error_set(error, SPOOR_EINPUT,
                                     "line %" PRIu64 ": expected PC r|w ADDRESS SIZE", number);
            error->line = number;
        } else if (batch.count == BATCH) {
            status = pass_on(&batch, writer, error);
        }
    }
    if (status == SPOOR_OK && batch.count) status = pass_on(&batch, writer, error);
    spoor_batch_free(&batch);
    return status;
}

/* Writes a din trace to an output. */
static enum spoor_status write_din(FILE *file, struct spoor_output *output,
                                   struct spoor_error *error)
{
    const struct spoor_format *din = spoor_format_find("din");
    struct spoor_stream stream = {.path = "the records"};
    struct spoor_writer *writer;
    spoor_stream_set_format(&stream, din);
    enum spoor_status status = spoor_writer_open(&writer, din, NULL, output, error);
    if (status != SPOOR_OK) return status;
    status = convert(file, writer, &stream, error);
    const enum spoor_status closed = spoor_writer_close(writer, status == SPOOR_OK ? error : NULL);
    return status == SPOOR_OK ? closed : status;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    struct spoor_output *output;
    FILE *file = count == 3 ? fopen(words[1], "r") : NULL;
    if (!file) {
        fprintf(stderr, count == 3 ? "cannot read the file\n" : "usage: format FILE OUT\n");
        return count == 3 ? 3 : 2;
    }
    enum spoor_status status = spoor_output_open(&output, words[2], &error);
    if (status == SPOOR_OK) {
        status = write_din(file, output, &error);
        if (status == SPOOR_OK)
            status = spoor_output_close(output, &error);
        else
            spoor_output_discard(output);
    }
    fclose(file);
    if (status != SPOOR_OK) fprintf(stderr, "%s\n", error.text);
    return status == SPOOR_OK ? 0 : 3;
}
