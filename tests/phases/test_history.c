/* SPDX-License-Identifier: MIT */
/*
 * test_history.c: by public headers alone: of the micro-ops of a gap, the last fetch, access and
 * write of each line are replayed, in order, and the branches if they are wanted; a gap forgets the
 * one before.  The expected references follow from the rule in sampling.h, by hand; all branches of
 * a longer trace are those that the reader has.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "spoor/reader.h"
#include "spoor/sampling.h"

static char path[] = "/tmp/spoor-history-XXXXXX";

/* Code in the lines 1000 and 1040, data in the lines 2000 and 3000. */
static int make_trace(void **state)
{
    static const char text[] =
        "1 1000 8 -1 8 - - - 8 0 1004 0 ADDI ADD_IMM\n"
        "1 1004 -1 8 9 - - L 0 2000 1008 0 LD LOAD\n"
        "1 1008 9 8 -1 - - S 0 2008 100c 0 SD STORE\n"    /* the last write of 2000 */
        "1 100c -1 8 9 - - L 0 203f 1010 0 LD LOAD\n"     /* the last access to 2000 */
        "1 1010 -1 -1 -1 - T - 48 0 1014 1040 JAL JMP\n"  /* the last fetch of 1000 */
        "1 1040 -1 8 9 - - L 0 3000 1044 0 LD LOAD\n"     /* the last access to 3000 */
        "1 1044 8 -1 -1 R N - 8 0 1048 104c BNE JMP_NZ\n" /* a branch, and nothing else */
        "1 1048 8 -1 8 - - - 8 0 104c 0 ADDI ADD_IMM\n";  /* the last fetch of 1040 */
    (void)state;
    const int file = mkstemp(path);
    FILE *out = file < 0 ? NULL : fdopen(file, "w");
    return out && fputs(text, out) >= 0 && fclose(out) == 0 ? 0 : -1;
}

static int remove_trace(void **state)
{
    (void)state;
    return unlink(path);
}

static char packed[] = "/tmp/spoor-history-packed-XXXXXX";

static struct spoor_history *history_of(bool branches)
{
    const struct spoor_history_options options = {
        .struct_size = sizeof options, .branches = branches, .violations = branches};
    struct spoor_history *history = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_history_new(&history, &options, &error), SPOOR_OK);
    return history;
}

/* Adds a gap of the records `from` to `to` - 1. */
static void add_gap(struct spoor_history *history, size_t from, size_t to)
{
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_int_equal(spoor_history_begin(history, false, &error), SPOOR_OK);
    assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_OK);
    assert_int_equal(batch->count, 8);
    assert_int_equal(spoor_history_feed(history, batch, from, to, &error), SPOOR_OK);
    assert_int_equal(spoor_history_end(history, &error), SPOOR_OK);
    spoor_reader_close(reader);
}

