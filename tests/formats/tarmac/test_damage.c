/* SPDX-License-Identifier: MIT */
/*
 * test_damage.c: verbatim lines, lines that no rule recognises, and bytes that are not a trace.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/lines.h"

#define NORMAL "Normal NonShareable Inner=WriteBack Outer=WriteBack xn=0 ContiguousHint =0\n"

/* One line of each rule. */
static const char *const lines[] = {
    "1939 clk cpu0 IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR TPIDRRO_EL0,x1\n",
    "clk cpu0 IS (3) 0000800a:00000000800a,00000000800c e8900c00 T svc_s :\n",
    "9757 clk cpu0 FD (9733) 01000074:000011000074_NS 01000100:000011000100_NS O\n",
    "  10.356000us R r13<31:0> (USR) 00000000_00000001_00000000_00000000_00000002 \n",
    "27 ps R DC CISW 00000000:00000000\r\n",
    "9764 clk cpu0 MR4XT 00011540:000015211540_NS 13000000\n",
    "9767 clk cpu0 MU16_CAS 00011540 00000000_00000001_00000000_00000002\n",
    "9769 clk cpu0 BR8D__PS I_RCBS O_RCBS 3 000015211540 0000000000000001\n",
    "9759 clk cpu0 CACHE MAINTENANCE D CLEAN+INVALIDATE MVA_POC 00011540:000015211540 4K Normal\n",
    "1947 clk cpu0 CACHE cpu.cpu0.l1icache LINE 0096 ALLOC 0x0000152112c0\n",
    "1951 clk cpu0 TTW ITLB LPAE 1:3 000016390010 00000000152204c3 : BLOCK ATTRIDX=0 NS=0\n",
    ("1951 clk cpu0 TLB FILL u 64K 0x00020000_NS EL1_n vmid=1, nG asid=0:0x0015220000_NS " NORMAL),
    "9763 clk cpu0 E 00011540:000015211540 EL3h 0000beef 00000019 CoreEvent_ModeChange\n",
    "0 clk cpu0 E DebugEvent_HaltingDebugState 00000000\n",
    "0 clk SIGNAL: SIGNAL=Abort STATE=N\n",
    "10 clk MR8 00103fc4 0010400000000000",
};
enum { LINES = sizeof lines / sizeof *lines };

static const struct spoor_format *const formats[] = {&format_tarmac, &format_matcher};
enum { FORMATS = 2 };

/* A line that is unambiguous but has no spelling becomes a typed record with its bytes. */
static void odd_lines_are_typed_and_kept(void **state)
{
    (void)state;
    static const char *const verbatim[] = {
        "007 clk R r0 00000001",                   /* zeros before a decimal number */
        "7 clk R r0 aB",                           /* both cases */
        "7 clk R r0 0000_1111_222",                /* uneven groups */
        "7 clk R r0 0000_1111:2222",               /* two separators */
        "7 clk IT (07) 0 0 A svc_s : NOP",         /* the same for an index */
        "7 clk MR4TX 00000000 00000000",           /* letters in another order */
        "7 clk MR4XX 00000000 00000000",           /* and twice */
        "7 clk MR4 0000000000000000000000010 0",   /* more digits than 64 bits need */
        "7 clk IT (1) 0:0_S,2_NS 0 A svc_s : NOP", /* securities that differ */
        "1678 clk R IC IALLU 00000000:0000_000",   /* both */
    };
    for (size_t i = 0; i < sizeof verbatim / sizeof *verbatim; i++) {
        struct trace trace;
        trace_decode(&trace, &format_tarmac, verbatim[i], strlen(verbatim[i]));
        assert_int_equal(trace_count(&trace, SPOOR_NOTE), 0);
        assert_int_equal(trace_verbatim(&trace), 1);
        assert_true(comes_back(&format_tarmac, verbatim[i], strlen(verbatim[i])));
        trace_free(&trace);
    }
}

/* The fault of an unrecognised line states the nearest rule, where it stopped and what it expected.
 */
