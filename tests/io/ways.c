/* SPDX-License-Identifier: MIT */
/* ways.c: read a compressed trace from files and pipes, with one thread and with several. */
#include "ways.h"

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct poured_bytes {
    char path[300];
    const struct text *bytes;
};

/* Writes the bytes to a pipe in parts of many sizes. */
static void *pour(void *context)
{
    const struct poured_bytes *pouring = context;
    FILE *file = fopen(pouring->path, "wb");
    size_t spoon = 1;
    for (size_t at = 0; file && at < pouring->bytes->size; at += spoon) {
        spoon = spoon * 5 % 70001 + 1;
        if (spoon > pouring->bytes->size - at) spoon = pouring->bytes->size - at;
        if (fwrite(pouring->bytes->bytes + at, 1, spoon, file) != spoon) break;
        fflush(file);
    }
    if (file) fclose(file);
    return NULL;
}

static void read_pipe(struct reader_output *reading, const struct text *bytes, unsigned threads)
{
    struct poured_bytes pouring = {.bytes = bytes};
    pthread_t writer;
    snprintf(pouring.path, sizeof pouring.path, "%s", toy_file("packed", "", 0));
    assert_int_equal(unlink(pouring.path), 0);
    assert_int_equal(mkfifo(pouring.path, 0600), 0);
    signal(SIGPIPE, SIG_IGN); /* the pipe is not read after damage */
    assert_int_equal(pthread_create(&writer, NULL, pour, &pouring), 0);
    toy_read(reading, pouring.path, &toy_lines, threads);
    pthread_join(writer, NULL);
    assert_int_equal(unlink(pouring.path), 0);
}

void ways_read(struct reader_output *reading, const struct text *packed)
{
    toy_read(reading, toy_file("packed", packed->bytes, packed->size), &toy_lines, 1);
    static const unsigned counts[] = {4, 2, 1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i += TOY_THREADS_STRIDE) {
        struct reader_output other;
        if (counts[i] > 1) {
            toy_read(&other, toy_file("packed", packed->bytes, packed->size), &toy_lines,
                     counts[i]);
            toy_assert_same(reading, &other);
            toy_free(&other);
        }
        read_pipe(&other, packed, counts[i]);
        toy_assert_same(reading, &other);
        toy_free(&other);
    }
}

void ways_assert_whole(const struct text *packed, const struct text *plain, const char *compression)
{
    struct reader_output reading;
    ways_read(&reading, packed);
    if (reading.ended != SPOOR_END) fail_msg("%s", reading.error.text);
    assert_string_equal(reading.compression, compression);
    toy_assert_bytes(&reading, plain->bytes, plain->size);
    toy_free(&reading);
}

void ways_assert_damaged(const struct text *packed, const struct text *plain, const char *says)
{
    struct reader_output reading;
    ways_read(&reading, packed);
    assert_int_equal(reading.ended, SPOOR_EINPUT);
    if (!strstr(reading.error.text, says)) fail_msg("%s lacks '%s'", reading.error.text, says);
    assert_true(reading.bytes.size <= plain->size);
    toy_assert_bytes(&reading, plain->bytes, reading.bytes.size);
    toy_free(&reading);
}
