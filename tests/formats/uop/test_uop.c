/* SPDX-License-Identifier: MIT */
/*
 * test_uop.c: micro-op traces: the course's sample, the document's example, and generated lines.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"

extern const struct spoor_format format_uop, format_din, format_xdin, format_lackey, format_byu16;

static const char sample[] = "traces/uop/gcc-1K.trace";

static const char *name_of(const struct trace *trace, spoor_name name)
{
    return spoor_names_text(trace->stream.names, name, NULL);
}

static void document_example_is_read_field_by_field(void **state)
{
    (void)state;
    static const char lines[] = "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
                                "1 48d237 -1 -1 -1 R N - -25 0 48d239 48d220 J JMP_IMM\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, lines, sizeof lines - 1);
    assert_int_equal(trace.batch.count, 2);
    assert_int_equal(trace.batch.fault_count, 0);
    assert_int_equal(trace_verbatim(&trace), 0);
    const struct spoor_record *load = &trace.batch.records[0], *jump = &trace.batch.records[1];
    assert_int_equal(load->kind, SPOOR_UOP);
    assert_int_equal(load->op, SPOOR_UOP_LOAD);
    assert_int_equal(load->uop.step, 1);
    assert_int_equal(load->uop.pc, 0x48d1e2);
    assert_int_equal(load->uop.src1, -1);
    assert_int_equal(load->uop.src2, 5);
    assert_int_equal(load->uop.dest, 45);
    assert_int_equal(load->uop.immediate, -264);
    assert_int_equal(load->uop.address, 0x7fffe7ff048);
    assert_int_equal(load->uop.fall, 7);
    assert_int_equal(load->uop.target, 0);
    assert_string_equal(name_of(&trace, load->uop.macro), "CMP");
    assert_string_equal(name_of(&trace, load->uop.micro), "LOAD");
    assert_int_equal(jump->op, SPOOR_UOP_READS_FLAGS | SPOOR_UOP_NOT_TAKEN);
    assert_int_equal(jump->uop.target, 0x48d220);
    trace_free(&trace);
}

/* Replaces each run of spaces in the sample by one, as other producers write it. */
static size_t squeeze(const char *bytes, size_t size, char *squeezed)
{
    size_t used = 0;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != ' ' || bytes[i - 1] != ' ') squeezed[used++] = bytes[i];
    return used;
}

static void published_sample_is_regenerated(void **state)
{
    (void)state;
    size_t size, macro_ops = 0;
    char *bytes = shared_file(sample, NULL, &size);
    if (!bytes) skip();
    char *squeezed = malloc(size);
    assert_non_null(squeezed);
    const size_t dense = squeeze(bytes, size, squeezed);
    struct trace trace;
    trace_decode(&trace, &format_uop, bytes, size);
    assert_int_equal(trace_count(&trace, SPOOR_UOP), 1000);
    assert_int_equal(trace.batch.count, 1000);
    assert_int_equal(trace_verbatim(&trace), 0);
    for (size_t i = 0; i < 1000; i++) macro_ops += trace.batch.records[i].uop.step == 1;
    assert_int_equal(macro_ops, 754);
    assert_int_equal(spoor_names_count(trace.stream.spellings), 1); /* all are canonical */
    trace_free(&trace);
    struct text out = {0};
    print(&format_uop, bytes, size, false, &out);
    assert_true(text_is(&out, bytes, size));
    assert_true(round_trips(&format_uop, bytes, size));
    trace_decode(&trace, &format_uop, squeezed, dense);
    assert_int_equal(trace_verbatim(&trace), 0);
    assert_int_equal(spoor_names_count(trace.stream.spellings), 2);
    trace_free(&trace);
    assert_true(round_trips(&format_uop, squeezed, dense));
    out.size = 0;
    print(&format_uop, squeezed, dense, false, &out); /* padding is reproduced */
    assert_true(text_is(&out, bytes, size));
    text_free(&out);
    free(squeezed);
    free(bytes);
}

