/* SPDX-License-Identifier: MIT */
/* test_pipeline.c: any number of threads gives the same; stopping early ends them all. */
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "toy.h"

/* Read with one thread and with others: batches, records with their ids, and names are the same. */
static void check_same(const struct text *text)
{
    static const unsigned threads[] = {2, 3, 4, 8, 64};
    const char *path = toy_file("trace", text->bytes, text->size);
    struct reading one;
    toy_read(&one, path, &toy_lines, 1);
    assert_int_equal(one.ended, SPOOR_END);
    for (size_t i = 0; i < sizeof threads / sizeof *threads; i++) {
        struct reading many;
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

/* Names that keep coming: private ids differ from the stream's nearly everywhere. */
static void test_many_names(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 100000, 50000);
    check_same(&text);
    text_free(&text);
}

/* More names than a table holds: the same records become odd, whatever the number of threads. */
static void test_too_many_names(void **unused)
{
    (void)unused;
    struct text text = {0};
    toy_text(&text, 300000, 100000);
    check_same(&text);
    text_free(&text);
}

/* Take `batches` batches and go away. */
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
        cmocka_unit_test(test_few_names),           cmocka_unit_test(test_many_names),
        cmocka_unit_test(test_too_many_names),      cmocka_unit_test(test_early_close),
        cmocka_unit_test(test_close_while_waiting), cmocka_unit_test(test_progress),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
