/* SPDX-License-Identifier: MIT */
/* test_follow.c: reading a trace that is still being written, in steps and in parts of any size. */
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <cmocka.h>

#include "toy.h"

/* A trace and its writer. */
struct growing_trace {
    struct spoor_reader *reader;
    struct spoor_follow follow;
    struct spoor_error error;
    int in; /* the writer's end */
    char path[256];
};

static void add(const struct growing_trace *growing, const char *bytes)
{
    assert_int_equal(write(growing->in, bytes, strlen(bytes)), strlen(bytes));
}

static enum spoor_status open_reader(struct growing_trace *growing,
                                     const struct spoor_format *format, unsigned threads)
{
    const struct spoor_reader_options options = {
        .format = format, .threads = threads, .follow = &growing->follow};
    return spoor_reader_open(&growing->reader, growing->path, &options, &growing->error);
}

static void begin_file(struct growing_trace *growing, const char *bytes)
{
    *growing = (struct growing_trace){.follow = {eventfd(0, EFD_CLOEXEC)}};
    snprintf(growing->path, sizeof growing->path, "%s", toy_file("growing", bytes, strlen(bytes)));
    growing->in = open(growing->path, O_WRONLY | O_APPEND | O_CLOEXEC);
    assert_true(growing->in >= 0);
}

/* The test keeps the reading end of a pipe open, because the path leads to it; the reader has its
 * own. */
static int begin_pipe(struct growing_trace *growing)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    *growing = (struct growing_trace){.follow = {-1}, .in = ends[1]};
    snprintf(growing->path, sizeof growing->path, "/dev/fd/%d", ends[0]);
    return ends[0];
}

static void end(struct growing_trace *growing)
{
    spoor_reader_close(growing->reader);
    close(growing->in);
    if (growing->follow.stop >= 0) close(growing->follow.stop);
}

/* Expects exactly these bytes in the next batch. */
static void expect(struct growing_trace *growing, const char *bytes)
{
    const struct spoor_batch *batch;
    enum spoor_status status = spoor_reader_next(growing->reader, &batch, &growing->error);
    assert_int_equal(status, SPOOR_OK);
    assert_int_equal(batch->text_size, strlen(bytes));
    assert_memory_equal(batch->text, bytes, strlen(bytes));
}

static void expect_status(struct growing_trace *growing, enum spoor_status expected)
{
    const struct spoor_batch *batch;
    assert_int_equal(spoor_reader_next(growing->reader, &batch, &growing->error), expected);
}

/* Whole lines are returned as soon as they are available, incomplete ones only when they are whole.
 */
static void a_file_grows(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct growing_trace growing;
        begin_file(&growing, "r0 a\nr1 b\n");
        assert_int_equal(open_reader(&growing, &toy_lines, threads), SPOOR_OK);
        expect(&growing, "r0 a\nr1 b\n");
        add(&growing, "r2 c\nr3");
        expect(&growing, "r2 c\n");
        add(&growing, " d\n");
        expect(&growing, "r3 d\n");
        add(&growing, "half");
        assert_int_equal(eventfd_write(growing.follow.stop, 1), 0);
        expect_status(&growing, SPOOR_END);
        end(&growing);
    }
}

static void records_grow(void **unused)
{
    (void)unused;
    struct growing_trace growing;
    begin_file(&growing, "aaaaaabbbbbbcc");
    assert_int_equal(open_reader(&growing, &toy_records, 1), SPOOR_OK);
    expect(&growing, "aaaaaabbbbbb");
    add(&growing, "cccc");
    expect(&growing, "cccccc");
    add(&growing, "ddd");
    assert_int_equal(eventfd_write(growing.follow.stop, 1), 0);
    expect_status(&growing, SPOOR_END);
    end(&growing);
}

/* The end of a pipe ends the trace: the bytes after its last line end are its last line. */
static void a_pipe_ends(void **unused)
{
    (void)unused;
    for (unsigned threads = 1; threads <= 4; threads += 3) {
        struct growing_trace growing;
        int out = begin_pipe(&growing);
        add(&growing, "register r0 a\n");
        assert_int_equal(open_reader(&growing, &toy_lines, threads), SPOOR_OK);
        expect(&growing, "register r0 a\n");
        add(&growing, "r1 b\nr2");
        expect(&growing, "r1 b\n");
        close(growing.in);
        expect(&growing, "r2");
        expect_status(&growing, SPOOR_END);
        growing.in = out;
        end(&growing);
    }
}

