/* SPDX-License-Identifier: MIT */
/* test_field.c: every field of every kind, from the documents' own lines and from records built by
 * hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "query/made_trace.h"
#include "query/value.h"
#include "support/trace.h"

extern const struct spoor_format format_uop, format_byu12, format_tarmac;

/* Returns all fields that a record has, as "name=value", in the order of columns. */
static char *stats(const struct spoor_batch *batch, size_t index)
{
    struct text out = {0};
    for (int field = 0; field < SPOOR_FIELDS; field++) {
        struct spoor_value value = spoor_field_get(batch, index, (enum spoor_field)field);
        if (value.type == SPOOR_VALUE_ABSENT) continue;
        if (value.type == SPOOR_VALUE_BOOL && !value.number) continue;
        if (out.size) text_puts(&out, " ");
        text_printf(&out, "%s=", spoor_field_name((enum spoor_field)field));
        value_put_column(&out, &value);
    }
    text_put(&out, "", 1);
    return out.bytes;
}

static void expect(const struct spoor_batch *batch, size_t index, const char *expected)
{
    char *found = stats(batch, index);
    assert_string_equal(found, expected);
    free(found);
}

/* Expects the names of a set of fields. */
static void expect_set(spoor_field_set set, const char *expected)
{
    struct text out = {0};
    for (int field = 0; field < SPOOR_FIELDS; field++)
        if (set >> field & 1) {
            if (out.size) text_puts(&out, " ");
            text_puts(&out, spoor_field_name((enum spoor_field)field));
        }
    text_put(&out, "", 1);
    assert_string_equal(out.bytes, expected);
    text_free(&out);
}

static void every_field_is_found_by_its_name(void **state)
{
    (void)state;
    for (int field = 0; field < SPOOR_FIELDS_ALL; field++) {
        const char *name = spoor_field_name((enum spoor_field)field);
        assert_int_equal(spoor_field_find(name, strlen(name)), field);
        assert_true(strlen(spoor_field_what((enum spoor_field)field)) > 0);
    }
    assert_int_equal(spoor_field_find("pcc", 3), -1);
    assert_int_equal(spoor_field_find("pc", 1), -1);
    assert_int_equal(spoor_field_find("", 0), -1);
}

static void a_value_has_the_type_that_its_field_promises(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    for (int kind = 0; kind < SPOOR_KINDS; kind++) {
        struct spoor_record *record = made_trace_push(&made, (enum spoor_kind)kind, 0, 0x00FF);
        memset(record->word, 1, sizeof record->word);
        if (kind == SPOOR_NOTE) record->note.text = made_trace_text(&made, "x");
        if (kind == SPOOR_INSN) record->insn.disasm = made_trace_text(&made, "x");
        if (kind == SPOOR_REG) record->reg.wide.size = 0;
        if (kind == SPOOR_MEM) record->mem.wide.size = 0;
        if (kind == SPOOR_WALK) record->walk.attributes = made_trace_text(&made, "x");
        if (kind == SPOOR_TLB) record->tlb.attributes = made_trace_text(&made, "x");
        if (kind == SPOOR_EVENT) record->event.text = made_trace_text(&made, "x");
        for (int field = 0; field < SPOOR_FIELDS_ALL; field++) {
            struct spoor_value value =
                spoor_field_get(&made.batch, made.batch.count - 1, (enum spoor_field)field);
            enum spoor_value_type type = spoor_field_type((enum spoor_field)field);
            if (value.type == SPOOR_VALUE_ABSENT) continue;
            assert_true(value.type == type ||
                        (type == SPOOR_VALUE_HEX && value.type == SPOOR_VALUE_BYTES));
            if (field < SPOOR_FIELDS)
                assert_true(spoor_kind_fields((enum spoor_kind)kind) >> field & 1);
        }
    }
    made_trace_end(&made);
}

