/* SPDX-License-Identifier: MIT */
/*
 * test_same_branches.c: a pipeline has the same branches as the view of branches, in every trace of
 * ../shared, with the same outcome, type and target.
 *
 * Only the beginning of large traces is compared.  SPOOR_SOAK=1 in the environment compares
 * everything.
 */
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/inline.h"
#include "simulate/pipeline/operation.h"
#include "views/published.h"

#ifdef IS_SANITIZED
enum { MAX_RECORDS = 30000 };
#else
enum { MAX_RECORDS = 150000 };
#endif

struct sums {
    uint64_t branches, conditional, taken, targets;
};

static struct {
    unsigned traces, with_branches;
} walked;

static void add_branches(struct sums *sums, struct spoor_branches *branches)
{
    for (size_t i = 0; i < branches->count; i++) {
        const struct spoor_branch *branch = &branches->items[i];
        sums->branches++;
        sums->conditional += (branch->type & SPOOR_BRANCH_CONDITIONAL) != 0;
        sums->taken += (branch->has & SPOOR_BRANCH_TAKEN) != 0;
        if (branch->has & SPOOR_BRANCH_HAS_TARGET) sums->targets += branch->target ^ branch->pc;
    }
    branches->count = 0;
}

static void add_operations(struct sums *sums, struct operations *operations)
{
    for (size_t i = 0; i < operations->count; i++) {
        const struct spoor_operation *operation = &operations->items[i];
        if (!(operation->is & (SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN))) continue;
        sums->branches++;
        sums->conditional += (operation->branch & SPOOR_BRANCH_CONDITIONAL) != 0;
        sums->taken += (operation->is & SPOOR_UOP_TAKEN) != 0;
        if (operation->target) sums->targets += operation->target ^ operation->pc;
    }
    operations->count = 0;
}

static void compare(struct spoor_reader *reader, const char *path)
{
    struct spoor_branches branches = {0};
    struct operations operations = {0};
    struct sums seen = {0}, met = {0};
    const struct spoor_batch *batch;
    struct spoor_error error = {0};
    const uint64_t maximum = getenv("SPOOR_SOAK") ? UINT64_MAX : MAX_RECORDS;
    for (uint64_t records = 0;
         records < maximum && spoor_reader_next(reader, &batch, &error) == SPOOR_OK;
         records += batch->count) {
        assert_int_equal(spoor_branches_add(&branches, batch, NULL), SPOOR_OK);
        operations_add(&operations, batch, 0, batch->count, NULL, 0);
        add_branches(&seen, &branches);
        add_operations(&met, &operations);
    }
    assert_int_equal(spoor_branches_end(&branches, NULL), SPOOR_OK);
    operations_end(&operations);
    add_branches(&seen, &branches);
    add_operations(&met, &operations);
    assert_false(operations.failed);
    if (memcmp(&seen, &met, sizeof seen) != 0)
        print_message("%s: %llu and %llu branches\n", path, (unsigned long long)seen.branches,
                      (unsigned long long)met.branches);
    assert_memory_equal(&seen, &met, sizeof seen);
    walked.traces++;
    walked.with_branches += seen.branches > 0;
    spoor_branches_free(&branches);
    operations_free(&operations);
}

static int visit(const char *path, const struct stat *status, int what, struct FTW *place)
{
    (void)status;
    (void)place;
    struct spoor_reader *reader;
    struct spoor_error error = {0};
    if (what != FTW_F) return 0;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) return 0;
    compare(reader, path);
    spoor_reader_close(reader);
    return 0;
}

static void every_shared_trace_has_the_same_branches(void **state)
{
    (void)state;
    char path[512];
    if (!find_published(path, "traces")) skip();
    assert_int_equal(nftw(path, visit, 16, FTW_PHYS), 0);
    print_message("%u traces, %u with branches\n", walked.traces, walked.with_branches);
    assert_true(walked.with_branches >= 25);
}

static void every_example_has_the_same_branches(void **state)
{
    (void)state;
    static const char *const names[] = {"list.uop.xz", "list.tarmac.xz", "list.matcher.xz",
                                        "list-aarch64.tarmac.xz", "search.lackey.xz"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        struct spoor_reader *reader = open_example(names[i]);
        compare(reader, names[i]);
        spoor_reader_close(reader);
    }
    assert_int_equal(walked.with_branches, walked.traces);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_example_has_the_same_branches),
        cmocka_unit_test(every_shared_trace_has_the_same_branches),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
