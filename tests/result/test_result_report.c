/* SPDX-License-Identifier: MIT */
/* test_result_report.c: what the description of results says of a result that it does not fit. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/result.h"

static void expect_problems(const char *verb, struct spoor_result *result, const char *expected)
{
    char *problems = spoor_result_problems(verb, result, NULL);
    assert_string_equal(problems, expected);
    free(problems);
    spoor_result_free(result);
}

/* A result of `branch`, and the row of its only predictor. */
static struct spoor_result *branch_result(struct spoor_result **row)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_text(result, "trace", "t");
    spoor_result_text(result, "format", "bt9");
    spoor_result_unsigned(result, "branches", 2);
    *row = spoor_result_object(spoor_result_array(result, "predictors"), NULL);
    spoor_result_text(*row, "spec", "gshare");
    spoor_result_unsigned(*row, "predictions", 2);
    spoor_result_unsigned(*row, "mispredictions", 1);
    return result;
}

static void a_result_that_fits_has_no_problem(void **state)
{
    struct spoor_result *row, *result = branch_result(&row);
    (void)state;
    spoor_result_real(row, "misprediction_ratio", 0.5, 4);
    spoor_result_null(row, "mpki");
    spoor_result_unsigned(row, "storage_bits", 8);
    expect_problems("branch", result, "");
}

static void what_is_always_there_is_not_null(void **state)
{
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_result *row =
        spoor_result_object(spoor_result_array(result, "instructions"), NULL);
    (void)state;
    spoor_result_null(row, "pc");
    spoor_result_unsigned(row, "count", 1);
    spoor_result_real(row, "count_ratio", 0.5, 4);
    expect_problems("annotate", result, "annotate instructions.pc: null\n");
}

static void each_problem_is_a_line_with_its_place(void **state)
{
    struct spoor_result *row, *result = branch_result(&row);
    (void)state;
    spoor_result_real(row, "misprediction_ratio", 1.5, 4);
    spoor_result_text(row, "mpki", "many");
    spoor_result_unsigned(row, "colour", 3);
    spoor_result_signed(result, "instructions", -1);
    spoor_result_unsigned(result, "cpus", 1);
    expect_problems("branch", result,
                    "branch predictors.misprediction_ratio: of another type, or out of its range\n"
                    "branch predictors.mpki: of another type, or out of its range\n"
                    "branch predictors.colour: not described\n"
                    "branch instructions: of another type, or out of its range\n"
                    "branch cpus: no array of objects\n");
}

/* A number that is none is left out. */
static void a_number_that_is_none_is_not_there(void **state)
{
    struct spoor_result *row, *result = branch_result(&row);
    (void)state;
    spoor_result_real(row, "misprediction_ratio", (double)NAN, 4);
    spoor_result_real(row, "mpki", (double)INFINITY, 4);
    spoor_result_unsigned(row, "storage_bits", 8);
    struct spoor_result *branch =
        spoor_result_object(spoor_result_array(result, "over_time"), NULL);
    spoor_result_unsigned(branch, "first_branch", 0);
    spoor_result_unsigned(branch, "branches", 2);
    spoor_result_null(branch, "mpki_1");
    struct spoor_result *site = spoor_result_object(spoor_result_array(result, "hardest"), NULL);
    spoor_result_hex(site, "pc", 16);
    spoor_result_unsigned(site, "executions", 1);
    spoor_result_real(site, "taken_ratio", (double)NAN, 4);
    spoor_result_real(site, "entropy", 0, 4);
    spoor_result_real(site, "local_entropy", 1, 4);
    spoor_result_real(site, "total_ratio", 1, 4);
    spoor_result_unsigned(site, "wrong_1", 1);
    expect_problems("branch", result, "branch hardest.taken_ratio: null\n");
}

static void what_is_always_there_must_be_there(void **state)
{
    struct spoor_result *result = spoor_result_new_object();
    (void)state;
    spoor_result_text(result, "trace", "t");
    spoor_result_text(result, "format", "din");
    spoor_result_array(result, "cpus");
    expect_problems("stack", result, "stack record: missing\n");
}

static void results_of_several_traces_are_an_array(void **state)
{
    struct spoor_result *all = spoor_result_new_array();
    (void)state;
    struct spoor_result *one = spoor_result_object(all, NULL);
    spoor_result_text(one, "trace", "t");
    spoor_result_text(one, "format", "din");
    spoor_result_bool(one, "forward", false);
    spoor_result_unsigned(all, NULL, 1);
    expect_problems("slice", all, "slice nodes: missing\nslice : no object\n");
}

