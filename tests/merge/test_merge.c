/* SPDX-License-Identifier: MIT */
/*
 * test_merge.c: a tool that is fed the parts of a trace, each part by an object of its own, and
 * merged, reports what one object reports that is fed the whole trace.
 *
 * The traces are those of examples/, cut between any two batches of 100 records or so; references
 * and branches are made at random.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "references.h"
#include "spoor/spoor.h"

enum { PARTS = 5 };

static char *json_and_free(struct spoor_result *result)
{
    char *json = spoor_result_to_json(result, NULL);
    assert_non_null(json);
    spoor_result_free(result);
    return json;
}

/* ---- the summary ---- */

static struct spoor_reader *open_example(const char *name)
{
    char path[512];
    struct spoor_error error = {0};
    struct spoor_reader *reader = NULL;
    snprintf(path, sizeof path, "%s/examples/%s", SOURCE_ROOT, name);
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

static struct spoor_info *new_info(const struct spoor_reader *reader)
{
    const struct spoor_info_options options = {.struct_size = sizeof options,
                                               .stream = spoor_reader_stream(reader)};
    struct spoor_info *info = NULL;
    assert_int_equal(spoor_info_new(&info, &options, NULL), SPOOR_OK);
    return info;
}

static char *report_info(struct spoor_info *info)
{
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_info_end(info, NULL), SPOOR_OK);
    assert_int_equal(spoor_info_report(info, result), SPOOR_OK);
    spoor_info_free(info);
    return json_and_free(result);
}

/* Feeds pieces of `size` records to the whole, and in turns to the parts of PARTS pieces each. */
static void compare_info(const char *name, size_t size)
{
    struct spoor_reader *reader = open_example(name);
    struct spoor_info *whole = new_info(reader), *merged = new_info(reader), *part = NULL;
    const struct spoor_batch *batch;
    size_t pieces = 0;
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK) {
        struct spoor_batch piece = *batch;
        for (size_t at = 0; at < batch->count; at += piece.count) {
            piece.records = batch->records + at;
            piece.count = batch->count - at < size ? batch->count - at : size;
            piece.first = batch->first + at;
            piece.text_size = at ? 0 : batch->text_size; /* counted as bytes, once */
            if (!part) part = new_info(reader);
            assert_int_equal(spoor_info_feed(whole, &piece, NULL), SPOOR_OK);
            assert_int_equal(spoor_info_feed(part, &piece, NULL), SPOOR_OK);
            if (++pieces % PARTS) continue;
            assert_int_equal(spoor_info_merge(merged, part, NULL), SPOOR_OK);
            spoor_info_free(part);
            part = NULL;
        }
    }
    if (part) assert_int_equal(spoor_info_merge(merged, part, NULL), SPOOR_OK);
    spoor_info_free(part);
    char *all = report_info(whole), *joined = report_info(merged);
    assert_string_equal(joined, all);
    free(all);
    free(joined);
    spoor_reader_close(reader);
}

static void summaries(void **state)
{
    (void)state;
    compare_info("sort.tarmac.xz", 97);
    compare_info("sort.uop.xz", 1000);
    compare_info("sort.byu12.xz", 97);
    compare_info("sort.lackey.xz", 101);
}

static void summaries_of_two_streams_are_refused(void **state)
{
    (void)state;
    struct spoor_reader *one = open_example("sort.byu12.xz"), *other = open_example("sort.byu6.xz");
    struct spoor_info *info = new_info(one), *next = new_info(other);
    struct spoor_error error = {0};
    assert_int_equal(spoor_info_merge(info, next, &error), SPOOR_EUSAGE);
    assert_true(error.text[0]);
    spoor_info_free(info);
    spoor_info_free(next);
    spoor_reader_close(one);
    spoor_reader_close(other);
}

/* ---- branches ---- */

enum { BRANCHES = 3000 };

/* A few branches with outcomes that depend on their own last ones. */
static void make_branches(struct spoor_branch *branches)
{
    uint64_t seed = 12345;
    memset(branches, 0, BRANCHES * sizeof *branches);
    for (size_t i = 0; i < BRANCHES; i++) {
        seed = seed * 6364136223846793005 + 1442695040888963407;
        branches[i].pc = 0x1000 + (seed >> 60) * 4;
        branches[i].type = SPOOR_BRANCH_CONDITIONAL;
        branches[i].has = SPOOR_BRANCH_HAS_TYPE | (seed >> 40 & 3 ? SPOOR_BRANCH_TAKEN : 0);
        branches[i].gap = seed >> 50 & 7;
    }
}

