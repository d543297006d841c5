/* SPDX-License-Identifier: MIT */
/*
 * test_index_open.c: by public headers alone: an index is made, found, verified and reported;
 * passing over what it excludes loses no record; its lines are those that the records access; and a
 * .spoor file gets one while it is written.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/spoor.h"

enum { STEPS = 30000, PER_STEP = 2, SEGMENT = 1 << 16 };

static char path[] = "/tmp/spoor-index-open-XXXXXX";
static char copy[sizeof path + 8], beside[sizeof path + 16], beside_copy[sizeof copy + 16];

/* An instruction and an access in each step; the second half of them on another processor. */
static int make_trace(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    snprintf(copy, sizeof copy, "%s.spoor", path);
    snprintf(beside, sizeof beside, "%s.spoor-index", path);
    snprintf(beside_copy, sizeof beside_copy, "%s.spoor-index", copy);
    for (unsigned i = 0; out && i < STEPS; i++) {
        const unsigned cpu = i >= STEPS / 2, access = 0x100000 + i / 100 * 64;
        fprintf(out, "%u clk cpu%u IT (%u) %08x d503201f O EL1h_n : NOP\n", i, cpu, i,
                0x1000 + 4 * (i % 1000));
        fprintf(out, "%u clk cpu%u M%c8 %08x 00000000_00000001\n", i, cpu, i % 3 ? 'R' : 'W',
                access);
    }
    return out && fclose(out) == 0 ? 0 : -1;
}

static int remove_trace(void **state)
{
    (void)state;
    unlink(copy);
    unlink(beside);
    unlink(beside_copy);
    return unlink(path);
}

static const struct spoor_index_options options = {.struct_size = sizeof options,
                                                   .threads = 2,
                                                   .needs = SPOOR_INDEX_SEGMENTS,
                                                   .beside = true,
                                                   .segment_bytes = SEGMENT};

static struct spoor_index *opened(const struct spoor_index_options *with)
{
    struct spoor_index *index = NULL;
    struct spoor_error error = {0};
    if (spoor_index_open(&index, path, with, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return index;
}

static void it_is_found_once_it_is_made(void **state)
{
    (void)state;
    struct spoor_index_options with = options;
    struct spoor_index *index = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_index_find(&index, path, &options, &error), SPOOR_END);
    assert_true(error.text[0]);
    assert_int_equal(spoor_index_verify(path, &options, &error), SPOOR_END);
    spoor_index_close(opened(&options));
    assert_int_equal(spoor_index_find(&index, path, &options, &error), SPOOR_OK);
    assert_string_equal(spoor_index_path(index), beside);
    assert_false(spoor_index_is_embedded(index));
    assert_false(spoor_index_has_faults(index));
    assert_false(spoor_index_has_calls(index, NULL));
    spoor_index_close(index);
    with.needs = SPOOR_INDEX_ALL;
    assert_int_equal(spoor_index_find(&index, path, &with, &error), SPOOR_END);
    index = opened(&with); /* made again, with calls */
    assert_true(spoor_index_has_calls(index, NULL));
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_index_report(index, result), SPOOR_OK);
    assert_int_equal(spoor_result_whole(spoor_result_member(result, "records")), STEPS * PER_STEP);
    assert_int_equal(spoor_result_whole(spoor_result_member(result, "cpus")), 2);
    assert_true(spoor_result_whole(spoor_result_member(result, "segments")) > 8);
    spoor_result_free(result);
    spoor_index_close(index);
    assert_int_equal(spoor_index_find(&index, path, &with, &error), SPOOR_OK);
    spoor_index_close(index);
    with.no_index = true;
    assert_int_equal(spoor_index_find(&index, path, &with, &error), SPOOR_END);
    assert_int_equal(spoor_index_verify(path, &options, &error), SPOOR_OK);
}

static bool stop_at_once(void *context)
{
    ++*(unsigned *)context;
    return true;
}

static void what_stops_it_is_asked(void **state)
{
    (void)state;
    unsigned calls = 0;
    struct spoor_index_options with = options;
    struct spoor_index *index = NULL;
    struct spoor_error error = {0};
    with.anew = true;
    with.stopped = stop_at_once;
    with.context = &calls;
    assert_int_equal(spoor_index_open(&index, path, &with, &error), SPOOR_EUSAGE);
    assert_true(calls > 0);
    assert_true(error.text[0]);
}

/* ---- passing over ---- */

struct found {
    uint64_t selected, sum; /* the records that a cut selects, and the sum of their numbers */
    uint64_t read;
};

static void add(struct found *found, struct spoor_cut *cut, const struct spoor_batch *batch)
{
    size_t from, to = 0;
    struct spoor_error error = {0};
    found->read += batch->count;
    assert_int_equal(spoor_cut_feed(cut, batch, &error), SPOOR_OK);
    while (spoor_cut_run(cut, &from, &to))
        for (size_t i = from; i < to; i++) {
            found->selected++;
            found->sum += batch->first + i;
        }
}

