/* SPDX-License-Identifier: MIT */
/* test_din.c: din, extended din and lackey. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/support.h"

extern const struct spoor_format format_din, format_xdin, format_lackey, format_byu6, format_byu12;

static const struct spoor_format *const formats[] = {&format_din, &format_xdin, &format_lackey};
enum { FORMATS = 3 };

static void fields_are_read(void **state)
{
    (void)state;
    static const struct {
        const struct spoor_format *format;
        const char *line;
        enum spoor_mem_op op;
        uint64_t address;
        uint16_t size;
    } cases[] = {
        {&format_din, "0 401ab70", SPOOR_MEM_READ, 0x401ab70, 0},
        {&format_din, "1 1FFF0006E8", SPOOR_MEM_WRITE, 0x1fff0006e8, 0},
        {&format_din, "2 0xffffffffffffffff", SPOOR_MEM_FETCH, UINT64_MAX, 0},
        {&format_xdin, "r 10 1f", SPOOR_MEM_READ, 0x10, 0x1f},
        {&format_xdin, "w 10 ffff", SPOOR_MEM_WRITE, 0x10, 0xffff},
        {&format_xdin, "i 10 4", SPOOR_MEM_FETCH, 0x10, 4},
        {&format_xdin, "m 10 4", SPOOR_MEM_MISC, 0x10, 4},
        {&format_xdin, "c 10 40", SPOOR_MEM_COPY_BACK, 0x10, 0x40},
        {&format_xdin, "v 10 40", SPOOR_MEM_INVALIDATE, 0x10, 0x40},
        {&format_lackey, "I  0401ab70,3", SPOOR_MEM_FETCH, 0x401ab70, 3},
        {&format_lackey, " L 1fff0006e8,32", SPOOR_MEM_READ, 0x1fff0006e8, 32},
        {&format_lackey, " S 0401ab70,8", SPOOR_MEM_WRITE, 0x401ab70, 8},
        {&format_lackey, " M 0401ab70,8", SPOOR_MEM_MODIFY, 0x401ab70, 8},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        trace_decode(&trace, cases[i].format, cases[i].line, strlen(cases[i].line));
        const struct spoor_record *record = &trace.batch.records[0];
        assert_int_equal(trace.batch.count, 1);
        assert_int_equal(record->kind, SPOOR_MEM);
        assert_int_equal(record->has, SPOOR_HAS_VA | SPOOR_EOL_NONE);
        assert_int_equal(record->op, cases[i].op);
        assert_true(record->mem.va == cases[i].address);
        assert_int_equal(record->mem.size, cases[i].size);
        trace_free(&trace);
        assert_true(round_trips(cases[i].format, cases[i].line, strlen(cases[i].line)));
    }
}

static void faults_name_the_column_and_what_was_expected(void **state)
{
    (void)state;
    static const struct refusal cases[] = {
        {&format_din, "5 10", 1, "a label: 0 read, 1 write, 2 fetch, 3 escape or 4 flush"},
        {&format_din, "0", 2, "a space after the label"},
        {&format_din, "0 x", 3, "an address of 64 bits in hexadecimal"},
        {&format_din, "0 10000000000000000", 3, "an address of 64 bits in hexadecimal"},
        {&format_din, "0 10z", 5, "the end of the line"},
        {&format_xdin, "r 10", 5, "a space before the size"},
        {&format_xdin, "r 10 10000", 6, "a size of 1 to ffff bytes in hexadecimal"},
        {&format_lackey, " L 10 4", 6, "a comma"},
        {&format_lackey, " L 10,a", 7, "a size of 1 to 65535 bytes in decimal"},
        {&format_lackey, " L 10,4 x", 9, "the end of the line"},
    };
    demand_refusals(cases, sizeof cases / sizeof *cases);
}

static void published_traces_have_the_canonical_spelling(void **state)
{
    (void)state;
    static const struct {
        const char *path;
        const struct spoor_format *format;
    } files[] = {{"traces/memory/small5M.din.zst", &format_din},
                 {"traces/memory/small5M.xdin.zst", &format_xdin}};
    for (size_t i = 0; i < 2; i++) {
        size_t size;
        char *bytes = shared_file(files[i].path, "zstd -dc", &size);
        if (!bytes) skip();
        if (size > 2000000) size = 2000000;
        struct trace trace;
        trace_decode(&trace, files[i].format, bytes, size);
        assert_int_equal(trace_verbatim(&trace), 0);
        assert_int_equal(spoor_names_count(trace.stream.spellings), 1);
        trace_free(&trace);
        assert_true(round_trips(files[i].format, bytes, size));
        free(bytes);
    }
}

static void spellings_are_kept(void **state)
{
    (void)state;
    static const struct {
        const struct spoor_format *format;
        const char *lines;
        size_t verbatim;
    } cases[] = {
        {&format_din, "0 00001000\n1 0000ABCD\n2\t0xabcd \n  0   0\n1 0000abcd\r\n", 0},
        {&format_din, "0 aB\n0 10 anything\n0 00000000000000000000010\n", 3},
        {&format_xdin, "r 0x10 0X04\nw 10  04\t\n\ti 10 4\n", 0},
        {&format_lackey, "I 10,4\n L 10,4\nL 0x00000010,4\n S  0000ABCD,16 \n", 0},
        {&format_lackey, " L 00000010,04\n", 1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct trace trace;
        trace_decode(&trace, cases[i].format, cases[i].lines, strlen(cases[i].lines));
        assert_int_equal(trace_count(&trace, SPOOR_NOTE), 0);
        assert_int_equal(trace_verbatim(&trace), cases[i].verbatim);
        trace_free(&trace);
        assert_true(round_trips(cases[i].format, cases[i].lines, strlen(cases[i].lines)));
    }
}

static void lines_of_valgrind_are_comments(void **state)
{
    (void)state;
    static const char lines[] = "==7== Lackey\n--7-- warning\n\nI  0401ab70,3\n";
    struct trace trace;
    trace_decode(&trace, &format_lackey, lines, sizeof lines - 1);
    assert_int_equal(trace.batch.fault_count, 0);
    assert_int_equal(trace.batch.records[0].op, SPOOR_NOTE_COMMENT);
    assert_int_equal(trace.batch.records[1].op, SPOOR_NOTE_COMMENT);
    assert_int_equal(trace.batch.records[2].op, SPOOR_NOTE_BLANK);
    trace_free(&trace);
    assert_true(round_trips(&format_lackey, lines, sizeof lines - 1));
}

static void any_bytes_survive(void **state)
{
    (void)state;
    static const char bytes[] = " \t\r\n0123456789abcdefABCDEFxX,rwimcvILSM=\0\377";
    struct numbers numbers = {4};
    char line[60];
    for (int round = 0; round < 20000; round++) {
        const size_t size = numbers_below(&numbers, sizeof line);
        for (size_t i = 0; i < size; i++)
            line[i] = bytes[numbers_below(&numbers, sizeof bytes - 1)];
        for (int f = 0; f < FORMATS; f++) assert_true(round_trips(formats[f], line, size));
    }
}

static void put_blanks(struct text *out, struct numbers *numbers, uint64_t minimum)
{
    static const char blanks[] = "  \t  \t";
    text_put(out, blanks, (size_t)(minimum + numbers_below(numbers, 4)));
}

static void generated_lines_come_back(void **state)
{
    (void)state;
    struct numbers numbers = {5};
    static const char *const labels[FORMATS] = {"012", "rwimcv", "ILSM"};
    static const char *const forms[] = {"%llx", "%08llx", "%016llX", "0x%llx", "0X%010llx"};
    for (int f = 0; f < FORMATS; f++) {
        struct text lines = {0};
        for (int i = 0; i < 2000; i++) {
            const unsigned size = (unsigned)numbers_below(&numbers, 0x10000);
            const uint64_t address = numbers_next(&numbers) >> numbers_below(&numbers, 64);
            put_blanks(&lines, &numbers, 0);
            text_put(&lines, &labels[f][numbers_below(&numbers, strlen(labels[f]))], 1);
            put_blanks(&lines, &numbers, 1);
            char number[40];
            snprintf(number, sizeof number, forms[numbers_below(&numbers, 5)],
                     (unsigned long long)address);
            text_puts(&lines, number);
            if (f == 1) put_blanks(&lines, &numbers, 1);
            if (f > 0) text_printf(&lines, f == 1 ? "%x" : ",%u", size);
            put_blanks(&lines, &numbers, 0);
            text_puts(&lines, "\n");
        }
        struct trace trace;
        trace_decode(&trace, formats[f], lines.bytes, lines.size);
        assert_int_equal(trace_count(&trace, SPOOR_MEM), 2000);
        assert_int_equal(trace_verbatim(&trace), 0);
        trace_free(&trace);
        assert_true(round_trips(formats[f], lines.bytes, lines.size));
        text_free(&lines);
    }
}

static void formats_convert_into_each_other(void **state)
{
    (void)state;
    static const char lackey[] = "==1== x\nI  0401ab70,3\n M 1fff0006e8,8\r\n S 0401ab70,16\n";
    static const char din[] = "2 401ab70\n0 1fff0006e8\n1 1fff0006e8\n1 401ab70\n";
    static const char xdin[] = "i 401ab70 3\nr 1fff0006e8 8\nw 1fff0006e8 8\nw 401ab70 10\n";
    struct text out = {0};
    assert_int_equal(convert(&format_lackey, lackey, sizeof lackey - 1, &format_din, &out), 1);
    assert_true(text_is(&out, din, sizeof din - 1));
    out.size = 0;
    assert_int_equal(convert(&format_lackey, lackey, sizeof lackey - 1, &format_xdin, &out), 1);
    assert_true(text_is(&out, xdin, sizeof xdin - 1));
    out.size = 0;
    static const char requests[] = "c 10 40\nv 10 40\nm 10 4\n";
    assert_int_equal(convert(&format_xdin, requests, sizeof requests - 1, &format_din, &out), 2);
    assert_true(text_is(&out, "3 10\n", 5)); /* a copy back of one block is no flush */
    text_free(&out);
}

