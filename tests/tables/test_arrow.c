/* SPDX-License-Identifier: MIT */
/*
 * test_arrow.c: a consumer of Arrow's C stream interface, written from its document, finds the
 * values that spoor_field_get() gives.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "spoor/arrow.h"
#include "spoor/field.h"

static struct spoor_reader *open_example(const char *name)
{
    char path[512];
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    snprintf(path, sizeof path, SOURCE_ROOT "/examples/%s", name);
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

static bool is_set(const void *bits, int64_t row)
{
    return ((const uint8_t *)bits)[row / 8] >> row % 8 & 1;
}

/* The value of a column in a row, against the field's. */
static void compare(const struct ArrowSchema *schema, const struct ArrowArray *array, int64_t row,
                    const struct spoor_value *value)
{
    const bool wide = value->type == SPOOR_VALUE_BYTES || value->unknown;
    const bool present = value->type != SPOOR_VALUE_ABSENT && !wide;
    assert_int_equal(array->offset, 0);
    assert_true(array->null_count == 0 || array->buffers[0]);
    assert_int_equal(array->null_count == 0 || is_set(array->buffers[0], row), present);
    if (!present) return;
    if (schema->format[0] == 'u') {
        const int32_t *offsets = array->buffers[1];
        const int32_t size = offsets[row + 1] - offsets[row];
        assert_int_equal(size, value->text.size);
        assert_memory_equal((const char *)array->buffers[2] + offsets[row], value->text.bytes,
                            (size_t)size);
    } else if (schema->format[0] == 'b') {
        assert_int_equal(is_set(array->buffers[1], row), value->number);
    } else {
        assert_true(schema->format[0] == 'L' || schema->format[0] == 'l');
        assert_int_equal(((const uint64_t *)array->buffers[1])[row], value->number);
    }
}

/* The next record of the kind in another reading of the trace. */
struct kind_cursor {
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    size_t at;
    const char *kind; /* NULL: any */
};

static bool advance(struct kind_cursor *reading)
{
    for (;; reading->at++) {
        while (!reading->batch || reading->at == reading->batch->count) {
            if (spoor_reader_next(reading->reader, &reading->batch, NULL) != SPOOR_OK) return false;
            reading->at = 0;
        }
        const char *kind = spoor_kind_name(reading->batch->records[reading->at].kind);
        if (!reading->kind || strcmp(kind, reading->kind) == 0) return true;
    }
}

enum { MAX_COLUMNS = 256 };

/* The field of each column; -1: FIELD_hex. */
static void find_fields(const struct ArrowSchema *schema, int fields[MAX_COLUMNS])
{
    assert_in_range(schema->n_children, 1, MAX_COLUMNS);
    for (int64_t i = 0; i < schema->n_children; i++) {
        const char *name = schema->children[i]->name;
        fields[i] = spoor_field_find(name, strlen(name));
    }
}

static void compare_rows(const struct ArrowSchema *schema, const int fields[MAX_COLUMNS],
                         const struct ArrowArray *array, struct kind_cursor *reading)
{
    assert_int_equal(array->n_children, schema->n_children);
    for (int64_t i = 0; i < schema->n_children; i++)
        assert_int_equal(array->children[i]->length, array->length);
    for (int64_t row = 0; row < array->length; row++, reading->at++) {
        assert_true(advance(reading));
        for (int64_t i = 0; i < schema->n_children; i++) {
            if (fields[i] < 0) continue;
            const struct spoor_value value =
                spoor_field_get(reading->batch, reading->at, (enum spoor_field)fields[i]);
            compare(schema->children[i], array->children[i], row, &value);
        }
    }
}

static void compare_trace(const char *name, const char *kind, size_t rows)
{
    const struct spoor_arrow_options options = {
        .struct_size = sizeof options, .kind = kind, .rows = rows};
    struct kind_cursor reading = {.reader = open_example(name), .kind = kind};
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    struct ArrowArray array;
    int fields[MAX_COLUMNS];
    int64_t all = 0;
    assert_int_equal(spoor_arrow_export(open_example(name), &options, &stream, NULL), SPOOR_OK);
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_string_equal(schema.format, "+s");
    find_fields(&schema, fields);
    for (;;) {
        assert_int_equal(stream.get_next(&stream, &array), 0);
        if (!array.release) break;
        assert_true(!rows || (size_t)array.length <= rows);
        compare_rows(&schema, fields, &array, &reading);
        all += array.length;
        array.release(&array);
        assert_null(array.release);
    }
    assert_true(all > 0);
    assert_false(advance(&reading));
    assert_null(stream.get_last_error(&stream));
    schema.release(&schema);
    stream.release(&stream);
    spoor_reader_close(reading.reader);
}

static void kinds(void **state)
{
    (void)state;
    compare_trace("list.uop.xz", "uop", 0);
    compare_trace("list-aarch64.tarmac.xz", "mem", 1000);
    compare_trace("list-aarch64.tarmac.xz", "reg", 1);
    compare_trace("sort.byu6.xz", "bus", 4096);
}

static void all_kinds(void **state)
{
    (void)state;
    compare_trace("list.matcher.xz", NULL, 777);
}

static void arrays_outlive_the_stream(void **state)
{
    struct ArrowArrayStream stream;
    struct ArrowArray array;
    (void)state;
    assert_int_equal(spoor_arrow_export(open_example("list.uop.xz"), NULL, &stream, NULL),
                     SPOOR_OK);
    assert_int_equal(stream.get_next(&stream, &array), 0);
    stream.release(&stream);
    assert_int_equal(((const uint64_t *)array.children[0]->buffers[1])[5], 5); /* record */
    array.release(&array);
}

static void a_kind_that_is_none(void **state)
{
    const struct spoor_arrow_options options = {
        .struct_size = sizeof options, .kind = "memory", .rows = 0};
    struct spoor_reader *reader = open_example("list.uop.xz");
    struct ArrowArrayStream stream;
    struct spoor_error error = {0};
    (void)state;
    assert_int_equal(spoor_arrow_export(reader, &options, &stream, &error), SPOOR_EUSAGE);
    assert_string_equal(error.text, "found kind 'memory', expected insn, mem or another");
    spoor_reader_close(reader);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(kinds),
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(arrays_outlive_the_stream),
        cmocka_unit_test(a_kind_that_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
