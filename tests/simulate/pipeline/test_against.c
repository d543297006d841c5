/* SPDX-License-Identifier: MIT */
/*
 * test_against.c: a machine beside the log of another pipeline, by the public interface.  The log
 * is an O3PipeView text with known cycles; the events are those cycles, counted from another one.
 */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/pipeline.h"
#include "spoor/reader.h"

enum { MICRO_OPS = 200, PCS = 32, TICKS = 500, FIRST_CYCLE = 40, LATE = 120 };
enum {
    LATER_BY_PC = UINT16_MAX
}; /* each micro-op retires as many cycles later after the one before as the
    * number of its pc */

/* ---- the log ---- */

/* The cycle, from 0, in which a micro-op of the log reaches a moment. */
static uint64_t cycle_of(uint64_t number, enum spoor_pipeline_moment moment)
{
    static const uint64_t after[SPOOR_MOMENTS] = {0, 4, 7, 9};
    return number + after[moment];
}

static uint64_t tick_of(uint64_t number, enum spoor_pipeline_moment moment)
{
    return (FIRST_CYCLE + cycle_of(number, moment)) * TICKS;
}

static uint64_t pc_of(uint64_t number)
{
    return 0x1000 + 4 * (number % PCS);
}

/* Micro-ops from one number up to another that one side lacks. */
struct missing_range {
    uint64_t from, to;
};

static bool lacks(const struct missing_range *side, uint64_t number)
{
    return number >= side->from && number < side->to;
}

static void write_log(char *path, const struct missing_range *log)
{
    FILE *file = fdopen(mkstemp(path), "w");
    assert_non_null(file);
    for (uint64_t i = 0; i < MICRO_OPS; i++) {
        if (lacks(log, i)) continue;
        const uint64_t fetch = tick_of(i, SPOOR_MOMENT_FETCH);
        fprintf(file, "O3PipeView:fetch:%" PRIu64 ":0x%08" PRIx64 ":0:%" PRIu64 ":nop\n", fetch,
                pc_of(i), i);
        fprintf(file, "O3PipeView:decode:%" PRIu64 "\nO3PipeView:rename:%" PRIu64 "\n",
                fetch + TICKS, fetch + 2 * TICKS);
        fprintf(file, "O3PipeView:dispatch:%" PRIu64 "\nO3PipeView:issue:%" PRIu64 "\n",
                fetch + 3 * TICKS, tick_of(i, SPOOR_MOMENT_ISSUE));
        fprintf(file, "O3PipeView:complete:%" PRIu64 "\nO3PipeView:retire:%" PRIu64 ":store:0\n",
                tick_of(i, SPOOR_MOMENT_COMPLETE), tick_of(i, SPOOR_MOMENT_RETIRE));
    }
    assert_int_equal(fclose(file), 0);
}

static enum spoor_status next(void *context, const struct spoor_batch **batch,
                              struct spoor_error *error)
{
    struct spoor_reader **reader = context;
    return spoor_reader_next(*reader, batch, error);
}

/* ---- the machine ---- */

/* Feeds the micro-ops of the log as those of a machine; one retires `late` cycles later. */
static void feed_machine(struct spoor_pipeline_diff *diff, uint64_t late,
                         const struct missing_range *machine)
{
    struct spoor_error error;
    uint64_t by_pc = 0;
    for (uint64_t i = 0; i < MICRO_OPS; i++) {
        if (lacks(machine, i)) continue;
        by_pc += i % PCS;
        const uint64_t later = late == LATER_BY_PC ? by_pc : i == LATE ? late : 0;
        const struct spoor_operation operation = {.pc = pc_of(i)};
        const struct spoor_pipeline_event event = {
            .operation = &operation,
            .ordinal = i,
            .fetch = cycle_of(i, SPOOR_MOMENT_FETCH),
            .issue = cycle_of(i, SPOOR_MOMENT_ISSUE),
            .complete = cycle_of(i, SPOOR_MOMENT_COMPLETE),
            .retire = cycle_of(i, SPOOR_MOMENT_RETIRE) + later,
        };
        assert_int_equal(spoor_pipeline_diff_event(diff, &event, &error), SPOOR_OK);
    }
    assert_int_equal(spoor_pipeline_diff_end(diff, &error), SPOOR_OK);
}

/* The result of the machine beside its log. */
static struct spoor_result *result_of(uint64_t late, uint64_t tolerance, struct missing_range log,
                                      struct missing_range machine)
{
    char path[] = "/tmp/spoor-against-XXXXXX";
    struct spoor_reader *reader;
    struct spoor_pipeline_diff *diff;
    const struct spoor_pipeline_diff_options options = {
        .struct_size = sizeof options, .tolerance = tolerance, .next = next, .context = &reader};
    struct spoor_result *result = spoor_result_new_object();
    write_log(path, &log);
    assert_int_equal(spoor_reader_open(&reader, path, NULL, NULL), SPOOR_OK);
    unlink(path);
    assert_int_equal(spoor_pipeline_diff_new(&diff, &options, NULL), SPOOR_OK);
    feed_machine(diff, late, &machine);
    const uint64_t logged = MICRO_OPS - (log.to - log.from);
    assert_int_equal(spoor_pipeline_diff_matched(diff), logged - (machine.to - machine.from));
    assert_int_equal(spoor_pipeline_diff_logged(diff), logged);
    assert_int_equal(spoor_pipeline_diff_report(diff, result), SPOOR_OK);
    spoor_pipeline_diff_free(diff);
    spoor_reader_close(reader);
    return result;
}

