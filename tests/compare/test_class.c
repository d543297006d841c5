/* SPDX-License-Identifier: MIT */
/* test_class.c: the class of two values that differ, of values that are made to differ so. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "compare/compare.h"

static uint64_t random_word(void)
{
    static uint64_t seed = 88172645463325252;
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed * UINT64_C(0x2545F4914F6CDD1D);
}

/* Whichever side has which. */
static void assert_class(uint64_t left, uint64_t right, enum spoor_diff_class class)
{
    if (value_class(left, right) == class && value_class(right, left) == class) return;
    fail_msg("%llx and %llx: class %d and %d, expected %d", (unsigned long long)left,
             (unsigned long long)right, (int)value_class(left, right),
             (int)value_class(right, left), (int)class);
}

static void each_bit(void **state)
{
    (void)state;
    for (unsigned bit = 0; bit < 64; bit++) {
        const uint64_t value = random_word();
        assert_class(value, value ^ UINT64_C(1) << bit, SPOOR_DIFF_VALUE_BIT);
    }
}

/* A step that is no one bit: the lowest is set. */
static void steps(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 1000; i++) {
        const uint64_t value = random_word() >> random_word() % 60 | 1;
        if (value + 1 != 0) assert_class(value, value + 1, SPOOR_DIFF_VALUE_STEP);
    }
    assert_class(UINT64_MAX, 0, SPOOR_DIFF_VALUE_STEP);
}

/* Signs of 8, 16 and 32 bits, to 32 and to 64 bits, and negatives. */
static void signs(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 3000; i++) {
        const unsigned width = 8U << i % 3;
        const uint64_t low = (random_word() & ((UINT64_C(1) << width) - 1)) | UINT64_C(1)
                                                                                  << (width - 1),
                       high = ~UINT64_C(0) << width;
        assert_class(low, low | high, SPOOR_DIFF_VALUE_SIGN);
        if (width < 32) assert_class(low, (uint32_t)(low | high), SPOOR_DIFF_VALUE_SIGN);
        const uint64_t number = (random_word() >> 8) + 2;
        if (__builtin_popcountll(number ^ (0 - number)) > 1)
            assert_class(number, 0 - number, SPOOR_DIFF_VALUE_SIGN);
    }
    /* a bit less than the sign is none */
    assert_class(0x7A, UINT64_C(0xFFFFFFFFFFFFFF7A), SPOOR_DIFF_VALUE);
    assert_class(0x7ABC, UINT64_C(0xFFFFFFFFFFFF7ABC), SPOOR_DIFF_VALUE);
}

static void reversed(void **state)
{
    (void)state;
    assert_class(0x12345678, 0x78563412, SPOOR_DIFF_VALUE_ENDIAN);
    assert_class(UINT64_C(0x0123456789ABCDEF), UINT64_C(0xEFCDAB8967452301),
                 SPOOR_DIFF_VALUE_ENDIAN);
    /* of 32 bits in 64 they are not */
    assert_class(UINT64_C(0x100000000) | 0x12345678, UINT64_C(0x100000000) | 0x78563412,
                 SPOOR_DIFF_VALUE);
}

static void upper_halves(void **state)
{
    (void)state;
    assert_class(0x12345678, 0x43215678, SPOOR_DIFF_VALUE_UPPER);
    assert_class(UINT64_C(0x1234567811223344), UINT64_C(0x8765432111223344),
                 SPOOR_DIFF_VALUE_UPPER);
    assert_class(UINT64_C(0x1234567811223344), UINT64_C(0x8765432155663344), SPOOR_DIFF_VALUE);
    assert_class(0x12345678, 0x43218765, SPOOR_DIFF_VALUE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_bit), cmocka_unit_test(steps),        cmocka_unit_test(signs),
        cmocka_unit_test(reversed), cmocka_unit_test(upper_halves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
