/* SPDX-License-Identifier: MIT */
/* test_output.c: all bytes are written, or the failure is reported. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/compression.h"
#include "toy.h"

/* Writes the bytes in parts of `piece`, closes, and returns the first failure. */
static enum spoor_status put_wide(const char *path, const struct text *text, size_t piece,
                                  unsigned threads, struct spoor_error *error)
{
    struct spoor_output *output;
    enum spoor_status status = spoor_output_open(&output, path, error);
    if (status != SPOOR_OK) return status;
    spoor_output_use_threads(output, threads);
    for (size_t at = 0; at < text->size && status == SPOOR_OK; at += piece) {
        size_t left = text->size - at;
        status = spoor_output_put(output, text->bytes + at, left < piece ? left : piece, error);
    }
    enum spoor_status closed = spoor_output_close(output, status == SPOOR_OK ? error : NULL);
    return status == SPOOR_OK ? closed : status;
}

static enum spoor_status put_all(const char *path, const struct text *text, size_t piece,
                                 struct spoor_error *error)
{
    return put_wide(path, text, piece, 1, error);
}

static void test_pieces(void **unused)
{
    (void)unused;
    struct text text = {0};
    struct spoor_error error = {0};
    static const size_t pieces[] = {17, 4096, 300000, SIZE_MAX / 2};
    toy_text(&text, 40000, 100);
    for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
        struct text back = {0};
        char path[256];
        snprintf(path, sizeof path, "%s", toy_file("out", "old", 3));
        assert_int_equal(put_all(path, &text, pieces[i], &error), SPOOR_OK);
        toy_load(path, &back);
        assert_int_equal(back.size, text.size);
        assert_memory_equal(back.bytes, text.bytes, text.size);
        text_free(&back);
    }
    text_free(&text);
}

static void test_refused(void **unused)
{
    (void)unused;
    struct spoor_error error = {0};
    struct text text = {0};
    assert_int_equal(put_all("/nonexistent/out", &text, 1, &error), SPOOR_EOUTPUT);
    assert_int_equal(error.system_error, ENOENT);
    assert_int_equal(put_all("/tmp", &text, 1, &error), SPOOR_EOUTPUT);
    assert_int_equal(error.system_error, EISDIR);
}

/* A full disk is reported, for small output (on closing) and for large. */
static void test_full_disk(void **unused)
{
    (void)unused;
    if (access("/dev/full", W_OK) != 0) skip();
    struct spoor_error error = {0};
    struct text text = {0};
    text_puts(&text, "few bytes");
    assert_int_equal(put_all("/dev/full", &text, 9, &error), SPOOR_EOUTPUT);
    assert_int_equal(error.system_error, ENOSPC);
    toy_text(&text, 100000, 100);
    error = (struct spoor_error){0};
    assert_int_equal(put_all("/dev/full", &text, 1000, &error), SPOOR_EOUTPUT);
    assert_int_equal(error.system_error, ENOSPC);
    text_free(&text);
}

/* The compressed bytes depend only on the input: not on threads, nor on the parts in which it is
 * written. */
static void test_compressed(void **unused)
{
    (void)unused;
    const struct compression *compression;
    struct text text = {0};
    struct spoor_error error = {0};
    toy_text(&text, 60000, 100);
    for (size_t i = 0; (compression = compression_at(i)); i++) {
        if (!compression->deflater) continue;
        struct text one = {0}, two = {0};
        char path[256], name[32];
        snprintf(name, sizeof name, "out%s", compression->suffix);
        snprintf(path, sizeof path, "%s", toy_file(name, "", 0));
        assert_int_equal(put_wide(path, &text, 777, 1, &error), SPOOR_OK);
        toy_load(path, &one);
        assert_int_equal(put_wide(path, &text, 300000, 2, &error), SPOOR_OK);
        toy_load(path, &two);
        assert_int_equal(one.size, two.size);
        assert_memory_equal(one.bytes, two.bytes, one.size);
        struct reader_output reading;
        toy_read(&reading, path, &toy_lines, 1);
        toy_assert_bytes(&reading, text.bytes, text.size);
        toy_free(&reading);
        text_free(&one);
        text_free(&two);
    }
    text_free(&text);
}

/* A full disk after a compression, found by another thread or by the caller. */
static void test_compressed_full_disk(void **unused)
{
    (void)unused;
    const struct compression *compression = compression_by_suffix("full.gz");
    if (access("/dev/full", W_OK) != 0 || !compression->deflater) skip();
    char path[256];
    struct text text = {0};
    snprintf(path, sizeof path, "%s", toy_file("full.gz", "", 0));
    assert_int_equal(unlink(path), 0);
    assert_int_equal(symlink("/dev/full", path), 0);
    while (text.size < (size_t)8 << 20) toy_text(&text, 20000, 5000);
    for (unsigned threads = 1; threads <= 2; threads++) {
        struct spoor_error error = {0};
        assert_int_equal(put_wide(path, &text, 1000, threads, &error), SPOOR_EOUTPUT);
        assert_int_equal(error.system_error, ENOSPC);
        struct text few = {.bytes = text.bytes, .size = 10};
        error = (struct spoor_error){0};
        assert_int_equal(put_wide(path, &few, 1000, threads, &error), SPOOR_EOUTPUT);
        assert_int_equal(error.system_error, ENOSPC);
    }
    text_free(&text);
}

static void test_closed_pipe(void **unused)
{
    (void)unused;
    int ends[2];
    char path[64];
    struct spoor_error error = {0};
    struct text text = {0};
    toy_text(&text, 100000, 100);
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    snprintf(path, sizeof path, "/dev/fd/%d", ends[1]);
    struct spoor_output *output;
    assert_int_equal(spoor_output_open(&output, path, &error), SPOOR_OK);
    close(ends[0]);
    close(ends[1]);
    assert_int_equal(spoor_output_put(output, text.bytes, text.size, &error), SPOOR_EOUTPUT);
    assert_int_equal(error.system_error, EPIPE);
    spoor_output_close(output, NULL);
    text_free(&text);
}

static void test_is_input(void **unused)
{
    (void)unused;
    char path[256], other[300], same[300];
    snprintf(path, sizeof path, "%s", toy_file("trace", "x", 1));
    snprintf(other, sizeof other, "%s.other", path);
    snprintf(same, sizeof same, "%s.same", path);
    assert_int_equal(link(path, same), 0);
    assert_true(spoor_output_is_input(path, path));
    assert_true(spoor_output_is_input(same, path));
    assert_false(spoor_output_is_input(other, path));
    assert_false(spoor_output_is_input(path, other));
    assert_false(spoor_output_is_input("/dev/null", "/dev/null"));
}

/* The formats' tests cover writing and reading back through every format.  Here: a writer passes on
 * every record and counts those that it skips. */
static void test_writer(void **unused)
{
    (void)unused;
    struct spoor_error error = {0};
    struct spoor_writer *writer;
    assert_int_equal(spoor_writer_open(&writer, &toy_records, NULL, NULL, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "toy-records"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_pieces),     cmocka_unit_test(test_refused),
        cmocka_unit_test(test_full_disk),  cmocka_unit_test(test_closed_pipe),
        cmocka_unit_test(test_compressed), cmocka_unit_test(test_compressed_full_disk),
        cmocka_unit_test(test_is_input),   cmocka_unit_test(test_writer),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