static void a_micro_op_has_the_fourteen_fields_of_its_document(void **state)
{
    (void)state;
    static const char lines[] = "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
                                "1 48d237 -1 -1 -1 R N - -25 0 48d239 48d220 J JMP_IMM\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, lines, sizeof lines - 1);
    expect(&trace.batch, 0,
           "op=load pc=0x48d1e2 target=0x0 uop=1 src1=-1 src2=5 dest=45 flags=- branch=- ldst=L "
           "imm=-264 fall=0x48d1e9 macro=CMP micro=LOAD addr=0x7fffe7ff048");
    expect(&trace.batch, 1,
           "op=conditional pc=0x48d237 target=0x48d220 uop=1 src1=-1 src2=-1 dest=-1 flags=R "
           "branch=N ldst=- imm=-25 fall=0x48d239 macro=J micro=JMP_IMM addr=0x0");
    expect_set(trace_fields(&trace.batch, 0), "pc uop src2 dest ldst imm fall macro micro addr");
    expect_set(trace_fields(&trace.batch, 1), "pc target uop flags branch imm fall macro micro");
    trace_free(&trace);
}

static void a_micro_op_outside_the_short_ranges_is_whole(void **state)
{
    (void)state;
    static const char line[] =
        "70000 ffffffffffffffff 40000 -1 -40000 W T S -9223372036854775808 0 1 2 A B\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, line, sizeof line - 1);
    expect(&trace.batch, 0,
           "op=store pc=0xffffffffffffffff target=0x2 uop=70000 src1=40000 src2=-1 dest=-40000 "
           "flags=W branch=T ldst=S imm=-9223372036854775808 fall=0x1 macro=A micro=B addr=0x0");
    trace_free(&trace);
}

static void a_bus_record_has_only_what_its_analyser_writes(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {
        0x60, 0xf7, 0x41, 0x00, 0x00, 8, 0, 0, 0xff, 0xff, 0xff, 0xff, /* the sentinel */
        0x70, 0x00, 0x00, 0x00, 0x10, 4, 3, 2, 0x18, 0x00, 0x00, 0x00,
    };
    struct trace trace;
    trace_decode(&trace, &format_byu12, bytes, sizeof bytes);
    expect(&trace.batch, 0,
           "cpu=0 op=fetch pa=0x41f760 size=8 type=0x0 delta=4294967295 attr=0x0 agent=0 "
           "cached=uncacheable");
    expect(&trace.batch, 1,
           "time=24 cpu=2 op=io-read pa=0x70 size=4 type=0x10 delta=24 attr=0x3 agent=2 "
           "cached=write back");
    expect_set(trace_fields(&trace.batch, 1), "time op pa size type delta attr agent");
    trace_free(&trace);
}

static void tarmac_lines_of_the_document(void **state)
{
    (void)state;
    static const char lines[] =
        "1939 clk cpu0 IT (1915) 0001129c:00001521129c_NS d51bd061 O EL3h_s : MSR X,x1\n"
        "8463 clk cpu0 R z31 00000000_00000000_00000000_00000012\n"
        "1948 clk cpu0 MR8X 00011540:000015211540 00000000_13000000\n"
        "9760 clk cpu0 TLB EVICT cpu.cpu0.DTLB 64K 0x06200000_NS EL1_n vmid=0, nG asid=7\n";
    struct trace trace;
    trace_decode(&trace, &format_tarmac, lines, sizeof lines - 1);
    expect(&trace.batch, 0,
           "time=1939 cpu=cpu0 op=taken pc=0x1129c pc_pa=0x1521129c security=ns index=1915 "
           "opcode=0xd51bd061 opcode_size=4 iset=O mode=EL3h_s disasm=MSR X,x1");
    expect(&trace.batch, 1, "time=8463 cpu=cpu0 op=write reg=z31 value=0x12 bits=128");
    expect(&trace.batch, 2,
           "time=1948 cpu=cpu0 op=read addr=0x11540 pa=0x15211540 size=8 data=0x13000000 "
           "exclusive=1");
    expect(&trace.batch, 3,
           "time=9760 cpu=cpu0 op=evict addr=0x6200000 region=64K unit=cpu.cpu0.DTLB "
           "regime=EL1_n vmid=0 asid=7 regime_security=ns");
    expect_set(trace_fields(&trace.batch, 1), "time cpu reg value bits");
    expect_set(trace_fields(&trace.batch, 2), "time cpu op addr pa size data exclusive");
    trace_free(&trace);
}

