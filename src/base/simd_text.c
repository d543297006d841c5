/* SPDX-License-Identifier: MIT */
/* simd_text.c: the constants of simd_text_avx2.h, in a separate file. */
#define SIMD_AVX2
#include "base/simd_text.h"

#if CPU_MAY_HAVE_AVX2
#define FOUR(a) a, a, a, a
#define EACH(byte)                         \
    {                                      \
        FOUR(FOUR(byte)), FOUR(FOUR(byte)) \
    }
#define WORDS(low, high)                                                                       \
    {                                                                                          \
        low, high, low, high, low, high, low, high, low, high, low, high, low, high, low, high \
    }
#define REVERSED 14, 12, 10, 8, 6, 4, 2, 0, 255, 255, 255, 255, 255, 255, 255, 255

const struct simd_constants simd_constants = {
    .to_lower = EACH(0x20),
    .above_nine = EACH(INT8_MAX - '9'),
    .digits = EACH(INT8_MAX - 10),
    .above_z = EACH(INT8_MAX - 'z'),
    .letters = EACH(INT8_MAX - 26),
    .above_f = EACH(INT8_MAX - 'f'),
    .six = EACH(INT8_MAX - 6),
    .newline = EACH('\n'),
    .fifteen = EACH(15),
    .value_nine = EACH(9),
    .sixteens = WORDS(0x0110, 0x0110),
    .tens = WORDS(0x010a, 0x010a),
    .hundreds = WORDS(100, 1),
    .myriads = WORDS(10000, 1),
    .reversed = {REVERSED, REVERSED},
    .factors = {{19457, 25391, 13829, 30341, 22079, 17029, 28753, 11597, 31259, 15107, 26641, 20533,
                 12689, 29819, 18199, 24113},
                {27239, 14389, 21611, 32003, 16127, 23537, 10993, 28021, 19913, 30893, 12071, 25943,
                 17683, 22769, 31663, 13103},
                {18401, 30059, 11243, 24979, 32213, 13757, 28349, 16693, 21379, 10861, 29483, 19541,
                 26119, 14969, 23099, 31183},
                {25127, 12277, 31481, 17419, 22501, 29017, 10429, 20963, 27803, 15737, 32363, 13297,
                 18913, 24697, 11777, 30341}},
    .hundred_million = {100000000, 100000000, 100000000, 100000000},
};
#endif
