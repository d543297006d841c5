/* SPDX-License-Identifier: MIT */
/*
 * test_byu.c: the BYU formats, compared with printers written here from their documents, with the
 * published trace and its counts, and with generated records.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/byu/byu.h"
#include "formats/support.h"

extern const struct spoor_format format_byu6, format_byu12, format_byu16, format_byu24, format_din,
    format_lackey, format_xdin, format_uop;

static const struct spoor_format *const formats[] = {&format_byu6, &format_byu12, &format_byu16,
                                                     &format_byu24};
enum { FORMATS = 4 };

static const char whole_trace[] = "traces/byu/pentium2-w2k.tr.xz";

static uint64_t little(const uint8_t *at, unsigned size)
{
    uint64_t value = 0;
    for (unsigned i = size; i-- > 0;) value = value << 8 | at[i];
    return value;
}

/* ---- reference printers ---- */

static void reference_byu6(const uint8_t *at, size_t size, struct text *out)
{
    static const char op[16][11] = {"INVALID", "INT_ACK",    "INVALID",    "SPECIAL",
                                    "INVALID", "IO_READ",    "INVALID",    "IO_WRITE",
                                    "I_FETCH", "NC_I_FETCH", "INVALID",    "INVALID",
                                    "D_READ",  "NC_D_READ",  "WRITE_BACK", "D_WRITE"};
    for (; size >= 6; at += 6, size -= 6)
        text_printf(out, "%08x %02x %s\n",
                    (unsigned)at[0] << 24 | (unsigned)at[1] << 16 | (unsigned)at[2] << 8 | at[3],
                    at[4], op[at[5] >> 4]);
}

static const char *b2a_name(uint8_t type)
{
    switch (type) {
    case 0x00: return "FETCH\t\t";
    case 0x01: return "MEMREAD\t";
    case 0x02: return "MEMREADINV\t";
    case 0x03: return "MEMWRITE\t";
    case 0x10: return "IOREAD\t\t";
    case 0x11: return "IOWRITE\t";
    case 0x20: return "DEFERREPLY\t";
    case 0x21: return "INTA\t\t";
    case 0x22: return "CNTRLAGNTRES\t";
    case 0x23: return "BRTRACEREC\t";
    case 0x31: return "SHUTDOWN\t";
    case 0x32: return "FLUSH\t\t";
    case 0x33: return "HALT\t\t";
    case 0x34: return "SYNC\t\t";
    case 0x35: return "FLUSHACK\t";
    case 0x36: return "STOPCLKAK\t";
    case 0x37: return "SMIACK\t\t";
    default: return "";
    }
}

static void reference_b2a(const uint8_t *at, size_t size, bool time_hex, struct text *out)
{
    for (; size >= 12; at += 12, size -= 12) {
        const uint32_t time = (uint32_t)little(at + 8, 4);
        text_printf(out, "%08x %s%2d\t%02x\t%1d\t", (unsigned)little(at, 4), b2a_name(at[4]), at[5],
                    at[6], at[7]);
        text_printf(out, time_hex ? "%08x\n" : "%d\n", time);
    }
}

static void fill_randomly(uint8_t *bytes, size_t size, uint64_t seed)
{
    struct numbers numbers = {seed};
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)numbers_next(&numbers);
}

static void byu6_prints_as_its_document(void **state)
{
    enum { RECORDS = 65536 };
    (void)state;
    uint8_t *bytes = malloc(6 * RECORDS);
    assert_non_null(bytes);
    struct numbers numbers = {6};
    for (unsigned i = 0; i < RECORDS; i++) { /* every control byte with every byte enable */
        const uint64_t address = numbers_next(&numbers);
        memcpy(bytes + 6 * i, &address, 4);
        bytes[6 * i + 4] = (uint8_t)i;
        bytes[6 * i + 5] = (uint8_t)(i >> 8);
    }
    struct text out = {0}, expected = {0};
    print(&format_byu6, bytes, 6 * RECORDS, false, &out);
    reference_byu6(bytes, 6 * RECORDS, &expected);
    assert_true(text_is(&out, expected.bytes, expected.size));
    assert_true(round_trips(&format_byu6, bytes, 6 * RECORDS));
    text_free(&out);
    text_free(&expected);
    free(bytes);
}

