/* SPDX-License-Identifier: MIT */
/*
 * test_listing.c: by public headers alone: rows of a trace by bytes and by the segments of an index
 * are its lines, forwards, backwards and by number; what segments may have is what they have;
 * calls, subjects, touches and values of registers are those of the records; calls of an index are
 * those of the trace.
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

static const char *const lines[] = {
    "1 clk IT (1) 00001000 d503201f O EL1h_n : NOP",
    "1 clk R SP_EL1 0000000000008000",
    "2 clk IT (2) 00001004 94000bff O EL1h_n : BL 0x4000",
    "2 clk R X30 0000000000001008",
    "3 clk IT (3) 00004000 f9000be0 O EL1h_n : STR x0, [sp, #16]",
    "3 clk MW8 00008010 01234567_89abcdef",
    "4 clk IT (4) 00004004 d65f03c0 O EL1h_n : RET",
    "5 clk IT (5) 00001008 d4000061 O EL1h_n : SVC #3",
    "9 clk IT (6) 00009200 d503201f O EL1h_n : NOP",
};
enum { LINES = sizeof lines / sizeof *lines };

struct opened_listing {
    char path[32];
    struct spoor_index *index;
    struct spoor_explorer *explorer;
    struct spoor_listing *listing;
};

static void open_trace(struct opened_listing *opened)
{
    const struct spoor_index_options options = {
        .struct_size = sizeof options, .no_index = true, .segment_bytes = 1};
    struct spoor_error error = {0};
    snprintf(opened->path, sizeof opened->path, "/tmp/spoor-listing-XXXXXX");
    const int file = mkstemp(opened->path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    assert_non_null(out);
    for (size_t i = 0; i < LINES; i++) assert_true(fprintf(out, "%s\n", lines[i]) > 0);
    assert_int_equal(fclose(out), 0);
    if (spoor_index_open(&opened->index, opened->path, &options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    assert_int_equal(
        spoor_explorer_open(&opened->explorer, opened->path, opened->index, NULL, &error),
        SPOOR_OK);
    assert_int_equal(spoor_listing_open(&opened->listing, opened->path, NULL, &error), SPOOR_OK);
}

static void close_trace(struct opened_listing *opened)
{
    spoor_listing_close(opened->listing);
    spoor_explorer_close(opened->explorer);
    spoor_index_close(opened->index);
    unlink(opened->path);
}

static void assert_row(struct opened_listing *opened, const struct spoor_listing_row *row,
                       size_t number)
{
    size_t size;
    const char *text = spoor_listing_text(opened->listing, row, &size);
    assert_int_equal(size, strlen(lines[number]));
    assert_memory_equal(text, lines[number], size);
    assert_int_equal(row->record, number);
    assert_int_equal(row->line, number + 1);
}

static void assert_rows(struct opened_listing *opened)
{
    struct spoor_listing_row row = {.struct_size = sizeof row};
    struct spoor_error error = {0};
    uint64_t at = 0;
    for (size_t i = 0; i < LINES; i++, at = row.end) {
        assert_int_equal(spoor_listing_at(opened->listing, at, &row, &error), SPOOR_OK);
        assert_row(opened, &row, i);
    }
    assert_int_equal(spoor_listing_at(opened->listing, at, &row, &error), SPOOR_END);
    assert_int_equal(spoor_listing_size(opened->listing), at);
    for (size_t i = LINES; i-- > 0; at = row.offset) {
        assert_int_equal(spoor_listing_before(opened->listing, at, &row, &error), SPOOR_OK);
        assert_row(opened, &row, i);
        assert_int_equal(spoor_listing_of_record(opened->listing, i, &row, &error), SPOOR_OK);
        assert_row(opened, &row, i);
        assert_int_equal(spoor_listing_of_line(opened->listing, i + 1, &row, &error), SPOOR_OK);
        assert_row(opened, &row, i);
    }
    assert_int_equal(spoor_listing_before(opened->listing, at, &row, &error), SPOOR_END);
}

static void rows_are_the_lines(void **state)
{
    (void)state;
    struct opened_listing opened;
    struct spoor_listing_row row = {.struct_size = sizeof row};
    size_t size;
    open_trace(&opened);
    assert_rows(&opened);
    spoor_listing_use_explorer(opened.listing, opened.explorer);
    assert_rows(&opened);
    assert_int_equal(spoor_listing_of_record(opened.listing, 5, &row, NULL), SPOOR_OK);
    const char *fields = spoor_listing_fields(opened.listing, &row, &size);
    char copy[256];
    snprintf(copy, sizeof copy, "%.*s", (int)size, fields);
    assert_non_null(strstr(copy, " addr=0x8010 "));
    assert_int_equal(spoor_listing_failure(opened.listing)->status, SPOOR_OK);
    close_trace(&opened);
}

static void segments_state_what_they_may_have(void **state)
{
    (void)state;
    struct opened_listing opened;
    struct spoor_segment segment = {.struct_size = sizeof segment};
    struct spoor_subject subject;
    const struct spoor_range range = {.address = 0x8010, .size = 8};
    uint64_t records = 0, bytes = 0;
    open_trace(&opened);
    const size_t count = spoor_index_segment_count(opened.index);
    for (size_t i = 0; spoor_index_segment(opened.index, i, &segment); i++) {
        assert_int_equal(segment.from, records);
        assert_int_equal(segment.offset, bytes);
        assert_int_equal(spoor_index_segment_of(opened.index, segment.from), i);
        records = segment.end;
        bytes += segment.bytes;
    }
    assert_int_equal(records, LINES);
    assert_int_equal(records, spoor_index_records(opened.index));
    assert_int_equal(bytes, spoor_index_bytes(opened.index));
    const size_t writes = spoor_index_segment_of(opened.index, 5);
    assert_true(spoor_index_may_execute(opened.index, writes, 0x4000, 0x4003));
    assert_false(spoor_index_may_execute(opened.index, writes, 0x700000, 0x700003));
    assert_false(spoor_index_may_execute(opened.index, count, 0x4000, 0x4003));
    assert_int_equal(spoor_explorer_place(opened.explorer, &range, LINES, &subject, NULL),
                     SPOOR_OK);
    assert_true(spoor_explorer_may_touch(opened.explorer, writes, &subject, true, false));
    assert_false(spoor_explorer_may_touch(opened.explorer, writes, &subject, false, true));
    close_trace(&opened);
}

static void events_of_segments_are_calls(void **state)
{
    (void)state;
    static const struct spoor_call_event expected[] = {
        {2, 4, 1, 0, SPOOR_CALL_EVENT_CALL},
        {6, 7, 0, 0, SPOOR_CALL_EVENT_RETURN},
        {7, 8, 1, 0, SPOOR_CALL_EVENT_EXCEPTION},
    };
    struct opened_listing opened;
    size_t seen = 0;
    open_trace(&opened);
    for (size_t i = 0; i < spoor_index_segment_count(opened.index); i++) {
        struct spoor_call_events *events;
        assert_int_equal(spoor_explorer_call_events(opened.explorer, i, &events, NULL), SPOOR_OK);
        assert_int_equal(events->cpu_count, 1);
        assert_int_equal(events->depths[0], seen == 1);
        for (size_t j = 0; j < events->count; j++, seen++) {
            assert_true(seen < sizeof expected / sizeof *expected);
            assert_int_equal(events->events[j].record, expected[seen].record);
            assert_int_equal(events->events[j].arrival, expected[seen].arrival);
            assert_int_equal(events->events[j].depth, expected[seen].depth);
            assert_int_equal(events->events[j].kind, expected[seen].kind);
        }
        free(events);
    }
    assert_int_equal(seen, sizeof expected / sizeof *expected);
    close_trace(&opened);
}

static bool look(void *context, const struct spoor_record_visit *visited)
{
    struct spoor_explorer *explorer = context;
    struct spoor_subject subject;
    struct spoor_touch touch = {.struct_size = sizeof touch};
    const bool names = visited->record == 1 || visited->record == 3 || visited->record == 5;
    assert_int_equal(spoor_explorer_subject_of(explorer, visited, &subject), names);
    if (visited->instruction == visited->record) assert_int_equal(visited->instruction_size, 4);
    if (visited->record != 5) return true;
    assert_int_equal(subject.address, 0x8010);
    assert_int_equal(subject.size, 8);
    subject.address += 4; /* a part of what is written */
    subject.size = 8;
    assert_true(spoor_explorer_touch(explorer, visited, &subject, &touch));
    assert_true(touch.writes && !touch.reads);
    assert_int_equal(touch.offset, 0);
    assert_int_equal(touch.end, 4);
    assert_int_equal(touch.bytes[0].value, 0x67);
    assert_int_equal(touch.bytes[3].value, 0x01);
    assert_int_equal(touch.bytes[3].known, SPOOR_BYTE_WRITTEN);
    subject.address = 0x9000;
    assert_false(spoor_explorer_touch(explorer, visited, &subject, &touch));
    return true;
}

