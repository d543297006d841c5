/* SPDX-License-Identifier: MIT */
/*
 * pack.c: `pack TRACE` writes a trace as .spoor without an index and reads it again, on one core.
 * Prints the bytes and the records encoded and decoded in a second of processor time: the time of
 * reading the trace itself is not in it.  And the limit of limit.h.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "limit.h"
#include "spoor/spoor.h"

static void demand(bool holds, const struct spoor_error *error)
{
    if (holds) return;
    fprintf(stderr, "pack: %s\n", error->text);
    exit(1);
}

/* Returns the processor seconds of encoding; *limit: those of the limit. */
static double encode(const char *trace, const char *packed, uint64_t *records, double *limit)
{
    const struct spoor_reader_options reading = {.struct_size = sizeof reading, .threads = 1};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_output *output;
    struct spoor_writer *writer;
    const struct spoor_batch *batch;
    double seconds = 0;
    demand(spoor_reader_open(&reader, trace, &reading, &error) == SPOOR_OK, &error);
    demand(spoor_output_open_in_place(&output, packed, &error) == SPOOR_OK, &error);
    demand(spoor_writer_open(&writer, spoor_format_find("spoor"), NULL, output, &error) == SPOOR_OK,
           &error);
    *records = 0;
    *limit = 0;
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        const double begin = thread_seconds();
        demand(spoor_writer_put(writer, batch, 0, batch->count, &error) == SPOOR_OK, &error);
        seconds += thread_seconds() - begin;
        *records += batch->count;
        *limit += limit_seconds(batch->records, batch->count * sizeof *batch->records);
    }
    const double begin = thread_seconds();
    demand(spoor_writer_close(writer, &error) == SPOOR_OK, &error);
    demand(spoor_output_close(output, &error) == SPOOR_OK, &error);
    seconds += thread_seconds() - begin;
    spoor_reader_close(reader);
    return seconds;
}

static double decode(const char *packed, uint64_t records)
{
    const struct spoor_reader_options options = {.struct_size = sizeof options, .threads = 1};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    uint64_t count = 0;
    const double begin = thread_seconds();
    demand(spoor_reader_open(&reader, packed, &options, &error) == SPOOR_OK, &error);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) count += batch->count;
    spoor_reader_close(reader);
    if (count != records) {
        fprintf(stderr, "pack: %llu records came back of %llu\n", (unsigned long long)count,
                (unsigned long long)records);
        exit(1);
    }
    return thread_seconds() - begin;
}

static void pack(const char *trace)
{
    char packed[] = "/tmp/spoor-pack-XXXXXX";
    const int file = mkstemp(packed);
    struct stat status;
    uint64_t records;
    double limit;
    if (file < 0) exit(1);
    close(file);
    const double encoded = encode(trace, packed, &records, &limit);
    const double decoded = decode(packed, records);
    if (stat(packed, &status) == 0)
        printf("%llu bytes, %.3f bits/record\n", (unsigned long long)status.st_size,
               (double)status.st_size * 8 / (double)(records ? records : 1));
    limit_print(records, limit, "records");
    printf("encode %.2f M records/s\n", (double)records / encoded / 1e6);
    printf("decode %.2f M records/s\n", (double)records / decoded / 1e6);
    unlink(packed);
}

int main(int count, char **arguments)
{
    if (count != 2) {
        fputs("usage: pack TRACE\n", stderr);
        return 2;
    }
    pack(arguments[1]);
    return 0;
}
