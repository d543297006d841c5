/* SPDX-License-Identifier: MIT */
/* test_explore.c: the answers of spoor/explore.h agree with each other and with the records. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/explore.h"

#define TRACE SOURCE_ROOT "/examples/sort.tarmac.xz"
enum { ADDRESS = 0x130d0, STEP = 977 };

struct opened_trace {
    struct spoor_index *index;
    struct spoor_explorer *explorer;
};

static int open_trace(void **state)
{
    static struct opened_trace opened;
    struct spoor_error error = {0};
    const struct spoor_index_options options = {.struct_size = sizeof options, .no_index = true};
    if (spoor_index_open(&opened.index, TRACE, &options, &error) != SPOOR_OK ||
        spoor_explorer_open(&opened.explorer, TRACE, opened.index, NULL, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    *state = &opened;
    return 0;
}

static int close_trace(void **state)
{
    const struct opened_trace *opened = *state;
    spoor_explorer_close(opened->explorer);
    spoor_index_close(opened->index);
    return 0;
}

/* The last write of the address, as the records state it. */
struct plain {
    uint64_t record, value;
    bool any;
};

static bool read_plainly(void *context, const struct spoor_record_visit *visited)
{
    struct plain *plain = context;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind != SPOOR_MEM || record->op != SPOOR_MEM_WRITE || record->mem.va != ADDRESS)
        return true;
    plain->record = visited->record;
    plain->value = record->mem.data[0];
    plain->any = true;
    return true;
}

/* Counts the records, and compares their numbers with those that were visited before. */
static bool count_in_order(void *context, const struct spoor_record_visit *visited)
{
    uint64_t *count = context;
    assert_int_equal(visited->record, (*count)++);
    return true;
}

static void segments_have_all_records_in_order(void **state)
{
    const struct opened_trace *opened = *state;
    const uint64_t records = spoor_index_records(opened->index);
    const size_t segments = spoor_index_segment_count(opened->index);
    uint64_t count = 0;
    for (size_t i = 0; i <= segments; i++) /* the last one does not exist */
        assert_int_equal(spoor_explorer_visit_segment(opened->explorer, i, 0, UINT64_MAX,
                                                      count_in_order, &count, NULL),
                         SPOOR_OK);
    assert_int_equal(count, records);
    count = records / 2; /* from the middle of a segment to before its last record */
    struct spoor_segment segment = {.struct_size = sizeof segment};
    const size_t middle = spoor_index_segment_of(opened->index, count);
    assert_true(spoor_index_segment(opened->index, middle, &segment));
    assert_int_equal(spoor_explorer_visit_segment(opened->explorer, middle, count, segment.end - 1,
                                                  count_in_order, &count, NULL),
                     SPOOR_OK);
    assert_int_equal(count, segment.end - 1);
}

static void memory_and_its_writer_are_those_of_the_records(void **state)
{
    const struct opened_trace *opened = *state;
    const struct spoor_range range = {.address = ADDRESS, .size = 4};
    struct spoor_subject subject;
    struct plain plain = {0};
    unsigned found = 0;
    assert_int_equal(spoor_explorer_subject(opened->explorer, "130d0+4", 0, 0, &subject, NULL),
                     SPOOR_OK);
    for (uint64_t at = 0, next; at < spoor_index_records(opened->index); at = next) {
        struct spoor_byte bytes[4];
        struct spoor_touch touch = {.struct_size = sizeof touch};
        next = at + STEP < spoor_index_records(opened->index) ? at + STEP
                                                              : spoor_index_records(opened->index);
        assert_int_equal(
            spoor_explorer_visit(opened->explorer, at, next, read_plainly, &plain, NULL), SPOOR_OK);
        const enum spoor_status status =
            spoor_explorer_last_write(opened->explorer, &subject, next, &touch, NULL);
        assert_int_equal(status, plain.any ? SPOOR_OK : SPOOR_END);
        if (!plain.any) continue;
        assert_int_equal(touch.record, plain.record);
        assert_int_equal(strtoull(touch.value, NULL, 16), plain.value);
        assert_int_equal(spoor_explorer_memory(opened->explorer, &range, next, bytes, NULL),
                         SPOOR_OK);
        for (unsigned i = 0; i < 4; i++) {
            assert_int_equal(bytes[i].value, plain.value >> 8 * i & 0xFF);
            assert_true(bytes[i].has_writer);
            assert_int_equal(bytes[i].writer, plain.record);
        }
        found++;
    }
    assert_true(found > 10);
}