static void unknown_digits_are_shown_as_such(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    struct spoor_record *record = made_trace_push(&made, SPOOR_REG, 0, SPOOR_HAS_DATA);
    record->reg = (struct spoor_reg){.value = {0x3f, 0},
                                     .bits = 128,
                                     .name = made_trace_name(&made, "Q0"),
                                     .unknown = 0x80000001};
    record = made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_READ, SPOOR_HAS_VA | SPOOR_HAS_DATA);
    record->mem = (struct spoor_mem){.va = 0x370, .size = 4, .data = {0x48}, .unknown = 0x4};
    expect(&made.batch, 0, "op=write reg=Q0 value=0x-000000000000000000000000000003- bits=128");
    expect(&made.batch, 1, "op=read addr=0x370 size=4 data=0x--0048");
    made_trace_end(&made);
}

static void wide_numbers_come_from_the_arena(void **state)
{
    (void)state;
    char bytes[32] = {[0] = 0x0d, [31] = 0x01};
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    struct spoor_ref wide = spoor_batch_keep(&made.batch, bytes, sizeof bytes);
    struct spoor_record *record = made_trace_push(&made, SPOOR_REG, 0, SPOOR_HAS_DATA);
    record->reg =
        (struct spoor_reg){.wide = wide, .bits = 256, .name = made_trace_name(&made, "z0")};
    expect(&made.batch, 0,
           "op=write reg=z0 value=0x10000000000000000000000000000000000000000000000000000000000"
           "000d bits=256");
    made_trace_end(&made);
}

/* I<wrcbs> O<wrcbs> for each of the 1,024 values, from the document's letters. */
static void cacheability_is_spelled_as_the_document_spells_it(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    struct spoor_record *record = made_trace_push(&made, SPOOR_BUS, SPOOR_BUS_READ, 0);
    for (unsigned bits = 0; bits < 1024; bits++) {
        char expected[] = "IWRCBS OWRCBS";
        for (unsigned i = 0; i < 5; i++) {
            if (!(bits >> i & 1)) expected[5 - i] = '_';
            if (!(bits >> (i + 5) & 1)) expected[12 - i] = '_';
        }
        record->bus.cacheability = (uint16_t)bits;
        struct spoor_value value = spoor_field_get(&made.batch, 0, SPOOR_FIELD_CACHED);
        assert_int_equal(value.text.size, strlen(expected));
        assert_memory_equal(value.text.bytes, expected, value.text.size);
    }
    made_trace_end(&made);
}

static void places_count_from_the_start_of_the_trace(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    made.batch.first = 100;
    made.batch.line = 101;
    made_trace_push(&made, SPOOR_NOTE, SPOOR_NOTE_BLANK, 0);
    made_trace_push(&made, SPOOR_NOTE, SPOOR_NOTE_BLANK, 0);
    assert_int_equal(spoor_field_get(&made.batch, 1, SPOOR_FIELD_RECORD).number, 101);
    assert_int_equal(spoor_field_get(&made.batch, 1, SPOOR_FIELD_LINE).number, 102);
    made.batch.line = 0;
    assert_int_equal(spoor_field_get(&made.batch, 1, SPOOR_FIELD_LINE).type, SPOOR_VALUE_ABSENT);
    made_trace_end(&made);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_field_is_found_by_its_name),
        cmocka_unit_test(a_value_has_the_type_that_its_field_promises),
        cmocka_unit_test(a_micro_op_has_the_fourteen_fields_of_its_document),
        cmocka_unit_test(a_micro_op_outside_the_short_ranges_is_whole),
        cmocka_unit_test(a_bus_record_has_only_what_its_analyser_writes),
        cmocka_unit_test(tarmac_lines_of_the_document),
        cmocka_unit_test(unknown_digits_are_shown_as_such),
        cmocka_unit_test(wide_numbers_come_from_the_arena),
        cmocka_unit_test(cacheability_is_spelled_as_the_document_spells_it),
        cmocka_unit_test(places_count_from_the_start_of_the_trace),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
