/* SPDX-License-Identifier: MIT */
/*
 * decode.c: `decode FORMAT FILE [REPEAT]` times the steps of reading and writing separately, in
 * memory: copying a chunk (the minimum cost of reading it), decoding it, writing its records,
 * printing them.  Prints the best of REPEAT runs of each in processor time, as megabytes of trace
 * per second and nanoseconds per record.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/format.h"
#include "seconds.h"
#include "spoor/names.h"

enum { CHUNK = 128 << 10, RECORDS = 8192, PADDING = 64, TURNS = 5 };

enum step { COPY, DECODE, WRITE, PRINT, STEPS };
static const char *const step_names[STEPS] = {"copy", "decode", "write", "print"};

struct bench {
    const struct spoor_format *format;
    const char *bytes;
    size_t size;
    struct spoor_stream stream;
    struct spoor_batch batch;
    void *state; /* the decoder's */
    struct text out;
    double seconds[STEPS];
    uint64_t records, put[STEPS];
};

/* The bytes of the next chunk, cut as the reader cuts. */
static size_t chunk_size(const struct bench *bench, size_t at)
{
    const size_t left = bench->size - at, record = bench->format->record_size;
    const size_t maximum = record ? RECORDS * record : CHUNK;
    if (left <= maximum) return left;
    if (record) return maximum;
    const char *newline = memrchr(bench->bytes + at, '\n', maximum);
    return newline ? (size_t)(newline + 1 - bench->bytes) - at : maximum;
}

static void copy(struct bench *bench, size_t at, size_t size)
{
    struct spoor_batch *batch = &bench->batch;
    spoor_batch_clear(batch);
    memcpy(batch->text, bench->bytes + at, size);
    memset(batch->text + size, 0, PADDING);
    batch->text_size = size;
    batch->offset = at;
    batch->last = at + size == bench->size;
}

static void decode(struct bench *bench, struct carry *carry)
{
    const struct decoder decoder = {
        .names = bench->stream.names, .spellings = bench->stream.spellings, .state = &bench->state};
    bench->format->decode(&decoder, &bench->batch);
    if (bench->format->resolve) bench->format->resolve(carry, &bench->batch);
    bench->records += bench->batch.count;
}

static void put(struct bench *bench, struct encoder *encoder, enum step step)
{
    const struct spoor_format *format = bench->format;
    enum { SLICE = 1024 };
    for (size_t from = 0; from < bench->batch.count; from += SLICE) {
        const size_t to = from + SLICE < bench->batch.count ? from + SLICE : bench->batch.count;
        (step == PRINT && format->print ? format->print : format->write)(encoder, &bench->batch,
                                                                         from, to, &bench->out);
        bench->put[step] += bench->out.size;
        bench->out.size = 0;
    }
}

/* One turn over the trace; each step's seconds are added up chunk by chunk. */
static void turn(struct bench *bench, double seconds[STEPS])
{
    struct carry carry = {0};
    struct encoder writing = {0}, printing = {.options = {.style = SPOOR_WRITE_PRINT}};
    bench->records = bench->put[WRITE] = bench->put[PRINT] = 0;
    for (size_t at = 0; at < bench->size; at += bench->batch.text_size) {
        const size_t size = chunk_size(bench, at);
        double times[STEPS + 1];
        times[0] = thread_seconds();
        copy(bench, at, size);
        times[1] = thread_seconds();
        decode(bench, &carry);
        times[2] = thread_seconds();
        put(bench, &writing, WRITE);
        times[3] = thread_seconds();
        put(bench, &printing, PRINT);
        times[4] = thread_seconds();
        for (int step = 0; step < STEPS; step++) seconds[step] += times[step + 1] - times[step];
    }
}

static void report(const struct bench *bench)
{
    printf("%-8s %10s %8s   %zu bytes, %llu records, %zu names\n", "step", "MB/s", "ns",
           bench->size, (unsigned long long)bench->records, spoor_names_count(bench->stream.names));
    for (int step = 0; step < STEPS; step++) {
        const uint64_t bytes = bench->put[step] ? bench->put[step] : bench->size;
        printf("%-8s %10.0f %8.2f\n", step_names[step], (double)bytes / bench->seconds[step] / 1e6,
               bench->seconds[step] * 1e9 / (double)bench->records);
    }
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    if (!file || fseek(file, 0, SEEK_END) != 0) return NULL;
    *size = (size_t)ftell(file);
    rewind(file);
    char *bytes = malloc(*size + 1);
    if (bytes && fread(bytes, 1, *size, file) != *size) *size = 0;
    fclose(file);
    return bytes;
}

int main(int count, char **words)
{
    struct bench bench = {.format = count > 2 ? spoor_format_find(words[1]) : NULL};
    if (!bench.format) return fputs("usage: decode FORMAT FILE [REPEAT]\n", stderr), 2;
    char *bytes = slurp(words[2], &bench.size);
    if (!bytes) return perror(words[2]), 1;
    bench.bytes = bytes;
    bench.stream = (struct spoor_stream){.path = words[2],
                                         .format = bench.format,
                                         .names = spoor_names_new(),
                                         .spellings = spoor_names_new()};
    bench.batch.stream = &bench.stream;
    bench.batch.text = malloc((1 << 20) + PADDING);
    if (!bench.batch.text) return 1;
    const int turns = count > 3 ? atoi(words[3]) : TURNS;
    for (int i = 0; i < turns; i++) {
        double seconds[STEPS] = {0};
        turn(&bench, seconds);
        for (int step = 0; step < STEPS; step++)
            if (i == 0 || seconds[step] < bench.seconds[step]) bench.seconds[step] = seconds[step];
    }
    report(&bench);
    text_free(&bench.out);
    spoor_batch_free(&bench.batch);
    spoor_names_free(bench.stream.names);
    spoor_names_free(bench.stream.spellings);
    free(bytes);
    return 0;
}