/* ---- tests ---- */

static const struct missing_range all = {0, 0}; /* a side that lacks none */

static void equal_pipelines_do_not_part(void **unused)
{
    (void)unused;
    struct spoor_result *result = result_of(0, 0, all, all);
    const struct spoor_result *ticks = spoor_result_member(result, "ticks_per_cycle");
    assert_null(spoor_result_member(result, "parts_at"));
    assert_int_equal(spoor_result_whole(ticks), TICKS);
    spoor_result_free(result);
}

static void one_that_retires_late_is_found(void **unused)
{
    (void)unused;
    struct spoor_result *result = result_of(3, 2, all, all);
    const struct spoor_result *part = spoor_result_member(result, "parts_at");
    assert_int_equal(spoor_result_whole(spoor_result_member(part, "micro_op")), LATE);
    assert_int_equal(spoor_result_whole(spoor_result_member(part, "pc")), pc_of(LATE));
    assert_string_equal(spoor_result_string(spoor_result_member(part, "stage"), NULL), "retire");
    spoor_result_free(result);
    result = result_of(3, 3, all, all);
    assert_null(spoor_result_member(result, "parts_at"));
    spoor_result_free(result);
}

/* The last row of the distribution has no end: 2^25 cycles are in it. */
static void the_latest_are_counted_together(void **unused)
{
    (void)unused;
    struct spoor_result *result = result_of(1 << 25, 0, all, all);
    const struct spoor_result *row =
        spoor_result_first(spoor_result_member(result, "distribution"));
    uint64_t others = 0;
    for (; spoor_result_next(row); row = spoor_result_next(row))
        others += spoor_result_whole(spoor_result_member(row, "same"));
    assert_int_equal(spoor_result_whole(spoor_result_member(row, "cycles_from")), 1 << 18);
    assert_int_equal(spoor_result_whole(spoor_result_member(row, "machine_later")), 1);
    assert_int_equal(spoor_result_whole(spoor_result_member(row, "machine_earlier")), 0);
    assert_int_equal(others, MICRO_OPS - 1);
    spoor_result_free(result);
}

/* The sites are those of the greatest differences, in their order. */
static void sites_are_sorted_by_difference(void **unused)
{
    enum { SITES = 10, TURNS = MICRO_OPS / PCS };
    (void)unused;
    struct spoor_result *result = result_of(LATER_BY_PC, 0, all, all);
    const struct spoor_result *row = spoor_result_first(spoor_result_member(result, "sites"));
    for (uint64_t i = 0; i < SITES; i++, row = spoor_result_next(row)) {
        const uint64_t later = PCS - 1 - i;
        assert_int_equal(spoor_result_whole(spoor_result_member(row, "pc")), pc_of(later));
        assert_int_equal(spoor_result_whole(spoor_result_member(row, "micro_ops")), TURNS);
        assert_int_equal(spoor_result_whole(spoor_result_member(row, "machine")) -
                             spoor_result_whole(spoor_result_member(row, "log")),
                         TURNS * later);
    }
    assert_null(row);
    spoor_result_free(result);
}

/* What one side lacks is passed over on the other, whichever it is, and the rest are pairs of the
 * same micro-ops: no time of theirs differs. */
static void what_one_side_lacks_is_passed_over(void **unused)
{
    static const struct missing_range some[] = {{50, 51}, {50, 57}, {1, 2}, {90, 105}};
    (void)unused;
    for (size_t i = 0; i < sizeof some / sizeof *some; i++)
        for (unsigned logged = 0; logged < 2; logged++) {
            struct spoor_result *result =
                result_of(0, 0, logged ? all : some[i], logged ? some[i] : all);
            const uint64_t count = some[i].to - some[i].from;
            const struct spoor_result *machine = spoor_result_member(result, "only_machine"),
                                      *log = spoor_result_member(result, "only_log");
            assert_int_equal(spoor_result_whole(machine), logged ? 0 : count);
            assert_int_equal(spoor_result_whole(log), logged ? count : 0);
            assert_null(spoor_result_member(result, "parts_at"));
            spoor_result_free(result);
        }
}

static enum spoor_status fail_to_read(void *context, const struct spoor_batch **batch,
                                      struct spoor_error *error)
{
    (void)context, (void)batch;
    return spoor_error_set(error, SPOOR_EINPUT, "no such log");
}

static void a_log_that_cannot_be_read_is_an_error(void **unused)
{
    (void)unused;
    struct spoor_pipeline_diff *diff;
    struct spoor_error error;
    const struct spoor_operation operation = {.pc = 0};
    const struct spoor_pipeline_event event = {.operation = &operation};
    struct spoor_pipeline_diff_options options = {.struct_size = sizeof options};
    assert_int_equal(spoor_pipeline_diff_new(&diff, &options, &error), SPOOR_EUSAGE);
    assert_null(diff);
    options.next = fail_to_read;
    assert_int_equal(spoor_pipeline_diff_new(&diff, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_diff_event(diff, &event, &error), SPOOR_EINPUT);
    assert_string_equal(error.text, "no such log");
    assert_int_equal(spoor_pipeline_diff_end(diff, &error), SPOOR_EINPUT);
    spoor_pipeline_diff_free(diff);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_pipelines_do_not_part),
        cmocka_unit_test(one_that_retires_late_is_found),
        cmocka_unit_test(the_latest_are_counted_together),
        cmocka_unit_test(sites_are_sorted_by_difference),
        cmocka_unit_test(what_one_side_lacks_is_passed_over),
        cmocka_unit_test(a_log_that_cannot_be_read_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