static void byu12_prints_as_b2a(void **state)
{
    enum { RECORDS = 4096 };
    (void)state;
    static uint8_t bytes[12 * RECORDS];
    fill_randomly(bytes, sizeof bytes, 12);
    for (unsigned i = 0; i < RECORDS; i++) bytes[12 * i + 4] = (uint8_t)i; /* every type */
    for (int time_hex = 0; time_hex < 2; time_hex++) {
        struct text out = {0}, expected = {0};
        print(&format_byu12, bytes, sizeof bytes, time_hex, &out);
        reference_b2a(bytes, sizeof bytes, time_hex, &expected);
        assert_true(text_is(&out, expected.bytes, expected.size));
        text_free(&out);
        text_free(&expected);
    }
}

static void wide_shapes_print_64_bits(void **state)
{
    (void)state;
    static const uint8_t record[24] = {0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11,
                                       0x03, 0x10, 0xab, 0x02, 0,    0,    0,    0,
                                       0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    static const char wide[] = "1122334455667788 MEMWRITE\t16\tab\t2\t-2\n";
    static const char middle[] = "1122334455667788 MEMWRITE\t16\tab\t2\t00000000\n";
    struct text out = {0};
    print(&format_byu24, record, 24, false, &out);
    assert_true(text_is(&out, wide, sizeof wide - 1));
    out.size = 0;
    print(&format_byu16, record, 16, true, &out);
    assert_true(text_is(&out, middle, sizeof middle - 1));
    text_free(&out);
}

/* ---- the published trace ---- */

static void count_operations(const struct trace *trace, size_t counts[SPOOR_BUS_OPS])
{
    memset(counts, 0, SPOOR_BUS_OPS * sizeof *counts);
    for (size_t i = 0; i < trace->batch.count; i++)
        if (trace->batch.records[i].kind == SPOOR_BUS) counts[trace->batch.records[i].op]++;
}

static void published_trace(void **state)
{
    (void)state;
    size_t size, counts[SPOOR_BUS_OPS];
    char *bytes = shared_file(whole_trace, "xz -dc", &size);
    if (!bytes) skip();
    struct trace trace;
    trace_decode(&trace, &format_byu12, bytes, size);
    const struct spoor_batch *batch = &trace.batch;
    count_operations(&trace, counts);
    assert_int_equal(batch->count, 224449 + 1);
    assert_int_equal(counts[SPOOR_BUS_FETCH], 134719);
    assert_int_equal(counts[SPOOR_BUS_READ], 54866);
    assert_int_equal(counts[SPOOR_BUS_WRITE], 26928);
    assert_int_equal(counts[SPOOR_BUS_READ_INVALIDATE], 5657);
    assert_int_equal(counts[SPOOR_BUS_DEFER_REPLY], 2271);
    assert_int_equal(counts[SPOOR_BUS_IO_READ], 4);
    assert_int_equal(counts[SPOOR_BUS_IO_WRITE], 4);
    assert_int_equal(batch->records[224449].op, SPOOR_NOTE_TRAILING);
    assert_int_equal(batch->records[224449].note.text.size, 2);
    assert_int_equal(batch->fault_count, 1);
    assert_string_equal(batch->faults[0].rule, "trailing-bytes");
    assert_int_equal(batch->records[0].bus.delta, UINT32_MAX);
    assert_false(batch->records[0].has & SPOOR_HAS_TIME);
    assert_int_equal(batch->records[0].time, 0);
    assert_true(batch->records[1].has & SPOOR_HAS_TIME);
    assert_int_equal(batch->records[1].time, 0x18);
    assert_int_equal(batch->records[224448].time, 31011552);
    assert_true(round_trips(&format_byu12, bytes, size));
    trace_free(&trace);
    free(bytes);
}

static void published_trace_prints_as_b2a(void **state)
{
    (void)state;
    size_t size, lines = 0;
    char *bytes = shared_file(whole_trace, "xz -dc", &size);
    if (!bytes) skip();
    struct text out = {0}, expected = {0};
    print(&format_byu12, bytes, size, false, &out);
    reference_b2a((const uint8_t *)bytes, size, false, &expected);
    assert_true(text_is(&out, expected.bytes, expected.size));
    for (size_t i = 0; i < out.size; i++) lines += out.bytes[i] == '\n';
    assert_int_equal(lines, 224449);
    text_free(&out);
    text_free(&expected);
    free(bytes);
}

/* ---- round trips ---- */

static void any_bytes_survive(void **state)
{
    (void)state;
    uint8_t bytes[24 * 40];
    fill_randomly(bytes, sizeof bytes, 1);
    for (int f = 0; f < FORMATS; f++)
        for (size_t size = 0; size <= 100; size++) /* cut at every byte */
            assert_true(round_trips(formats[f], bytes, size));
    for (uint64_t seed = 2; seed < 50; seed++) {
        fill_randomly(bytes, sizeof bytes, seed);
        for (int f = 0; f < FORMATS; f++)
            assert_true(round_trips(formats[f], bytes, sizeof bytes - seed));
    }
}

static void trailing_bytes_stay_at_the_end(void **state)
{
    (void)state;
    static const uint8_t bytes[14] = {8, 0, 0, 0, 1, 8, 0, 0, 5, 0, 0, 0, 'x', 'y'};
    struct trace trace;
    struct text out = {0};
    struct encoder encoder = {.format = &format_byu12};
    trace_decode(&trace, &format_byu12, bytes, sizeof bytes);
    for (int time = 0; time < 2; time++) /* two traces, one after another */
        format_byu12.write(&encoder, &trace.batch, 0, trace.batch.count, &out);
    format_byu12.end(&encoder, &out);
    assert_int_equal(out.size, 12 + 14);
    assert_memory_equal(out.bytes, bytes, 12);
    assert_memory_equal(out.bytes + 12, bytes, 14);
    assert_int_equal(encoder.skipped, 1);
    text_free(&out);
    trace_free(&trace);
}

/* ---- conversions ---- */

static void byu12_to_byu6(void **state)
{
    (void)state;
    static const struct {
        uint8_t address, type, size, attribute, enables, control;
    } cases[] = {
        {0x10, 0x00, 8, 0, 0x00, 0x90},  /* an uncacheable fetch */
        {0x10, 0x00, 8, 3, 0x00, 0x80},  /* write back: cacheable */
        {0x14, 0x01, 4, 0, 0x0f, 0xd0},  /* the upper four bytes */
        {0x11, 0x03, 2, 0, 0xf9, 0xf0},  /* bytes 1 and 2 */
        {0x16, 0x03, 8, 0, 0x3f, 0xf0},  /* bytes beyond the eight are cut off */
        {0x10, 0x02, 32, 0, 0x00, 0xc0}, /* so are those of a line, except its first eight bytes */
        {0x10, 0x10, 1, 0, 0xfe, 0x50},  {0x10, 0x11, 1, 0, 0xfe, 0x70},
        {0x00, 0x21, 0, 0, 0xff, 0x10},  {0x00, 0x33, 0, 0, 0xff, 0x30},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t from[12] = {cases[i].address,  0x32, 0x54, 0x76, cases[i].type, cases[i].size,
                                  cases[i].attribute};
        const uint8_t to[6] = {
            0x76, 0x54, 0x32, cases[i].address & 0xf8, cases[i].enables, cases[i].control};
        struct text out = {0};
        assert_int_equal(convert(&format_byu12, from, 12, &format_byu6, &out), 0);
        assert_true(text_is(&out, to, 6));
        text_free(&out);
    }
    const uint8_t deferred[12] = {0, 0, 0, 0, 0x20};
    struct text out = {0};
    assert_int_equal(convert(&format_byu12, deferred, 12, &format_byu6, &out), 1);
    assert_int_equal(out.size, 0);
    text_free(&out);
}

static void byu6_to_byu12(void **state)
{
    (void)state;
    static const struct {
        uint8_t enables, control, lane, type, size, attribute;
    } cases[] = {
        {0x00, 0x90, 0, 0x00, 8, 0}, {0x00, 0x80, 0, 0x00, 8, 3}, {0x0f, 0xd7, 4, 0x01, 4, 0},
        {0xf9, 0xf0, 1, 0x03, 2, 0}, {0x00, 0xe0, 0, 0x03, 8, 0}, {0xfe, 0x50, 0, 0x10, 1, 0},
        {0xff, 0x10, 0, 0x21, 0, 0}, {0x7e, 0xc0, 0, 0x01, 2, 3},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint8_t from[6] = {0x76, 0x54, 0x32, 0x10, cases[i].enables, cases[i].control};
        const uint8_t to[12] = {(uint8_t)(0x10 + cases[i].lane),
                                0x32,
                                0x54,
                                0x76,
                                cases[i].type,
                                cases[i].size,
                                cases[i].attribute,
                                0,
                                0xff,
                                0xff,
                                0xff,
                                0xff};
        struct text out = {0};
        assert_int_equal(convert(&format_byu6, from, 6, &format_byu12, &out), 0);
        assert_true(text_is(&out, to, 12));
        text_free(&out);
    }
    const uint8_t special[12] = {0, 0, 0, 0, 0xff, 0x30, 0, 0, 0, 0, 0, 0x00};
    struct text out = {0};
    assert_int_equal(convert(&format_byu6, special, 12, &format_byu12, &out), 2);
    text_free(&out);
}

static void aligned_records_come_back(void **state)
{
    (void)state;
    struct numbers numbers = {66};
    static const uint8_t controls[] = {0x10, 0x50, 0x70, 0x80, 0x90, 0xc0, 0xd0, 0xf0};
    for (int i = 0; i < 2000; i++) { /* contiguous lanes survive byu6 -> byu12 -> byu6 */
        const unsigned lane = (unsigned)numbers_below(&numbers, 8);
        const unsigned lanes = 1 + (unsigned)numbers_below(&numbers, 8 - lane);
        const uint8_t enables = (uint8_t) ~(((1u << lanes) - 1) << lane);
        const uint8_t record[6] = {(uint8_t)numbers_next(&numbers),
                                   (uint8_t)numbers_next(&numbers),
                                   (uint8_t)numbers_next(&numbers),
                                   (uint8_t)(numbers_next(&numbers) & 0xf8),
                                   enables,
                                   controls[numbers_below(&numbers, sizeof controls)]};
        struct text wide = {0}, back = {0};
        assert_int_equal(convert(&format_byu6, record, 6, &format_byu12, &wide), 0);
        assert_int_equal(convert(&format_byu12, wide.bytes, wide.size, &format_byu6, &back), 0);
        assert_true(text_is(&back, record, 6));
        text_free(&wide);
        text_free(&back);
    }
}

static void widths_convert(void **state)
{
    (void)state;
    size_t size;
    char *bytes = shared_file("traces/byu/pentium2-w2k-middle.tr", NULL, &size);
    if (!bytes) skip();
    struct text wide = {0}, middle = {0}, back = {0};
    assert_int_equal(convert(&format_byu12, bytes, size, &format_byu24, &wide), 0);
    assert_int_equal(wide.size, 2 * size);
    assert_int_equal(convert(&format_byu24, wide.bytes, wide.size, &format_byu16, &middle), 0);
    assert_int_equal(convert(&format_byu16, middle.bytes, middle.size, &format_byu12, &back), 0);
    assert_true(text_is(&back, bytes, size));
    text_free(&wide);
    text_free(&middle);
    text_free(&back);
    free(bytes);
}

static void other_kinds_to_byu(void **state)
{
    (void)state;
    static const char lackey[] = "I  00001000,3\n M 00002000,8\n L 1fff0006e8,8\n==1== end\n";
    static const uint8_t expected[] = {
        0, 0x10, 0, 0, 0, 3, 0, 0, 0xff, 0xff, 0xff, 0xff, /* fetch */
        0, 0x20, 0, 0, 1, 8, 0, 0, 0xff, 0xff, 0xff, 0xff, /* a modification reads */
        0, 0x20, 0, 0, 3, 8, 0, 0, 0xff, 0xff, 0xff, 0xff, /* and writes */
    };
    struct text out = {0};
    /* an address over 32 bits and the comment cannot be represented */
    assert_int_equal(convert(&format_lackey, lackey, sizeof lackey - 1, &format_byu12, &out), 2);
    assert_true(text_is(&out, expected, sizeof expected));
    out.size = 0;
    assert_int_equal(convert(&format_lackey, lackey, sizeof lackey - 1, &format_byu16, &out), 1);
    assert_int_equal(out.size, 4 * 16);
    text_free(&out);
}

static void time_of_others_becomes_deltas(void **state)
{
    (void)state;
    struct trace trace;
    struct text out = {0};
    struct encoder encoder = {.format = &format_byu12};
    trace_decode(&trace, &format_lackey, " L 00000010,4\n L 00000020,4\n L 00000030,4\n", 42);
    static const uint64_t times[3] = {100, 250, 240};
    for (int i = 0; i < 3; i++) {
        trace.batch.records[i].has |= SPOOR_HAS_TIME;
        trace.batch.records[i].time = times[i];
    }
    format_byu12.write(&encoder, &trace.batch, 0, 3, &out);
    assert_int_equal(out.size, 36);
    assert_int_equal(little((uint8_t *)out.bytes + 8, 4), 100);
    assert_int_equal(little((uint8_t *)out.bytes + 20, 4), 150);
    assert_int_equal(little((uint8_t *)out.bytes + 32, 4), UINT32_MAX); /* time ran backwards */
    text_free(&out);
    trace_free(&trace);
}

/* ---- both ways of decoding 12-byte records ---- */

static void any_bytes_decode_alike(void **state)
{
    enum { RECORDS = 3000, SIZE = 12 * RECORDS };
    static const struct byu_shape shape = {.address = 4, .padding = 0, .time = 4, .record = 12};
    (void)state;
    struct numbers numbers = {12};
    char *bytes = malloc(SIZE);
    assert_non_null(bytes);
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (char)(uint8_t)(numbers_below(&numbers, 4) ? numbers_next(&numbers) : 0xff);
    for (size_t i = 8; i < SIZE; i += 12 * 7) memset(bytes + i, 0xff, 4); /* no delta */
    for (size_t size = SIZE - 40; size <= SIZE; size++) {
        struct trace trace;
        trace_decode(&trace, &format_byu12, bytes, size);
        struct spoor_batch plain = {
            .stream = &trace.stream, .text = trace.batch.text, .text_size = size, .last = true};
        struct carry carry = {0};
        byu_decode(&plain, shape);
        byu_resolve(&carry, &plain);
        assert_int_equal(plain.count, trace.batch.count);
        assert_memory_equal(plain.records, trace.batch.records,
                            plain.count * sizeof *plain.records);
        plain.text = NULL;
        spoor_batch_free(&plain);
        trace_free(&trace);
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_bytes_decode_alike),
        cmocka_unit_test(byu6_prints_as_its_document),
        cmocka_unit_test(byu12_prints_as_b2a),
        cmocka_unit_test(wide_shapes_print_64_bits),
        cmocka_unit_test(published_trace),
        cmocka_unit_test(published_trace_prints_as_b2a),
        cmocka_unit_test(any_bytes_survive),
        cmocka_unit_test(trailing_bytes_stay_at_the_end),
        cmocka_unit_test(byu12_to_byu6),
        cmocka_unit_test(byu6_to_byu12),
        cmocka_unit_test(aligned_records_come_back),
        cmocka_unit_test(widths_convert),
        cmocka_unit_test(other_kinds_to_byu),
        cmocka_unit_test(time_of_others_becomes_deltas),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
