/* SPDX-License-Identifier: MIT */
/*
 * enter PLAIN PACKED SPACING TIMES: reads PACKED completely and collects checkpoints; then enters
 * it TIMES times, at bytes spread over the trace and with one thread and two, and compares the
 * bytes read there with PLAIN.  The last time it reads the whole rest.  Prints the number of
 * checkpoints, the bytes of their windows, the longest distance between two, and the time of
 * entering.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>

#include "formats/format.h"
#include "io/reader.h"
#include "spoor/spoor.h"

enum { ENOUGH = 600 << 10 /* bytes that are compared after each entry */ };

static void decode_raw(const struct decoder *decoder, struct spoor_batch *batch)
{
    (void)decoder;
    spoor_batch_push(batch)->note.text = spoor_batch_refer(batch, batch->text, batch->text_size);
}

static const struct spoor_format raw = {.name = "raw", .decode = decode_raw};

struct plain {
    const char *bytes;
    uint64_t size;
};

static struct plain map(const char *path)
{
    struct stat status;
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0 || fstat(file, &status) != 0) exit(EXIT_FAILURE);
    void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (bytes == MAP_FAILED) exit(EXIT_FAILURE);
    return (struct plain){bytes, (uint64_t)status.st_size};
}

_Noreturn static void give_up(const char *says, uint64_t offset)
{
    fprintf(stderr, "at offset %llu: %s\n", (unsigned long long)offset, says);
    exit(EXIT_FAILURE);
}

/* Compares `enough` bytes from the reader with the plain ones from `at` on. */
static void compare(struct spoor_reader *reader, const struct plain *plain, uint64_t at,
                    uint64_t enough)
{
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    const uint64_t end = plain->size - at < enough ? plain->size : at + enough;
    while (at < end) {
        if (spoor_reader_next(reader, &batch, &error) != SPOOR_OK) give_up(error.text, at);
        if (batch->offset != at) give_up("another offset", at);
        if (batch->text_size > plain->size - at ||
            memcmp(batch->text, plain->bytes + at, batch->text_size) != 0)
            give_up("other bytes", at);
        at += batch->text_size;
    }
    if (at < plain->size) return;
    if (spoor_reader_next(reader, &batch, &error) != SPOOR_END) give_up(error.text, at);
}

static void collect(const char *path, const struct plain *plain, struct checkpoints *list)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    const struct spoor_reader_options options = {.format = &raw, .threads = 2};
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK) give_up(error.text, 0);
    reader_collect(reader, list);
    compare(reader, plain, 0, plain->size);
    spoor_reader_close(reader);
    if (list->failed) give_up("memory ran out for checkpoints", 0);
}

static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Returns the time until the first batch is available. */
static double enter(const char *path, const struct plain *plain, const struct checkpoints *list,
                    uint64_t offset, uint64_t enough, unsigned threads)
{
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    const struct spoor_reader_options options = {.format = &raw, .threads = threads};
    const struct reader_entry entry = {.offset = offset,
                                       .checkpoint = checkpoints_before(list, offset)};
    const double begin = seconds();
    if (reader_open_at(&reader, path, &options, &entry, &error) != SPOOR_OK)
        give_up(error.text, offset);
    const double taken = seconds() - begin;
    compare(reader, plain, offset, enough);
    spoor_reader_close(reader);
    return taken;
}

int main(int count, char **words)
{
    if (count < 5) return EXIT_FAILURE;
    const struct plain plain = map(words[1]);
    struct checkpoints list = {.spacing = strtoull(words[3], NULL, 10)};
    const unsigned times = (unsigned)atoi(words[4]);
    collect(words[2], &plain, &list);
    size_t windows = 0;
    for (size_t i = 0; i < list.count; i++) windows += list.items[i].window_size;
    double worst = 0, sum = 0;
    for (unsigned i = 0; i < times; i++) {
        const uint64_t offset = (plain.size - 1) * (i * UINT64_C(7919) % times) / times;
        const double taken =
            enter(words[2], &plain, &list, offset, i + 1 < times ? ENOUGH : plain.size, 1 + i % 2);
        sum += taken;
        if (taken > worst) worst = taken;
    }
    for (size_t i = 0; i < list.count && i < times; i++) /* where nothing has to be skipped */
        enter(words[2], &plain, &list, list.items[list.count - 1 - i].offset, ENOUGH, 1);
    printf("%zu checkpoints, %zu bytes of windows, longest way %llu; entered in %.1f ms, at most "
           "%.1f\n",
           list.count, windows, (unsigned long long)checkpoints_longest_way(&list, plain.size),
           1000 * sum / times, 1000 * worst);
    checkpoints_free(&list);
    return EXIT_SUCCESS;
}
