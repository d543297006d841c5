/* SPDX-License-Identifier: MIT */
/*
 * test_row_printer.c: rows against their definition: spoor_field_get() and value.h, field by field.
 * Lists of fields are drawn at random, because a row depends on which fields are adjacent.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/inline.h"
#include "query/value.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac, format_uop;

#ifdef IS_SANITIZED
enum { LISTS = 40 }; /* lists of fields for each trace */
#else
enum { LISTS = 160 };
#endif

enum {
    RECORDS = 64,    /* records of each trace */
    LONGEST_GAP = 40 /* adjacent fields that a kind does not have: more than a lead has bytes */
};

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

/* ---- the definition ---- */

static void put_value(struct text *out, const struct spoor_value *value, enum spoor_rows_form form)
{
    switch (form) {
    case SPOOR_ROWS_TABS: value_put_column(out, value); break;
    case SPOOR_ROWS_CSV: value_put_csv(out, value); break;
    case SPOOR_ROWS_JSON_LINES:
    case SPOOR_ROWS_JSON: value_put_json(out, value); break;
    }
}

static void put_cells(struct text *out, const struct row_columns *columns,
                      const struct spoor_batch *batch, size_t index)
{
    for (size_t i = 0; i < columns->count; i++) {
        const struct spoor_value value = spoor_field_get(batch, index, columns->fields[i]);
        if (i) text_puts(out, columns->form == SPOOR_ROWS_CSV ? "," : "\t");
        put_value(out, &value, columns->form);
    }
}

static void put_member(struct text *out, const struct spoor_batch *batch, size_t index,
                       enum spoor_field field, bool false_too)
{
    const struct spoor_value value = spoor_field_get(batch, index, field);
    if (value.type == SPOOR_VALUE_ABSENT) return;
    if (value.type == SPOOR_VALUE_BOOL && !value.number && !false_too) return;
    text_printf(out, "%c\"%s\":", out->size ? ',' : '{', spoor_field_name(field));
    value_put_json(out, &value);
}

/* Prints the requested fields, or record, line, kind and all others. */
static void put_object(struct text *out, const struct row_columns *columns,
                       const struct spoor_batch *batch, size_t index)
{
    for (size_t i = 0; columns->given && i < columns->count; i++)
        put_member(out, batch, index, columns->fields[i], true);
    for (int i = 0; !columns->given && i < SPOOR_FIRST_LOCATED; i++)
        put_member(out, batch, index, (enum spoor_field)((i + SPOOR_FIELDS) % SPOOR_FIRST_LOCATED),
                   false);
    text_puts(out, out->size ? "}" : "{}");
}

static void put_defined(struct text *out, const struct row_columns *columns,
                        const struct spoor_batch *batch, size_t index)
{
    const bool is_json = columns->form == SPOOR_ROWS_JSON || columns->form == SPOOR_ROWS_JSON_LINES;
    (is_json ? put_object : put_cells)(out, columns, batch, index);
    if (columns->form != SPOOR_ROWS_JSON) text_puts(out, "\n");
}

/* ---- lists of fields ---- */

/* Draws a field that records of the kind have, or one that they do not have. */
static enum spoor_field draw_field(uint64_t *state, unsigned kind, bool had)
{
    for (;;) {
        const unsigned field = draw(state, SPOOR_FIELDS_ALL);
        const bool has =
            field >= SPOOR_FIELDS || (spoor_kind_fields((enum spoor_kind)kind) >> field & 1);
        if (has == had) return (enum spoor_field)field;
    }
}

/* Draws runs of fields that records of the kind do not have, short or long, with one or two fields
 * between them that they have.  A field may be repeated. */
static void draw_columns(uint64_t *state, unsigned kind, struct row_columns *columns)
{
    const unsigned count = 1 + draw(state, SPOOR_FIELDS_ALL);
    const unsigned longest = draw(state, 2) ? LONGEST_GAP : 3;
    unsigned gap = draw(state, longest);
    columns->given = true;
    for (columns->count = 0; columns->count < count; columns->count++) {
        const bool had = gap == 0;
        columns->fields[columns->count] = draw_field(state, kind, had);
        gap = had ? draw(state, longest) : gap - 1;
    }
}

/* ---- comparing ---- */

