/* SPDX-License-Identifier: MIT */
/*
 * test_machine_merge.c: the merged statistics of parts equal those of the whole trace, wherever it
 * is divided and in whatever order the parts are merged: a Tarmac trace of a machine's caches,
 * walks, TLBs and bus is made by chance, and the results are compared as JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "spoor/machine_stats.h"
#include "support/trace.h"

extern const struct spoor_format format_tarmac;

enum { LINES = 150, LINE_CAPACITY = 160 };

struct lines {
    char text[LINES * LINE_CAPACITY];
    size_t start[LINES + 1]; /* offset of each line, and of the end */
};

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

/* A line after its time and processor. */
static int put_line(char *to, size_t capacity, unsigned cpu, uint64_t *state)
{
    static const char *const moves[] = {"ALLOC", "FILL", "DIRTY", "CLEAN", "EVICT", "INVAL"};
    static const char *const results[] = {"TABLE ADDR=0x16391000", "BLOCK ADDR=0x16000000",
                                          "FAULT"};
    const unsigned at = 0x8000 + draw(state, 24) * 64, of = draw(state, 6);
    switch (draw(state, 6)) {
    case 0:
        return snprintf(to, capacity, "CACHE cpu.cpu%u.l1d LINE %04x %s 0x%012x\n", cpu,
                        draw(state, 8), moves[of], at);
    case 1:
        return snprintf(to, capacity, "TTW DTLB LPAE 1:%u %012x 0000000016391003 : %s\n",
                        1 + of % 3, 0x16390000 + draw(state, 8) * 8, results[draw(state, 3)]);
    case 2:
        return snprintf(to, capacity,
                        "TLB FILL cpu.cpu%u.%cTLB %s 0x%08x EL1_n vmid=0, nG asid=%u:0x0016000000 "
                        "Normal NonShareable xn=0\n",
                        cpu, "ID"[of & 1], of & 2 ? "4K" : "64K", at & 0xF000, draw(state, 2));
    case 3:
        return snprintf(to, capacity,
                        "TLB EVICT cpu.cpu%u.%cTLB 64K 0x%08x EL1_n vmid=0, nG asid=%u\n", cpu,
                        "ID"[of & 1], at & 0xF000, draw(state, 2));
    case 4:
        return snprintf(to, capacity, "MR8 %08x:%012x 00000000_00000000\n", (unsigned)at,
                        (unsigned)at);
    default:
        return snprintf(to, capacity, "B%c8D__PS I_RCBS O_RCBS %u %012x 0000000000000001\n",
                        "RW"[of & 1], of, (unsigned)at);
    }
}

static void make_lines(struct lines *lines, uint64_t seed)
{
    uint64_t state = seed;
    unsigned clock = 0;
    size_t used = 0;
    for (size_t i = 0; i < LINES; i++) {
        const unsigned cpu = draw(&state, 2);
        clock += draw(&state, 20);
        lines->start[i] = used;
        used += (size_t)snprintf(lines->text + used, sizeof lines->text - used, "%u clk cpu%u ",
                                 clock, cpu);
        used += (size_t)put_line(lines->text + used, sizeof lines->text - used, cpu, &state);
    }
    lines->start[LINES] = used;
}

static struct spoor_machine_stats *empty(enum spoor_machine_kind kind, bool mergeable)
{
    const struct spoor_machine_stats_options options = {
        .struct_size = sizeof options, .kind = kind, .top = 5, .mergeable = mergeable};
    struct spoor_machine_stats *stats = NULL;
    assert_int_equal(spoor_machine_stats_new(&stats, &options, NULL), SPOOR_OK);
    return stats;
}

static struct spoor_machine_stats *stats_of(enum spoor_machine_kind kind, const struct lines *lines,
                                            size_t from, size_t to)
{
    struct spoor_machine_stats *stats = empty(kind, true);
    struct trace trace;
    trace_decode(&trace, &format_tarmac, lines->text + lines->start[from],
                 lines->start[to] - lines->start[from]);
    assert_int_equal(trace_count(&trace, SPOOR_NOTE), 0);
    assert_int_equal(spoor_machine_stats_feed(stats, &trace.batch, NULL), SPOOR_OK);
    trace_free(&trace);
    return stats;
}

static char *json_of(struct spoor_machine_stats *stats)
{
    size_t size;
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_machine_stats_report(stats, result), SPOOR_OK);
    char *json = spoor_result_to_json(result, &size);
    assert_non_null(json);
    spoor_result_free(result);
    return json;
}

/* Merges the statistics of the next part into `stats` and frees them. */
static void join(struct spoor_machine_stats *stats, struct spoor_machine_stats *next)
{
    assert_int_equal(spoor_machine_stats_merge(stats, next, NULL), SPOOR_OK);
    spoor_machine_stats_free(next);
}

/* Frees the statistics, which must be those of the whole. */
static void expect(struct spoor_machine_stats *stats, const char *whole)
{
    char *merged = json_of(stats);
    assert_string_equal(merged, whole);
    free(merged);
    spoor_machine_stats_free(stats);
}

static void check_kind(enum spoor_machine_kind kind, const struct lines *lines)
{
    struct spoor_machine_stats *all = stats_of(kind, lines, 0, LINES);
    char *whole = json_of(all);
    assert_true(spoor_machine_stats_records(all) > 10);
    spoor_machine_stats_free(all);
    for (size_t cut = 0; cut <= LINES; cut++) {
        struct spoor_machine_stats *stats = stats_of(kind, lines, 0, cut);
        join(stats, stats_of(kind, lines, cut, LINES));
        expect(stats, whole);
    }
    struct spoor_machine_stats *forward = empty(kind, false), *backward = empty(kind, true);
    for (size_t i = 0; i < LINES; i++) join(forward, stats_of(kind, lines, i, i + 1));
    for (size_t i = LINES; i-- > 0;) {
        struct spoor_machine_stats *stats = stats_of(kind, lines, i, i + 1);
        join(stats, backward);
        backward = stats;
    }
    expect(forward, whole);
    expect(backward, whole);
    free(whole);
}

static void parts_are_the_whole(void **state)
{
    static struct lines lines;
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        make_lines(&lines, seed);
        for (int kind = 0; kind < SPOOR_MACHINE_KINDS; kind++)
            check_kind((enum spoor_machine_kind)kind, &lines);
    }
}

static void what_does_not_fit_is_refused(void **state)
{
    struct spoor_error error = {0};
    struct spoor_machine_stats *cache = empty(SPOOR_MACHINE_CACHE, true),
                               *bus = empty(SPOOR_MACHINE_BUS, true),
                               *unkept = empty(SPOOR_MACHINE_CACHE, false);
    (void)state;
    assert_int_equal(spoor_machine_stats_merge(cache, bus, &error), SPOOR_EUSAGE);
    assert_string_equal(error.text, "statistics of cache and of bus are not merged");
    assert_int_equal(spoor_machine_stats_merge(cache, unkept, &error), SPOOR_EUSAGE);
    spoor_machine_stats_free(cache);
    spoor_machine_stats_free(bus);
    spoor_machine_stats_free(unkept);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_are_the_whole),
        cmocka_unit_test(what_does_not_fit_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
