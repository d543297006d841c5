/* SPDX-License-Identifier: MIT */
/*
 * test_checkpoint.c: lists of checkpoints, and entering a trace that does not match: another file,
 * a damaged window, impossible positions.  compressions.sh enters the output of compressors.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/reader.h"
#include "toy.h"

enum { SPACING = 50000 };

static const struct spoor_reader_options options = {.format = &toy_lines};

/* Returns a list of these offsets. */
static struct checkpoints list_of(const uint64_t *offsets, size_t count)
{
    struct checkpoints list = {.spacing = 10};
    for (size_t i = 0; i < count; i++)
        checkpoints_add(&list, &(struct checkpoint){.offset = offsets[i]});
    return list;
}

static void test_list(void **unused)
{
    (void)unused;
    static const uint64_t offsets[] = {0, 10, 25};
    struct checkpoints empty = {.spacing = 10};
    assert_true(checkpoints_want(&empty, 7));
    assert_null(checkpoints_before(&empty, 7));
    assert_int_equal(checkpoints_longest_way(&empty, 7), 7);
    struct checkpoints list = list_of(offsets, 3);
    assert_false(checkpoints_want(&list, 34));
    assert_true(checkpoints_want(&list, 35));
    assert_false(checkpoints_want(NULL, 35));
    assert_int_equal(checkpoints_before(&list, 9)->offset, 0);
    assert_int_equal(checkpoints_before(&list, 10)->offset, 10);
    assert_int_equal(checkpoints_before(&list, 1000)->offset, 25);
    assert_int_equal(checkpoints_longest_way(&list, 30), 15);
    assert_int_equal(checkpoints_longest_way(&list, 60), 35);
    checkpoints_free(&list);
    assert_int_equal(list.count, 0);
}

/* A compressed trace and its checkpoints. */
struct sample {
    struct text plain;
    const char *path;
    struct checkpoints list;
};

static void collect(struct sample *sample)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    struct spoor_error error;
    assert_int_equal(spoor_reader_open(&reader, sample->path, &options, &error), SPOOR_OK);
    reader_collect(reader, &sample->list);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) continue;
    spoor_reader_close(reader);
}

static struct sample prepare(const char *name)
{
    struct sample sample = {.list = {.spacing = SPACING}};
    toy_text(&sample.plain, 100000, 500);
    sample.path = toy_compressed(name, sample.plain.bytes, sample.plain.size);
    collect(&sample);
    return sample;
}

static void forget(struct sample *sample)
{
    text_free(&sample->plain);
    checkpoints_free(&sample->list);
}

/* Returns the beginning of the first batch, or why there is none. */
static enum spoor_status enter(const struct sample *sample, const struct reader_entry *entry,
                               struct spoor_error *error)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    enum spoor_status status = reader_open_at(&reader, sample->path, &options, entry, error);
    if (status != SPOOR_OK) return status;
    status = spoor_reader_next(reader, &batch, error);
    if (status == SPOOR_OK) {
        assert_int_equal(batch->offset, entry->offset);
        assert_int_equal(batch->first, entry->record);
        assert_int_equal(batch->line, entry->line);
        assert_memory_equal(batch->text, sample->plain.bytes + entry->offset, batch->text_size);
    }
    spoor_reader_close(reader);
    return status;
}

/* Enters at each line that begins a run of 5000 lines. */
static void enter_everywhere(const char *name)
{
    struct sample sample = prepare(name);
    struct spoor_error error;
    uint64_t line = 1;
    for (size_t at = 0; at < sample.plain.size; at++) {
        if (at > 0 && sample.plain.bytes[at - 1] == '\n') line++;
        if (line % 5000 != 1 || (at > 0 && sample.plain.bytes[at - 1] != '\n')) continue;
        const struct reader_entry entry = {
            .offset = at,
            .checkpoint = checkpoints_before(&sample.list, at),
            .record = line - 1,
            .line = line,
        };
        assert_int_equal(enter(&sample, &entry, &error), SPOOR_OK);
    }
    forget(&sample);
}

static void test_plain(void **unused)
{
    (void)unused;
    enter_everywhere("plain");
}

static void test_gzip(void **unused)
{
    (void)unused;
    enter_everywhere("trace.gz");
}

/* A compressed trace without a checkpoint, and a plain one with. */
static void test_wrong_kind(void **unused)
{
    (void)unused;
    struct sample sample = prepare("trace.gz");
    struct spoor_error error;
    struct reader_entry entry = {.offset = SPACING, .checkpoint = &sample.list.items[0]};
    sample.path = toy_file("plain", sample.plain.bytes, sample.plain.size);
    assert_int_equal(enter(&sample, &entry, &error), SPOOR_EINPUT);
    assert_non_null(strstr(error.text, "cannot be entered"));
    entry.checkpoint = &sample.list.items[1]; /* interprets the plain bytes as deflate */
    assert_int_not_equal(enter(&sample, &entry, &error), SPOOR_OK);
    entry = (struct reader_entry){.offset = 0};
    struct spoor_reader *reader;
    struct spoor_reader_options without = options;
    without.format = NULL;
    assert_int_equal(reader_open_at(&reader, sample.path, &without, &entry, &error), SPOOR_EUSAGE);
    forget(&sample);
}

/* Any checkpoint is used or rejected; a sanitizer checks the rest. */
static void test_damaged(void **unused)
{
    (void)unused;
    struct sample sample = prepare("trace.gz");
    assert_true(sample.list.count > 2);
    for (unsigned i = 0; i < 1000; i++) {
        struct spoor_reader *reader;
        const struct spoor_batch *batch;
        struct spoor_error error;
        uint8_t window[CHECKPOINT_WINDOW_MAX];
        struct checkpoint checkpoint = sample.list.items[1 + i % (sample.list.count - 1)];
        memcpy(window, checkpoint.window, checkpoint.window_size);
        checkpoint.window = window;
        window[i * 7919 % checkpoint.window_size] ^= (uint8_t)(1 + i % 255);
        if (i % 3 == 1) checkpoint.place += i * 31;
        if (i % 3 == 2) checkpoint.header = i * 1013;
        if (i % 5 == 1) checkpoint.detail = i % 11;
        const struct reader_entry entry = {.offset = checkpoint.offset + i,
                                           .checkpoint = &checkpoint};
        if (reader_open_at(&reader, sample.path, &options, &entry, &error) != SPOOR_OK) continue;
        spoor_reader_next(reader, &batch, &error);
        spoor_reader_close(reader);
    }
    forget(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_list),    cmocka_unit_test(test_plain),
        cmocka_unit_test(test_gzip),    cmocka_unit_test(test_wrong_kind),
        cmocka_unit_test(test_damaged),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