static void rows_that_hold_such_rows_are_described_once(void **state)
{
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_result *row, *rows = spoor_result_array(result, "callers");
    (void)state;
    spoor_result_text(result, "trace", "t");
    spoor_result_text(result, "format", "din");
    for (int depth = 0; depth < 2; depth++) {
        row = spoor_result_object(rows, NULL);
        spoor_result_null(row, "function");
        spoor_result_hex(row, "pc", 16);
        spoor_result_unsigned(row, "count", 1);
        spoor_result_unsigned(row, "instructions", 1);
        rows = spoor_result_array(row, "callers");
    }
    spoor_result_unsigned(row, "size", 1);
    expect_problems("calls", result, "calls callers.callers.size: not described\n");
}

static void counts_of_weighted_results_may_have_decimals(void **state)
{
    struct spoor_result *row, *result = branch_result(&row);
    (void)state;
    spoor_result_null(row, "misprediction_ratio");
    spoor_result_null(row, "mpki");
    spoor_result_real(row, "storage_bits", 1.5, 1);
    expect_problems("branch", result, "");
    result = spoor_result_new_object();
    spoor_result_text(result, "trace", "t");
    spoor_result_text(result, "format", "din");
    spoor_result_real(result, "record", 1.5, 1);
    spoor_result_null(result, "time");
    spoor_result_array(result, "cpus");
    expect_problems("stack", result, "stack record: of another type, or out of its range\n");
}

/* An address is a text of hexadecimal digits after 0x, or a number that is printed so. */
static void an_address_is_hexadecimal(void **state)
{
    static const char *const texts[] = {"0x10", "0b10", "main"};
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_result *cpus = spoor_result_array(result, "cpus");
    (void)state;
    spoor_result_text(result, "trace", "t");
    spoor_result_text(result, "format", "din");
    spoor_result_null(result, "record");
    spoor_result_null(result, "time");
    for (int i = 0; i < 5; i++) {
        struct spoor_result *cpu = spoor_result_object(cpus, NULL);
        spoor_result_text(cpu, "cpu", "cpu0");
        if (i < 3)
            spoor_result_text(cpu, "pc", texts[i]);
        else if (i == 3)
            spoor_result_hex(cpu, "pc", 16);
        else
            spoor_result_unsigned(cpu, "pc", 16);
        spoor_result_array(cpu, "written");
        spoor_result_object(cpu, "registers");
    }
    expect_problems("state", result,
                    "state cpus.pc: of another type, or out of its range\n"
                    "state cpus.pc: of another type, or out of its range\n"
                    "state cpus.pc: of another type, or out of its range\n");
}

/* The members of a map are objects where reports.def describes them. */
static void a_schema_describes_the_members_of_maps(void **state)
{
    size_t size;
    char *schema = spoor_result_schema("diff", &size);
    (void)state;
    assert_non_null(schema);
    assert_int_equal(size, strlen(schema));
    assert_non_null(strstr(schema,
                           "\"by_opcode\": {\"type\": \"object\", \"additionalProperties\": "
                           "{\"type\": \"object\", \"properties\": {\n   \"roots\": "
                           "{\"type\": \"integer\", \"minimum\": 0"));
    assert_non_null(strstr(schema, "\"by_class\": {\"type\": \"object\", \"additionalProperties\": "
                                   "{\"type\": \"integer\", \"minimum\": 0"));
    free(schema);
    assert_null(spoor_result_schema("nothing", NULL));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_result_that_fits_has_no_problem),
        cmocka_unit_test(what_is_always_there_is_not_null),
        cmocka_unit_test(each_problem_is_a_line_with_its_place),
        cmocka_unit_test(a_number_that_is_none_is_not_there),
        cmocka_unit_test(what_is_always_there_must_be_there),
        cmocka_unit_test(results_of_several_traces_are_an_array),
        cmocka_unit_test(rows_that_hold_such_rows_are_described_once),
        cmocka_unit_test(counts_of_weighted_results_may_have_decimals),
        cmocka_unit_test(an_address_is_hexadecimal),
        cmocka_unit_test(a_schema_describes_the_members_of_maps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
