/* SPDX-License-Identifier: MIT */
/*
 * test_simd_text.c: operations on many bytes of text give what loops over bytes give, on any bytes;
 * built for this processor's vectors, and (SIMD_WORDS) for a processor without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/simd_text.h"

enum { TEXT = 128, ROUNDS = 20000 };

static uint32_t draw(void)
{
    static uint64_t state = 17;
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(state >> 33);
}

/* Bytes as in traces, and now and then any byte. */
static void draw_text(char text[TEXT])
{
    static const char usual[] = "0123456789abcdefABCDEF  \n:/";
    for (unsigned i = 0; i < TEXT; i++)
        text[i] = draw() % 16 ? usual[draw() % (sizeof usual - 1)] : (char)(unsigned char)draw();
}

static bool is_above(char byte, char low)
{
    return (signed char)byte > (signed char)low;
}

static void check_masks(const char *at, unsigned bytes, uint64_t equals, uint64_t above,
                        uint64_t pairs)
{
    for (unsigned i = 0; i < bytes; i++) {
        assert_int_equal(equals >> i & 1, at[i] == '\n');
        assert_int_equal(above >> i & 1, is_above(at[i], '/'));
        assert_int_equal(pairs >> i & 1, at[i] == ' ' && at[i + 1] == ':');
    }
    if (bytes == SIMD_MOST) return;
    assert_int_equal((equals | above | pairs) >> bytes, 0);
}

static void masks(void **state)
{
    (void)state;
    char text[TEXT];
    for (int round = 0; round < ROUNDS; round++) {
        draw_text(text);
        const char *at = text + draw() % SIMD_BYTES;
        check_masks(at, 16, simd_equals(at, '\n', 16), simd_above(at, '/', 16),
                    simd_equal_pairs(at, ' ', ':', 16));
        check_masks(at, 32, simd_equals(at, '\n', 32), simd_above(at, '/', 32),
                    simd_equal_pairs(at, ' ', ':', 32));
        check_masks(at, 64, simd_equals(at, '\n', 64), simd_above(at, '/', 64),
                    simd_equal_pairs(at, ' ', ':', 64));
    }
}

/* Bytes that are the same where they have to be, but for one at most. */
static void comparisons(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        char text[TEXT];
        _Alignas(16) uint8_t same[TEXT], wanted[TEXT];
        draw_text(text);
        for (unsigned i = 0; i < TEXT; i++) {
            same[i] = draw() % 4 ? UINT8_MAX : 0;
            wanted[i] = (uint8_t)text[i] & same[i];
        }
        const uint64_t sums[] = {simd_sum(text, same, 16), simd_sum(text, same, 64),
                                 simd_sum(text, same, 128)};
        for (unsigned i = 0; i < TEXT; i++)
            if (same[i] == 0) text[i] = (char)(unsigned char)draw();
        const unsigned at = draw() % TEXT;
        const bool changed = draw() % 2 && same[at];
        if (changed) text[at] = (char)(unsigned char)((uint8_t)text[at] + 1 + draw() % 255);
        assert_int_equal(simd_is(text, same, wanted, 16), !(changed && at < 16));
        assert_int_equal(simd_is(text, same, wanted, 64), !(changed && at < 64));
        assert_int_equal(simd_is(text, same, wanted, 128), !changed);
        if (changed) continue;
        assert_int_equal(simd_sum(text, same, 16), sums[0]);
        assert_int_equal(simd_sum(text, same, 64), sums[1]);
        assert_int_equal(simd_sum(text, same, 128), sums[2]);
        memset(same + 16, 0, sizeof same - 16);
        assert_int_equal(simd_sum(text, same, 64), sums[0]);
    }
}

static void check_number(const char *at, unsigned digits)
{
    static const char lower_digits[] = "0123456789abcdef", upper_digits[] = "0123456789ABCDEF";
    struct simd_flaws flaws = {{0}, {0}};
    const uint64_t value = simd_hex(at, SIMD_BYTES - digits, &flaws);
    uint64_t wanted = 0;
    bool others = false, upper = false, lower = false;
    for (unsigned i = 0; i < digits; i++) {
        const char *small = at[i] ? strchr(lower_digits, at[i]) : NULL;
        const char *large = at[i] ? strchr(upper_digits, at[i]) : NULL;
        others |= !small && !large;
        upper |= !small && large;
        lower |= small && !large;
        wanted = wanted << 4 | (uint64_t)(small   ? small - lower_digits
                                          : large ? large - upper_digits
                                                  : 0);
    }
    assert_int_equal(!simd_is_zero(flaws.others), others);
    assert_int_equal(!simd_is_zero(flaws.upper), upper);
    assert_int_equal(simd_has_upper(at, SIMD_BYTES - digits), upper);
    assert_int_equal(simd_has_lower(at, SIMD_BYTES - digits), lower);
    if (!others) assert_true(value == wanted);
}

static void numbers(void **state)
{
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        char text[TEXT];
        draw_text(text);
        check_number(text + draw() % SIMD_BYTES, 1 + draw() % SIMD_BYTES);
    }
    for (unsigned byte = 0; byte <= UINT8_MAX; byte++)
        for (unsigned i = 0; i < SIMD_BYTES; i++) {
            char text[] = "0123456789abcdef";
            text[i] = (char)(unsigned char)byte;
            for (unsigned digits = 1; digits <= SIMD_BYTES; digits++) check_number(text, digits);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks),
        cmocka_unit_test(comparisons),
        cmocka_unit_test(numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
