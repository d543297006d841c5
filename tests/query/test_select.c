/* SPDX-License-Identifier: MIT */
/* test_select.c: expressions over fields: the records that they select, and the messages for
 * invalid ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "query/made_trace.h"
#include "query/select_test.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac, format_uop;

static const char lines[] =
    "1 clk cpu0 IT (1) 00008000:000000008000 e3a00000 A svc_s : MOV r0,#0\n"
    "1 clk cpu0 R r0 00000000\n"
    "2 clk cpu1 IS (2) 00008004:000000008004 03a00001 A svc_s : MOVEQ r0,#1\n"
    "3 clk cpu0 MW4X 00009000:000000009000_NS 000000ff\n"
    "4 clk cluster0.cpu1 MR16 00009010 00000000_00000001_00000000_00000002\n"
    "\n"
    "9 clk cpu0 E 00000018 00000007 CoreEvent_IRQ\n";

/* Expects the ordinals of the records that an expression selects, one digit each. */
static void expect(const struct spoor_batch *batch, const char *expression, const char *expected)
{
    struct spoor_error error = {0};
    struct spoor_select *select = NULL;
    if (spoor_select_compile(&select, expression, &error) != SPOOR_OK)
        fail_msg("%s: %s", expression, error.text);
    char found[16] = "";
    size_t used = 0;
    for (size_t i = 0; i < batch->count; i++)
        if (spoor_select_match(select, batch, i)) found[used++] = (char)('0' + i);
    spoor_select_free(select);
    if (strcmp(found, expected) != 0)
        fail_msg("%s: chose '%s', expected '%s'", expression, found, expected);
}

static void expressions_choose_records(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"kind == insn", "02"},
        {"kind != insn", "13456"},
        {"kind in {mem, event}", "346"},
        {"kind ~ *e*", "13456"},
        {"kind", "0123456"},
        {"op == taken", "0"},
        {"op != taken", "123456"},
        {"op = read or op = write", "134"},
        {"op ~ [rw]*", "134"},
        {"op in {read,'write'}", "134"},
        {"pc == 8000", "0"},
        {"pc == 0x8000", "0"},
        {"pc != 8000", "2"},
        {"pc >= 8000 and pc < 8004", "0"},
        {"pc in 8000 .. 8004", "02"},
        {"pc in 8001..", "2"},
        {"pc in ..8003 and time == 1", "0"},
        {"pc in 8000.. and time == 2", "2"},
        {"time in 2 .. 3", "23"},
        {"time > 1 and not kind == mem", "26"},
        {"time == 0x3", "3"},
        {"cpu == cpu0", "0136"},
        {"cpu == cluster0.cpu1", "4"},
        {"cpu ~ *cpu1", "24"},
        {"cpu ~ \"cpu?\" && !(kind == reg)", "0236"},
        {"exclusive", "3"},
        {"exclusive == true", "3"},
        {"exclusive == no", "4"},
        {"data == 0x10000000000000002", "4"},
        {"data > ff", "4"},
        {"data == ff", "3"},
        {"value", "6"},
        {"value == 0", "1"},
        {"security == ns", "3"},
        {"disasm ~ 'MOV r*'", "0"},
        {"disasm ~ MOV*", "02"},
        {"record in 1..2 or line == 7", "126"},
        {"reg in {r0, r1}", "1"},
        {"not pc", "13456"},
        {"size == -1", ""},
        {"size > -1", "34"},
        {"event ~ Core*IRQ", "6"},
        {"number == 7", "6"},
        {"mode >= svc and mode <= svc_t", "02"},
        {"((((pc))))", "02"},
        {"pc and cpu == cpu1 or exclusive", "23"},
        {"pc and (cpu == cpu1 or exclusive)", "2"},
        {"not not pc", "02"},
        {"text", ""},
    };
    struct trace trace;
    trace_decode(&trace, &format_tarmac, lines, sizeof lines - 1);
    assert_int_equal(trace.batch.count, 7);
    assert_int_equal(trace.batch.fault_count, 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        expect(&trace.batch, cases[i][0], cases[i][1]);
    trace_free(&trace);
}

static void letters_and_registers_of_micro_ops(void **state)
{
    (void)state;
    static const char uops[] = "1 48d1e2 0 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
                               "2 48d1e2 -1 -1 -1 R N - -25 0 48d1e9 48d220 J JMP_IMM\n";
    struct trace trace;
    trace_decode(&trace, &format_uop, uops, sizeof uops - 1);
    expect(&trace.batch, "branch", "1");
    expect(&trace.batch, "branch == -", "0");
    expect(&trace.batch, "src1", "0");
    expect(&trace.batch, "src1 == -1", "1");
    expect(&trace.batch, "imm < -25", "0");
    expect(&trace.batch, "imm in -264..-25", "01");
    expect(&trace.batch, "op == conditional", "1");
    expect(&trace.batch, "op in {load,store}", "0");
    expect(&trace.batch, "op > l", "0");
    trace_free(&trace);
}