/* Reads a trace; with an index, or with its own table (`table`), passes over what they exclude. */
static struct found select_from(const char *from, const struct spoor_cut_options *selection,
                                const struct spoor_index *index, bool table)
{
    const struct spoor_skipper_options skipped = {.struct_size = sizeof skipped,
                                                  .records = selection->records,
                                                  .time = selection->time,
                                                  .cpu = selection->cpu,
                                                  .where = selection->where};
    const struct spoor_reader_options reading = {.struct_size = sizeof reading, .threads = 2};
    struct found found = {0};
    struct spoor_reader *reader;
    struct spoor_skipper *skipper = NULL;
    struct spoor_cut *cut;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    const char *cpu;
    bool timed;
    if (spoor_reader_open(&reader, from, &reading, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_int_equal(spoor_cut_new(&cut, selection, &error), SPOOR_OK);
    if (index || table)
        assert_int_equal(spoor_skipper_open(&skipper, reader, index, &skipped, &error), SPOOR_OK);
    while ((!skipper || spoor_skipper_skip(skipper, &error) == SPOOR_OK) &&
           spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        if (skipper && spoor_skipper_passed(skipper, &cpu, &timed))
            spoor_cut_skip(cut, batch->stream->names, cpu, timed);
        add(&found, cut, batch);
    }
    if (error.status != SPOOR_OK) fail_msg("%s", error.text);
    spoor_cut_free(cut);
    spoor_skipper_close(skipper);
    spoor_reader_close(reader);
    return found;
}

static void expect_the_same(const struct found *whole, const struct found *found)
{
    assert_true(whole->selected > 0);
    assert_int_equal(found->selected, whole->selected);
    assert_int_equal(found->sum, whole->sum);
    assert_int_equal(whole->read, STEPS * PER_STEP);
    assert_true(found->read < whole->read / 2 + whole->read / 8);
}

static void what_is_passed_over_has_nothing_selected(void **state)
{
    (void)state;
    struct spoor_error error = {0};
    struct spoor_select *where = NULL;
    struct spoor_index *index = opened(&options);
    assert_int_equal(spoor_select_compile(&where, "kind=mem && addr>=0x104000", &error), SPOOR_OK);
    const struct spoor_cut_options selections[] = {
        {.struct_size = sizeof selections[0], .records = {true, 31000, 31999}},
        {.struct_size = sizeof selections[0], .time = {true, 20000, 20100}},
        {.struct_size = sizeof selections[0], .cpu = "cpu1"},
        {.struct_size = sizeof selections[0], .where = where},
    };
    for (size_t i = 0; i < sizeof selections / sizeof *selections; i++) {
        const struct found whole = select_from(path, &selections[i], NULL, false);
        const struct found found = select_from(path, &selections[i], index, false);
        expect_the_same(&whole, &found);
    }
    spoor_select_free(where);
    spoor_index_close(index);
}

static void without_an_index_text_has_no_table(void **state)
{
    (void)state;
    const struct spoor_skipper_options skipped = {.struct_size = sizeof skipped,
                                                  .records = {true, 31000, 31999}};
    struct spoor_reader *reader;
    struct spoor_skipper *skipper = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_reader_open(&reader, path, NULL, &error), SPOOR_OK);
    assert_int_equal(spoor_skipper_open(&skipper, reader, NULL, &skipped, &error), SPOOR_END);
    assert_null(skipper);
    spoor_reader_close(reader);
}

/* ---- while a file is written ---- */

static void write_copy(bool digests)
{
    const struct spoor_reader_options reading = {.struct_size = sizeof reading, .threads = 2};
    struct spoor_error error = {0};
    struct spoor_index_writer *writing;
    struct spoor_reader *reader;
    struct spoor_output *output;
    struct spoor_writer *writer;
    const struct spoor_batch *batch;
    const struct spoor_format *container = spoor_format_find("spoor");
    assert_non_null(container);
    assert_int_equal(spoor_reader_open(&reader, path, &reading, &error), SPOOR_OK);
    assert_int_equal(spoor_output_open(&output, copy, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_open(&writer, container, NULL, output, &error), SPOOR_OK);
    assert_int_equal(spoor_index_writer_open(&writing, NULL, &error), SPOOR_OK);
    spoor_index_writer_watch(writing, writer);
    if (digests) spoor_index_writer_reads(writing, reader);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_writer_put(writer, batch, 0, batch->count, &error), SPOOR_OK);
    assert_int_equal(spoor_writer_close(writer, &error), SPOOR_OK);
    assert_int_equal(spoor_index_writer_close(writing, &error), SPOOR_OK);
    assert_int_equal(spoor_output_close(output, &error), SPOOR_OK);
    spoor_reader_close(reader);
}

static void a_file_has_its_index_in_itself(void **state)
{
    (void)state;
    const struct spoor_cut_options selection = {.struct_size = sizeof selection,
                                                .records = {true, 100, 199}};
    const struct spoor_index_options with = {.struct_size = sizeof with,
                                             .needs = SPOOR_INDEX_SEGMENTS};
    for (int digests = 0; digests < 2; digests++) {
        struct spoor_error error = {0};
        struct spoor_index *index = NULL;
        write_copy(digests);
        if (spoor_index_find(&index, copy, &with, &error) != SPOOR_OK) fail_msg("%s", error.text);
        assert_true(spoor_index_is_embedded(index));
        assert_int_equal(spoor_index_records(index), STEPS * PER_STEP);
        spoor_index_close(index);
        assert_int_equal(spoor_index_verify(copy, &with, &error), SPOOR_OK);
        const struct found whole = select_from(copy, &selection, NULL, false);
        const struct found found = select_from(copy, &selection, NULL, true);
        assert_int_equal(found.selected, 100);
        assert_int_equal(found.sum, whole.sum);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_found_once_it_is_made),
        cmocka_unit_test(what_stops_it_is_asked),
        cmocka_unit_test(what_is_passed_over_has_nothing_selected),
        cmocka_unit_test(without_an_index_text_has_no_table),
        cmocka_unit_test(a_file_has_its_index_in_itself),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
