/* SPDX-License-Identifier: MIT */
/* test_decode_ring.c: any number of threads gives the same result; stopping early ends all threads.
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

/* Reads with one thread and with several: batches, records with their ids, and names must be equal.
 */
static void check_same(const struct text *text)
{
    static const unsigned threads[] = {2, 3, 4, 8, 64};
    const char *path = toy_file("trace", text->bytes, text->size);
    struct reader_output one;
    toy_read(&one, path, &toy_lines, 1);
    assert_int_equal(one.ended, SPOOR_END);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i += TOY_THREADS_STRIDE) {
        struct reader_output many;
        toy_read(&many, path, &toy_lines, threads[i]);
        toy_assert_same(&one, &many);
        toy_free(&many);
    }
    toy_free(&one);
}

static void test_few_names(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 100000, 300);
    check_same(&text);
    text_free(&text);
}

/* New names throughout: the private ids differ from the stream's nearly everywhere. */
static void test_many_names(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 100000, 50000);
    check_same(&text);
    text_free(&text);
}

/* More names than a table holds: the same records become verbatim for any number of threads. */
static void test_too_many_names(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 300000, 100000);
    check_same(&text);
    text_free(&text);
}

static void check_same_file(const char *path, const struct spoor_format *format)
{
    struct reader_output one, many;
    toy_read(&one, path, format, 1);
    for (unsigned threads = 2; threads < 4; threads += TOY_THREADS_STRIDE) {
        toy_read(&many, path, format, threads);
        toy_assert_same(&one, &many);
        toy_free(&many);
    }
    toy_free(&one);
}

static void put_lines(struct text *text, size_t count, size_t size)
{
    for (size_t i = 0; i < count; i++) {
        char *line = text_reserve(text, size);
        assert_non_null(line);
        memset(line, 'x', size);
        line[size - 1] = '\n';
        text_commit(text, line + size);
    }
}

/* Lines that are short, long, longer than a chunk, and longer than allowed, in turn: threads that
 * find cuts without reading the lines find the same cuts. */
static void test_cuts(void **unused)
{
    (void)unused;
    static const struct {
        size_t count, size;
    } runs[] = {{200000, 3},  {9000, 90}, {1, 2000000}, {100000, 2}, {40, 20000}, {3, 300000},
                {30000, 100}, {1, 3},     {1, 5000000}, {7, 1100},   {1000, 1023}};
    struct text text = {0};
    for (size_t i = 0; i < sizeof runs / sizeof *runs; i++)
        put_lines(&text, runs[i].count, runs[i].size);
    check_same_file(toy_file("trace", text.bytes, text.size), &toy_lines);
    check_same_file(toy_file("trace", text.bytes, text.size - 1), &toy_lines);
    text_free(&text);
}

/* Chunks that end at, before and after the end of the file, of text and of records. */
static void test_last_cut(void **unused)
{
    (void)unused;
    enum { LINE = 64, RECORD = 6, RECORDS = 16384 };
    struct text text = {0};
    const size_t end = 3 << 18;
    put_lines(&text, (1 << 20) / LINE, LINE);
    for (size_t less = 0; less < 3; less++) {
        check_same_file(toy_file("trace", text.bytes, end - less), &toy_lines);
        check_same_file(toy_file("trace", text.bytes, end + less), &toy_lines);
    }
    for (size_t extra = 0; extra < 3; extra++)
        check_same_file(toy_file("trace", text.bytes, 3 * RECORDS * RECORD - 1 + extra),
                        &toy_records);
    text_free(&text);
}

/* Standard input that is a file, read from its middle on. */
static void test_from_the_middle(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 200000, 300);
    const char *path = toy_file("trace", text.bytes, text.size);
    const size_t half =
        (size_t)((char *)memchr(text.bytes + text.size / 2, '\n', 1000) - text.bytes) + 1;
    const int kept = dup(STDIN_FILENO);
    for (unsigned threads = 1; threads < 4; threads++) {
        struct reader_output reading;
        const int file = open(path, O_RDONLY);
        assert_true(lseek(file, (off_t)half, SEEK_SET) == (off_t)half);
        assert_int_equal(dup2(file, STDIN_FILENO), STDIN_FILENO);
        close(file);
        toy_read(&reading, "-", &toy_lines, threads);
        toy_assert_bytes(&reading, text.bytes + half, text.size - half);
        toy_free(&reading);
    }
    assert_int_equal(dup2(kept, STDIN_FILENO), STDIN_FILENO);
    close(kept);
    text_free(&text);
}

/* A file that is truncated while it is read: the available bytes are returned, then the error. */
static void test_cut_short(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_reader_options options = {.format = &toy_lines, .threads = 3};
    const struct spoor_batch *batch;
    enum spoor_status status;
    uint64_t bytes = 0;
    toy_text(&text, 400000, 300);
    const char *path = toy_file("trace", text.bytes, text.size);
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_OK);
    bytes = batch->text_size;
    assert_int_equal(truncate(path, (off_t)text.size / 2), 0);
    while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
        bytes += batch->text_size;
    assert_true(bytes <= text.size / 2);
    assert_true(status == SPOOR_END || status == SPOOR_EINPUT);
    spoor_reader_close(reader);
    text_free(&text);
}

/* Reads `batches` batches and closes. */
static void leave_early(const char *path, size_t batches)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_reader_options options = {.format = &toy_lines, .threads = 4};
    const struct spoor_batch *batch;
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    for (size_t i = 0; i < batches; i++)
        assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_OK);
    spoor_reader_close(reader);
}

static void test_early_close(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 200000, 300);
    const char *path = toy_file("trace", text.bytes, text.size);
    for (size_t batches = 0; batches < 10; batches++) leave_early(path, batches);
    text_free(&text);
}

/* The writer of a pipe neither writes nor closes: closing the reader must not wait for it. */
static void test_close_while_waiting(void **unused)
{
    (void)unused;
    int ends[2];
    char path[64];
    struct text text = {0};
    toy_text(&text, 2000, 10); /* fits in the pipe */
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
    alarm(20);
    assert_true(write(ends[1], text.bytes, text.size) == (ssize_t)text.size);
    leave_early(path, 0);
    alarm(0);
    close(ends[0]);
    close(ends[1]);
    text_free(&text);
}

static void test_progress(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    struct spoor_reader_options options = {.format = &toy_lines, .threads = 1};
    const struct spoor_batch *batch;
    uint64_t done, size;
    toy_text(&text, 10000, 10);
    const char *path = toy_file("trace", text.bytes, text.size);
    assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        spoor_reader_progress(reader, &done, &size);
        assert_true(done >= batch->offset + batch->text_size);
        assert_int_equal(size, text.size);
    }
    spoor_reader_progress(reader, &done, &size);
    assert_int_equal(done, text.size);
    spoor_reader_close(reader);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cuts),
        cmocka_unit_test(test_last_cut),
        cmocka_unit_test(test_from_the_middle),
        cmocka_unit_test(test_cut_short),
        cmocka_unit_test(test_few_names),
        cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_too_many_names),
        cmocka_unit_test(test_early_close),
        cmocka_unit_test(test_close_while_waiting),
        cmocka_unit_test(test_progress),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
