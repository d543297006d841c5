/* SPDX-License-Identifier: MIT */
/*
 * pass FORMAT THREADS PATH [OUT]: reads a trace and, with OUT, writes it again in its own format.
 * Prints the peak memory in KiB and the number of records on stderr.  FORMAT "raw" passes the
 * chunks on without decoding them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "formats/format.h"
#include "spoor/spoor.h"

static void decode_raw(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder;
    spoor_batch_push(batch)->note.text = spoor_batch_refer(batch, batch->text, batch->text_size);
    batch->records[0].has = SPOOR_EOL_NONE;
}

static void write_raw(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                      size_t to, struct text *out)
{
    for (; from < to; from++) put_verbatim(batch, from, out);
    encoder->written = batch->first + to;
}

static const struct spoor_format raw = {.name = "raw", .decode = decode_raw, .write = write_raw};

static enum spoor_status pass(struct spoor_reader *reader, struct spoor_writer *writer,
                              uint64_t *records, struct spoor_error *error)
{
    const struct spoor_batch *batch;
    enum spoor_status status;
    while ((status = spoor_reader_next(reader, &batch, error)) == SPOOR_OK) {
        *records += batch->count;
        if (!writer) continue;
        status = spoor_writer_put(writer, batch, 0, batch->count, error);
        if (status != SPOOR_OK) return status;
    }
    return status;
}

static int give_up(const struct spoor_error *error)
{
    fprintf(stderr, "%s\n", error->text);
    return EXIT_FAILURE;
}

int main(int count, char **words)
{
    struct spoor_error error = {0};
    if (count < 4) return EXIT_FAILURE;
    struct spoor_reader_options options = {
        .format = strcmp(words[1], "raw") == 0 ? &raw : spoor_format_find(words[1]),
        .threads = (unsigned)atoi(words[2]),
    };
    struct spoor_reader *reader;
    struct spoor_output *output = NULL;
    struct spoor_writer *writer = NULL;
    uint64_t records = 0;
    if (spoor_reader_open(&reader, words[3], &options, &error) != SPOOR_OK) return give_up(&error);
    const struct spoor_format *format = spoor_reader_stream(reader)->format;
    if (count > 4 && (spoor_output_open(&output, words[4], &error) != SPOOR_OK ||
                      spoor_writer_open(&writer, format, NULL, output, &error) != SPOOR_OK))
        return give_up(&error);
    if (output) spoor_output_use_threads(output, options.threads);
    enum spoor_status status = pass(reader, writer, &records, &error);
    enum spoor_status closed = spoor_writer_close(writer, &error);
    if (closed == SPOOR_OK) closed = spoor_output_close(output, &error);
    spoor_reader_close(reader);
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    fprintf(stderr, "%ld KiB, %llu records\n", usage.ru_maxrss, (unsigned long long)records);
    return status == SPOOR_END && closed == SPOOR_OK ? EXIT_SUCCESS : give_up(&error);
}
