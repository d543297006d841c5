/* SPDX-License-Identifier: MIT */
/* test_value.c: values and strings in columns, CSV and JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/json.h"
#include "query/value.h"

typedef void put(struct text *out, const struct spoor_value *value);

static void expect(put *put_value, struct spoor_value value, const char *expected)
{
    struct text out = {0};
    put_value(&out, &value);
    text_put(&out, "", 1);
    assert_string_equal(out.bytes, expected);
    text_free(&out);
}

static struct spoor_value unit_text(const char *bytes, size_t size)
{
    return (struct spoor_value){.type = SPOOR_VALUE_TEXT, .text = {bytes, size}};
}
#define TEXT(literal) unit_text(literal, sizeof literal - 1)

static void numbers(void **state)
{
    (void)state;
    struct spoor_value maximum = {.type = SPOOR_VALUE_UNSIGNED, .number = UINT64_MAX};
    struct spoor_value minimum = {.type = SPOOR_VALUE_SIGNED, .signed_number = INT64_MIN};
    struct spoor_value hex = {.type = SPOOR_VALUE_HEX, .number = 0xABC};
    struct spoor_value flag = {.type = SPOOR_VALUE_BOOL, .number = 1};
    struct spoor_value none = {.type = SPOOR_VALUE_ABSENT};
    expect(value_put_column, maximum, "18446744073709551615");
    expect(value_put_json, maximum, "18446744073709551615");
    expect(value_put_csv, minimum, "-9223372036854775808");
    expect(value_put_column, hex, "0xabc");
    expect(value_put_json, hex, "\"0xabc\"");
    expect(value_put_csv, flag, "1");
    expect(value_put_json, flag, "true");
    expect(value_put_csv, none, "");
    expect(value_put_json, none, "null");
}

static void numbers_of_any_width(void **state)
{
    (void)state;
    struct spoor_value value = {.type = SPOOR_VALUE_BYTES, .text = {"\x01\x00\x00", 3}};
    expect(value_put_column, value, "0x1");
    value.text = (struct spoor_slice){"\x00\x00", 2};
    expect(value_put_column, value, "0x0");
    value.text = (struct spoor_slice){"\xff\xee\xdd\xcc\xbb\xaa\x99\x88\x77", 9};
    expect(value_put_json, value, "\"0x778899aabbccddeeff\"");
}

static void text_in_columns_is_one_field_of_one_line(void **state)
{
    (void)state;
    expect(value_put_column, TEXT("MOV x0,x1"), "MOV x0,x1");
    expect(value_put_column, TEXT("a\tb\nc\rd\\e"), "a\\tb\\nc\\rd\\\\e");
}

static void text_in_csv_is_quoted_where_rfc_4180_wants_it(void **state)
{
    (void)state;
    expect(value_put_csv, TEXT("plain words"), "plain words");
    expect(value_put_csv, TEXT("a,b"), "\"a,b\"");
    expect(value_put_csv, TEXT("say \"no\""), "\"say \"\"no\"\"\"");
    expect(value_put_csv, TEXT("two\nlines"), "\"two\nlines\"");
    expect(value_put_csv, TEXT("\r"), "\"\r\"");
}

static void text_in_json_is_valid_whatever_it_holds(void **state)
{
    (void)state;
    expect(value_put_json, TEXT("\"\\/\b\n\r\t\x7f"), "\"\\\"\\\\/\\u0008\\n\\r\\t\\u007f\"");
    expect(value_put_json, unit_text("\0", 1), "\"\\u0000\"");
    expect(value_put_json, TEXT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xbe"),
           "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x90\xbe\"");
    /* overlong, surrogate, beyond U+10FFFF, cut short, a stray tail */
    expect(value_put_json, TEXT("\xc0\xaf"), "\"\\u00c0\\u00af\"");
    expect(value_put_json, TEXT("\xe0\x80\xaf"), "\"\\u00e0\\u0080\\u00af\"");
    expect(value_put_json, TEXT("\xed\xa0\x80"), "\"\\u00ed\\u00a0\\u0080\"");
    expect(value_put_json, TEXT("\xf4\x90\x80\x80"), "\"\\u00f4\\u0090\\u0080\\u0080\"");
    expect(value_put_json, TEXT("\xe2\x82"), "\"\\u00e2\\u0082\"");
    expect(value_put_json, TEXT("\x80"), "\"\\u0080\"");
    expect(value_put_json, TEXT("\xf5\x80\x80\x80"), "\"\\u00f5\\u0080\\u0080\\u0080\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers),
        cmocka_unit_test(numbers_of_any_width),
        cmocka_unit_test(text_in_columns_is_one_field_of_one_line),
        cmocka_unit_test(text_in_csv_is_quoted_where_rfc_4180_wants_it),
        cmocka_unit_test(text_in_json_is_valid_whatever_it_holds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