static void a_file_is_cut(void **unused)
{
    (void)unused;
    struct growing_trace growing;
    begin_file(&growing, "r0 a\nr1 b\n");
    assert_int_equal(open_reader(&growing, &toy_lines, 1), SPOOR_OK);
    expect(&growing, "r0 a\nr1 b\n");
    assert_int_equal(ftruncate(growing.in, 3), 0);
    expect_status(&growing, SPOOR_EINPUT);
    assert_non_null(strstr(growing.error.text, "was cut to 3 bytes"));
    end(&growing);
}

static void a_file_is_removed(void **unused)
{
    (void)unused;
    struct growing_trace growing;
    begin_file(&growing, "register r0 a\n");
    assert_int_equal(open_reader(&growing, &toy_lines, 1), SPOOR_OK);
    expect(&growing, "register r0 a\n");
    add(&growing, "r1 b\n");
    assert_int_equal(unlink(growing.path), 0);
    expect(&growing, "r1 b\n");
    expect_status(&growing, SPOOR_EINPUT);
    assert_non_null(strstr(growing.error.text, "was removed"));
    end(&growing);
}

static void stopped_before_anything(void **unused)
{
    (void)unused;
    struct growing_trace growing;
    begin_file(&growing, "");
    assert_int_equal(eventfd_write(growing.follow.stop, 1), 0);
    assert_int_equal(open_reader(&growing, NULL, 1), SPOOR_END);
    end(&growing);
}

static void compressed_files_are_refused(void **unused)
{
    (void)unused;
    struct growing_trace growing;
    begin_file(&growing, "");
    snprintf(growing.path, sizeof growing.path, "%s", toy_compressed("trace.gz", "r0 a\n", 5));
    assert_int_equal(open_reader(&growing, &toy_lines, 1), SPOOR_EUSAGE);
    assert_non_null(strstr(growing.error.text, "gzip"));
    end(&growing);
}

/* ---- pieces of any size ---- */

struct piecewise_text {
    const struct text *text;
    int to;
};

static void *write_pieces(void *context)
{
    const struct piecewise_text *writing = context;
    unsigned random = 1;
    for (size_t at = 0, size; at < writing->text->size; at += size) {
        random = random * 1103515245 + 12345;
        size = random >> 8 & 0x3fff;
        if (size > writing->text->size - at) size = writing->text->size - at;
        if (write(writing->to, writing->text->bytes + at, size) != (ssize_t)size) break;
    }
    close(writing->to);
    return NULL;
}

/* A followed pipe gives the same trace as the file. */
static void check_pieces(const struct text *written, const struct reader_output *whole,
                         unsigned threads)
{
    struct growing_trace growing;
    struct reader_output pieces;
    pthread_t writer;
    int out = begin_pipe(&growing);
    struct piecewise_text writing = {written, growing.in};
    const struct spoor_reader_options options = {
        .format = &toy_lines, .threads = threads, .follow = &growing.follow};
    assert_int_equal(pthread_create(&writer, NULL, write_pieces, &writing), 0);
    toy_read_with(&pieces, growing.path, &options);
    pthread_join(writer, NULL);
    close(out);
    assert_int_equal(pieces.ended, SPOOR_END);
    assert_int_equal(pieces.count, whole->count);
    toy_assert_bytes(&pieces, whole->bytes.bytes, whole->bytes.size);
    assert_int_equal(pieces.names.size, whole->names.size);
    assert_memory_equal(pieces.names.bytes, whole->names.bytes, whole->names.size);
    toy_free(&pieces);
}

static void any_pieces(void **unused)
{
    (void)unused;
    static const char *const names[] = {"trace", "trace.gz", "trace.zst", "trace.xz", "trace.bz2"};
    struct text text = {0};
    struct reader_output whole;
    toy_text(&text, 60000, 300);
    toy_read(&whole, toy_file("whole", text.bytes, text.size), &toy_lines, 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct text stored = {0};
        toy_load(toy_compressed(names[i], text.bytes, text.size), &stored);
        for (unsigned threads = 1; threads <= 4; threads += 3)
            check_pieces(&stored, &whole, threads);
        text_free(&stored);
    }
    toy_free(&whole);
    text_free(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_grows),
        cmocka_unit_test(records_grow),
        cmocka_unit_test(a_pipe_ends),
        cmocka_unit_test(a_file_is_cut),
        cmocka_unit_test(a_file_is_removed),
        cmocka_unit_test(stopped_before_anything),
        cmocka_unit_test(compressed_files_are_refused),
        cmocka_unit_test(any_pieces),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
