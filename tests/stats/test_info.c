/* SPDX-License-Identifier: MIT */
/* test_info.c: the statistics of the published traces, against the known facts about them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "query/made_trace.h"
#include "spoor/spoor.h"
#include "support/stats_text.h"

/* Returns the statistics of a published trace as JSON, or NULL (and the test is skipped) if it is
 * absent. */
static char *stats_of(const char *name)
{
    const char *shared = getenv("SPOOR_SHARED");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", shared ? shared : SOURCE_ROOT "/../shared", name);
    if (access(path, R_OK) != 0) {
        print_message("%s is not here\n", path);
        return NULL;
    }
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    struct spoor_info *info = NULL;
    const struct spoor_info_options of = {.stream = spoor_reader_stream(reader)};
    enum spoor_status status = spoor_info_new(&info, &of, &error);
    assert_int_equal(status, SPOOR_OK);
    while ((status = spoor_reader_next(reader, &batch, &error)) == SPOOR_OK)
        assert_int_equal(spoor_info_feed(info, batch, &error), SPOOR_OK);
    assert_int_equal(status, SPOOR_END);
    char *json = stats_text(info, spoor_reader_stream(reader));
    spoor_reader_close(reader);
    return json;
}

/* Expects each of the lines in the statistics, in this order. */
static void expect(const char *name, const char *const *lines)
{
    char *json = stats_of(name), *at = json;
    if (!json) skip();
    for (; *lines; lines++) {
        at = strstr(at, *lines);
        if (!at) fail_msg("'%s' is not in its place in:\n%s", *lines, json);
        at += strlen(*lines);
    }
    free(json);
}

static void a_bus_trace_of_a_pentium(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "\"records\": 224449",
        "\"bus\": 224449",
        "\"fetch\": 134719",
        "\"read\": 54866",
        "\"read-invalidate\": 5657",
        "\"write\": 26928",
        "\"io-read\": 4",
        "\"io-write\": 4",
        "\"defer-reply\": 2271",
        "\"cpus\": [\n    \"0\"\n  ]",
        "\"last\": 31011552",
        "\"time_unit\": \"clk\"",
        "\"backwards\": 0",
        "\"unrecognised\": 0",
        "\"verbatim\": 0",
        "\"trailing_bytes\": 2",
        "\"bytes\": 2693390",
        NULL,
    };
    expect("traces/byu/pentium2-w2k.tr.xz", lines);
}

static void micro_ops_of_gcc(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "\"records\": 1000",    "\"uop\": 1000",      "\"unconditional\": ",
        "\"conditional\": 157", "\"load\": ",         "\"cpus\": []",
        "\"micro_ops\": 1000",  "\"macro_ops\": 754", NULL};
    expect("traces/uop/gcc-1K.trace", lines);
}

static void a_tarmac_trace_with_text_events(void **state)
{
    (void)state;
    static const char *const lines[] = {"\"event\": 16",
                                        "\"first\": 0",
                                        "\"last\": 2043",
                                        "\"time_unit\": \"clk\"",
                                        "\"unrecognised\": 0",
                                        "\"verbatim\": 0",
                                        NULL};
    expect("traces/tarmac/fastmodel/quicksort.tarmac", lines);
}

/* ---- properties that the published traces do not have ---- */

extern const struct spoor_format format_tarmac;

static char *stats_made(struct made_trace *made)
{
    struct spoor_info *info = NULL;
    if (spoor_info_new(&info, NULL, NULL) != SPOOR_OK) abort();
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_info_feed(info, &made->batch, NULL), SPOOR_OK);
    spoor_info_report(info, result);
    char *json = spoor_result_to_json(result, NULL);
    spoor_result_free(result);
    spoor_info_free(info);
    made_trace_end(made);
    return json;
}

static void virtual_and_physical_addresses_are_never_mixed(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    struct spoor_record *record =
        made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_READ, SPOOR_HAS_VA | SPOOR_HAS_PA);
    record->mem.va = 0x5000;
    record->mem.pa = 0x10;
    made_trace_push(&made, SPOOR_MEM, SPOOR_MEM_ADD, SPOOR_HAS_PA)->mem.pa = 0xF0000;
    made_trace_push(&made, SPOOR_INSN, SPOOR_INSN_TAKEN, SPOOR_HAS_VA)->insn.va = 0x8000;
    char *json = stats_made(&made);
    assert_non_null(strstr(json, "\"addresses\": {\n"
                                 "    \"min\": \"0x5000\",\n"
                                 "    \"max\": \"0x8000\",\n"
                                 "    \"code\": {\n"
                                 "      \"min\": \"0x8000\",\n"
                                 "      \"max\": \"0x8000\"\n"
                                 "    },\n"
                                 "    \"data\": {\n"
                                 "      \"min\": \"0x5000\",\n"
                                 "      \"max\": \"0x5000\"\n"
                                 "    },\n"
                                 "    \"physical\": {\n"
                                 "      \"min\": \"0x10\",\n"
                                 "      \"max\": \"0xf0000\"\n"
                                 "    }\n"
                                 "  },\n"));
    free(json);
}

static void time_that_goes_back_is_counted_and_absent_time_is_not(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    static const uint64_t times[] = {5, 7, 7, 3, 9, 8};
    for (size_t i = 0; i < 6; i++)
        made_trace_push(&made, SPOOR_REG, 0, SPOOR_HAS_TIME)->time = times[i];
    made_trace_push(&made, SPOOR_REG, 0, 0);
    char *json = stats_made(&made);
    assert_non_null(strstr(json, "\"first\": 5,\n    \"last\": 8,\n    \"time_unit\": \"clk\",\n"
                                 "    \"backwards\": 2\n"));
    free(json);
}

static void nothing_is_an_stats_too(void **state)
{
    (void)state;
    struct made_trace made;
    made_trace_begin(&made, &format_tarmac);
    char *json = stats_made(&made);
    assert_string_equal(json,
                        "{\n  \"records\": 0,\n  \"dialects\": {},\n"
                        "  \"kinds\": {},\n  \"ops\": {},\n"
                        "  \"cpus\": [],\n"
                        "  \"unrecognised\": 0,\n  \"verbatim\": 0,\n  \"trailing_bytes\": 0,\n"
                        "  \"bytes\": 0\n}\n");
    free(json);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_bus_trace_of_a_pentium),
        cmocka_unit_test(micro_ops_of_gcc),
        cmocka_unit_test(a_tarmac_trace_with_text_events),
        cmocka_unit_test(virtual_and_physical_addresses_are_never_mixed),
        cmocka_unit_test(time_that_goes_back_is_counted_and_absent_time_is_not),
        cmocka_unit_test(nothing_is_an_stats_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