static void write_packed(const char *bytes, size_t size)
{
    FILE *file = fopen(packed, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

/* Packs a history, frees it, and opens the bytes. */
static struct spoor_replay *replay_of(struct spoor_history *history)
{
    struct spoor_replay *replay = NULL;
    struct spoor_error error = {0};
    size_t size;
    const char *bytes = spoor_history_pack(history, &size);
    assert_non_null(bytes);
    write_packed(bytes, size);
    spoor_history_free(history);
    if (spoor_replay_open(&replay, packed, true, &error) != SPOOR_OK) fail_msg("%s", error.text);
    return replay;
}

struct use {
    enum spoor_reference_op op;
    uint64_t address;
};

/* The gap has these references, and this number of branches. */
static void assert_gap(struct spoor_replay *replay, size_t gap, const struct use *expected,
                       size_t expected_count, size_t branches)
{
    size_t count;
    spoor_replay_begin(replay, gap);
    const struct spoor_reference *references = spoor_replay_references(replay, &count);
    assert_int_equal(count, expected_count);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(references[i].op, expected[i].op);
        assert_int_equal(references[i].address, expected[i].address);
    }
    assert_null(spoor_replay_references(replay, &count));
    (void)spoor_replay_branches(replay, &count);
    assert_int_equal(count, branches);
    assert_null(spoor_replay_branches(replay, &count));
}

#define F SPOOR_REFERENCE_FETCH
#define R SPOOR_REFERENCE_READ
#define W SPOOR_REFERENCE_WRITE
static const struct use all_uses[] = {
    {W, 0x2000}, {R, 0x2000}, {F, 0x1000}, {R, 0x3000}, {F, 0x1040}};

static void the_last_uses_are_kept_in_order(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(false);
    add_gap(history, 0, 8);
    struct spoor_replay *replay = replay_of(history);
    assert_int_equal(spoor_replay_gaps(replay), 1);
    assert_false(spoor_replay_has_branches(replay));
    assert_gap(replay, 0, all_uses, 5, 0);
    assert_gap(replay, 1, NULL, 0, 0);
    spoor_replay_close(replay);
}

static void branches_are_kept_if_they_are_wanted(void **state)
{
    (void)state;
    size_t count;
    struct spoor_history *history = history_of(true);
    add_gap(history, 0, 8);
    struct spoor_replay *replay = replay_of(history);
    assert_true(spoor_replay_has_branches(replay));
    assert_gap(replay, 0, all_uses, 5, 2);
    spoor_replay_begin(replay, 0);
    const struct spoor_branch *branches = spoor_replay_branches(replay, &count);
    assert_int_equal(branches[0].pc, 0x1010);
    assert_int_equal(branches[0].target, 0x1040);
    assert_true(branches[0].has & SPOOR_BRANCH_TAKEN);
    assert_int_equal(branches[1].pc, 0x1044);
    assert_int_equal(branches[1].target, 0x104c);
    assert_int_equal(branches[1].fall, 0x1048);
    assert_false(branches[1].has & SPOOR_BRANCH_TAKEN);
    assert_int_equal(branches[1].type, SPOOR_BRANCH_CONDITIONAL);
    spoor_replay_close(replay);
}

static void branches_are_passed_over(void **state)
{
    (void)state;
    struct spoor_replay *replay = NULL;
    struct spoor_history *history = history_of(true);
    add_gap(history, 0, 8);
    spoor_replay_close(replay_of(history));
    assert_int_equal(spoor_replay_open(&replay, packed, false, NULL), SPOOR_OK);
    assert_gap(replay, 0, all_uses, 5, 0);
    spoor_replay_close(replay);
}

static void a_gap_forgets_the_one_before(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(false);
    add_gap(history, 0, 8);
    add_gap(history, 1, 3);
    add_gap(history, 4, 4);
    add_gap(history, 0, 2);
    struct spoor_replay *replay = replay_of(history);
    assert_int_equal(spoor_replay_gaps(replay), 4);
    assert_gap(replay, 3, (const struct use[]){{F, 0x1000}, {R, 0x2000}}, 2, 0);
    assert_gap(replay, 1, (const struct use[]){{F, 0x1000}, {W, 0x2000}}, 2, 0);
    assert_gap(replay, 2, NULL, 0, 0);
    assert_gap(replay, 0, all_uses, 5, 0);
    spoor_replay_close(replay);
    spoor_replay_close(NULL);
}

/* ---- all branches of a program ---- */

static bool is_same(const struct spoor_branch *one, const struct spoor_branch *other)
{
    return one->pc == other->pc && one->target == other->target && one->fall == other->fall &&
           one->type == other->type && one->has == other->has;
}

/* Collects a trace in gaps of `length` records, or of each batch, and all its branches. */
static struct spoor_replay *replay_of_trace(const char *trace, struct spoor_branches *all,
                                            size_t length)
{
    struct spoor_history *history = history_of(true);
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, trace, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        assert_int_equal(spoor_branches_add(all, batch, NULL), SPOOR_OK);
        for (size_t at = 0; at < batch->count; at += length) {
            const size_t end = batch->count - at < length ? batch->count : at + length;
            assert_int_equal(spoor_history_begin(history, false, NULL), SPOOR_OK);
            assert_int_equal(spoor_history_feed(history, batch, at, end, NULL), SPOOR_OK);
            assert_int_equal(spoor_history_end(history, NULL), SPOOR_OK);
        }
    }
    spoor_reader_close(reader);
    return replay_of(history);
}

static void every_branch_is_replayed(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 97, 5000, SIZE_MAX};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct spoor_branches all = {0};
        const struct spoor_branch *branches;
        size_t at = 0, count;
        struct spoor_replay *replay =
            replay_of_trace(SOURCE_ROOT "/examples/sort-x86_64.uop.xz", &all, lengths[i]);
        for (size_t gap = 0; gap < spoor_replay_gaps(replay); gap++) {
            spoor_replay_begin(replay, gap);
            while ((branches = spoor_replay_branches(replay, &count)))
                for (size_t k = 0; k < count; k++, at++) {
                    assert_true(at < all.count);
                    assert_true(is_same(&branches[k], &all.items[at]));
                }
        }
        assert_true(all.count > 1000);
        assert_int_equal(at, all.count);
        spoor_branches_free(&all);
        spoor_replay_close(replay);
    }
}

