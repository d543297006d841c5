/* SPDX-License-Identifier: MIT */
/* test_array.c: growing arrays keep their items, share capacities and refuse impossible sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/array.h"

static void test_append(void **state)
{
    uint32_t *items = NULL;
    size_t capacity = 0, moves = 0;
    (void)state;
    for (size_t count = 0; count < 10000; count++) {
        const size_t before = capacity;
        assert_true(array_reserve(&items, &capacity, count + 1));
        moves += capacity != before;
        items[count] = (uint32_t)count;
    }
    for (size_t i = 0; i < 10000; i++) assert_int_equal(items[i], i);
    assert_in_range(moves, 1, 12);
    free(items);
}

static void test_zeroed(void **state)
{
    uint64_t *items = NULL;
    size_t capacity = 0;
    (void)state;
    for (size_t wanted = 1; wanted < 5000; wanted *= 3) {
        assert_true(array_reserve_zeroed(&items, &capacity, wanted));
        assert_true(capacity >= wanted);
        for (size_t i = 0; i < capacity; i++)
            assert_int_equal(items[i], i < wanted / 3 ? i + 1 : 0);
        for (size_t i = 0; i < wanted; i++) items[i] = i + 1;
    }
    free(items);
}

/* Arrays of items of different sizes have the same capacity after the same requests. */
static void test_shared_capacity(void **state)
{
    char *bytes = NULL;
    struct {
        uint64_t words[9];
    } *wide = NULL;
    size_t of_bytes = 0, of_wide = 0;
    (void)state;
    for (size_t wanted = 1; wanted < 3000; wanted += wanted / 7 + 1) {
        assert_true(array_reserve(&bytes, &of_bytes, wanted));
        assert_true(array_reserve(&wide, &of_wide, wanted));
        assert_int_equal(of_bytes, of_wide);
    }
    free(bytes);
    free(wide);
}

static void test_too_large(void **state)
{
    uint64_t *items = NULL;
    size_t capacity = 0;
    (void)state;
    assert_true(array_reserve(&items, &capacity, 3));
    items[2] = 7;
    const size_t before = capacity;
    assert_false(array_reserve(&items, &capacity, SIZE_MAX));
    assert_false(array_reserve(&items, &capacity, SIZE_MAX / 8 + 2));
    assert_false(array_reserve_zeroed(&items, &capacity, PTRDIFF_MAX / 8 + 1));
    assert_int_equal(capacity, before);
    assert_int_equal(items[2], 7);
    free(items);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_append),
        cmocka_unit_test(test_zeroed),
        cmocka_unit_test(test_shared_capacity),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
