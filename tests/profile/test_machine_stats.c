/* SPDX-License-Identifier: MIT */
/*
 * test_machine_stats.c: limits of the statistics of a machine's own parts.  What they count is
 * compared with counts in dictionaries in cases/stats.case.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/machine_stats.h"
#include "support/trace.h"

extern const struct spoor_format format_byu16;
enum { RECORD = 16 };

static struct spoor_machine_stats *bus_stats(void)
{
    const struct spoor_machine_stats_options options = {
        .struct_size = sizeof options, .kind = SPOOR_MACHINE_BUS, .top = 1};
    struct spoor_machine_stats *stats = NULL;
    assert_int_equal(spoor_machine_stats_new(&stats, &options, NULL), SPOOR_OK);
    return stats;
}

/* Reads of 8 bytes, each of another page. */
static char *make_reads(size_t count)
{
    char *bytes = calloc(count, RECORD);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++) {
        const uint64_t address = (uint64_t)i << 12;
        char *at = bytes + RECORD * i;
        for (unsigned j = 0; j < 8; j++) at[j] = (char)(address >> (8 * j));
        at[8] = 1; /* a read */
        at[9] = 8;
        at[12] = 1;
    }
    return bytes;
}

static void further_pages_are_only_in_the_totals(void **state)
{
    enum { LIMIT = 1 << 20, FURTHER = 5, PAGES = LIMIT + FURTHER };
    char *bytes = make_reads(PAGES);
    struct trace trace;
    (void)state;
    trace_decode(&trace, &format_byu16, bytes, (size_t)PAGES * RECORD);
    assert_int_equal(trace_count(&trace, SPOOR_BUS), PAGES);
    struct spoor_machine_stats *stats = bus_stats();
    assert_int_equal(spoor_machine_stats_feed(stats, &trace.batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_machine_stats_end(stats, NULL), SPOOR_OK);
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_machine_stats_report(stats, result), SPOOR_OK);
    assert_int_equal(spoor_result_whole(spoor_result_member(result, "records")), PAGES);
    assert_int_equal(spoor_result_whole(spoor_result_member(result, "untracked")), FURTHER);
    assert_int_equal(spoor_result_whole(spoor_result_member(result, "bytes")), 8 * PAGES);
    const struct spoor_result *pages = spoor_result_member(result, "pages");
    assert_int_equal(spoor_result_count(pages), 1);
    const struct spoor_result *first = spoor_result_first(pages);
    assert_int_equal(spoor_result_whole(spoor_result_member(first, "page")), 0);
    assert_int_equal(spoor_result_whole(spoor_result_member(first, "bytes")), 8);
    spoor_result_free(result);
    spoor_machine_stats_free(stats);
    trace_free(&trace);
    free(bytes);
}

static void batches_of_two_streams_are_refused(void **state)
{
    char *bytes = make_reads(1);
    struct trace one, other;
    struct spoor_error error = {0};
    (void)state;
    trace_decode(&one, &format_byu16, bytes, RECORD);
    trace_decode(&other, &format_byu16, bytes, RECORD);
    struct spoor_machine_stats *stats = bus_stats();
    assert_int_equal(spoor_machine_stats_feed(stats, &one.batch, &error), SPOOR_OK);
    assert_int_equal(spoor_machine_stats_feed(stats, &other.batch, &error), SPOOR_EUSAGE);
    assert_string_equal(error.text, "statistics: a batch is of another stream");
    assert_int_equal(spoor_machine_stats_records(stats), 1);
    spoor_machine_stats_free(stats);
    trace_free(&one);
    trace_free(&other);
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(further_pages_are_only_in_the_totals),
        cmocka_unit_test(batches_of_two_streams_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