static void bus_records_are_written(void **state)
{
    (void)state;
    static const uint8_t byu12[] = {
        0x10, 0, 0, 0, 0x00, 8, 0, 0, 0xff, 0xff, 0xff, 0xff, /* fetch */
        0x20, 0, 0, 0, 0x01, 8, 0, 0, 1,    0,    0,    0,    /* read */
        0x30, 0, 0, 0, 0x02, 8, 0, 0, 1,    0,    0,    0,    /* read and invalidate */
        0x40, 0, 0, 0, 0x03, 4, 0, 0, 1,    0,    0,    0,    /* write */
        0x50, 0, 0, 0, 0x10, 4, 0, 0, 1,    0,    0,    0,    /* I/O is no memory */
        0x60, 0, 0, 0, 0x20, 0, 0, 0, 1,    0,    0,    0,    /* nor is a deferred reply */
    };
    static const char lackey[] = "I  00000010,8\n L 00000020,8\n L 00000030,8\n S 00000040,4\n";
    static const uint8_t byu6[] = {0, 0, 0, 0x10, 0xcf, 0xc0}; /* lanes 4 and 5 */
    struct text out = {0};
    assert_int_equal(convert(&format_byu12, byu12, sizeof byu12, &format_lackey, &out), 2);
    assert_true(text_is(&out, lackey, sizeof lackey - 1));
    out.size = 0;
    assert_int_equal(convert(&format_byu6, byu6, sizeof byu6, &format_xdin, &out), 0);
    assert_true(text_is(&out, "r 14 2\n", 7));
    text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_read),
        cmocka_unit_test(faults_name_the_column_and_what_was_expected),
        cmocka_unit_test(published_traces_have_the_canonical_spelling),
        cmocka_unit_test(spellings_are_kept),
        cmocka_unit_test(lines_of_valgrind_are_comments),
        cmocka_unit_test(any_bytes_survive),
        cmocka_unit_test(generated_lines_come_back),
        cmocka_unit_test(formats_convert_into_each_other),
        cmocka_unit_test(bus_records_are_written),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