static void records_and_registers_are_found(void **state)
{
    (void)state;
    struct opened_listing opened;
    struct spoor_state *moment;
    struct spoor_subject subject;
    struct spoor_register_value value = {.struct_size = sizeof value};
    uint64_t sp;
    char name[32];
    open_trace(&opened);
    assert_int_equal(spoor_explorer_visit(opened.explorer, 0, LINES, look, opened.explorer, NULL),
                     SPOOR_OK);
    assert_int_equal(spoor_explorer_isa(opened.explorer), SPOOR_ISA_AARCH64);
    assert_ptr_equal(spoor_explorer_index(opened.explorer), opened.index);
    assert_int_equal(spoor_explorer_state(opened.explorer, LINES, &moment, NULL), SPOOR_OK);
    assert_int_equal(spoor_explorer_subject(opened.explorer, "x30", 0, LINES, &subject, NULL),
                     SPOOR_OK);
    assert_true(spoor_explorer_register(opened.explorer, subject.name, name, sizeof name));
    assert_string_equal(name, "x30");
    assert_false(spoor_explorer_register(opened.explorer, 0, name, sizeof name));
    assert_true(spoor_state_value(moment, &subject, &value));
    assert_int_equal(value.bits, 64);
    assert_int_equal(value.writer, 3);
    assert_int_equal(value.bytes[0], 0x08);
    assert_int_equal(value.bytes[1], 0x10);
    assert_int_equal(value.known[7], 0xFF);
    assert_int_equal(value.known[8], 0);
    assert_true(spoor_state_stack_pointer(moment, 0, &sp));
    assert_int_equal(sp, 0x8000);
    spoor_state_free(moment);
    close_trace(&opened);
}