static void faults_say_what_was_expected(void **state)
{
    (void)state;
    static const struct {
        const char *line, *rule;
        uint32_t column;
        const char *expected;
    } cases[] = {
        {"7 clk IT (1) 0000x000 e1a00000 A svc_s : NOP", "tarmac-it", 18, "a space"},
        {"7 clk IT (1) xyz e1a00000 A svc_s : NOP", "tarmac-it", 14, "an address in hexadecimal"},
        {"7 clk cpu0 R X0", "tarmac-r", 16, "a value in hexadecimal"},
        {"7 clk MR4Q 0 0", "tarmac-mr", 10, "an attribute of the access"},
        {"7 clk MU4_FOO 0 0", "tarmac-mu", 10, "an atomic operation such as _ADD or _CAS"},
        {"7 clk cpu0 TLB FLUSH", "tarmac-tlb", 16, "FILL or EVICT"},
        {"41000 ns  EQ  (00000000:e59ff018) A svc: LDR", "tarmac-line", 11,
         "IT, R, MR4 or another word that leads a record"},
        {"nothing of the kind", "tarmac-line", 1, "IT, R, MR4 or another word that leads a record"},
        {"99999999999999999999 clk R r0 0", "tarmac-line", 1, "a time of at most 64 bits"},
        {"1.5 clk R r0 0", "tarmac-line", 8, "s, ms, us, ns or ps after a fractional time"},
        {"1 clk MR4 10000000000000000 0", "tarmac-mr", 11, "an address in hexadecimal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        trace_decode(&trace, &format_tarmac, cases[i].line, strlen(cases[i].line));
        assert_int_equal(trace_count(&trace, SPOOR_NOTE), 1);
        assert_int_equal(trace.batch.fault_count, 1);
        assert_string_equal(trace.batch.faults[0].rule, cases[i].rule);
        assert_string_equal(trace.batch.faults[0].expected, cases[i].expected);
        assert_int_equal(trace.batch.faults[0].column, cases[i].column);
        trace_free(&trace);
    }
}

static void notes_have_no_fault(void **state)
{
    (void)state;
    static const char text[] = "Tarmac Text Rev 3t\n# a comment\n\n \t \n";
    static const uint8_t ops[] = {SPOOR_NOTE_HEADER, SPOOR_NOTE_COMMENT, SPOOR_NOTE_BLANK,
                                  SPOOR_NOTE_BLANK};
    struct trace trace;
    trace_decode(&trace, &format_tarmac, text, strlen(text));
    assert_int_equal(trace.batch.count, 4);
    assert_int_equal(trace.batch.fault_count, 0);
    for (size_t i = 0; i < 4; i++) assert_int_equal(trace.batch.records[i].op, ops[i]);
    trace_free(&trace);
}

static void a_matcher_processor_is_a_number_on_instructions(void **state)
{
    (void)state;
    static const char *const wrong[] = {"1 clk cpu0 IT (1) 0 0 A svc : nop",
                                        "1 clk 0 R r8 00000000", "1 clk MR4L 0 0",
                                        "1 clk MR4 0:0 0", "1 clk FD (1) 0 4 A"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct trace trace;
        trace_decode(&trace, &format_matcher, wrong[i], strlen(wrong[i]));
        assert_int_equal(trace_count(&trace, SPOOR_NOTE), 1);
        assert_true(comes_back(&format_matcher, wrong[i], strlen(wrong[i])));
        trace_free(&trace);
    }
}

static void spaces_are_spelled(void **state)
{
    (void)state;
    for (size_t i = 0; i < LINES; i++) {
        struct text wide = {0};
        text_puts(&wide, "   ");
        for (const char *at = lines[i]; *at; at++) {
            text_put(&wide, at, 1);
            if (*at == ' ' && at[1] && !strchr("\n=0", at[1]) && strncmp(at, " nG", 3) != 0 &&
                strncmp(at, " vmid", 5) != 0)
                text_puts(&wide, "  ");
        }
        assert_true(comes_back(&format_tarmac, wide.bytes, wide.size));
        text_free(&wide);
    }
}

static void truncation_at_any_byte_keeps_the_bytes(void **state)
{
    (void)state;
    for (size_t f = 0; f < FORMATS; f++)
        for (size_t i = 0; i < LINES; i++)
            for (size_t size = 0; size <= strlen(lines[i]); size++)
                assert_true(comes_back(formats[f], lines[i], size));
}

/* Any byte at any position: NULs, tabs, quotes, bytes above 127. */
static void damage_at_any_byte_keeps_the_bytes(void **state)
{
    (void)state;
    static const char bytes[] = {'\0', '\t', ' ', '_', ':', '0', 'F', 'x', '-', '(', '\n', '\xff'};
    for (size_t i = 0; i < LINES; i++) {
        char line[512];
        size_t size = strlen(lines[i]);
        for (size_t place = 0; place < size; place++)
            for (size_t b = 0; b < sizeof bytes; b++) {
                memcpy(line, lines[i], size);
                line[place] = bytes[b];
                assert_true(comes_back(&format_tarmac, line, size));
                assert_true(comes_back(&format_matcher, line, size));
            }
    }
}

static void long_numbers_do_not_wrap(void **state)
{
    (void)state;
    static const char *const words[] = {"1 clk R z0 ", "1 clk MW4 0 ", "1 clk MR4 ",
                                        "1 clk BW8D_PS I_RCBS O_RCBS 3 0 ", "1 clk E "};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t digits = 1; digits < 70000; digits = digits * 5 + 2) {
            struct text line = {0};
            text_puts(&line, words[i]);
            for (size_t d = 0; d < digits; d++) text_put(&line, "7", 1);
            assert_true(comes_back(&format_tarmac, line.bytes, line.size));
            text_free(&line);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(odd_lines_are_typed_and_kept),
        cmocka_unit_test(faults_say_what_was_expected),
        cmocka_unit_test(notes_have_no_fault),
        cmocka_unit_test(a_matcher_processor_is_a_number_on_instructions),
        cmocka_unit_test(spaces_are_spelled),
        cmocka_unit_test(truncation_at_any_byte_keeps_the_bytes),
        cmocka_unit_test(damage_at_any_byte_keeps_the_bytes),
        cmocka_unit_test(long_numbers_do_not_wrap),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