static void numbers_have_their_full_range(void **state)
{
    (void)state;
    static const char lines[] =
        "2147483647 ffffffffffffffff -2147483648 2147483647 -1 W T S -9223372036854775808 "
        "ffffffffffffffff 0 8000000000000000 A B\n"
        "-2147483648 0 32768 -32769 32767 - - - 9223372036854775807 0 80000000 0 A B\n"
        "65536 0 0 0 0 - - - 0 0 7fffffff 0 A B\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, lines, sizeof lines - 1);
    assert_int_equal(trace_count(&trace, SPOOR_UOP), 3);
    assert_int_equal(trace_verbatim(&trace), 0);
    struct spoor_uop_full uop = spoor_uop_of(&trace.batch, 0);
    assert_int_equal(uop.step, INT32_MAX);
    assert_true(uop.pc == UINT64_MAX && uop.address == UINT64_MAX && uop.fall == 0);
    assert_true(uop.src1 == INT32_MIN && uop.src2 == INT32_MAX && uop.dest == -1);
    assert_true(uop.immediate == INT64_MIN && uop.target == UINT64_C(1) << 63);
    uop = spoor_uop_of(&trace.batch, 1);
    assert_true(uop.step == INT32_MIN && uop.immediate == INT64_MAX && uop.fall == 0x80000000);
    assert_true(uop.src1 == 32768 && uop.src2 == -32769 && uop.dest == 32767);
    assert_int_equal(spoor_uop_of(&trace.batch, 2).step, 65536);
    trace_free(&trace);
    assert_true(round_trips(&format_uop, lines, sizeof lines - 1));
}

static void faults_name_the_column_and_what_was_expected(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {&format_uop, "x", 1, "Uop, a decimal number of 32 bits"},
        {&format_uop, "1", 2, "PC, a hexadecimal number of 64 bits"},
        {&format_uop, "1 4g", 4, "a space between fields"},
        {&format_uop, "2147483648 0 0 0 0 - - - 0 0 0 0 A B", 1,
         "Uop, a decimal number of 32 bits"},
        {&format_uop, "1 10000000000000000 0 0 0 - - - 0 0 0 0 A B", 3,
         "PC, a hexadecimal number of 64 bits"},
        {&format_uop, "1 0 0 0 0 X - - 0 0 0 0 A B", 11, "Flags, one of R W -"},
        {&format_uop, "1 0 0 0 0 RW - - 0 0 0 0 A B", 11, "Flags, one of R W -"},
        {&format_uop, "1 0 0 0 0 - R - 0 0 0 0 A B", 13, "Branch, one of T N -"},
        {&format_uop, "1 0 0 0 0 - - T 0 0 0 0 A B", 15, "Ld/St, one of L S -"},
        {&format_uop, "1 0 0 0 0 - - - 9223372036854775808 0 0 0 A B", 17,
         "Immediate, a decimal number of 64 bits"},
        {&format_uop, "1 0 0 0 0 - - - 0 0 0 0 A", 26, "Micro Opcode, a word"},
        {&format_uop, "1 0 0 0 0 - - - 0 0 0 0 A B C", 29,
         "the end of the line: a micro-op has 14 fields"},
    };
    demand_refusals(cases, sizeof cases / sizeof *cases);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(round_trips(cases[i].format, cases[i].line, strlen(cases[i].line)));
}

static void unusual_numbers_are_typed_and_kept(void **state)
{
    (void)state;
    static const char lines[] = "010 48D1DE +1 -0 13 - - - 007 0xff 0048d1e2 0 SET ADD\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, lines, sizeof lines - 1);
    assert_int_equal(trace_verbatim(&trace), 1);
    const struct spoor_uop_full uop = spoor_uop_of(&trace.batch, 0);
    assert_int_equal(uop.step, 10);
    assert_int_equal(uop.pc, 0x48d1de);
    assert_int_equal(uop.src1, 1);
    assert_int_equal(uop.src2, 0);
    assert_int_equal(uop.immediate, 7);
    assert_int_equal(uop.address, 0xff);
    trace_free(&trace);
    assert_true(round_trips(&format_uop, lines, sizeof lines - 1));
    struct text out = {0};
    static const char padded[] = "10 48d1de  1  0 13 - - -         7           ff       48d1e2     "
                                 "       0 SET      ADD\n";
    print(&format_uop, lines, sizeof lines - 1, false, &out);
    assert_true(text_is(&out, padded, sizeof padded - 1));
    text_free(&out);
}

