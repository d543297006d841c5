/* SPDX-License-Identifier: MIT */
/*
 * test_index_use.c: by public headers alone: a tool that is answered from the index of a trace
 * reports what it reports of the trace, and refuses what an index does not keep.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/spoor.h"

static const char lines[] = "1 clk cpu0 IT (1) 00001000 94000400 O EL1h_n : BL 0x2000\n"
                            "2 clk cpu0 IT (2) 00002000 d503201f O EL1h_n : NOP\n"
                            "3 clk cpu0 IT (3) 00002004 d65f03c0 O EL1h_n : RET\n"
                            "4 clk cpu0 IT (4) 00001004 54ffffe1 O EL1h_n : B.NE {pc}-4 ; 0x1000\n"
                            "5 clk cpu0 IT (5) 00001000 94000400 O EL1h_n : BL 0x2000\n"
                            "6 clk cpu0 IT (6) 00002000 d503201f O EL1h_n : NOP\n";

static char path[] = "/tmp/spoor-index-use-XXXXXX";

static int make_trace(void **state)
{
    (void)state;
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    return out && fputs(lines, out) >= 0 && fclose(out) == 0 ? 0 : -1;
}

static int remove_trace(void **state)
{
    (void)state;
    return unlink(path);
}

static struct spoor_index *opened(void)
{
    const struct spoor_index_options options = {.struct_size = sizeof options, .no_index = true};
    struct spoor_index *index = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_index_open(&index, path, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_index_records(index), 6);
    assert_null(spoor_index_damage(index));
    return index;
}

/* The tools; each is fed a batch (index NULL), or uses the index. */
static enum spoor_status profile(const struct spoor_index *index, const struct spoor_batch *batch,
                                 struct spoor_result *result)
{
    const struct spoor_profile_options options = {.struct_size = sizeof options};
    struct spoor_profile *tool;
    struct spoor_error error = {0};
    assert_int_equal(spoor_profile_new(&tool, &options, &error), SPOOR_OK);
    enum spoor_status status = index ? spoor_profile_use_index(tool, index, &error)
                                     : spoor_profile_feed(tool, batch, &error);
    if (status == SPOOR_OK) status = spoor_profile_end(tool, &error);
    if (status == SPOOR_OK) status = spoor_profile_report(tool, true, result);
    spoor_profile_free(tool);
    return status;
}

static enum spoor_status coverage(const struct spoor_index *index, const struct spoor_batch *batch,
                                  struct spoor_result *result)
{
    const struct spoor_coverage_options options = {.struct_size = sizeof options};
    struct spoor_coverage *tool;
    struct spoor_error error = {0};
    assert_int_equal(spoor_coverage_new(&tool, &options, &error), SPOOR_OK);
    enum spoor_status status = index ? spoor_coverage_use_index(tool, index, &error)
                                     : spoor_coverage_feed(tool, batch, &error);
    if (status == SPOOR_OK) status = spoor_coverage_end(tool, NULL, &error);
    if (status == SPOOR_OK)
        status = spoor_coverage_report(tool, SPOOR_COVERAGE_BRANCHES, false, result);
    spoor_coverage_free(tool);
    return status;
}

static enum spoor_status exceptions(const struct spoor_index *index,
                                    const struct spoor_batch *batch, struct spoor_result *result)
{
    const struct spoor_exceptions_options options = {.struct_size = sizeof options};
    struct spoor_exceptions *tool;
    struct spoor_error error = {0};
    assert_int_equal(spoor_exceptions_new(&tool, &options, &error), SPOOR_OK);
    enum spoor_status status = index ? spoor_exceptions_use_index(tool, index, &error)
                                     : spoor_exceptions_feed(tool, batch, &error);
    if (status == SPOOR_OK) status = spoor_exceptions_end(tool, &error);
    if (status == SPOOR_OK) status = spoor_exceptions_report(tool, result);
    spoor_exceptions_free(tool);
    return status;
}

typedef enum spoor_status tool_function(const struct spoor_index *index,
                                        const struct spoor_batch *batch,
                                        struct spoor_result *result);

static void same_by_index(tool_function *tool)
{
    struct spoor_reader *reader;
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    struct spoor_index *index = opened();
    struct spoor_result *one = spoor_result_new_object(), *other = spoor_result_new_object();
    assert_int_equal(tool(index, NULL, one), SPOOR_OK);
    assert_int_equal(spoor_reader_open(&reader, path, NULL, &error), SPOOR_OK);
    assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_OK);
    assert_int_equal(tool(NULL, batch, other), SPOOR_OK);
    char *by_index = spoor_result_to_json(one, NULL), *by_trace = spoor_result_to_json(other, NULL);
    assert_string_equal(by_index, by_trace);
    free(by_index);
    free(by_trace);
    spoor_result_free(one);
    spoor_result_free(other);
    spoor_reader_close(reader);
    spoor_index_close(index);
}

static void tools_report_the_same_from_an_index(void **state)
{
    (void)state;
    same_by_index(profile);
    same_by_index(coverage);
    same_by_index(exceptions);
}

static void calls_are_those_of_the_trace(void **state)
{
    (void)state;
    const struct spoor_call_tree_options options = {.struct_size = sizeof options};
    struct spoor_call_tree *tree;
    struct spoor_error error = {0};
    size_t count, called = 0;
    struct spoor_index *index = opened();
    assert_int_equal(spoor_call_tree_new(&tree, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_call_tree_use_index(tree, index, &error), SPOOR_OK);
    assert_int_equal(spoor_call_tree_end(tree, &error), SPOOR_OK);
    const struct spoor_call *calls = spoor_call_tree_calls(tree, &count);
    for (size_t i = 0; i < count; i++) called += calls[i].function == 0x2000;
    assert_int_equal(called, 2);
    spoor_call_tree_free(tree);
    spoor_index_close(index);
}

static void what_an_index_does_not_keep_is_refused(void **state)
{
    (void)state;
    const struct spoor_profile_options by_line = {.struct_size = sizeof by_line,
                                                  .by = SPOOR_PROFILE_ADDRESSES};
    const struct spoor_call_tree_options with = {.struct_size = sizeof with, .arguments = true};
    struct spoor_profile *tool;
    struct spoor_call_tree *tree;
    struct spoor_error error = {0};
    struct spoor_index *index = opened();
    assert_int_equal(spoor_profile_new(&tool, &by_line, &error), SPOOR_OK);
    assert_int_equal(spoor_profile_use_index(tool, index, &error), SPOOR_EUSAGE);
    assert_true(error.text[0]);
    spoor_profile_free(tool);
    assert_int_equal(spoor_call_tree_new(&tree, &with, &error), SPOOR_OK);
    assert_int_equal(spoor_call_tree_use_index(tree, index, &error), SPOOR_EUSAGE);
    spoor_call_tree_free(tree);
    spoor_index_close(index);
    assert_int_equal(spoor_index_open(&index, "/nowhere", NULL, &error), SPOOR_EINPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tools_report_the_same_from_an_index),
        cmocka_unit_test(calls_are_those_of_the_trace),
        cmocka_unit_test(what_an_index_does_not_keep_is_refused),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
