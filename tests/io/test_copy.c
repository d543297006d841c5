/* SPDX-License-Identifier: MIT */
/*
 * test_copy.c: a writer copies lines of its own format verbatim.  The output equals that of writing
 * the records, also for records from other formats that follow them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/format.h"
#include "model/batch_own.h"
#include "views/published.h"

/* The same records written both ways. */
struct both {
    struct spoor_output *output;
    struct spoor_writer *writer;
    struct encoder encoder;
    struct text written;
    char path[64];
    uint64_t seed;
};

static uint32_t draw(struct both *both)
{
    both->seed = both->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(both->seed >> 33);
}

static void begin(struct both *both, const struct spoor_format *format, uint64_t seed)
{
    struct spoor_error error = {0};
    *both = (struct both){.path = "/tmp/spoor-copy-XXXXXX", .seed = seed};
    const int file = mkstemp(both->path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(spoor_output_open(&both->output, both->path, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_open(&both->writer, format, NULL, both->output, &error),
                     SPOOR_OK);
}

static void put(struct both *both, const struct spoor_format *format,
                const struct spoor_batch *batch, size_t from, size_t to)
{
    struct spoor_error error = {0};
    both->encoder.format = format;
    assert_int_equal(spoor_writer_put(both->writer, batch, from, to, &error), SPOOR_OK);
    format->write(&both->encoder, batch, from, to, &both->written);
}

/* Writes some runs of each batch: the whole batch, long ones, and single records. */
static void put_runs(struct both *both, const struct spoor_format *format,
                     struct spoor_reader *reader)
{
    const struct spoor_batch *batch;
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK) {
        const size_t longest = (size_t)1 << draw(both) % 20;
        assert_true(!format->verbatim_copy || batch->stream->format != format ||
                    batch_own_of(batch)->lines);
        for (size_t from = 0, to; from < batch->count; from = to + draw(both) % longest) {
            to = from + 1 + draw(both) % longest;
            if (to > batch->count || longest > batch->count) to = batch->count;
            put(both, format, batch, from, to);
        }
    }
}

static void end(struct both *both)
{
    struct spoor_error error = {0};
    assert_int_equal(spoor_writer_skipped(both->writer), both->encoder.skipped);
    assert_int_equal(spoor_writer_close(both->writer, &error), SPOOR_OK);
    assert_int_equal(spoor_output_close(both->output, &error), SPOOR_OK);
    FILE *file = fopen(both->path, "r");
    char *copied = malloc(both->written.size + 1);
    assert_true(file && copied);
    assert_int_equal(fread(copied, 1, both->written.size + 1, file), both->written.size);
    assert_memory_equal(copied, both->written.bytes, both->written.size);
    free(copied);
    fclose(file);
    unlink(both->path);
    text_free(&both->written);
}

static void lines_are_copied_as_they_would_be_written(void **state)
{
    (void)state;
    static const char *const names[] = {"list.tarmac.xz",  "sort-aarch64.tarmac.xz",
                                        "sort.matcher.xz", "sort.din.xz",
                                        "sort.lackey.xz",  "sort.uop.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (uint64_t seed = 1; seed < 5; seed++) {
            struct both both;
            struct spoor_reader *reader = open_example(names[i]);
            const struct spoor_format *format = spoor_reader_stream(reader)->format;
            assert_true(format->verbatim_copy);
            begin(&both, format, seed);
            put_runs(&both, format, reader);
            end(&both);
            spoor_reader_close(reader);
        }
}

/* Writes an example with some bytes replaced: verbatim and unknown lines, other line ends, blank
 * lines, none. */
static void damage(const char *name, char path[64], uint64_t seed)
{
    static const char bytes[] = "\r\n\n\n  \t0fgX:,(\xff";
    struct both drawing = {.seed = seed};
    struct spoor_reader *reader = open_example(name);
    const struct spoor_batch *batch;
    strcpy(path, "/tmp/spoor-damaged-XXXXXX");
    const int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "w");
    assert_non_null(file);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        for (size_t i = 0; i < batch->text_size; i++)
            fputc(draw(&drawing) % 200 ? batch->text[i] : bytes[draw(&drawing) % 15], file);
    fputs("no newline after it", file);
    fclose(file);
    spoor_reader_close(reader);
}

static void damaged_lines_are_copied_as_they_would_be_written(void **state)
{
    (void)state;
    static const char *const names[] = {"list.tarmac.xz", "sort.matcher.xz", "sort.din.xz",
                                        "sort.lackey.xz", "sort.uop.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[64];
        struct both both;
        struct spoor_reader *whole = open_example(names[i]), *reader = NULL;
        const struct spoor_format *format = spoor_reader_stream(whole)->format;
        const struct spoor_reader_options options = {.format = format, .threads = 1};
        spoor_reader_close(whole);
        damage(names[i], path, i + 3);
        assert_int_equal(spoor_reader_open(&reader, path, &options, NULL), SPOOR_OK);
        begin(&both, format, i);
        put_runs(&both, format, reader);
        end(&both);
        spoor_reader_close(reader);
        unlink(path);
    }
}

/* The output for records of other formats does not depend on the lines before. */
static void records_from_elsewhere_follow_copied_lines(void **state)
{
    (void)state;
    static const char *const names[] = {"sort-aarch64.tarmac.xz", "list.tarmac.xz"};
    static const char *const others[] = {"sort.matcher.xz", "sort.lackey.xz", "sort.uop.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        for (size_t j = 0; j < sizeof others / sizeof *others; j++) {
            struct both both;
            struct spoor_reader *reader = open_example(names[i]), *other = open_example(others[j]);
            const struct spoor_format *format = spoor_reader_stream(reader)->format;
            begin(&both, format, i + 7 * j);
            put_runs(&both, format, reader);
            put_runs(&both, format, other);
            end(&both);
            spoor_reader_close(reader);
            spoor_reader_close(other);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_copied_as_they_would_be_written),
        cmocka_unit_test(damaged_lines_are_copied_as_they_would_be_written),
        cmocka_unit_test(records_from_elsewhere_follow_copied_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
