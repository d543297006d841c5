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
#define TWICE(...)               \
    {                            \
        __VA_ARGS__, __VA_ARGS__ \
    }
#define WORDS(low, high) TWICE(low, high, low, high, low, high, low, high)

const struct simd_constants simd_constants = {
    .newline = EACH('\n'),
    /* digits and letters are words, but for O; of the characters between them, @ and ` alone */
    .word_above =
        TWICE('/', '/', '/', '/', '/', '/', '/', '/', '/', '/', '?', '?', '?', '?', '?', '_'),
    .nine = EACH('9'),
    .to_lower = EACH(0x20),
    .fifteen = EACH(15),
    .value_nine = EACH(9),
    .spelled =
        TWICE('0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f'),
    .sixteens = WORDS(0x0110, 0x0110),
    .tens = WORDS(0x010a, 0x010a),
    .hundreds = WORDS(100, 1),
    .myriads = WORDS(10000, 1),
    .reversed = TWICE(14, 12, 10, 8, 6, 4, 2, 0, 255, 255, 255, 255, 255, 255, 255, 255),
    .factors = {{19457, 25391, 13829, 30341, 22079, 17029, 28753, 11597, 31259, 15107, 26641, 20533,
                 12689, 29819, 18199, 24113},
                {27239, 14389, 21611, 32003, 16127, 23537, 10993, 28021, 19913, 30893, 12071, 25943,
                 17683, 22769, 31663, 13103}},
    .hundred_million = {100000000, 100000000, 100000000, 100000000},
    .last_control = EACH(0x1f),
    .sized = {FOUR(FOUR(255)), 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, FOUR(FOUR(0))},
};
#endif
