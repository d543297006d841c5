/* SPDX-License-Identifier: MIT */
/* test_result.c: a result tree as text, JSON and CSV. */
#include <locale.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/result.h"

typedef char *print(const struct spoor_result *root, size_t *size);

static char *to_text(const struct spoor_result *root, size_t *size)
{
    return spoor_result_to_styled_text(root, NULL, size);
}

static char *to_colored_text(const struct spoor_result *root, size_t *size)
{
    return spoor_result_to_styled_text(root, &(struct spoor_result_style){.color = true}, size);
}

static void expect(print *to, const struct spoor_result *root, const char *expected)
{
    size_t size;
    char *found = to(root, &size);
    assert_non_null(found);
    assert_string_equal(found, expected);
    assert_int_equal(size, strlen(expected));
    free(found);
}

static struct spoor_result *stats(void)
{
    struct spoor_result *root = spoor_result_new_object();
    spoor_result_text(root, "path", "a,b.tr");
    struct spoor_result *kinds = spoor_result_object(root, "kinds");
    spoor_result_unsigned(kinds, "bus", 224449);
    spoor_result_unsigned(kinds, "note", 1);
    struct spoor_result *cpus = spoor_result_array(root, "cpus");
    spoor_result_text(cpus, NULL, "cpu0");
    spoor_result_text(cpus, NULL, "cpu1");
    spoor_result_hex(spoor_result_object(root, "addresses"), "min", 0x1000);
    spoor_result_null(root, "time");
    spoor_result_bool(root, "whole", true);
    spoor_result_signed(root, "trailing_bytes", -2);
    spoor_result_real(root, "share", 2.0 / 3, 3);
    spoor_result_object(root, "nothing");
    return root;
}

static void an_object_as_text(void **state)
{
    (void)state;
    struct spoor_result *root = stats();
    assert_true(spoor_result_complete(root));
    expect(to_text, root,
           "path            a,b.tr\n"
           "kinds\n"
           "  bus           224449\n"
           "  note               1\n"
           "cpus            cpu0 cpu1\n"
           "addresses\n"
           "  min           0x1000\n"
           "time            none\n"
           "whole           yes\n"
           "trailing bytes  -2\n"
           "share           0.667\n"
           "nothing         none\n");
    spoor_result_free(root);
}

static void what_is_not_known_is_left_out(void **state)
{
    (void)state;
    struct spoor_result *root = spoor_result_new_object();
    spoor_result_unsigned_if(root, "reads", true, 7);
    spoor_result_unsigned_if(root, "writes", false, 7);
    spoor_result_hex_if(root, "pc", true, 7);
    spoor_result_hex_if(root, "address", false, 7);
    spoor_result_real_if(root, "ratio", true, 0.5, 2);
    spoor_result_real_if(root, "share", false, 0.5, 2);
    expect(spoor_result_to_json, root,
           "{\n  \"reads\": 7,\n  \"pc\": \"0x7\",\n  \"ratio\": 0.5\n}\n");
    spoor_result_free(root);
}

/* A share is a number from 0 to 1 in data; text states it per cent, with the sign. */
static void a_share_as_text_and_data(void **state)
{
    struct spoor_result *root = spoor_result_new_object();
    (void)state;
    spoor_result_real(root, "miss_ratio", 0.25, 4);
    spoor_result_real(root, "lowest_miss_ratio", 0.0000714, 6);
    spoor_result_real(root, "ratio", 0.25, 2);
    expect(to_text, root,
           "miss %           25.00%\n"
           "lowest miss %  0.00714%\n"
           "ratio              0.25\n");
    expect(spoor_result_to_json, root,
           "{\n  \"miss_ratio\": 0.25,\n  \"lowest_miss_ratio\": 7.14e-05,\n"
           "  \"ratio\": 0.25\n}\n");
    expect(spoor_result_to_csv, root,
           "key,value\nmiss_ratio,0.25\nlowest_miss_ratio,7.14e-05\nratio,0.25\n");
    spoor_result_free(root);
}

