/* SPDX-License-Identifier: MIT */
/* test_chunk.c: the positions of splits, line numbers, offsets, and lines longer than a chunk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/chunk.h"
#include "toy.h"

/* Reads the bytes from a file with one thread and with three, and compares the output. */
static void read_both(struct reader_output *reading, const struct spoor_format *format,
                      const void *bytes, size_t size)
{
    struct reader_output threaded;
    const char *path = toy_file("trace", bytes, size);
    toy_read(reading, path, format, 1);
    toy_read(&threaded, path, format, 3);
    assert_int_equal(reading->opened, SPOOR_OK);
    assert_int_equal(reading->ended, SPOOR_END);
    toy_assert_bytes(reading, bytes, size);
    toy_assert_same(reading, &threaded);
    assert_int_equal(reading->last_count, size ? 1 : 0);
    toy_free(&threaded);
}

static void test_empty(void **unused)
{
    (void)unused;
    struct reader_output reading;
    read_both(&reading, &toy_lines, "", 0);
    assert_int_equal(reading.batch_count, 0);
    toy_free(&reading);
    read_both(&reading, &toy_records, "", 0);
    assert_int_equal(reading.batch_count, 0);
    toy_free(&reading);
    toy_read(&reading, toy_file("trace", "", 0), NULL, 1);
    assert_int_equal(reading.opened, SPOOR_EINPUT); /* nothing to detect the format from */
    toy_free(&reading);
}

static void test_line_ends(void **unused)
{
    (void)unused;
    static const struct {
        const char *bytes;
        uint64_t count;
    } cases[] = {{"\n", 1},           {"a", 1},          {"a b\n", 1},   {"a b\nc", 2},
                 {"a b\r\nc\r\n", 2}, {"\r\n\r\n\n", 3}, {"a b\n\n", 2}, {"\r", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct reader_output reading;
        read_both(&reading, &toy_lines, cases[i].bytes, strlen(cases[i].bytes));
        assert_int_equal(reading.count, cases[i].count);
        assert_int_equal(reading.batch_count, 1);
        toy_free(&reading);
    }
}

/* Sizes around that of a chunk, with and without a newline at the end. */
static void test_chunk_seams(void **unused)
{
    (void)unused;
    char *bytes = malloc(3 * CHUNK_SIZE);
    assert_non_null(bytes);
    for (size_t length = 1; length <= 64; length *= TOY_STRIDE > 1 ? 64 : 4)
        for (size_t size = 2 * CHUNK_SIZE - 2; size <= 2 * CHUNK_SIZE + 2; size++) {
            struct reader_output reading;
            for (size_t i = 0; i < size; i++) bytes[i] = (i + 1) % length ? 'x' : '\n';
            read_both(&reading, &toy_lines, bytes, size);
            assert_int_equal(reading.count, (size + length - 1) / length);
            toy_free(&reading);
        }
    free(bytes);
}

static void test_long_lines(void **unused)
{
    (void)unused;
    size_t maximum = MAX_LINE, capacity = 4 * maximum;
    char *bytes = malloc(capacity);
    assert_non_null(bytes);
    static const struct {
        size_t before, line, after; /* bytes; the middle line has no newline within */
        uint64_t pieces;
    } cases[] = {
        {0, MAX_LINE - 1, 0, 0},         {0, MAX_LINE, 0, 0},
        {0, MAX_LINE + 1, 0, 2},         {100, MAX_LINE - 1, 100, 0},
        {100, MAX_LINE, 100, 2},         {100, 2 * MAX_LINE, 100, 3},
        {100, 2 * MAX_LINE + 7, 0, 3},   {150000, 2 * MAX_LINE + 99, 300000, 3},
        {10, MAX_LINE + 200000, 500, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t size = cases[i].before + cases[i].line;
        memset(bytes, 'x', size);
        for (size_t at = 9; at < cases[i].before; at += 10) bytes[at] = '\n';
        if (cases[i].after) bytes[size++] = '\n';
        for (size_t k = 0; k < cases[i].after; k++) bytes[size++] = (k + 1) % 10 ? 'y' : '\n';
        struct reader_output reading;
        read_both(&reading, &toy_lines, bytes, size);
        assert_true(reading.longest <= maximum);
        assert_int_equal(reading.fault_count, cases[i].pieces != 0); /* a line is reported once */
        assert_int_equal(reading.unfinished_count, cases[i].pieces ? cases[i].pieces - 1 : 0);
        assert_int_equal(reading.continues_count, reading.unfinished_count);
        toy_free(&reading);
    }
    free(bytes);
}

/* Line numbers count lines, however many parts a line has. */
static void test_line_numbers(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct reader_output reading;
    text_puts(&text, "one\n");
    char *at = text_reserve(&text, 3 << 20);
    memset(at, 'x', 3 << 20);
    text_commit(&text, at + (3 << 20));
    text_puts(&text, "\nthree\n");
    read_both(&reading, &toy_lines, text.bytes, text.size);
    const uint64_t *words = (const uint64_t *)(const void *)reading.batches.bytes;
    static const uint64_t lines[] = {1, 2, 2, 2, 2};
    assert_int_equal(reading.batch_count, 5); /* "one", three parts, "" and "three" */
    for (size_t i = 0; i < 5; i++) assert_int_equal(words[7 * i + 1], lines[i]);
    assert_int_equal(reading.count, 6);
    toy_free(&reading);
    text_free(&text);
}

static void test_records(void **unused)
{
    (void)unused;
    size_t maximum = 3 * CHUNK_SIZE;
    char *bytes = malloc(maximum);
    assert_non_null(bytes);
    for (size_t i = 0; i < maximum; i++) bytes[i] = (char)(i * 7);
    size_t chunk = CHUNK_RECORDS * 6;
    size_t sizes[] = {1, 5, 6, 7, chunk - 1, chunk, chunk + 1, 2 * chunk, 2 * chunk + 5, maximum};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct reader_output reading;
        read_both(&reading, &toy_records, bytes, sizes[i]);
        assert_int_equal(reading.count, sizes[i] / 6 + (sizes[i] % 6 != 0));
        assert_int_equal(reading.fault_count, sizes[i] % 6 != 0);
        assert_int_equal(reading.last_line, 0);
        toy_free(&reading);
    }
    free(bytes);
}

static void test_refused(void **unused)
{
    (void)unused;
    struct reader_output reading;
    toy_read(&reading, "/nonexistent/trace", &toy_lines, 1);
    assert_int_equal(reading.opened, SPOOR_EINPUT);
    assert_string_equal(reading.error.text,
                        "/nonexistent/trace: cannot be read: No such file or directory");
    toy_read(&reading, "/tmp", &toy_lines, 1);
    assert_int_equal(reading.opened, SPOOR_EINPUT);
    assert_string_equal(reading.error.text, "/tmp: cannot be read: Is a directory");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty),        cmocka_unit_test(test_line_ends),
        cmocka_unit_test(test_chunk_seams),  cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_line_numbers), cmocka_unit_test(test_records),
        cmocka_unit_test(test_refused),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
