/* SPDX-License-Identifier: MIT */
/*
 * test_mix.c: the merged mixes of shards equal the mix of the whole trace, wherever it is split:
 * the text of a generated micro-op trace is split between any two lines, and the results are
 * compared as JSON.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/mix.h"
#include "support/trace.h"

extern const struct spoor_format format_uop;

enum { LINES = 160, LINE_CAPACITY = 100 };

struct lines {
    char text[LINES * LINE_CAPACITY];
    size_t start[LINES + 1]; /* offset of each line, and of the end */
};

static unsigned draw(uint64_t *state, unsigned below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(*state >> 33) % below;
}

/* Makes macro-ops of one to four micro-ops: loads, stores, arithmetic that may write flags,
 * branches. */
static void make_lines(struct lines *lines, uint64_t seed)
{
    static const char *const what[] = {"L", "S", "-", "-", "-"};
    uint64_t state = seed;
    unsigned left = 0, step = 1;
    size_t used = 0;
    for (size_t i = 0; i < LINES; i++) {
        if (left == 0) {
            left = 1 + draw(&state, 4);
            step = 1;
        }
        const unsigned pc = 0x400000 + draw(&state, 12) * 4, kind = draw(&state, 5);
        const bool branches = kind == 4;
        lines->start[i] = used;
        used += (size_t)snprintf(
            lines->text + used, sizeof lines->text - used,
            "%u %x %d %d %d %s %s %s %u %x %x %x M%u U%u\n", step++, pc, (int)draw(&state, 9) - 1,
            (int)draw(&state, 9) - 1, (int)draw(&state, 9) - 1,
            branches    ? "R"
            : kind == 3 ? "W"
                        : "-",
            branches ? "T" : "-", what[kind], kind < 2 ? 8 : 0,
            kind < 2 ? 0x10000 + draw(&state, 40) * 1000 : 0, pc + 1 + draw(&state, 14),
            branches ? pc + 16 + draw(&state, 4000) : 0, draw(&state, 7), draw(&state, 5));
        left--;
    }
    lines->start[LINES] = used;
}

static struct spoor_mix *mix_of(const struct lines *lines, size_t from, size_t to, uint64_t window)
{
    const struct spoor_mix_options options = {.window = window};
    struct trace trace;
    struct spoor_error error = {0};
    struct spoor_mix *mix = NULL;
    assert_int_equal(spoor_mix_new(&mix, &options, &error), SPOOR_OK);
    trace_decode(&trace, &format_uop, lines->text + lines->start[from],
                 lines->start[to] - lines->start[from]);
    assert_int_equal(trace_verbatim(&trace), 0);
    assert_non_null(mix);
    assert_int_equal(spoor_mix_feed(mix, &trace.batch, &error), SPOOR_OK);
    trace_free(&trace);
    return mix;
}

static char *json_of(const struct spoor_mix *mix)
{
    size_t size;
    struct spoor_result *result = spoor_result_new_object();
    spoor_mix_report(mix, result, NULL, NULL);
    char *json = spoor_result_to_json(result, &size);
    assert_non_null(json);
    spoor_result_free(result);
    return json;
}

/* Merges the mix of the next part into `mix` and frees it. */
static void join(struct spoor_mix *mix, struct spoor_mix *next)
{
    struct spoor_error error = {0};
    assert_int_equal(spoor_mix_merge(mix, next, &error), SPOOR_OK);
    spoor_mix_free(next);
}

static void two_shards_are_the_whole(void **state)
{
    static struct lines lines;
    (void)state;
    for (uint64_t seed = 1; seed <= 2; seed++) {
        make_lines(&lines, seed);
        struct spoor_mix *all = mix_of(&lines, 0, LINES, 0);
        char *whole = json_of(all);
        for (size_t cut = 0; cut <= LINES; cut++) {
            struct spoor_mix *mix = mix_of(&lines, 0, cut, 0);
            join(mix, mix_of(&lines, cut, LINES, 0));
            char *merged = json_of(mix);
            assert_string_equal(merged, whole);
            free(merged);
            spoor_mix_free(mix);
        }
        free(whole);
        spoor_mix_free(all);
    }
}

/* Shards of three lines: some have no beginning of a macro-op, no register write, or no reference.
 */
static void many_shards_are_the_whole(void **state)
{
    static struct lines lines;
    (void)state;
    make_lines(&lines, 3);
    struct spoor_mix *all = mix_of(&lines, 0, LINES, 0), *mix = mix_of(&lines, 0, 1, 0);
    for (size_t at = 1; at < LINES; at += 3)
        join(mix, mix_of(&lines, at, at + 3 < LINES ? at + 3 : LINES, 0));
    char *whole = json_of(all), *merged = json_of(mix);
    assert_string_equal(merged, whole);
    free(whole);
    free(merged);
    spoor_mix_free(all);
    spoor_mix_free(mix);
}

/* Returns the sum over the rows of the working set. */
static uint64_t references_of(const char *json)
{
    uint64_t sum = 0;
    const char *at = strstr(json, "\"working_set\"");
    while (at && (at = strstr(at, "\"references\": "))) {
        at += strlen("\"references\": ");
        sum += strtoull(at, NULL, 10);
    }
    return sum;
}

/* Windows end at a seam, and their rows state their number of references. */
static void windows_lose_no_reference(void **state)
{
    static struct lines lines;
    (void)state;
    make_lines(&lines, 4);
    struct spoor_mix *all = mix_of(&lines, 0, LINES, 20);
    char *whole = json_of(all);
    for (size_t cut = 0; cut <= LINES; cut++) {
        struct spoor_mix *mix = mix_of(&lines, 0, cut, 20);
        join(mix, mix_of(&lines, cut, LINES, 20));
        char *merged = json_of(mix);
        assert_int_equal(references_of(merged), references_of(whole));
        free(merged);
        spoor_mix_free(mix);
    }
    free(whole);
    spoor_mix_free(all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_shards_are_the_whole),
        cmocka_unit_test(many_shards_are_the_whole),
        cmocka_unit_test(windows_lose_no_reference),
    };
    return cmocka_run_group_tests_name("mix", tests, NULL, NULL);
}