static void an_object_as_json(void **state)
{
    (void)state;
    struct spoor_result *root = stats();
    expect(spoor_result_to_json, root,
           "{\n"
           "  \"path\": \"a,b.tr\",\n"
           "  \"kinds\": {\n"
           "    \"bus\": 224449,\n"
           "    \"note\": 1\n"
           "  },\n"
           "  \"cpus\": [\n"
           "    \"cpu0\",\n"
           "    \"cpu1\"\n"
           "  ],\n"
           "  \"addresses\": {\n"
           "    \"min\": \"0x1000\"\n"
           "  },\n"
           "  \"whole\": true,\n"
           "  \"trailing_bytes\": -2,\n"
           "  \"share\": 0.6666666666666666,\n"
           "  \"nothing\": {}\n"
           "}\n");
    spoor_result_free(root);
}

static void an_object_as_csv(void **state)
{
    (void)state;
    struct spoor_result *root = stats();
    expect(spoor_result_to_csv, root,
           "key,value\n"
           "path,\"a,b.tr\"\n"
           "kinds.bus,224449\n"
           "kinds.note,1\n"
           "cpus,cpu0 cpu1\n"
           "addresses.min,0x1000\n"
           "time,\n"
           "whole,true\n"
           "trailing_bytes,-2\n"
           "share,0.6666666666666666\n");
    spoor_result_free(root);
}

static struct spoor_result *table(void)
{
    struct spoor_result *root = spoor_result_new_object();
    spoor_result_unsigned(root, "count", 2);
    struct spoor_result *rows = spoor_result_array(root, "findings");
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "rule", "uop-step");
    spoor_result_unsigned(row, "line", 7);
    row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "rule", "\xc3\xa9t\xc3\xa9"); /* four letters are two bytes longer */
    spoor_result_unsigned(row, "line", 1200);
    spoor_result_text(row, "found", "x\033[2Jy");
    return root;
}

static void an_array_of_objects_is_a_table(void **state)
{
    (void)state;
    struct spoor_result *root = table();
    expect(to_text, root,
           "count  2\n"
           "findings\n"
           "  rule      line  found\n"
           "  uop-step     7  -\n"
           "  \xc3\xa9t\xc3\xa9       1200  x\\x1b[2Jy\n");
    expect(spoor_result_to_csv, root,
           "rule,line,found\n"
           "uop-step,7,\n"
           "\xc3\xa9t\xc3\xa9,1200,x\033[2Jy\n");
    spoor_result_free(root);
}

static void objects_that_nest_stand_one_below_the_other(void **state)
{
    (void)state;
    struct spoor_result *root = spoor_result_new_array();
    for (uint64_t i = 0; i < 2; i++) {
        struct spoor_result *object = spoor_result_object(root, NULL);
        spoor_result_unsigned(spoor_result_object(object, "kinds"), "mem", i);
    }
    expect(to_text, root, "kinds\n  mem  0\n\nkinds\n  mem  1\n");
    expect(spoor_result_to_csv, root, "key,value\n0.kinds.mem,0\n1.kinds.mem,1\n");
    spoor_result_free(root);
}

static void long_lists_are_wrapped(void **state)
{
    (void)state;
    struct spoor_result *root = spoor_result_new_object();
    struct spoor_result *list = spoor_result_array(root, "names");
    for (int i = 0; i < 12; i++) spoor_result_text(list, NULL, "ninechars");
    expect(to_text, root,
           "names  ninechars ninechars ninechars ninechars ninechars ninechars ninechars ninechars "
           "ninechars\n"
           "       ninechars ninechars ninechars\n");
    spoor_result_free(root);
}

static void colour_is_around_labels_only(void **state)
{
    (void)state;
    struct spoor_result *root = spoor_result_new_object();
    spoor_result_unsigned(root, "a_b", 1);
    expect(to_colored_text, root, "\033[36ma b\033[0m  1\n");
    spoor_result_free(root);
}