/* The violations of all gaps are those of the pipeline that runs the trace at once. */
static void violations_are_those_of_a_pipeline(void **state)
{
    (void)state;
    static const char trace[] = SOURCE_ROOT "/examples/sort-x86_64.uop.xz";
    const struct spoor_pipeline_options options = {.struct_size = sizeof options,
                                                   .violations = true};
    struct spoor_pipeline_config config;
    struct spoor_pipeline *pipeline = NULL;
    struct spoor_branches branches = {0};
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    size_t count, all, at = 0;
    struct spoor_replay *replay = replay_of_trace(trace, &branches, 1000);
    assert_true(spoor_pipeline_preset("general", &config));
    assert_int_equal(spoor_pipeline_set(&config, "predictor", "tage-sc-l", &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_new(&pipeline, &options, &error), SPOOR_OK);
    assert_int_equal(spoor_pipeline_add(pipeline, &config, &error), SPOOR_OK);
    assert_int_equal(spoor_reader_open(&reader, trace, NULL, &error), SPOOR_OK);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK)
        assert_int_equal(spoor_pipeline_feed(pipeline, batch, &error), SPOOR_OK);
    spoor_reader_close(reader);
    const struct spoor_memory_violation *expected = spoor_pipeline_violations(pipeline, 0, &all);
    for (size_t gap = 0; gap < spoor_replay_gaps(replay); gap++) {
        const struct spoor_memory_violation *found = spoor_replay_violations(replay, gap, &count);
        for (size_t i = 0; i < count; i++, at++) {
            assert_true(at < all);
            assert_int_equal(found[i].load, expected[at].load);
            assert_int_equal(found[i].store, expected[at].store);
        }
    }
    assert_true(all > 0);
    assert_int_equal(at, all);
    assert_null(spoor_replay_violations(replay, spoor_replay_gaps(replay), &count));
    spoor_pipeline_free(pipeline);
    spoor_branches_free(&branches);
    spoor_replay_close(replay);
}

static void a_whole_gap_has_every_reference(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(true);
    struct spoor_references all = {0};
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    const struct spoor_reference *references;
    uint64_t instructions = 0;
    size_t at = 0, count;
    assert_int_equal(spoor_history_begin(history, true, NULL), SPOOR_OK);
    if (spoor_reader_open(&reader, SOURCE_ROOT "/examples/sort-x86_64.uop.xz", NULL, &error) !=
        SPOOR_OK)
        fail_msg("%s", error.text);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        assert_int_equal(spoor_references_add(&all, batch, NULL, NULL), SPOOR_OK);
        assert_int_equal(spoor_history_feed(history, batch, 0, batch->count, NULL), SPOOR_OK);
    }
    assert_int_equal(spoor_history_end(history, NULL), SPOOR_OK);
    spoor_reader_close(reader);
    struct spoor_replay *replay = replay_of(history);
    spoor_replay_begin(replay, 0);
    while ((references = spoor_replay_references(replay, &count)))
        for (size_t i = 0; i < count; i++, at++) {
            const struct spoor_reference *expected = &all.items[at];
            assert_true(at < all.count);
            assert_int_equal(references[i].address, expected->address);
            assert_int_equal(references[i].pc, expected->pc);
            assert_int_equal(references[i].size, expected->size);
            assert_int_equal(references[i].op, expected->op);
            assert_int_equal(references[i].has, expected->has);
            instructions += expected->op == SPOOR_REFERENCE_FETCH;
        }
    assert_true(all.count > 1000);
    assert_int_equal(at, all.count);
    assert_int_equal(spoor_replay_instructions(replay, 0), instructions);
    spoor_references_free(&all);
    spoor_replay_close(replay);
}

/* ---- damage ---- */

static void damage_is_refused(void **state)
{
    (void)state;
    char copy[4096];
    size_t size;
    struct spoor_replay *replay = NULL;
    struct spoor_error error = {0};
    struct spoor_history *history = history_of(true);
    add_gap(history, 0, 8);
    const char *bytes = spoor_history_pack(history, &size);
    assert_non_null(bytes);
    assert_true(size < sizeof copy);
    for (size_t at = 0; at < size; at++) {
        memcpy(copy, bytes, size);
        copy[at] = (char)(copy[at] ^ 0x10);
        write_packed(copy, size);
        assert_int_equal(spoor_replay_open(&replay, packed, true, &error), SPOOR_EINPUT);
        write_packed(bytes, at);
        assert_int_equal(spoor_replay_open(&replay, packed, true, &error), SPOOR_EINPUT);
    }
    assert_int_equal(spoor_replay_open(&replay, "/nonexistent", true, &error), SPOOR_EINPUT);
    spoor_history_free(history);
    spoor_history_free(NULL);
}

static int make_files(void **state)
{
    const int file = mkstemp(packed);
    return file < 0 || close(file) != 0 ? -1 : make_trace(state);
}

static int remove_files(void **state)
{
    return unlink(packed) != 0 ? -1 : remove_trace(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_uses_are_kept_in_order),
        cmocka_unit_test(branches_are_kept_if_they_are_wanted),
        cmocka_unit_test(branches_are_passed_over),
        cmocka_unit_test(a_gap_forgets_the_one_before),
        cmocka_unit_test(every_branch_is_replayed),
        cmocka_unit_test(violations_are_those_of_a_pipeline),
        cmocka_unit_test(a_whole_gap_has_every_reference),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
