/* SPDX-License-Identifier: MIT */
/*
 * test_history.c: by public headers alone: of the micro-ops of a gap, the last fetch, access and
 * write of each line are replayed, in order, and the branches if they are wanted; a gap forgets the
 * one before.  The expected references follow from the rule in sampling.h, by hand; all branches of
 * a longer trace are those that the reader has; caches have from the reduced references the counts
 * that they have from all.
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

#include "spoor/cache.h"
#include "spoor/reader.h"
#include "spoor/sampling.h"
#include "spoor/tlb.h"

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

/* Collects a trace in gaps of `length` records, and all its branches. */
static struct spoor_replay *replay_of_trace(const char *trace, struct spoor_branches *all,
                                            size_t length)
{
    size_t left = 0; /* records until the gap ends; 0: none has begun */
    struct spoor_history *history = history_of(true);
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    if (spoor_reader_open(&reader, trace, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
        assert_int_equal(spoor_branches_add(all, batch, NULL), SPOOR_OK);
        for (size_t at = 0, end; at < batch->count; at = end) {
            if (!left) assert_int_equal(spoor_history_begin(history, false, NULL), SPOOR_OK);
            if (!left) left = length;
            end = batch->count - at < left ? batch->count : at + left;
            assert_int_equal(spoor_history_feed(history, batch, at, end, NULL), SPOOR_OK);
            left -= end - at;
            if (!left) assert_int_equal(spoor_history_end(history, NULL), SPOOR_OK);
        }
    }
    if (left) assert_int_equal(spoor_history_end(history, NULL), SPOOR_OK);
    spoor_reader_close(reader);
    return replay_of(history);
}

/* Gaps of few branches, and of more than one block, which are followed together. */
static void every_branch_is_replayed(void **state)
{
    (void)state;
    static const size_t lengths[] = {1, 97, 5000, 12000, SIZE_MAX};
    size_t longest = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        struct spoor_branches all = {0};
        const struct spoor_branch *branches;
        size_t at = 0, count;
        struct spoor_replay *replay =
            replay_of_trace(SOURCE_ROOT "/examples/search-x86_64.uop.xz", &all, lengths[i]);
        for (size_t gap = 0; gap < spoor_replay_gaps(replay); gap++) {
            const size_t before = at;
            spoor_replay_begin(replay, gap);
            while ((branches = spoor_replay_branches(replay, &count)))
                for (size_t k = 0; k < count; k++, at++) {
                    assert_true(at < all.count);
                    assert_true(is_same(&branches[k], &all.items[at]));
                }
            if (longest < at - before) longest = at - before;
        }
        assert_true(all.count > 1000);
        assert_int_equal(at, all.count);
        spoor_branches_free(&all);
        spoor_replay_close(replay);
    }
    assert_true(longest > 1024);
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

/* ---- the references of all gaps, reduced ---- */

enum { RECORDS = 30000, PASSES = 24, DESIGN_LEVELS = 3 };

/* A design, and the reduction that has its counts. */
static const struct design {
    enum spoor_reduced reduced;
    bool classes;
    const char *levels[DESIGN_LEVELS];
} designs[] = {
    {SPOOR_REDUCED_USUAL, true, {"l1i:32K,8,64", "l1d:32K,8,64", "l2:128K,16,64"}},
    {SPOOR_REDUCED_USUAL, true, {"l1i:48K,12,64", "l1d:64K,8,64", "u:64K,4,64,policy=srrip"}},
    {SPOOR_REDUCED_USUAL, true, {"l1i:32K,full,64", "l1d:32K,8,64,victim=8", "u:64K,4,128"}},
    {SPOOR_REDUCED_LARGE, true, {"l1i:16K,4,64", "l1d:32K,4,64", "u:64K,8,64,policy=plru"}},
    {SPOOR_REDUCED_LARGE, true, {"l1i:48K,6,64", "l1d:16K,full,64", "u:64K,8,64,incl=exclusive"}},
    {SPOOR_REDUCED_SMALL, true, {"l1i:16K,2,64", "l1d:48K,6,128", "u:64K,8,64"}},
    {SPOOR_REDUCED_SMALL, true, {"l1i:4K,1,64", "l1d:8K,4,64", "u:16K,4,64"}},
    {SPOOR_REDUCED_SMALL, false, {"l1i:16K,8,64,policy=fifo", "l1d:16K,4,64,policy=random"}},
    {SPOOR_REDUCED_SMALL, true, {"l1i:8K,2,128", "l1d:16K,8,64,policy=plru"}},
    {SPOOR_REDUCED_PAGES, true, {"i:64,4,4K,takes=fetch", "d:16,full,4K,takes=data", "u:64,4,4K"}},
    {SPOOR_REDUCED_PAGES, true, {"i:32,2,4K,takes=fetch", "d:16,4,16K,takes=data", "u:64,4,64K"}},
    {SPOOR_REDUCED_UNIFIED, true, {"u:64K,8,64"}},
    {SPOOR_REDUCED_UNIFIED, true, {"u:48K,12,64,victim=4", "l2:64K,4,64,policy=fifo"}},
    {SPOOR_REDUCED_NONE, true, {"u:64K,4,64"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64,parent=memory", "u:64K,8,64"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64,prefetch=next"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64,write=through"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64,alloc=no"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64,policy=srrip"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64", "u:64K,8,64,incl=inclusive"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,64", "l1d:32K,8,64", "u:64K,8,64,policy=ship"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:16K,8,64,policy=fifo", "l1d:32K,8,64"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:1K,1,64", "l1d:32K,8,64"}},
    {SPOOR_REDUCED_NONE, true, {"l1i:32K,8,32", "l1d:32K,8,64"}},
};
enum { DESIGNS = sizeof designs / sizeof *designs };

static struct spoor_cache_system *system_of(const struct design *design)
{
    const struct spoor_cache_options options = {.struct_size = sizeof options,
                                                .classify = design->classes};
    struct spoor_cache_level levels[DESIGN_LEVELS];
    struct spoor_cache_system *system = NULL;
    struct spoor_error error = {0};
    size_t count = 0;
    for (; count < DESIGN_LEVELS && design->levels[count]; count++) {
        const char *words = design->levels[count];
        const enum spoor_status status =
            design->reduced == SPOOR_REDUCED_PAGES
                ? spoor_tlb_level_parse(&levels[count], words, &error)
                : spoor_cache_level_parse(&levels[count], words, &error);
        if (status != SPOOR_OK) fail_msg("%s", error.text);
    }
    if (spoor_cache_system_new(&system, levels, count, &options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    return system;
}

static uint32_t draw(uint32_t limit)
{
    static uint64_t state = 1;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)((state >> 33) % limit);
}

/* A program whose fetches and accesses go on for a while where they are, and then to another place:
 * near ones are likelier than far ones. */
static void write_program(const char *name)
{
    unsigned long long pc = 0x400000, data = 0x10000000;
    FILE *out = fopen(name, "w");
    assert_non_null(out);
    for (int i = 0; i < RECORDS; i++) {
        const unsigned long long next = pc + 1 + draw(15);
        const uint32_t kind = draw(3);
        fprintf(out, "1 %llx 8 -1 8 ", pc);
        if (kind == 0) fprintf(out, "- - - 8 0 %llx 0 ADDI ADD_IMM\n", next);
        if (kind == 1) fprintf(out, "- - L 0 %llx %llx 0 LD LOAD\n", data, next);
        if (kind == 2) fprintf(out, "- - S 0 %llx %llx 0 SD STORE\n", data, next);
        pc = draw(8) ? next : 0x400000 + (UINT64_C(64) * draw(1 + draw(1 + draw(4096))));
        data = draw(3) ? data + draw(32)
                       : 0x10000000 + (UINT64_C(64) * draw(1 + draw(1 + draw(8192))));
    }
    assert_int_equal(fclose(out), 0);
}

static void assert_same_counts(const struct spoor_cache_system *one,
                               const struct spoor_cache_system *other, size_t design)
{
    for (size_t i = 0; i < spoor_cache_system_count(one); i++)
        if (memcmp(spoor_cache_system_counts(one, i), spoor_cache_system_counts(other, i),
                   sizeof(struct spoor_cache_counts)) != 0)
            fail_msg("design %zu, level %zu", design, i);
}

/* Feeds the reduced references to the caches of a design, whose counts are then those of all. */
static void assert_reduced(struct spoor_replay *replay, size_t design,
                           const struct spoor_cache_system *whole, uint64_t all)
{
    const struct spoor_reference *references;
    struct spoor_error error = {0};
    uint64_t fed = 0;
    size_t count;
    struct spoor_cache_system *system = system_of(&designs[design]);
    if (spoor_replay_begin_reduced(replay, designs[design].reduced, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    for (; (references = spoor_replay_references(replay, &count)); fed += count)
        assert_int_equal(spoor_cache_system_feed(system, references, count, NULL), SPOOR_OK);
    assert_in_range(fed, 1, all / 2);
    spoor_cache_system_complete(system, spoor_replay_totals(replay));
    assert_same_counts(system, whole, design);
    spoor_cache_system_free(system);
}

/* The trace is several chunks of the reduction. */
static void reduced_references_have_the_counts_of_all(void **state)
{
    (void)state;
    char program[] = "/tmp/spoor-history-program-XXXXXX";
    struct spoor_cache_system *systems[DESIGNS];
    struct spoor_history *history = history_of(false);
    struct spoor_references some = {0};
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    uint64_t all = 0;
    const int file = mkstemp(program);
    assert_true(file >= 0 && close(file) == 0);
    write_program(program);
    for (size_t i = 0; i < DESIGNS; i++) systems[i] = system_of(&designs[i]);
    for (int pass = 0; pass < PASSES; pass++) {
        struct spoor_reader *reader = NULL;
        assert_int_equal(spoor_reader_open(&reader, program, NULL, &error), SPOOR_OK);
        while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
            some.count = 0;
            assert_int_equal(spoor_references_add(&some, batch, NULL, NULL), SPOOR_OK);
            all += some.count;
            for (size_t i = 0; i < DESIGNS; i++)
                if (designs[i].reduced)
                    spoor_cache_system_feed(systems[i], some.items, some.count, NULL);
            assert_int_equal(spoor_history_begin(history, pass % 2, NULL), SPOOR_OK);
            assert_int_equal(spoor_history_feed(history, batch, 0, batch->count, NULL), SPOOR_OK);
            assert_int_equal(spoor_history_end(history, NULL), SPOOR_OK);
        }
        spoor_reader_close(reader);
    }
    struct spoor_replay *replay = replay_of(history);
    for (size_t i = 0; i < DESIGNS; i++) {
        assert_int_equal(spoor_reduced_for(systems[i]), designs[i].reduced);
        if (designs[i].reduced) assert_reduced(replay, i, systems[i], all);
        spoor_cache_system_free(systems[i]);
    }
    assert_int_equal(unlink(program), 0);
    spoor_references_free(&some);
    spoor_replay_close(replay);
}

/* ---- damage ---- */

/* True if the file is refused, when it is opened or when its reduced references are read. */
static bool is_refused(void)
{
    struct spoor_replay *replay = NULL;
    struct spoor_error error = {0};
    if (spoor_replay_open(&replay, packed, true, &error) != SPOOR_OK)
        return error.status == SPOOR_EINPUT;
    bool refused = false;
    for (unsigned i = SPOOR_REDUCED_NONE + 1; i < SPOOR_REDUCED_KINDS; i++)
        refused |= spoor_replay_begin_reduced(replay, (enum spoor_reduced)i, NULL) == SPOOR_EINPUT;
    spoor_replay_close(replay);
    return refused;
}

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
        assert_true(is_refused());
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
        cmocka_unit_test(reduced_references_have_the_counts_of_all),
        cmocka_unit_test(damage_is_refused),
    };
    return cmocka_run_group_tests(tests, make_files, remove_files);
}