static void line_ends_and_blank_lines_survive(void **state)
{
    (void)state;
    static const char lines[] =
        "\n \t\r\n1 0 0 0 0 - - - 0 0 0 0 A B\r\n1 0 0 0 0 - - - 0 0 0 0 A B";
    struct trace trace;
    trace_decode(&trace, &format_uop, lines, sizeof lines - 1);
    assert_int_equal(trace.batch.fault_count, 0);
    assert_int_equal(trace.batch.count, 4);
    assert_int_equal(trace.batch.records[0].op, SPOOR_NOTE_BLANK);
    assert_int_equal(trace.batch.records[1].op, SPOOR_NOTE_BLANK);
    assert_int_equal(trace.batch.records[2].has, SPOOR_EOL_CRLF);
    assert_int_equal(trace.batch.records[3].has, SPOOR_EOL_NONE);
    trace_free(&trace);
    for (size_t size = 0; size < sizeof lines; size++) /* cut at every byte */
        assert_true(round_trips(&format_uop, lines, size));
}

/* ---- generated lines ---- */

static uint64_t any_width(struct numbers *numbers)
{
    return numbers_next(numbers) >> numbers_below(numbers, 64);
}

static void put_gap(struct text *out, struct numbers *numbers, size_t minimum)
{
    const size_t size = minimum + (numbers_below(numbers, 4) ? 0 : numbers_below(numbers, 20));
    for (size_t i = 0; i < size; i++) text_put(out, numbers_below(numbers, 8) ? " " : "\t", 1);
}

static void put_line(struct text *out, struct numbers *numbers, struct spoor_uop_full *uop)
{
    *uop = (struct spoor_uop_full){.pc = any_width(numbers),
                                   .address = any_width(numbers),
                                   .fall = any_width(numbers),
                                   .target = any_width(numbers),
                                   .immediate = (int64_t)any_width(numbers),
                                   .step = (int32_t)any_width(numbers),
                                   .src1 = (int32_t)any_width(numbers),
                                   .src2 = (int32_t)any_width(numbers),
                                   .dest = (int32_t)any_width(numbers)};
    char fields[14][24];
    const int32_t small[4] = {uop->step, uop->src1, uop->src2, uop->dest};
    static const unsigned small_at[4] = {0, 2, 3, 4}, wide_at[4] = {1, 9, 10, 11};
    const uint64_t wide[4] = {uop->pc, uop->address, uop->fall, uop->target};
    static const char letters[3][4] = {"RW-", "TN-", "LS-"};
    for (int i = 0; i < 4; i++) {
        snprintf(fields[small_at[i]], 24, "%d", small[i]);
        snprintf(fields[wide_at[i]], 24, "%llx", (unsigned long long)wide[i]);
    }
    for (int i = 0; i < 3; i++)
        snprintf(fields[5 + i], 24, "%c", letters[i][numbers_below(numbers, 3)]);
    snprintf(fields[8], 24, "%lld", (long long)uop->immediate);
    snprintf(fields[12], 24, "M%llu", (unsigned long long)numbers_below(numbers, 50));
    snprintf(fields[13], 24, "A_RATHER_LONG_%llu", (unsigned long long)numbers_below(numbers, 50));
    for (unsigned i = 0; i < 14; i++) {
        put_gap(out, numbers, i > 0);
        text_puts(out, fields[i]);
    }
    put_gap(out, numbers, 0);
    text_puts(out, numbers_below(numbers, 3) ? "\n" : "\r\n");
}

static void generated_lines_come_back(void **state)
{
    enum { LINES = 2000 };
    (void)state;
    static struct spoor_uop_full expected[LINES];
    struct numbers numbers = {501};
    struct text lines = {0};
    for (int i = 0; i < LINES; i++) put_line(&lines, &numbers, &expected[i]);
    struct trace trace;
    trace_decode(&trace, &format_uop, lines.bytes, lines.size);
    assert_int_equal(trace_count(&trace, SPOOR_UOP), LINES);
    assert_int_equal(trace_verbatim(&trace), 0);
    for (size_t i = 0; i < LINES; i++) {
        const struct spoor_uop_full uop = spoor_uop_of(&trace.batch, i);
        assert_memory_equal(&uop, &expected[i], sizeof uop);
    }
    trace_free(&trace);
    assert_true(round_trips(&format_uop, lines.bytes, lines.size));
    struct text padded = {0}, again = {0};
    print(&format_uop, lines.bytes, lines.size, false, &padded);
    print(&format_uop, padded.bytes, padded.size, false, &again);
    assert_true(text_is(&again, padded.bytes, padded.size));
    text_free(&lines);
    text_free(&padded);
    text_free(&again);
}