static struct spoor_prediction *predict(const struct spoor_branch *branches, size_t from, size_t to)
{
    static const char *const specs[] = {"always", "never"};
    const struct spoor_prediction_options options = {
        .struct_size = sizeof options, .specs = specs, .count = 2, .by_branch = true};
    struct spoor_prediction *prediction = NULL;
    struct spoor_error error = {0};
    uint64_t instructions = 0;
    if (spoor_prediction_new(&prediction, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    for (size_t i = from; i < to; i++) instructions += branches[i].gap + 1;
    assert_int_equal(spoor_prediction_feed(prediction, branches + from, to - from, NULL), SPOOR_OK);
    assert_int_equal(spoor_prediction_end(prediction, instructions, NULL), SPOOR_OK);
    return prediction;
}

static char *report_prediction(struct spoor_prediction *prediction)
{
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_prediction_report(prediction, result), SPOOR_OK);
    assert_int_equal(spoor_prediction_report_hardest(prediction, 100, result), SPOOR_OK);
    assert_int_equal(spoor_prediction_report_comparison(prediction, 100, result), SPOOR_OK);
    spoor_prediction_free(prediction);
    return json_and_free(result);
}

/* With predictors that learn nothing, all of the report is exact: counts, entropies, sites. */
static void branch_sites(void **state)
{
    static struct spoor_branch branches[BRANCHES];
    (void)state;
    make_branches(branches);
    char *whole = report_prediction(predict(branches, 0, BRANCHES));
    for (size_t size = 1; size < BRANCHES; size = size * 7 + 2) {
        struct spoor_prediction *merged = predict(branches, 0, 0);
        for (size_t at = 0; at < BRANCHES; at += size) {
            const size_t to = at + size < BRANCHES ? at + size : BRANCHES;
            struct spoor_prediction *part = predict(branches, at, to);
            assert_int_equal(spoor_prediction_merge(merged, part, NULL), SPOOR_OK);
            spoor_prediction_free(part);
        }
        char *joined = report_prediction(merged);
        assert_string_equal(joined, whole);
        free(joined);
    }
    free(whole);
}

/* ---- caches ---- */

enum { REFERENCES = 20000 };

static struct spoor_cache_system *new_system(const char *words)
{
    struct spoor_cache_level level;
    struct spoor_cache_system *system = NULL;
    struct spoor_error error = {0};
    if (spoor_cache_level_parse(&level, words, &error) != SPOOR_OK ||
        spoor_cache_system_new(&system, &level, 1, NULL, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    return system;
}

static uint64_t sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned kind = 0; kind < SPOOR_CACHE_KINDS; kind++) all += counts[kind];
    return all;
}

/* Accesses are exact; misses are too many by at most the stated number. */
static void compare_caches(const struct spoor_references *made, const char *words, bool bounded)
{
    struct spoor_cache_system *whole = new_system(words);
    assert_int_equal(spoor_cache_system_feed(whole, made->items, made->count, NULL), SPOOR_OK);
    const struct spoor_cache_counts *all = spoor_cache_system_counts(whole, 0);
    for (size_t size = 500; size < 4 * made->count; size *= 3) {
        struct spoor_cache_system *merged = new_system(words);
        for (size_t at = 0; at < made->count; at += size) {
            const size_t count = made->count - at < size ? made->count - at : size;
            struct spoor_cache_system *part = at ? new_system(words) : merged;
            assert_int_equal(spoor_cache_system_feed(part, made->items + at, count, NULL),
                             SPOOR_OK);
            if (at == 0) continue;
            assert_int_equal(spoor_cache_system_merge(merged, part, NULL), SPOOR_OK);
            spoor_cache_system_free(part);
        }
        const struct spoor_cache_counts *sums = spoor_cache_system_counts(merged, 0);
        const uint64_t excess = spoor_cache_system_excess(merged, 0);
        assert_memory_equal(sums->accesses, all->accesses, sizeof all->accesses);
        if (size >= made->count) assert_int_equal(sum(sums->misses), sum(all->misses));
        if (bounded) assert_true(sum(sums->misses) >= sum(all->misses));
        if (bounded) assert_true(sum(sums->misses) - sum(all->misses) <= excess);
        if (!bounded && size < made->count) assert_int_equal(excess, UINT64_MAX);
        spoor_cache_system_free(merged);
    }
    spoor_cache_system_free(whole);
}

static void caches(void **state)
{
    (void)state;
    struct spoor_references made = {0};
    make_references(&made, REFERENCES, 5, 1);
    compare_caches(&made, "l1d:4K,4,64,takes=all", true);
    compare_caches(&made, "l1d:8K,full,32,takes=all", true);
    compare_caches(&made, "l1d:4K,1,16,takes=all", true);
    compare_caches(&made, "l1d:4K,4,64,policy=fifo,takes=all", false);
    spoor_references_free(&made);
}

static void other_caches_are_refused(void **state)
{
    (void)state;
    struct spoor_cache_system *one = new_system("l1d:4K,4,64"), *other = new_system("l1d:4K,2,64");
    assert_int_equal(spoor_cache_system_merge(one, other, NULL), SPOOR_EUSAGE);
    spoor_cache_system_free(one);
    spoor_cache_system_free(other);
}

/* ---- coverage ---- */

static void cover(struct spoor_coverage *coverage, const char *trace, const char *image)
{
    char path[512];
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    struct spoor_images *images;
    assert_int_equal(spoor_images_new(&images, &error), SPOOR_OK);
    snprintf(path, sizeof path, "%s/examples/programs/%s", SOURCE_ROOT, image);
    assert_int_equal(spoor_images_add(images, path, &error), SPOOR_OK);
    struct spoor_reader *reader = open_example(trace);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_coverage_feed(coverage, batch, &error), SPOOR_OK);
    assert_int_equal(spoor_coverage_end(coverage, images, &error), SPOOR_OK);
    spoor_reader_close(reader);
    spoor_images_close(images);
}

