/* SPDX-License-Identifier: MIT */
/* test_published.c: published traces: recognised, detected, written back unchanged and
 * converted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

#include "formats/format.h"

struct published_trace {
    const char *path;
    size_t records, events; /* 0: not counted */
};
static const struct published_trace traces[] = {
    {"traces/tarmac/forms/seed-example.tarmac", 47, 0},
    {"traces/tarmac/forms/seed-forms.tarmac", 21, 2},
    {"traces/tarmac/calltest32.tarmac", 280, 3},
    {"traces/tarmac/calltest64.tarmac", 337, 16},
    {"traces/tarmac/fastmodel/quicksort.tarmac", 4322, 16}, /* 15 signals and CADI, 1 reset */
    {"traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac", 11560, 16},
    {"traces/tarmac/gem5/calculator-aarch64-gem5.tarmac", 10938, 0},
};
enum { TRACES = sizeof traces / sizeof *traces };

static char *must_have(const char *path, size_t *size)
{
    char *bytes = published(path, size);
    if (!bytes) {
        print_message("%s is not here (set SPOOR_SHARED): skipped\n", path);
        skip();
    }
    return bytes;
}

static void published_traces_are_typed_in_full(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACES; i++) {
        size_t size;
        char *bytes = must_have(traces[i].path, &size);
        struct trace trace;
        trace_decode(&trace, &format_tarmac, bytes, size);
        assert_int_equal(trace.batch.count, traces[i].records);
        assert_int_equal(trace_count(&trace, SPOOR_NOTE), 0);
        assert_int_equal(trace_verbatim(&trace), 0);
        assert_int_equal(trace.batch.fault_count, 0);
        if (traces[i].events) assert_int_equal(trace_count(&trace, SPOOR_EVENT), traces[i].events);
        trace_free(&trace);
        assert_true(comes_back(&format_tarmac, bytes, size));
        free(bytes);
    }
}

/* Counts by kind of the Fast Models run of one program, as in facts/tarmac.md. */
static void a_run_has_its_counts(void **state)
{
    (void)state;
    size_t size, skipped = 0, writes = 0;
    char *bytes = must_have(traces[5].path, &size);
    struct trace trace;
    trace_decode(&trace, &format_tarmac, bytes, size);
    for (size_t i = 0; i < trace.batch.count; i++) {
        const struct spoor_record *record = &trace.batch.records[i];
        skipped += record->kind == SPOOR_INSN && record->op == SPOOR_INSN_SKIPPED;
        writes += record->kind == SPOOR_MEM && record->op == SPOOR_MEM_WRITE;
    }
    assert_int_equal(skipped, 235);
    assert_int_equal(writes, 986);
    assert_int_equal(trace_count(&trace, SPOOR_INSN), 4783);
    trace_free(&trace);
    free(bytes);
}

/* Lines from published traces in every dialect: not all are typed yet, and none is lost. */
static void wild_lines_come_back(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "traces/tarmac/forms/parsertest.txt", "traces/tarmac/forms/parsertest-implicit-thumb.txt",
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t size;
        char *bytes = must_have(paths[i], &size);
        assert_true(comes_back(&format_tarmac, bytes, size));
        free(bytes);
    }
}

static int probe(const struct spoor_format *format, const char *bytes, size_t size)
{
    struct spoor_head head = {(const uint8_t *)bytes, size, true};
    return spoor_format_probe(format, &head);
}

static void traces_are_recognised(void **state)
{
    (void)state;
    for (size_t i = 0; i < TRACES; i++) {
        size_t size;
        char *bytes = must_have(traces[i].path, &size);
        struct spoor_head head = {(const uint8_t *)bytes, size < 65536 ? size : 65536,
                                  size < 65536};
        struct spoor_ranking found = {.struct_size = sizeof found};
        struct spoor_error error = {0};
        assert_int_equal(format_detect(&head, traces[i].path, &found, &error), SPOOR_OK);
        assert_ptr_equal(found.best.format, &format_tarmac);
        free(bytes);
    }
}