static void what_is_no_number_is_null(void **state)
{
    (void)state;
    struct spoor_result *root = spoor_result_new_array();
    spoor_result_real(root, NULL, NAN, 2);
    spoor_result_real(root, NULL, INFINITY, 2);
    spoor_result_text(root, NULL, NULL);
    expect(spoor_result_to_json, root, "[\n  null,\n  null,\n  null\n]\n");
    spoor_result_free(root);
}

static void a_tree_that_is_none_accepts_everything(void **state)
{
    (void)state;
    spoor_result_unsigned(NULL, "a", 1);
    assert_null(spoor_result_object(NULL, "b"));
    assert_false(spoor_result_complete(NULL));
    assert_null(spoor_result_to_json(NULL, NULL));
    spoor_result_free(NULL);
}

/* A locale in which a comma separates decimals, made for the test; false: it cannot be made. */
static bool use_commas(char folder[64])
{
    char command[256];
    snprintf(folder, 64, "/tmp/spoor-locale-XXXXXX");
    if (!mkdtemp(folder)) return false;
    snprintf(command, sizeof command, "localedef -i de_DE -f UTF-8 %s/de_DE.UTF-8 >/dev/null 2>&1",
             folder);
    const bool made = system(command) == 0;
    setenv("LOCPATH", folder, 1);
    return made && setlocale(LC_ALL, "de_DE.UTF-8") &&
           strcmp(localeconv()->decimal_point, ",") == 0; /* musl has points everywhere */
}

static void a_table_names_its_columns(void **unused)
{
    (void)unused;
    const char *keys[4];
    struct spoor_result *root = spoor_result_new_object();
    struct spoor_result *rows = spoor_result_array(root, "rows");
    assert_int_equal(spoor_result_columns(rows, keys, 4), 0); /* no row */
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_unsigned(row, "blocks", 1);
    spoor_result_unsigned(row, "misses", 2);
    row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "name", "l1");
    spoor_result_unsigned(row, "misses", 3);
    assert_int_equal(spoor_result_columns(rows, keys, 4), 3);
    assert_string_equal(keys[0], "blocks");
    assert_string_equal(keys[1], "misses");
    assert_string_equal(keys[2], "name");
    assert_int_equal(spoor_result_columns(rows, keys, 2), 2);
    assert_int_equal(spoor_result_columns(root, keys, 4), 0); /* no array */
    assert_int_equal(spoor_result_columns(NULL, keys, 4), 0);
    assert_null(spoor_result_first(NULL));
    assert_int_equal(spoor_result_count(NULL), 0);
    assert_int_equal(spoor_result_type_of(NULL), SPOOR_RESULT_NULL);
    spoor_result_free(root);
}

static void a_host_with_decimal_commas_gets_points(void **state)
{
    (void)state;
    char folder[64], command[128], number[16];
    const bool used = use_commas(folder);
    snprintf(number, sizeof number, "%.1f", 0.5);
    if (used) {
        struct spoor_result *root = spoor_result_new_object();
        assert_string_equal(number, "0,5");
        spoor_result_real(root, "share", 99.5, 2);
        spoor_result_real(root, "less", -0.125, 3);
        expect(spoor_result_to_json, root, "{\n  \"share\": 99.5,\n  \"less\": -0.125\n}\n");
        expect(spoor_result_to_csv, root, "key,value\nshare,99.5\nless,-0.125\n");
        spoor_result_free(root);
    }
    setlocale(LC_ALL, "C");
    snprintf(command, sizeof command, "rm -rf %s", folder);
    assert_int_equal(system(command), 0);
    if (!used) skip();
}