static struct spoor_coverage *new_coverage(void)
{
    struct spoor_coverage *coverage = NULL;
    assert_int_equal(spoor_coverage_new(&coverage, NULL, NULL), SPOOR_OK);
    return coverage;
}

static void coverage_of_two_traces(void **state)
{
    static const char *const traces[][2] = {{"sort.tarmac.xz", "sort.elf"},
                                            {"list.tarmac.xz", "list.elf"},
                                            {"sort.uop.xz", "sort.elf"}};
    (void)state;
    struct spoor_coverage *whole = new_coverage(), *merged = new_coverage();
    for (size_t i = 0; i < 3; i++) {
        struct spoor_coverage *part = new_coverage();
        cover(whole, traces[i][0], traces[i][1]);
        cover(part, traces[i][0], traces[i][1]);
        assert_int_equal(spoor_coverage_merge(merged, part, NULL), SPOOR_OK);
        spoor_coverage_free(part); /* its strings are not used any more */
    }
    for (unsigned unit = SPOOR_COVERAGE_SUMMARY; unit <= SPOOR_COVERAGE_CPUS; unit++) {
        struct spoor_result *all = spoor_result_new_object(), *joined = spoor_result_new_object();
        spoor_coverage_report(whole, (enum spoor_coverage_unit)unit, false, all);
        spoor_coverage_report(merged, (enum spoor_coverage_unit)unit, false, joined);
        char *expected = json_and_free(all), *found = json_and_free(joined);
        assert_string_equal(found, expected);
        free(expected);
        free(found);
    }
    spoor_coverage_free(whole);
    spoor_coverage_free(merged);
}

/* ---- options that carry their size ---- */

static void options_of_another_version(void **state)
{
    (void)state;
    struct spoor_mix *mix = NULL;
    struct spoor_error error = {0};
    struct {
        struct spoor_mix_options known;
        uint64_t later; /* a member that a later version may have */
    } options = {{.struct_size = sizeof options}, 0};
    assert_int_equal(spoor_mix_new(&mix, &options.known, &error), SPOOR_OK);
    spoor_mix_free(mix);
    options.later = 1;
    assert_int_equal(spoor_mix_new(&mix, &options.known, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "later version"));
    const struct spoor_mix_options shorter = {
        .struct_size = offsetof(struct spoor_mix_options, page), .page = 3 /* not read */};
    assert_int_equal(spoor_mix_new(&mix, &shorter, &error), SPOOR_OK);
    spoor_mix_free(mix);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(summaries),
        cmocka_unit_test(summaries_of_two_streams_are_refused),
        cmocka_unit_test(branch_sites),
        cmocka_unit_test(caches),
        cmocka_unit_test(other_caches_are_refused),
        cmocka_unit_test(coverage_of_two_traces),
        cmocka_unit_test(options_of_another_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