/* The register's value at a moment is what its last writer wrote. */
static void registers_have_what_their_writers_wrote(void **state)
{
    const struct opened_trace *opened = *state;
    unsigned compared = 0;
    for (uint64_t at = STEP; at < spoor_index_records(opened->index); at += 4 * STEP) {
        struct spoor_state *now;
        struct spoor_register *list;
        size_t count;
        assert_int_equal(spoor_explorer_state(opened->explorer, at, &now, NULL), SPOOR_OK);
        assert_int_equal(spoor_state_registers(now, NULL, 0, &list, &count, NULL), SPOOR_OK);
        for (size_t i = 0; i < count; i++) {
            struct spoor_subject subject;
            struct spoor_touch touch = {.struct_size = sizeof touch};
            if (!list[i].written) continue;
            assert_int_equal(
                spoor_explorer_subject(opened->explorer, list[i].name, 0, at, &subject, NULL),
                SPOOR_OK);
            assert_int_equal(
                spoor_explorer_last_write(opened->explorer, &subject, at, &touch, NULL), SPOOR_OK);
            assert_int_equal(touch.record, list[i].writer);
            assert_string_equal(touch.value, list[i].value);
            compared++;
        }
        free(list);
        assert_int_equal(spoor_state_registers(now, now, 0, &list, &count, NULL), SPOOR_OK);
        assert_int_equal(count, 0); /* nothing differs from itself */
        free(list);
        spoor_state_free(now);
    }
    assert_true(compared > 50);
}

static void what_is_wrong_with_a_question_is_said(void **state)
{
    const struct opened_trace *opened = *state;
    struct spoor_error error = {0};
    struct spoor_subject subject;
    uint64_t moment;
    assert_int_equal(spoor_explorer_moment(opened->explorer, "soon", &moment, &error),
                     SPOOR_EUSAGE);
    assert_string_equal(error.text,
                        "found 'soon', expected a time, record:N, line:N, pc:ADDR[#K] or end");
    assert_int_equal(spoor_explorer_moment(opened->explorer, "record:99999999", &moment, &error),
                     SPOOR_END);
    assert_non_null(strstr(error.text, "has no record 99999999"));
    assert_int_equal(spoor_explorer_subject(opened->explorer, "13ffe+4", 0, 0, &subject, &error),
                     SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "reaches into another page"));
    assert_int_equal(spoor_explorer_subject(opened->explorer, "x99", 0, 0, &subject, NULL),
                     SPOOR_EUSAGE);
}

static bool refuse(void *context, size_t segment)
{
    (void)segment;
    ++*(unsigned *)context;
    return false;
}

static void a_query_can_be_ended(void **state)
{
    const struct opened_trace *opened = *state;
    unsigned asked = 0;
    struct spoor_error error = {0};
    struct spoor_explorer *explorer;
    struct spoor_state *now;
    const struct spoor_explorer_options options = {
        .struct_size = sizeof options, .goes_on = refuse, .context = &asked};
    assert_int_equal(spoor_explorer_open(&explorer, TRACE, opened->index, &options, &error),
                     SPOOR_OK);
    assert_int_equal(spoor_explorer_state(explorer, STEP, &now, &error), SPOOR_EUSAGE);
    assert_null(now);
    assert_int_equal(asked, 1);
    spoor_explorer_close(explorer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(segments_have_all_records_in_order),
        cmocka_unit_test(memory_and_its_writer_are_those_of_the_records),
        cmocka_unit_test(registers_have_what_their_writers_wrote),
        cmocka_unit_test(what_is_wrong_with_a_question_is_said),
        cmocka_unit_test(a_query_can_be_ended),
    };
    return cmocka_run_group_tests(tests, open_trace, close_trace);
}
