/* SPDX-License-Identifier: MIT */
/*
 * test_history.c: by public headers alone: of the micro-ops of a gap, the last fetch, access and
 * write of each line are kept, in order, and the branches if they are wanted; a gap forgets the one
 * before.  The expected records follow from the rule in sampling.h, by hand.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
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

/* The history keeps these records of the gap from `from` to `to` - 1. */
static void assert_kept(struct spoor_history *history, size_t from, size_t to,
                        const uint64_t *expected, size_t expected_count)
{
    struct spoor_reader *reader = NULL;
    struct spoor_error error = {0};
    const struct spoor_batch *batch;
    size_t count = 1;
    if (spoor_reader_open(&reader, path, NULL, &error) != SPOOR_OK) fail_msg("%s", error.text);
    spoor_history_begin(history);
    assert_int_equal(spoor_reader_next(reader, &batch, &error), SPOOR_OK);
    assert_int_equal(batch->count, 8);
    assert_int_equal(spoor_history_feed(history, batch, from, to, &error), SPOOR_OK);
    assert_int_equal(spoor_history_end(history, &error), SPOOR_OK);
    spoor_reader_close(reader);
    const uint64_t *records = spoor_history_records(history, &count);
    assert_int_equal(count, expected_count);
    if (count)
        assert_memory_equal(records, expected, count * sizeof *records);
    else
        assert_null(records);
}

static struct spoor_history *history_of(bool branches)
{
    const struct spoor_history_options options = {.struct_size = sizeof options,
                                                  .branches = branches};
    struct spoor_history *history = NULL;
    struct spoor_error error = {0};
    assert_int_equal(spoor_history_new(&history, &options, &error), SPOOR_OK);
    return history;
}

static void the_last_uses_are_kept_in_order(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(false);
    assert_kept(history, 0, 8, (const uint64_t[]){2, 3, 4, 5, 7}, 5);
    spoor_history_free(history);
}

static void branches_are_kept_if_they_are_wanted(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(true);
    assert_kept(history, 0, 8, (const uint64_t[]){2, 3, 4, 5, 6, 7}, 6);
    spoor_history_free(history);
}

static void a_gap_forgets_the_one_before(void **state)
{
    (void)state;
    struct spoor_history *history = history_of(false);
    assert_kept(history, 0, 8, (const uint64_t[]){2, 3, 4, 5, 7}, 5);
    assert_kept(history, 1, 3, (const uint64_t[]){2}, 1);
    assert_kept(history, 4, 4, NULL, 0);
    assert_kept(history, 0, 2, (const uint64_t[]){1}, 1);
    spoor_history_free(history);
    spoor_history_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_uses_are_kept_in_order),
        cmocka_unit_test(branches_are_kept_if_they_are_wanted),
        cmocka_unit_test(a_gap_forgets_the_one_before),
    };
    return cmocka_run_group_tests(tests, make_trace, remove_trace);
}