static void damaged_lines_survive(void **state)
{
    (void)state;
    struct numbers numbers = {13};
    struct text lines = {0};
    struct spoor_uop_full ignored;
    static const char bytes[] = " \t\r\n-+0123456789abcdefABCDEFxXRWTNLS_\0\377";
    for (int round = 0; round < 2000; round++) {
        lines.size = 0;
        for (int i = 0; i < 3; i++) put_line(&lines, &numbers, &ignored);
        for (uint64_t damage = numbers_below(&numbers, 5); damage > 0; damage--)
            lines.bytes[numbers_below(&numbers, lines.size)] =
                bytes[numbers_below(&numbers, sizeof bytes - 1)];
        assert_true(
            round_trips(&format_uop, lines.bytes, lines.size - numbers_below(&numbers, 40)));
    }
    text_free(&lines);
}

/* When the tables of spellings or opcodes are full, lines are stored verbatim. */
static void full_tables_lose_nothing(void **state)
{
    enum { LINES = 66000 };
    (void)state;
    struct text lines = {0};
    for (unsigned i = 0; i < LINES; i++) {
        text_printf(&lines, "1 0 0 0 0 - - - 0 0 0 0 M%u A", i);
        for (unsigned bit = 0; bit < 17; bit++) text_put(&lines, (i >> bit & 1) ? " " : "\t", 1);
        text_puts(&lines, "\n");
    }
    struct trace trace;
    trace_decode(&trace, &format_uop, lines.bytes, lines.size);
    assert_int_equal(trace_count(&trace, SPOOR_UOP), LINES);
    assert_true(trace_verbatim(&trace) > 0);
    trace_free(&trace);
    assert_true(round_trips(&format_uop, lines.bytes, lines.size));
    text_free(&lines);
}

/* ---- conversions ---- */

static void references_are_written(void **state)
{
    (void)state;
    static const char lines[] = "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
                                "2 48d1e2 45 3 44 W - - 0 0 48d1e9 0 CMP SUB\n"
                                "1 48d1e9 1 5 -1 - - S 0 7fffe7ff088 48d1f0 0 MOV STORE\n";
    static const char din[] = "2 48d1e2\n0 7fffe7ff048\n2 48d1e9\n1 7fffe7ff088\n";
    static const char xdin[] = "i 48d1e2 7\nr 7fffe7ff048 0\ni 48d1e9 7\nw 7fffe7ff088 0\n";
    static const char lackey[] =
        "I  0048d1e2,7\n L 7fffe7ff048,0\nI  0048d1e9,7\n S 7fffe7ff088,0\n";
    struct text out = {0};
    /* the second micro-op has no reference */
    assert_int_equal(convert(&format_uop, lines, sizeof lines - 1, &format_din, &out), 1);
    assert_true(text_is(&out, din, sizeof din - 1));
    out.size = 0;
    assert_int_equal(convert(&format_uop, lines, sizeof lines - 1, &format_xdin, &out), 1);
    assert_true(text_is(&out, xdin, sizeof xdin - 1));
    out.size = 0;
    assert_int_equal(convert(&format_uop, lines, sizeof lines - 1, &format_lackey, &out), 1);
    assert_true(text_is(&out, lackey, sizeof lackey - 1));
    out.size = 0;
    assert_int_equal(convert(&format_uop, lines, sizeof lines - 1, &format_byu16, &out), 1);
    assert_int_equal(out.size, 4 * 16);
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(document_example_is_read_field_by_field),
        cmocka_unit_test(published_sample_is_regenerated),
        cmocka_unit_test(numbers_have_their_full_range),
        cmocka_unit_test(faults_name_the_column_and_what_was_expected),
        cmocka_unit_test(unusual_numbers_are_typed_and_kept),
        cmocka_unit_test(line_ends_and_blank_lines_survive),
        cmocka_unit_test(generated_lines_come_back),
        cmocka_unit_test(damaged_lines_survive),
        cmocka_unit_test(full_tables_lose_nothing),
        cmocka_unit_test(references_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
