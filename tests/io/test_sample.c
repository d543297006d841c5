/* SPDX-License-Identifier: MIT */
/* test_sample.c: samples are evenly spaced, begin and end at record boundaries, and cost the same
 * in any file.
 */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "toy.h"

enum { SAMPLES = 4 };

static void read_samples(struct reader_output *reading, const char *path,
                         const struct spoor_format *format, unsigned threads)
{
    const struct spoor_reader_options options = {
        .format = format, .threads = threads, .samples = SAMPLES};
    toy_read_with(reading, path, &options);
}

/* Checks a sample: its bytes are those of the file at its offset, and whole lines. */
static void check_batch(const struct spoor_batch *batch, const struct text *text, size_t index)
{
    const size_t place = (text->size - SPOOR_SAMPLE_SIZE) * index / (SAMPLES - 1);
    const uint64_t offset = batch->offset;
    assert_true(offset >= place && offset < place + 100);
    assert_true(batch->text_size <= SPOOR_SAMPLE_SIZE &&
                batch->text_size > SPOOR_SAMPLE_SIZE - 200);
    assert_memory_equal(batch->text, text->bytes + offset, batch->text_size);
    assert_true(offset == 0 || text->bytes[offset - 1] == '\n');
    assert_int_equal(batch->text[batch->text_size - 1], '\n');
    assert_int_equal(batch->gap, index > 0);
    assert_int_equal(batch->last, index == SAMPLES - 1);
    assert_int_equal(batch->line, index == 0);
    assert_int_equal(batch->fault_count, 0);
}

static void lines(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    const struct spoor_reader_options options = {.format = &toy_lines, .samples = SAMPLES};
    toy_text(&text, 60000, 300);
    const char *path = toy_file("trace", text.bytes, text.size);
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    size_t count = 0;
    for (; spoor_reader_next(reader, &batch, &error) == SPOOR_OK; count++)
        check_batch(batch, &text, count);
    assert_int_equal(count, SAMPLES);
    spoor_reader_close(reader);
    text_free(&text);
}

static void any_number_of_threads(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct reader_output one, many;
    toy_text(&text, 60000, 300);
    const char *path = toy_file("trace", text.bytes, text.size);
    read_samples(&one, path, &toy_lines, 1);
    read_samples(&many, path, &toy_lines, 4);
    toy_assert_same(&one, &many);
    toy_free(&one);
    toy_free(&many);
    text_free(&text);
}

static void small_files_are_read_in_full(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct reader_output reading;
    toy_text(&text, 9000, 300);
    assert_true(text.size > SPOOR_SAMPLE_SIZE && text.size < SAMPLES * SPOOR_SAMPLE_SIZE);
    read_samples(&reading, toy_file("trace", text.bytes, text.size), &toy_lines, 1);
    toy_assert_bytes(&reading, text.bytes, text.size);
    toy_free(&reading);
    text_free(&text);
}

/* Without a line end there is no beginning of a line: only the first sample has bytes. */
static void one_long_line(void **unused)
{
    (void)unused;
    const size_t size = 1 << 20;
    struct reader_output reading;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    memset(bytes, 'x', size);
    read_samples(&reading, toy_file("trace", bytes, size), &toy_lines, 1);
    assert_int_equal(reading.ended, SPOOR_END);
    assert_int_equal(reading.batch_count, 1);
    assert_int_equal(reading.fault_count, 1);
    toy_free(&reading);
    free(bytes);
}

/* Returns the bytes that this process has read so far; 0 if the system does not report it. */
static uint64_t bytes_read(void)
{
    unsigned long long bytes = 0;
    FILE *file = fopen("/proc/self/io", "re");
    if (!file) return 0;
    if (fscanf(file, "rchar: %llu", &bytes) != 1) bytes = 0;
    fclose(file);
    return bytes;
}

/* A sparse file of zeros: records of six bytes, and some more bytes at the end. */
static uint64_t cost_of(uint64_t size)
{
    struct reader_output reading;
    const char *path = toy_file("holes", "", 0);
    assert_int_equal(truncate(path, (off_t)size), 0);
    uint64_t before = bytes_read();
    read_samples(&reading, path, &toy_records, 1);
    uint64_t cost = bytes_read() - before;
    assert_int_equal(reading.ended, SPOOR_END);
    assert_int_equal(reading.batch_count, SAMPLES);
    assert_int_equal(reading.fault_count, size % 6 != 0);
    for (size_t i = 0; i < SAMPLES; i++) {
        uint64_t words[7]; /* first, line, offset, count, continues, unfinished, last */
        memcpy(words, reading.batches.bytes + i * sizeof words, sizeof words);
        assert_int_equal(words[2] % 6, 0);
        assert_int_equal(words[6], i == SAMPLES - 1);
    }
    toy_free(&reading);
    return cost;
}

static void the_size_does_not_matter(void **unused)
{
    (void)unused;
    const uint64_t megabyte = cost_of(UINT64_C(6) << 18);
    const uint64_t gigabytes = cost_of((UINT64_C(50) << 30) + 1);
    assert_true(gigabytes < megabyte + 4096 && megabyte < gigabytes + 4096);
}

static void what_cannot_be_sampled(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct reader_output reading;
    int ends[2];
    char path[64];
    toy_text(&text, 60000, 300);
    read_samples(&reading, toy_compressed("trace.gz", text.bytes, text.size), &toy_lines, 1);
    assert_int_equal(reading.opened, SPOOR_EUSAGE);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    read_samples(&reading, path, &toy_lines, 1);
    assert_int_equal(reading.opened, SPOOR_EUSAGE);
    close(ends[0]);
    close(ends[1]);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines),
        cmocka_unit_test(any_number_of_threads),
        cmocka_unit_test(small_files_are_read_in_full),
        cmocka_unit_test(one_long_line),
        cmocka_unit_test(the_size_does_not_matter),
        cmocka_unit_test(what_cannot_be_sampled),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