static void the_two_are_told_apart(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int order; /* of the scores: 1: Tarmac's is higher, -1: Trace Matcher's, 0: a tie */
    } cases[] = {
        {"1 clk 0 IT (1) 00000004 3c080001 A svc : lui t0,0x1\n14 clk R r8 00000000\n", -1},
        {"5 clk IT (5) 00000008 8fa80004 A svc : lw t0, 4(sp)\n", -1},
        {"0 clk 0 IT (0) ffffffffa0002000 24020001 A svc_ns : addiu v0, zero, 1\n", -1},
        {"1 clk cpu0 IT (1) 00000004 3c080001 A svc_s : NOP\n14 clk R r8 00000000\n", 1},
        {"1 clk IT (1) 00000004 3c080001 A svc_s : NOP\n14 clk R r8 00000000\n", 1},
        {"1 clk IT (1) 00000004:000000000004 3c080001 A svc_s : NOP\n", 1},
        {"1 clk IT (1) 00000004 d503201f O EL3h_s : NOP\n", 1},
        {"14 clk R r8 00000000\n14 clk MR4X 00000000 00000000\n", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        int tarmac = probe(&format_tarmac, cases[i].text, strlen(cases[i].text));
        int matcher = probe(&format_matcher, cases[i].text, strlen(cases[i].text));
        assert_int_equal((tarmac > matcher) - (tarmac < matcher), cases[i].order);
    }
    assert_int_equal(probe(&format_tarmac, "just some words\nof no trace\n", 28), 0);
    assert_int_equal(probe(&format_tarmac, "2 1fff\n0 2000\n", 14), 0);
}

static void check_conversion(const struct spoor_format *from, const char *text,
                             const struct spoor_format *to, const char *expected)
{
    struct trace trace;
    struct text out = {0};
    trace_decode(&trace, from, text, strlen(text));
    trace_encode(&trace, to, SPOOR_WRITE_TRACE, &out);
    text_put(&out, "", 1);
    assert_string_equal(out.bytes, expected);
    text_free(&out);
    trace_free(&trace);
}

static void tarmac_becomes_matcher(void **state)
{
    (void)state;
    check_conversion(&format_tarmac,
                     "7 ps cpu1 IT (9) 00011540:000015211540_NS d503201f O EL1h_ns : NOP\n"
                     "7 ps cpu1 MW8X 0620e000:00001600e000_NS 00000000_1300000A\n"
                     "7 ps cpu1 R X1 000000000002305C\n"
                     "7 ps cpu1 FD (9) 00011540 00011548 O\n",
                     &format_matcher,
                     "7 ps 1 IT (9) 0000000000011540 d503201f O EL1h_ns : NOP\n"
                     "7 ps MW8 000000000620e000 000000001300000A\n"
                     "7 ps R X1 000000000002305c\n");
}

static void matcher_becomes_tarmac(void **state)
{
    (void)state;
    check_conversion(&format_matcher,
                     "1 clk 0 IT (1) ffffffffa0002000 24020001 A svc : li v0, 1\n"
                     "1 clk MW8 0000000000103FC4 00104000DEADBEEF\n"
                     "1 clk R v0<31..16> 0001\n",
                     &format_tarmac,
                     "1 clk 0 IT (1) ffffffffa0002000 24020001 A svc : li v0, 1\n"
                     "1 clk 0 MW8 00103fc4 00104000_deadbeef\n"
                     "1 clk 0 R v0<31:16> 0001\n");
}

/* The same letter has different meanings: no writer turns one into the other. */
static void exclusive_is_not_privileged(void **state)
{
    (void)state;
    const spoor_field_set exclusive = SPOOR_FIELD_BIT(EXCLUSIVE),
                          privileged = SPOOR_FIELD_BIT(PRIVILEGED);
    spoor_field_set tarmac = spoor_format_fields(&format_tarmac, SPOOR_MEM);
    spoor_field_set matcher = spoor_format_fields(&format_matcher, SPOOR_MEM);
    assert_true((tarmac & exclusive) && !(tarmac & privileged));
    assert_true((matcher & privileged) && !(matcher & exclusive));
    check_conversion(&format_tarmac, "1 clk MR4X 00000000 00000001\n", &format_matcher,
                     "1 clk MR4 0000000000000000 00000001\n");
    check_conversion(&format_matcher, "1 clk MR4X 00000000 00000001\n", &format_tarmac,
                     "1 clk MR4 00000000 00000001\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_traces_are_typed_in_full),
        cmocka_unit_test(a_run_has_its_counts),
        cmocka_unit_test(wild_lines_come_back),
        cmocka_unit_test(traces_are_recognised),
        cmocka_unit_test(the_two_are_told_apart),
        cmocka_unit_test(tarmac_becomes_matcher),
        cmocka_unit_test(matcher_becomes_tarmac),
        cmocka_unit_test(exclusive_is_not_privileged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