static void a_number_with_unknown_digits_is_neither_equal_nor_unequal(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    struct spoor_record *record = made_trace_push(&made, SPOOR_REG, 0, SPOOR_HAS_DATA);
    record->reg = (struct spoor_reg){.value = {5}, .bits = 32, .unknown = 0x80};
    expect(&made.batch, "value == 5", "");
    expect(&made.batch, "value != 5", "");
    expect(&made.batch, "value", "0");
    made_trace_end(&made);
}

static void wrong_expressions_are_explained(void **state)
{
    (void)state;
    static const struct {
        const char *expression, *said;
    } cases[] = {
        {"", "column 1: found the end, expected the name of a field"},
        {"pcc == 1", "column 1: found 'pcc', expected the name of a field; did you mean 'pc'?"},
        {"pc == 1 an time == 2", "column 9: found 'an', expected 'and', 'or' or the end"},
        {"pc ==", "column 6: found the end, expected a value"},
        {"pc == xyz", "column 7: found 'xyz', expected a hexadecimal number"},
        {"time == 12a", "column 9: found '12a', expected a number"},
        {"exclusive == maybe", "column 14: found 'maybe', expected true or false"},
        {"(pc == 1", "column 9: found the end, expected 'and', 'or' or ')'"},
        {"pc == 1)", "column 8: found ')', expected 'and', 'or' or the end"},
        {"pc in 1", "column 8: found the end, expected '..'"},
        {"pc in {1 2}", "column 10: found '2', expected ',' or '}'"},
        {"pc ~ 8*", "column 4: found '~', expected ==, !=, <, <=, >, >= or in"},
        {"kind == inns", "column 9: found 'inns', expected a kind of record; did you mean 'insn'?"},
        {"op == raed", "column 7: found 'raed', expected an operation of some kind"},
        {"disasm == 'MOV", "column 11: found ''', expected a value"},
        {"pc == 123456789012345678901234567890123", "column 7: found '1234"},
        {"not", "column 4: found the end, expected the name of a field"},
        {"cpu ~ ", "column 7: found the end, expected a pattern"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_error error = {0};
        struct spoor_select *select = NULL;
        assert_int_equal(spoor_select_compile(&select, cases[i].expression, &error), SPOOR_EUSAGE);
        assert_null(select);
        if (strncmp(error.text, cases[i].said, strlen(cases[i].said)) != 0)
            fail_msg("%s: said '%s', expected '%s'", cases[i].expression, error.text,
                     cases[i].said);
    }
    struct spoor_select *select;
    assert_int_equal(spoor_select_compile(&select, "?", NULL), SPOOR_EUSAGE);
}

/* Compiles `count` times `piece`, nested or in a row, with `last`. */
static enum spoor_status compile_many(const char *piece, size_t count, const char *last)
{
    struct text text = {0};
    struct spoor_select *select = NULL;
    for (size_t i = 0; i < count; i++) text_puts(&text, piece);
    text_put(&text, last, strlen(last) + 1);
    enum spoor_status status = spoor_select_compile(&select, text.bytes, NULL);
    spoor_select_free(select);
    text_free(&text);
    return status;
}

static void depth_and_length_are_bounded(void **state)
{
    (void)state;
    assert_int_equal(compile_many("not ", 100, "pc"), SPOOR_OK);
    assert_int_equal(compile_many("(", 1000000, "pc"), SPOOR_EUSAGE);
    assert_int_equal(compile_many("!", 1000000, "pc"), SPOOR_EUSAGE);
    assert_int_equal(compile_many("pc or ", 4000, "pc"), SPOOR_OK);
    assert_int_equal(compile_many("pc or ", 100000, "pc"), SPOOR_EUSAGE);
}

static void patterns(void **state)
{
    (void)state;
    static const struct {
        const char *pattern, *text;
        bool fits;
    } cases[] = {
        {"", "", true},           {"", "a", false},           {"*", "", true},
        {"a*c", "abc", true},     {"a*c", "abcd", false},     {"*a*a*", "banana", true},
        {"?", "", false},         {"a?c", "abc", true},       {"[a-c]x", "bx", true},
        {"[!a-c]x", "bx", false}, {"[^a-c]x", "dx", true},    {"[]]", "]", true},
        {"[a", "[a", true},       {"[a-]", "-", true},        {"*.cpu1", "a.b.cpu1", true},
        {"a**b", "ab", true},     {"x*y*z", "xyyyyy", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct spoor_slice pattern = {cases[i].pattern, strlen(cases[i].pattern)};
        struct spoor_slice text = {cases[i].text, strlen(cases[i].text)};
        if (select_pattern_fits(pattern, text) != cases[i].fits)
            fail_msg("'%s' on '%s'", cases[i].pattern, cases[i].text);
    }
}

/* ---- property: and, or, not and parentheses have the meaning of C ---- */

enum { RECORDS = 16 };
static uint32_t seed = 12345;
static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1664525 + 1013904223;
    return (seed >> 8) % limit;
}

/* Appends a random expression; returns the set of records that it selects. */
static unsigned make(struct text *out, unsigned depth)
{
    unsigned choice = depth ? random_below(4) : 3, left, right;
    switch (choice) {
    case 0:
        text_puts(out, random_below(2) ? "not (" : "!(");
        left = ~make(out, depth - 1);
        text_puts(out, ")");
        return left & 0xFFFF;
    case 1:
    case 2:
        text_puts(out, "(");
        left = make(out, depth - 1);
        text_puts(out, choice == 1 ? (random_below(2) ? " and " : "&&") : " or ");
        right = make(out, depth - 1);
        text_puts(out, ")");
        return choice == 1 ? left & right : left | right;
    default: break;
    }
    unsigned first = random_below(RECORDS), last = first + random_below(RECORDS - first);
    text_printf(out, "record in %u..%u", first, last);
    return ((2u << last) - 1) & ~((1u << first) - 1);
}

static void logic_is_the_logic_of_sets(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    for (int i = 0; i < RECORDS; i++) made_trace_push(&made, SPOOR_NOTE, SPOOR_NOTE_BLANK, 0);
    for (int round = 0; round < 5000; round++) {
        struct text text = {0};
        struct spoor_select *select = NULL;
        unsigned expected = make(&text, 5), found = 0;
        text_put(&text, "", 1);
        assert_int_equal(spoor_select_compile(&select, text.bytes, NULL), SPOOR_OK);
        for (unsigned i = 0; i < RECORDS; i++)
            found |= (unsigned)spoor_select_match(select, &made.batch, i) << i;
        if (found != expected) fail_msg("%s: %04x, expected %04x", text.bytes, found, expected);
        spoor_select_free(select);
        text_free(&text);
    }
    made_trace_end(&made);
}

/* ---- of many records ---- */

enum { KINDS_TRIED = 5 };
static const unsigned kinds_tried[KINDS_TRIED] = {SPOOR_INSN, SPOOR_MEM, SPOOR_REG, SPOOR_EVENT,
                                                  SPOOR_NOTE};

/* An expression of kinds alone; returns for which of those tried it is true. */
static unsigned make_of_kinds(struct text *out, unsigned depth)
{
    enum { ALL = (1 << KINDS_TRIED) - 1 };
    static const char *const names[KINDS_TRIED] = {"insn", "mem", "reg", "event", "note"};
    const unsigned kind = random_below(KINDS_TRIED), choice = depth ? random_below(5) : 3;
    unsigned left, right;
    switch (choice) {
    case 0:
        text_puts(out, "not (");
        left = make_of_kinds(out, depth - 1);
        text_puts(out, ")");
        return ALL & ~left;
    case 1:
    case 2:
        text_puts(out, "(");
        left = make_of_kinds(out, depth - 1);
        text_puts(out, choice == 1 ? " and " : " or ");
        right = make_of_kinds(out, depth - 1);
        text_puts(out, ")");
        return choice == 1 ? left & right : left | right;
    case 3: text_printf(out, "kind == %s", names[kind]); return 1U << kind;
    default: text_printf(out, "kind != %s", names[kind]); return ALL & ~(1U << kind);
    }
}

/* Records of one kind may match if the expression is true for it, and of several if it is for one
 * of them. */
static void kinds_of_many_records(void **state)
{
    (void)state;
    for (int round = 0; round < 3000; round++) {
        struct text text = {0};
        struct spoor_select *select = NULL;
        const unsigned matching = make_of_kinds(&text, 3);
        text_put(&text, "", 1);
        assert_int_equal(spoor_select_compile(&select, text.bytes, NULL), SPOOR_OK);
        for (unsigned some = 1; some < 1 << KINDS_TRIED; some++) {
            struct select_bounds bounds = {.kinds = 0};
            for (unsigned i = 0; i < KINDS_TRIED; i++)
                if (some >> i & 1) bounds.kinds |= UINT32_C(1) << kinds_tried[i];
            const bool may = select_may_match(select, &bounds), one = !(some & (some - 1));
            if (one ? may != !!(some & matching) : !may && some & matching)
                fail_msg("%s: %d of kinds %x", text.bytes, may, bounds.kinds);
        }
        spoor_select_free(select);
        text_free(&text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(expressions_choose_records),
        cmocka_unit_test(letters_and_registers_of_micro_ops),
        cmocka_unit_test(a_number_with_unknown_digits_is_neither_equal_nor_unequal),
        cmocka_unit_test(wrong_expressions_are_explained),
        cmocka_unit_test(depth_and_length_are_bounded),
        cmocka_unit_test(patterns),
        cmocka_unit_test(logic_is_the_logic_of_sets),
        cmocka_unit_test(kinds_of_many_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
