/* SPDX-License-Identifier: MIT */
/*
 * reader.c: the fuzz target of reading: any file, compressed or not, is opened, its format
 * detected, and read to its end or to an error with a message; several threads read the same as
 * one.
 */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "spoor/spoor.h"

struct bus_stats {
    uint64_t records, bytes, hash;
    enum spoor_status status;
};

static void add_batch(struct bus_stats *stats, const struct spoor_batch *batch)
{
    DEMAND(batch->first == stats->records, "records are missing before a batch");
    stats->records += batch->count;
    stats->bytes += batch->text_size;
    for (size_t i = 0; i < batch->count; i++)
        stats->hash =
            stats->hash * 31 + (uint64_t)batch->records[i].kind * 7 + batch->records[i].time;
}

static struct bus_stats read_all(const char *path, unsigned threads)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    struct spoor_reader_options options = {.threads = threads};
    struct bus_stats stats = {0};
    stats.status = spoor_reader_open(&reader, path, &options, &error);
    if (stats.status == SPOOR_OK) {
        while ((stats.status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
            add_batch(&stats, batch);
        spoor_reader_close(reader);
    }
    if (stats.status < 0) DEMAND(error.text[0], "an error without a sentence");
    return stats;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    int file = memfd_create("trace", 0);
    char path[64];
    if (file < 0 || write(file, bytes, size) != (ssize_t)size) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    struct bus_stats one = read_all(path, 1), several = read_all(path, 3);
    DEMAND(one.status == several.status && one.records == several.records &&
               one.bytes == several.bytes && one.hash == several.hash,
           "one thread read %llu records of %llu bytes (%d), three %llu of %llu (%d)",
           (unsigned long long)one.records, (unsigned long long)one.bytes, (int)one.status,
           (unsigned long long)several.records, (unsigned long long)several.bytes,
           (int)several.status);
    close(file);
    return 0;
}