static void a_tree_is_read_member_by_member(void **unused)
{
    (void)unused;
    struct spoor_result *root = stats();
    size_t size = 0, count = 0;
    const struct spoor_result *kinds = spoor_result_member(root, "kinds");
    const struct spoor_result *cpus = spoor_result_member(root, "cpus");
    assert_int_equal(spoor_result_type_of(root), SPOOR_RESULT_OBJECT);
    assert_string_equal(spoor_result_string(spoor_result_member(root, "path"), &size), "a,b.tr");
    assert_int_equal(size, 6);
    assert_int_equal(spoor_result_type_of(cpus), SPOOR_RESULT_ARRAY);
    for (const struct spoor_result *at = spoor_result_first(cpus); at; at = spoor_result_next(at)) {
        assert_null(spoor_result_key(at));
        count++;
    }
    assert_int_equal(count, spoor_result_count(cpus));
    assert_string_equal(spoor_result_key(spoor_result_first(kinds)), "bus");
    assert_int_equal(spoor_result_whole(spoor_result_first(kinds)), 224449);
    assert_true(spoor_result_number(spoor_result_first(kinds)) == 224449.0);
    assert_int_equal(spoor_result_type_of(spoor_result_member(root, "time")), SPOOR_RESULT_NULL);
    assert_null(spoor_result_string(spoor_result_member(root, "time"), NULL));
    assert_null(spoor_result_member(root, "absent"));
    assert_null(spoor_result_member(NULL, "absent"));
    assert_null(spoor_result_member(cpus, "absent"));
    assert_null(spoor_result_first(spoor_result_member(root, "path")));
    char *text = spoor_result_to_plain(spoor_result_first(kinds));
    assert_string_equal(text, "224449");
    free(text);
    struct spoor_result *copy = spoor_result_new_object();
    for (const struct spoor_result *at = spoor_result_first(root); at; at = spoor_result_next(at))
        spoor_result_copy(copy, spoor_result_key(at), at);
    text = spoor_result_to_json(root, &size);
    expect(spoor_result_to_json, copy, text);
    free(text);
    spoor_result_free(copy);
    spoor_result_free(root);
}

/* Members in the order of their first appearance, rows by name, what is missing as "-". */
static void results_are_columns(void **state)
{
    struct spoor_result *all = spoor_result_new_array();
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        struct spoor_result *result = spoor_result_object(all, NULL);
        spoor_result_text(result, "trace", i ? "b" : "a");
        struct spoor_result *caches = spoor_result_array(result, "caches");
        struct spoor_result *row = spoor_result_object(caches, NULL);
        spoor_result_text(row, "name", i ? "l2_x" : "l1");
        spoor_result_unsigned(row, "hits", 1000 + i);
        if (i) spoor_result_unsigned(result, "of_b", 7);
        spoor_result_unsigned(result, "odd", 0);
        spoor_result_hide_last(result);
    }
    const struct spoor_result_style style = {.columns = 80, .grouped = true};
    const struct spoor_result_style narrow = {.columns = 12};
    char *text = spoor_result_to_columns(all, &style, NULL);
    assert_string_equal(text, "trace         a      b\n"
                              "caches\n"
                              "  l1\n"
                              "    hits  1,000      -\n"
                              "  l2_x\n"
                              "    hits      -  1,001\n"
                              "of b          -      7\n");
    free(text);
    text = spoor_result_to_columns(all, &narrow, NULL);
    assert_string_equal(text, "trace        a\n"
                              "caches\n"
                              "  l1\n"
                              "    hits  1000\n"
                              "\n"
                              "trace        b\n"
                              "caches\n"
                              "  l2_x\n"
                              "    hits  1001\n"
                              "of b         7\n");
    free(text);
    assert_null(spoor_result_to_columns(spoor_result_first(all), &style, NULL));
    spoor_result_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(results_are_columns),
        cmocka_unit_test(an_object_as_text),
        cmocka_unit_test(what_is_not_known_is_left_out),
        cmocka_unit_test(a_share_as_text_and_data),
        cmocka_unit_test(an_object_as_json),
        cmocka_unit_test(an_object_as_csv),
        cmocka_unit_test(an_array_of_objects_is_a_table),
        cmocka_unit_test(objects_that_nest_stand_one_below_the_other),
        cmocka_unit_test(long_lists_are_wrapped),
        cmocka_unit_test(colour_is_around_labels_only),
        cmocka_unit_test(what_is_no_number_is_null),
        cmocka_unit_test(a_tree_that_is_none_accepts_everything),
        cmocka_unit_test(a_tree_is_read_member_by_member),
        cmocka_unit_test(a_table_names_its_columns),
        cmocka_unit_test(a_host_with_decimal_commas_gets_points),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