struct heard {
    uint8_t whats[16];
    uint64_t records[16];
    size_t count;
};

static void hear(void *context, const struct spoor_calls_event *event)
{
    struct heard *heard = context;
    assert_true(heard->count < 16);
    heard->whats[heard->count] = event->what;
    heard->records[heard->count++] = event->at.record;
}

static void calls_of_an_index_are_those_of_the_trace(void **state)
{
    (void)state;
    struct opened_listing opened;
    struct heard read = {.count = 0}, asked = {.count = 0};
    struct spoor_calls_options options = {
        .struct_size = sizeof options, .event = hear, .context = &read};
    struct spoor_calls *calls;
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    open_trace(&opened);
    assert_int_equal(spoor_reader_open(&reader, opened.path, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_calls_new(&calls, &options, NULL), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        assert_int_equal(spoor_calls_feed(calls, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_calls_end(calls, NULL), SPOOR_OK);
    assert_string_equal(spoor_calls_unit(calls), "clk");
    spoor_calls_free(calls);
    spoor_reader_close(reader);
    options.context = &asked;
    assert_int_equal(spoor_calls_new(&calls, &options, NULL), SPOOR_OK);
    assert_int_equal(spoor_calls_use_index(calls, opened.index, NULL), SPOOR_OK);
    assert_int_equal(spoor_calls_end(calls, NULL), SPOOR_OK);
    assert_string_equal(spoor_calls_unit(calls), "clk");
    spoor_calls_free(calls);
    assert_int_equal(read.count, 5);
    assert_memory_equal(&read, &asked, sizeof read);
    options.lines = true; /* an index keeps none */
    assert_int_equal(spoor_calls_new(&calls, &options, NULL), SPOOR_OK);
    assert_int_equal(spoor_calls_use_index(calls, opened.index, NULL), SPOOR_EUSAGE);
    spoor_calls_free(calls);
    close_trace(&opened);
}

static void code_is_decoded_from_bytes(void **state)
{
    (void)state;
    struct spoor_program_insn insn;
    static const uint8_t bl[] = {0xFF, 0x0B, 0x00, 0x94}, jal[] = {0xEF, 0x00, 0x00, 0x01};
    struct spoor_code_bytes code = {0x1004, bl, sizeof bl, SPOOR_CODE_A64};
    assert_true(spoor_code_decode(&code, &insn));
    assert_true(insn.branches);
    assert_int_equal(insn.target, 0x4000);
    assert_int_equal(insn.size, 4);
    code = (struct spoor_code_bytes){0x1000, jal, sizeof jal, SPOOR_CODE_RISCV};
    assert_true(spoor_code_decode(&code, &insn));
    assert_int_equal(insn.target, 0x1010);
    assert_int_equal(strncmp(insn.text, "jal", 3), 0);
    code.size = 3;
    assert_false(spoor_code_decode(&code, &insn));
    code.code = SPOOR_CODE_DATA;
    assert_false(spoor_code_decode(&code, &insn));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_lines),
        cmocka_unit_test(segments_state_what_they_may_have),
        cmocka_unit_test(events_of_segments_are_calls),
        cmocka_unit_test(records_and_registers_are_found),
        cmocka_unit_test(calls_of_an_index_are_those_of_the_trace),
        cmocka_unit_test(code_is_decoded_from_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
