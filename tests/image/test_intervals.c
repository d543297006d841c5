/* SPDX-License-Identifier: MIT */
/* test_intervals.c: lookups equal a search through all ranges, whatever the ranges. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "image/intervals.h"

enum { ADDRESSES = 64, RANGES = 12, ROUNDS = 4000 };

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

struct range {
    uint64_t low, high;
};

/* Returns the range that begins last; of equal beginnings the shortest, then the last. */
static uint32_t search(const struct range *ranges, size_t count, uint64_t address)
{
    uint32_t best = INTERVAL_NONE;
    for (uint32_t i = 0; i < count; i++) {
        if (address < ranges[i].low || address >= ranges[i].high) continue;
        const bool better =
            best == INTERVAL_NONE || ranges[i].low > ranges[best].low ||
            (ranges[i].low == ranges[best].low && ranges[i].high <= ranges[best].high);
        if (better) best = i;
    }
    return best;
}

static void any_ranges(void **state)
{
    (void)state;
    uint64_t seed = 1;
    for (int round = 0; round < ROUNDS; round++) {
        struct intervals intervals = {0};
        struct range ranges[RANGES];
        const size_t count = next_random(&seed) % (RANGES + 1);
        for (size_t i = 0; i < count; i++) {
            ranges[i].low = next_random(&seed) % ADDRESSES;
            ranges[i].high = ranges[i].low + next_random(&seed) % (ADDRESSES / 2);
            intervals_add(&intervals, ranges[i].low, ranges[i].high, (uint32_t)i);
        }
        intervals_build(&intervals);
        for (uint64_t address = 0; address < 2 * ADDRESSES; address++)
            assert_int_equal(intervals_find(&intervals, address), search(ranges, count, address));
        assert_false(intervals.failed);
        intervals_free(&intervals);
    }
}

static void ends_of_the_address_space(void **state)
{
    (void)state;
    struct intervals intervals = {0};
    intervals_build(&intervals);
    assert_int_equal(intervals_find(&intervals, 0), INTERVAL_NONE);
    intervals_add(&intervals, UINT64_MAX - 4, UINT64_MAX, 7);
    intervals_add(&intervals, 0, 1, 3);
    intervals_add(&intervals, 9, 9, 4);
    intervals_build(&intervals);
    assert_int_equal(intervals_find(&intervals, 0), 3);
    assert_int_equal(intervals_find(&intervals, 1), INTERVAL_NONE);
    assert_int_equal(intervals_find(&intervals, 9), INTERVAL_NONE);
    assert_int_equal(intervals_find(&intervals, UINT64_MAX - 1), 7);
    assert_int_equal(intervals_find(&intervals, UINT64_MAX), INTERVAL_NONE);
    intervals_free(&intervals);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_ranges),
        cmocka_unit_test(ends_of_the_address_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