/* Compares rows of records from the whole batch, one after another in the same text. */
static void compare_rows(const struct row_columns *columns, const struct spoor_batch *batch)
{
    const size_t step = batch->count / RECORDS + 1;
    struct row_printer *printer = row_printer_new(columns);
    struct text found = {0}, expected = {0};
    assert_non_null(printer);
    for (size_t i = 0; i < batch->count; i += step) {
        const size_t begin = found.size;
        expected.size = 0;
        row_printer_put(printer, batch, i, &found);
        put_defined(&expected, columns, batch, i);
        assert_false(found.failed || expected.failed);
        const size_t size = found.size - begin;
        if (size != expected.size || memcmp(found.bytes + begin, expected.bytes, size) != 0)
            fail_msg("%s, record %zu, %zu columns: '%.*s' in place of '%.*s'", batch->stream->path,
                     i, columns->count, (int)size, found.bytes + begin, (int)expected.size,
                     expected.bytes);
    }
    text_free(&found);
    text_free(&expected);
    free(printer);
}

static void compare_lists(const struct spoor_batch *batch)
{
    uint64_t state = 1;
    assert_true(batch->count > 0);
    struct row_columns columns = {.form = SPOOR_ROWS_JSON_LINES};
    compare_rows(&columns, batch); /* all fields */
    for (unsigned i = 0; i < LISTS; i++) {
        const unsigned kind = batch->records[draw(&state, (unsigned)batch->count)].kind;
        draw_columns(&state, kind, &columns);
        for (int form = SPOOR_ROWS_TABS; form <= SPOOR_ROWS_JSON; form++) {
            columns.form = (enum spoor_rows_form)form;
            compare_rows(&columns, batch);
        }
    }
}

/* Compares the first batch of a file of the repository; `format` NULL: detect it. */
static void compare_file(const char *name, const struct spoor_format *format)
{
    const struct spoor_reader_options options = {.format = format};
    char path[512];
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    snprintf(path, sizeof path, SOURCE_ROOT "/%s", name);
    if (spoor_reader_open(&reader, path, &options, &error) != SPOOR_OK ||
        spoor_reader_next(reader, &batch, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    compare_lists(batch);
    spoor_reader_close(reader);
}

static void compare_text(const struct spoor_format *format, const char *text)
{
    struct trace trace;
    trace_decode(&trace, format, text, strlen(text));
    compare_lists(&trace.batch);
    trace_free(&trace);
}

/* ---- tests ---- */

static void examples(void **state)
{
    (void)state;
    static const char *const names[] = {
        "list.uop.xz",     "search-x86_64.uop.xz", "sort.byu6.xz",
        "search.byu12.xz", "sort.din.xz",          "search.lackey.xz",
        "list.matcher.xz", "list.tarmac.xz",       "sort-aarch64.tarmac.xz",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "examples/%s", names[i]);
        compare_file(name, NULL);
    }
}

/* Kinds that no example has: caches, walks, translations, events, wide and partly known data. */
static void seeds(void **state)
{
    (void)state;
    static const char *const names[] = {"caches", "cs",           "es",     "events",
                                        "glued",  "instructions", "memory", "rtl"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char name[64];
        snprintf(name, sizeof name, "tests/fuzz/seeds/tarmac/%s", names[i]);
        compare_file(name, &format_tarmac);
    }
}

static void notes(void **state)
{
    (void)state;
    compare_text(&format_tarmac, "// a comment\n");
    compare_text(&format_tarmac,
                 "a, b\tc\\d \"e\" \x01\x7f\xff\n\n"
                 "0123456789 0123456789 0123456789 0123456789 0123456789 0123456789 0123456789\n");
}

static void micro_ops_that_are_spilled_or_odd(void **state)
{
    (void)state;
    compare_text(&format_uop,
                 "1 48d1e2 -1 5 45 - - L -264 7fffe7ff048 48d1e9 0 CMP LOAD\n"
                 "70000 ffffffffffffffff 40000 -1 -40000 W T S -9223372036854775808 0 1 2 A B\n"
                 "1 48d237 99 100 -1 R N - -25 0 48d239 48d220 J,K \"L\n"
                 "1 48d237 -1 -1 -1 R N - 9223372036854775807 0 0 48d220 J JMP_IMM more\n"
                 "1 +48d237 -1 -1 -1 R N - 0x1 0 0 48d220 "
                 "LONGER_THAN_ANY_NAME_THAT_IS_KEPT_AT_HAND \\\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(examples),
        cmocka_unit_test(seeds),
        cmocka_unit_test(notes),
        cmocka_unit_test(micro_ops_that_are_spilled_or_odd),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
