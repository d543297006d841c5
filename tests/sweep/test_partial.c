/* SPDX-License-Identifier: MIT */
/*
 * test_partial.c: through the public interface alone, the joined partial results of the parts of a
 * trace equal the result of the whole.  Parts begin and end with batches; they are joined in
 * reverse order, all but one of them from bytes.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/spoor.h"

static const char trace_path[] = SOURCE_ROOT "/examples/sort.uop.xz";
enum { PARTS = 3, MAX_BATCHES = 64 };

/* ---- a trace and its parts ---- */

struct part {
    const char *path, *format;
    uint64_t first, end; /* records; `end`: the one after the last, UINT64_MAX: to the end */
};

static struct spoor_reader *open_trace(const char *path)
{
    struct spoor_error error = {0};
    struct spoor_reader *reader;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return reader;
}

/* Divides a trace into parts where batches begin. */
static void divide(const char *path, const char *format, struct part parts[PARTS])
{
    struct spoor_reader *reader = open_trace(path);
    const struct spoor_batch *batch;
    uint64_t firsts[MAX_BATCHES];
    size_t count = 0;
    while (count < MAX_BATCHES && spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        firsts[count++] = batch->first;
    spoor_reader_close(reader);
    assert_true(count > PARTS);
    for (size_t i = 0; i < PARTS; i++)
        parts[i] = (struct part){path, format, firsts[i * count / PARTS],
                                 i + 1 < PARTS ? firsts[(i + 1) * count / PARTS] : UINT64_MAX};
}

static bool has_batch(const struct part *part, const struct spoor_batch *batch)
{
    return batch->first >= part->first && batch->first < part->end;
}

static struct spoor_partial *describe(const struct part *part, const char *words)
{
    const struct spoor_partial_options options = {
        .struct_size = sizeof options,
        .trace = part->path,
        .format = part->format,
        .options = words,
        .first = part->first,
        .records = part->end == UINT64_MAX ? 0 : part->end - part->first};
    struct spoor_partial *partial;
    struct spoor_error error = {0};
    if (spoor_partial_new(&partial, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return partial;
}

/* ---- the tools ---- */

/* Feeds a tool with a part and saves its state (`partial`), or adds its report to a result. */
typedef void tool(const struct part *part, struct spoor_partial *partial,
                  struct spoor_result *result);

static void run_info(const struct part *part, struct spoor_partial *partial,
                     struct spoor_result *result)
{
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_info *info;
    assert_int_equal(spoor_info_new(&info, NULL, NULL), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        if (has_batch(part, batch)) assert_int_equal(spoor_info_feed(info, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_info_end(info, NULL), SPOOR_OK);
    assert_int_equal(
        partial ? spoor_info_save(info, partial, NULL) : spoor_info_report(info, result), SPOOR_OK);
    spoor_info_free(info);
    spoor_reader_close(reader);
}

static void run_mix(const struct part *part, struct spoor_partial *partial,
                    struct spoor_result *result)
{
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_mix *mix;
    assert_int_equal(spoor_mix_new(&mix, NULL, NULL), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        if (has_batch(part, batch)) assert_int_equal(spoor_mix_feed(mix, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_mix_end(mix, NULL), SPOOR_OK);
    assert_int_equal(partial ? spoor_mix_save(mix, partial, NULL)
                             : spoor_mix_report(mix, result, NULL, NULL),
                     SPOOR_OK);
    spoor_mix_free(mix);
    spoor_reader_close(reader);
}

static void run_stats(const struct part *part, struct spoor_partial *partial,
                      struct spoor_result *result)
{
    const struct spoor_machine_stats_options options = {.struct_size = sizeof options,
                                                        .kind = SPOOR_MACHINE_CACHE,
                                                        .top = 5,
                                                        .mergeable = partial != NULL};
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_machine_stats *stats;
    assert_int_equal(spoor_machine_stats_new(&stats, &options, NULL), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        if (has_batch(part, batch))
            assert_int_equal(spoor_machine_stats_feed(stats, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_machine_stats_end(stats, NULL), SPOOR_OK);
    assert_int_equal(partial ? spoor_machine_stats_save(stats, partial, NULL)
                             : spoor_machine_stats_report(stats, result),
                     SPOOR_OK);
    spoor_machine_stats_free(stats);
    spoor_reader_close(reader);
}

static void run_curve(const struct part *part, struct spoor_partial *partial,
                      struct spoor_result *result)
{
    const struct spoor_curve_options options = {.struct_size = sizeof options, .block = 32};
    struct spoor_reader *reader = open_trace(part->path);
    struct spoor_reference_block block;
    struct spoor_curve *curve;
    uint64_t references = 0;
    assert_int_equal(spoor_curve_new(&curve, &options, NULL), SPOOR_OK);
    while (spoor_reader_next_references(reader, NULL, &block, NULL) == SPOOR_OK) {
        if (!has_batch(part, block.source)) continue;
        assert_int_equal(spoor_curve_feed(curve, block.items, block.count, NULL), SPOOR_OK);
        references += block.count;
    }
    assert_int_equal(spoor_curve_end(curve, NULL), SPOOR_OK);
    spoor_result_unsigned(result, "references", references);
    assert_int_equal(partial ? spoor_curve_save(curve, references, partial, NULL)
                             : spoor_curve_report(curve, result),
                     SPOOR_OK);
    spoor_curve_free(curve);
    spoor_reader_close(reader);
}

static void run_caches(const struct part *part, struct spoor_partial *partial,
                       struct spoor_result *result)
{
    struct spoor_cache_level level;
    struct spoor_reader *reader = open_trace(part->path);
    struct spoor_reference_block block;
    struct spoor_cache_system *system;
    uint64_t references = 0;
    assert_int_equal(spoor_cache_level_parse(&level, "l1:8K,2,64", NULL), SPOOR_OK);
    assert_int_equal(spoor_cache_system_new(&system, &level, 1, NULL, NULL), SPOOR_OK);
    while (spoor_reader_next_references(reader, NULL, &block, NULL) == SPOOR_OK) {
        if (!has_batch(part, block.source)) continue;
        assert_int_equal(spoor_cache_system_feed(system, block.items, block.count, NULL), SPOOR_OK);
        references += block.count;
    }
    assert_int_equal(spoor_cache_system_end(system, NULL), SPOOR_OK);
    spoor_result_unsigned(result, "references", references);
    assert_int_equal(partial ? spoor_cache_system_save(system, references, partial, NULL)
                             : spoor_cache_system_report(system, 0, true, result),
                     SPOOR_OK);
    spoor_cache_system_free(system);
    spoor_reader_close(reader);
}

static void run_branches(const struct part *part, struct spoor_partial *partial,
                         struct spoor_result *result)
{
    static const char *const specs[] = {"bimodal", "always"};
    const struct spoor_prediction_options options = {
        .struct_size = sizeof options, .specs = specs, .count = 2, .by_branch = true};
    struct spoor_reader *reader = open_trace(part->path);
    struct spoor_branch_block block;
    struct spoor_prediction *prediction;
    uint64_t before = 0, instructions = 0;
    assert_int_equal(spoor_prediction_new(&prediction, &options, NULL), SPOOR_OK);
    while (spoor_reader_next_branches(reader, &block, NULL) == SPOOR_OK) {
        if (block.source ? has_batch(part, block.source) : part->end == UINT64_MAX) {
            assert_int_equal(spoor_prediction_feed(prediction, block.items, block.count, NULL),
                             SPOOR_OK);
            instructions = block.instructions;
        } else if (block.source && block.source->first < part->first) {
            before = block.instructions;
        }
    }
    assert_int_equal(spoor_prediction_end(prediction, instructions - before, NULL), SPOOR_OK);
    assert_int_equal(partial ? spoor_prediction_save(prediction, 5, 3, partial, NULL)
                             : spoor_prediction_report(prediction, result),
                     SPOOR_OK);
    spoor_prediction_free(prediction);
    spoor_reader_close(reader);
}

/* All batches are fed; an expression selects the records of a part. */
static void run_coverage(const struct part *part, struct spoor_partial *partial,
                         struct spoor_result *result)
{
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_select *where;
    struct spoor_coverage *coverage;
    char words[96];
    snprintf(words, sizeof words, "record >= %llu && record < %llu",
             (unsigned long long)part->first, (unsigned long long)part->end);
    assert_int_equal(spoor_select_compile(&where, words, NULL), SPOOR_OK);
    const struct spoor_coverage_options options = {.struct_size = sizeof options, .where = where};
    assert_int_equal(spoor_coverage_new(&coverage, &options, NULL), SPOOR_OK);
    assert_int_equal(spoor_coverage_traces(coverage), 0);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        assert_int_equal(spoor_coverage_feed(coverage, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_coverage_traces(coverage), 1);
    if (partial) {
        assert_int_equal(
            spoor_coverage_save(coverage, SPOOR_COVERAGE_BRANCHES, false, partial, NULL), SPOOR_OK);
    } else {
        assert_int_equal(spoor_coverage_end(coverage, NULL, NULL), SPOOR_OK);
        assert_int_equal(spoor_coverage_report(coverage, SPOOR_COVERAGE_BRANCHES, false, result),
                         SPOOR_OK);
        assert_true(spoor_coverage_instructions(coverage) > 0);
    }
    spoor_coverage_free(coverage);
    spoor_select_free(where);
    spoor_reader_close(reader);
}

static struct spoor_index *open_index(const char *path)
{
    const struct spoor_index_options options = {.struct_size = sizeof options, .no_index = true};
    struct spoor_error error = {0};
    struct spoor_index *index;
    if (spoor_index_open(&index, path, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return index;
}

static void save_profile(const struct part *part, struct spoor_partial *partial)
{
    struct spoor_index *index = open_index(part->path);
    const struct spoor_profile_part_options options = {
        .struct_size = sizeof options,
        .index = index,
        .first = part->first,
        .records = part->end == UINT64_MAX ? 0 : part->end - part->first,
        .edges = true};
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_profile_part *profile;
    assert_int_equal(spoor_profile_part_new(&profile, &options, NULL), SPOOR_OK);
    const uint64_t begin = spoor_profile_part_begin(profile);
    assert_true(begin <= part->first);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        if (batch->first >= begin)
            assert_int_equal(spoor_profile_part_feed(profile, batch, NULL), SPOOR_OK);
    assert_int_equal(spoor_profile_part_end(profile, NULL), SPOOR_OK);
    assert_int_equal(spoor_profile_part_save(profile, partial, NULL), SPOOR_OK);
    spoor_profile_part_free(profile);
    spoor_reader_close(reader);
    spoor_index_close(index);
}

static void run_profile(const struct part *part, struct spoor_partial *partial,
                        struct spoor_result *result)
{
    struct spoor_reader *reader = open_trace(part->path);
    const struct spoor_batch *batch;
    struct spoor_profile *profile;
    assert_int_equal(spoor_profile_new(&profile, NULL, NULL), SPOOR_OK);
    while (!partial && spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        assert_int_equal(spoor_profile_feed(profile, batch, NULL), SPOOR_OK);
    if (partial) {
        save_profile(part, partial);
    } else {
        assert_int_equal(spoor_profile_end(profile, NULL), SPOOR_OK);
        assert_int_equal(spoor_profile_report(profile, true, result), SPOOR_OK);
    }
    spoor_profile_free(profile);
    spoor_reader_close(reader);
}

/* ---- merge of parts = whole ---- */

/* The partial result as another process reads it. */
static struct spoor_partial *pass_on(struct spoor_partial *partial)
{
    struct spoor_partial *read;
    size_t size;
    const uint8_t *bytes = spoor_partial_bytes(partial, &size);
    assert_int_equal(spoor_partial_read(&read, bytes, size, "a part", NULL), SPOOR_OK);
    assert_string_equal(spoor_partial_tool(read), spoor_partial_tool(partial));
    spoor_partial_free(partial);
    return read;
}

static struct spoor_result *join_parts(tool *run, const struct part parts[PARTS])
{
    struct spoor_partial *partials[PARTS];
    struct spoor_error error = {0};
    struct spoor_join *join;
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    for (size_t i = PARTS; i-- > 0;) {
        partials[i] = describe(&parts[i], NULL);
        run(&parts[i], partials[i], NULL);
        if (i != 1) partials[i] = pass_on(partials[i]);
        assert_int_equal(spoor_partial_about(partials[i])->first, parts[i].first);
        assert_int_equal(spoor_join_feed(join, partials[i], NULL), SPOOR_OK);
    }
    struct spoor_result *result = spoor_result_new_object();
    if (spoor_join_end(join, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_int_equal(spoor_join_report(join, result), SPOOR_OK);
    spoor_join_free(join);
    for (size_t i = 0; i < PARTS; i++) spoor_partial_free(partials[i]);
    return result;
}

static struct spoor_result *run_whole(tool *run, const struct part parts[PARTS])
{
    const struct part whole = {parts[0].path, parts[0].format, 0, UINT64_MAX};
    struct spoor_result *result = spoor_result_new_object();
    run(&whole, NULL, result);
    return result;
}

/* The members of an object but for one, as JSON. */
static char *json_without(const struct spoor_result *object, const char *key)
{
    struct spoor_result *rest = spoor_result_new_object();
    size_t size;
    for (const struct spoor_result *at = spoor_result_first(object); at; at = spoor_result_next(at))
        if (strcmp(spoor_result_key(at), key) != 0)
            spoor_result_copy(rest, spoor_result_key(at), at);
    char *json = spoor_result_to_json(rest, &size);
    assert_non_null(json);
    spoor_result_free(rest);
    return json;
}

static uint64_t whole_number(const struct spoor_result *result, const char *table, const char *key)
{
    if (table) result = spoor_result_first(spoor_result_member(result, table));
    assert_non_null(spoor_result_member(result, key));
    return spoor_result_whole(spoor_result_member(result, key));
}

static void assert_joined(tool *run, const char *path, const char *format, const char *except)
{
    struct part parts[PARTS];
    divide(path, format, parts);
    struct spoor_result *joined = join_parts(run, parts), *whole = run_whole(run, parts);
    char *found = json_without(joined, except), *expected = json_without(whole, except);
    assert_true(strlen(expected) > 40);
    assert_string_equal(found, expected);
    free(found);
    free(expected);
    spoor_result_free(joined);
    spoor_result_free(whole);
}

static void exact_tools_are_joined_exactly(void **state)
{
    (void)state;
    assert_joined(run_info, trace_path, "uop", "");
    assert_joined(run_mix, trace_path, "uop", "working_set"); /* a window at each boundary */
    assert_joined(run_curve, trace_path, "uop", "");
    assert_joined(run_coverage, trace_path, NULL, "");
    assert_joined(run_profile, trace_path, "uop", "");
}

/* Adds a whole trace to a coverage. */
static void cover(struct spoor_coverage *coverage, const char *path, bool ends)
{
    struct spoor_reader *reader = open_trace(path);
    const struct spoor_batch *batch;
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        assert_int_equal(spoor_coverage_feed(coverage, batch, NULL), SPOOR_OK);
    if (ends) assert_int_equal(spoor_coverage_end(coverage, NULL, NULL), SPOOR_OK);
    spoor_reader_close(reader);
}

static void coverage_of_several_traces_is_joined(void **state)
{
    static const char *const paths[] = {trace_path, SOURCE_ROOT "/examples/search.uop.xz"};
    struct spoor_result *joined = spoor_result_new_object(), *whole = spoor_result_new_object();
    struct spoor_partial *partials[2];
    struct spoor_coverage *both, *one;
    struct spoor_join *join;
    (void)state;
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_coverage_new(&both, NULL, NULL), SPOOR_OK);
    for (size_t i = 0; i < 2; i++) {
        const struct part part = {paths[i], NULL, 0, UINT64_MAX};
        partials[i] = describe(&part, NULL);
        cover(both, paths[i], true);
        assert_int_equal(spoor_coverage_new(&one, NULL, NULL), SPOOR_OK);
        cover(one, paths[i], true);
        assert_int_equal(
            spoor_coverage_save(one, SPOOR_COVERAGE_ADDRESSES, false, partials[i], NULL), SPOOR_OK);
        cover(one, paths[i], false);
        assert_int_equal(
            spoor_coverage_save(one, SPOOR_COVERAGE_ADDRESSES, false, partials[i], NULL),
            SPOOR_EUSAGE);
        spoor_coverage_free(one);
        assert_int_equal(spoor_join_feed(join, partials[i], NULL), SPOOR_OK);
    }
    assert_int_equal(spoor_join_end(join, NULL), SPOOR_OK);
    assert_int_equal(spoor_join_report(join, joined), SPOOR_OK);
    assert_int_equal(spoor_coverage_report(both, SPOOR_COVERAGE_ADDRESSES, false, whole), SPOOR_OK);
    assert_int_equal(whole_number(joined, NULL, "traces"), 2);
    char *found = json_without(joined, ""), *expected = json_without(whole, "");
    assert_string_equal(found, expected);
    free(found);
    free(expected);
    spoor_result_free(joined);
    spoor_result_free(whole);
    spoor_coverage_free(both);
    spoor_join_free(join);
    for (size_t i = 0; i < 2; i++) spoor_partial_free(partials[i]);
}

/* The statistics of a trace that is made by chance. */
static void statistics_of_a_machine_are_joined_exactly(void **state)
{
    static const char *const moves[] = {"ALLOC", "FILL", "DIRTY", "CLEAN", "EVICT"};
    char path[] = "/tmp/spoor-partial-XXXXXX";
    uint64_t seed = 1;
    FILE *file = fdopen(mkstemp(path), "w");
    (void)state;
    assert_non_null(file);
    for (unsigned i = 0; i < 16000; i++) {
        seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const unsigned chance = (unsigned)(seed >> 33);
        fprintf(file, "%u clk cpu0 CACHE cpu.cpu0.l1d LINE %04x %s 0x%012x\n", i, chance % 64,
                moves[chance / 64 % 5], 0x8000 + chance / 512 % 256 * 64);
    }
    fclose(file);
    assert_joined(run_stats, path, "tarmac", "");
    unlink(path);
}

/* Simulated caches and predictors of a part begin empty: what they were asked is exact. */
static void simulators_are_joined_by_sums(void **state)
{
    struct part parts[PARTS];
    (void)state;
    divide(trace_path, "uop", parts);
    struct spoor_result *joined = join_parts(run_caches, parts);
    struct spoor_result *whole = run_whole(run_caches, parts);
    assert_int_equal(whole_number(joined, NULL, "references"),
                     whole_number(whole, NULL, "references"));
    assert_int_equal(whole_number(joined, "caches", "reads"),
                     whole_number(whole, "caches", "reads"));
    assert_true(whole_number(joined, "caches", "misses") >=
                whole_number(whole, "caches", "misses"));
    spoor_result_free(joined);
    spoor_result_free(whole);
    joined = join_parts(run_branches, parts);
    whole = run_whole(run_branches, parts);
    static const char *const exact[] = {"branches", "conditional", "taken", "instructions"};
    for (size_t i = 0; i < sizeof exact / sizeof *exact; i++)
        assert_int_equal(whole_number(joined, NULL, exact[i]), whole_number(whole, NULL, exact[i]));
    assert_int_equal(spoor_result_count(spoor_result_member(joined, "hardest")), 5);
    assert_int_equal(spoor_result_count(spoor_result_member(
                         spoor_result_member(joined, "comparison"), "differing")),
                     3);
    spoor_result_free(joined);
    spoor_result_free(whole);
}

/* ---- a check goes on ---- */

static struct spoor_partial *check_part(const struct part *part, const struct spoor_partial *before,
                                        uint64_t *records)
{
    const struct spoor_partial_options options = {
        .struct_size = sizeof options,
        .trace = part->path,
        .format = part->format,
        .first = part->first,
        .records = part->end == UINT64_MAX ? 0 : part->end - part->first,
        .after = before};
    struct spoor_error error = {0};
    struct spoor_partial *partial;
    struct spoor_check *check;
    const struct spoor_batch *batch;
    struct spoor_reader *reader = open_trace(part->path);
    if (spoor_partial_new(&partial, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_int_equal(spoor_check_new(&check, NULL, NULL), SPOOR_OK);
    if (before)
        assert_int_equal(spoor_check_resume(check, spoor_reader_stream(reader), before, &error),
                         SPOOR_OK);
    while (spoor_reader_next(reader, &batch, NULL) == SPOOR_OK)
        if (has_batch(part, batch))
            assert_int_equal(spoor_check_feed(check, batch, NULL), SPOOR_OK);
    *records = spoor_check_records(check);
    assert_int_equal(spoor_check_save(check, spoor_reader_stream(reader), partial, NULL), SPOOR_OK);
    spoor_check_free(check);
    spoor_reader_close(reader);
    return partial;
}

/* What a check reports, from its last part. */
static char *joined_check(const struct spoor_partial *partial)
{
    struct spoor_result *result = spoor_result_new_object();
    struct spoor_join *join;
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_join_feed(join, partial, NULL), SPOOR_OK);
    assert_int_equal(spoor_join_end(join, NULL), SPOOR_OK);
    assert_int_equal(spoor_join_report(join, result), SPOOR_OK);
    assert_non_null(spoor_result_member(result, "rules"));
    char *json = json_without(result, "");
    spoor_result_free(result);
    spoor_join_free(join);
    return json;
}

static void parts_of_a_check_continue_each_other(void **state)
{
    struct part parts[PARTS];
    const struct part whole = {trace_path, "uop", 0, UINT64_MAX};
    struct spoor_partial *partial = NULL;
    uint64_t records = 0, all;
    (void)state;
    divide(trace_path, "uop", parts);
    for (size_t i = 0; i < PARTS; i++) {
        struct spoor_partial *next = check_part(&parts[i], partial, &records);
        spoor_partial_free(partial);
        partial = next;
    }
    struct spoor_partial *at_once = check_part(&whole, NULL, &all);
    assert_int_equal(records, all);
    assert_int_equal(spoor_partial_about(partial)->first, 0);
    char *found = joined_check(partial), *expected = joined_check(at_once);
    assert_string_equal(found, expected);
    free(found);
    free(expected);
    spoor_partial_free(partial);
    spoor_partial_free(at_once);
}

/* A part goes on only from the records right before it. */
static void a_check_goes_on_where_the_last_part_ends(void **state)
{
    struct part parts[PARTS];
    uint64_t records;
    struct spoor_error error = {0};
    (void)state;
    divide(trace_path, "uop", parts);
    struct spoor_partial *before = check_part(&parts[0], NULL, &records), *partial;
    const struct spoor_partial_options next = {.struct_size = sizeof next,
                                               .trace = trace_path,
                                               .format = "uop",
                                               .first = parts[2].first,
                                               .after = before};
    assert_int_equal(spoor_partial_new(&partial, &next, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "does not end where this part begins"));
    struct spoor_partial_options other = next;
    other.first = parts[1].first;
    other.trace = SOURCE_ROOT "/examples/search.uop.xz";
    assert_int_equal(spoor_partial_new(&partial, &other, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "is of another trace"));
    other.trace = trace_path;
    other.options = "--rule=x";
    assert_int_equal(spoor_partial_new(&partial, &other, &error), SPOOR_EUSAGE);
    assert_non_null(strstr(error.text, "other options"));
    spoor_partial_free(before);
}

/* ---- what does not fit ---- */

static struct spoor_partial *mix_of(const struct part *part, const char *words)
{
    struct spoor_partial *partial = describe(part, words);
    run_mix(part, partial, NULL);
    return partial;
}

/* The sentence with which the parts are refused. */
static void assert_refused(struct spoor_partial *const *partials, size_t count, const char *words)
{
    struct spoor_join *join;
    struct spoor_error error = {0};
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(spoor_join_feed(join, partials[i], NULL), SPOOR_OK);
    assert_int_equal(spoor_join_end(join, &error), SPOOR_EUSAGE);
    if (!strstr(error.text, words)) fail_msg("%s", error.text);
    spoor_join_free(join);
}

static void parts_that_do_not_fit_are_refused(void **state)
{
    struct part parts[PARTS];
    (void)state;
    divide(trace_path, "uop", parts);
    struct part foreign = parts[1];
    foreign.path = SOURCE_ROOT "/examples/search.uop.xz";
    struct spoor_partial *all[] = {mix_of(&parts[0], "a"), mix_of(&parts[1], "a"),
                                   mix_of(&parts[2], "a"), mix_of(&parts[1], "b"),
                                   mix_of(&foreign, "a"),  describe(&parts[1], "a")};
    enum { COUNT = sizeof all / sizeof *all };
    run_info(&parts[1], all[5], NULL);
    assert_refused(all, 0, "no partial result");
    assert_refused(all, 2, "is not the last part");
    assert_refused(all + 1, 2, "are missing before");
    assert_refused((struct spoor_partial *[]){all[0], all[2]}, 2, "are missing between");
    assert_refused((struct spoor_partial *[]){all[0], all[1], all[1], all[2]}, 4, "overlap");
    assert_refused((struct spoor_partial *[]){all[0], all[3], all[2]}, 3, "different options");
    assert_refused((struct spoor_partial *[]){all[0], all[4], all[2]}, 3, "different traces");
    assert_refused((struct spoor_partial *[]){all[0], all[5], all[2]}, 3, "different verbs");
    for (size_t i = 0; i < COUNT; i++) spoor_partial_free(all[i]);
}

static void a_state_is_saved_once(void **state)
{
    struct part parts[PARTS];
    struct spoor_mix *mix;
    struct spoor_machine_stats *stats;
    struct spoor_join *join;
    (void)state;
    divide(trace_path, "uop", parts);
    struct spoor_partial *partial = describe(&parts[0], NULL);
    assert_int_equal(spoor_mix_new(&mix, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_machine_stats_new(&stats, NULL, NULL), SPOOR_OK);
    assert_int_equal(spoor_join_new(&join, NULL, NULL), SPOOR_OK);
    assert_null(spoor_partial_tool(partial));
    assert_int_equal(spoor_join_feed(join, partial, NULL), SPOOR_EUSAGE);
    assert_int_equal(spoor_machine_stats_save(stats, partial, NULL), SPOOR_EUSAGE);
    assert_int_equal(spoor_mix_save(mix, partial, NULL), SPOOR_OK);
    assert_int_equal(spoor_mix_save(mix, partial, NULL), SPOOR_EUSAGE);
    spoor_join_free(join);
    spoor_machine_stats_free(stats);
    spoor_mix_free(mix);
    spoor_partial_free(partial);
}

static void damaged_bytes_are_found(void **state)
{
    struct part parts[PARTS];
    size_t size;
    (void)state;
    divide(trace_path, "uop", parts);
    struct spoor_partial *partial = mix_of(&parts[0], NULL), *read;
    const uint8_t *bytes = spoor_partial_bytes(partial, &size);
    uint8_t *copy = malloc(size);
    assert_non_null(copy);
    for (size_t at = 0; at < size; at += 1 + size / 200) {
        memcpy(copy, bytes, size);
        copy[at] ^= 0x10;
        assert_int_equal(spoor_partial_read(&read, copy, size, "copy", NULL), SPOOR_EINPUT);
        assert_int_equal(spoor_partial_read(&read, bytes, at, "copy", NULL), SPOOR_EINPUT);
    }
    assert_int_equal(spoor_partial_open(&read, "/nowhere/at/all", NULL), SPOOR_EINPUT);
    free(copy);
    spoor_partial_free(partial);
}

/* ---- one result of several ---- */

static struct spoor_result *counted(uint64_t misses, uint64_t accesses)
{
    struct spoor_result *result = spoor_result_new_object();
    spoor_result_unsigned(result, "accesses", accesses);
    spoor_result_unsigned(result, "misses", misses);
    spoor_result_real(result, "miss_ratio", (double)misses / (double)accesses, 4);
    return result;
}

static void ratios_are_those_of_combined_counts(void **state)
{
    struct spoor_result *a = counted(1, 10), *b = counted(8, 20), *sum = spoor_result_new_object(),
                        *mean = spoor_result_new_object(), *rows = spoor_result_new_array();
    const struct spoor_combine_part parts[] = {{a, 3}, {b, 1}};
    (void)state;
    assert_int_equal(spoor_combine(parts, 2, SPOOR_COMBINE_SUMS, sum), SPOOR_OK);
    assert_int_equal(whole_number(sum, NULL, "misses"), 9);
    assert_true(spoor_result_number(spoor_result_member(sum, "miss_ratio")) == 9.0 / 30);
    assert_int_equal(spoor_combine(parts, 2, SPOOR_COMBINE_MEANS, mean), SPOOR_OK);
    assert_true(spoor_result_number(spoor_result_member(mean, "misses")) == 2.75);
    assert_true(spoor_result_number(spoor_result_member(mean, "miss_ratio")) == 2.75 / 12.5);
    assert_int_equal(spoor_combine_errors(mean, sum, rows), SPOOR_OK);
    assert_int_equal(spoor_result_count(rows), 1);
    spoor_result_free(a);
    spoor_result_free(b);
    spoor_result_free(sum);
    spoor_result_free(mean);
    spoor_result_free(rows);
}

/* Adds a row named `name` with 1 of `accesses` missed. */
static void put_missed(struct spoor_result *rows, const char *name, uint64_t ways,
                       uint64_t accesses)
{
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "name", name);
    if (ways) spoor_result_unsigned(row, "ways", ways);
    spoor_result_real(row, "miss_ratio", 1 / (double)accesses, 4);
}

static double error_member(const struct spoor_result *rows, size_t index, const char *key)
{
    const struct spoor_result *at = spoor_result_first(rows);
    while (index--) at = spoor_result_next(at);
    at = spoor_result_member(at, key);
    return spoor_result_type_of(at) == SPOOR_RESULT_NULL ? -1 : spoor_result_number(at);
}

/* The lists differ in their order and in one row each; l2 has other ways. */
static void errors_pair_rows_by_name_and_design(void **state)
{
    struct spoor_result *estimated = spoor_result_new_object(), *whole = spoor_result_new_object(),
                        *errors = spoor_result_new_array();
    struct spoor_result *a = spoor_result_array(estimated, "caches"),
                        *b = spoor_result_array(whole, "caches");
    (void)state;
    put_missed(a, "l1d", 0, 4);
    put_missed(a, "l1i", 0, 5);
    put_missed(a, "l2", 4, 10);
    put_missed(b, "l1i", 0, 10);
    put_missed(b, "l2", 8, 20);
    put_missed(b, "l1d", 0, 4);
    assert_int_equal(spoor_combine_errors(estimated, whole, errors), SPOOR_OK);
    assert_int_equal(spoor_result_count(errors), 4);
    assert_true(error_member(errors, 0, "error_percent") == 0);
    assert_true(error_member(errors, 1, "error_percent") == 100);
    assert_true(error_member(errors, 2, "estimated") == 0.1);
    assert_true(error_member(errors, 2, "whole") == -1);
    assert_true(error_member(errors, 2, "error_percent") == -1);
    assert_true(error_member(errors, 3, "estimated") == -1);
    assert_true(error_member(errors, 3, "whole") == 0.05);
    spoor_result_free(estimated);
    spoor_result_free(whole);
    spoor_result_free(errors);
}

/* Three replicates of 9, 10 and 12 misses of 100 beside an estimate of 10: the variance is 2/3 of
 * 0.01^2 + 0.02^2, the quantile of Student's distribution for 2 degrees 4.30. */
static void confidence_is_that_of_the_jackknife(void **state)
{
    struct spoor_result *estimated = counted(10, 100), *rows = spoor_result_new_array();
    struct spoor_result *others[] = {counted(9, 100), counted(10, 100), counted(12, 100)};
    struct spoor_result *results[4] = {estimated, others[0], others[1], others[2]}, *ratios[4];
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        ratios[i] = spoor_result_new_object();
        const struct spoor_combine_part part = {results[i], 1};
        assert_int_equal(spoor_combine(&part, 1, SPOOR_COMBINE_MEANS, ratios[i]), SPOOR_OK);
    }
    assert_int_equal(spoor_combine_confidence(
                         ratios[0], (const struct spoor_result *const *)ratios + 1, 3, rows),
                     SPOOR_OK);
    assert_int_equal(spoor_result_count(rows), 1);
    const struct spoor_result *row = spoor_result_first(rows);
    const double half = spoor_result_number(spoor_result_member(row, "plus_minus"));
    assert_true(fabs(spoor_result_number(spoor_result_member(row, "estimated")) - 0.1) < 1e-12);
    assert_true(fabs(half / (4.303 * sqrt(2.0 / 3 * 0.0005)) - 1) < 0.02);
    assert_true(fabs(spoor_result_number(spoor_result_member(row, "percent")) / half - 1000) <
                1e-6);
    for (size_t i = 0; i < 4; i++) {
        spoor_result_free(results[i]);
        spoor_result_free(ratios[i]);
    }
    spoor_result_free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(exact_tools_are_joined_exactly),
        cmocka_unit_test(coverage_of_several_traces_is_joined),
        cmocka_unit_test(statistics_of_a_machine_are_joined_exactly),
        cmocka_unit_test(simulators_are_joined_by_sums),
        cmocka_unit_test(parts_of_a_check_continue_each_other),
        cmocka_unit_test(a_check_goes_on_where_the_last_part_ends),
        cmocka_unit_test(parts_that_do_not_fit_are_refused),
        cmocka_unit_test(a_state_is_saved_once),
        cmocka_unit_test(damaged_bytes_are_found),
        cmocka_unit_test(ratios_are_those_of_combined_counts),
        cmocka_unit_test(errors_pair_rows_by_name_and_design),
        cmocka_unit_test(confidence_is_that_of_the_jackknife),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
