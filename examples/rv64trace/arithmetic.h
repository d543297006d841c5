/* SPDX-License-Identifier: MIT */
/*
 * arithmetic.h: the operations of RV64IM, as pure functions of two 64-bit numbers.
 *
 * Names are the manual's; `_word` works on the low 32 bits and extends the sign of the result.
 * Conditions return 0 or 1.  Extensions have their operand in `a` and ignore `b`.
 */
#ifndef ARITHMETIC_H
#define ARITHMETIC_H

#include <stdint.h>

typedef uint64_t compute(uint64_t a, uint64_t b);

compute compute_add, compute_sub, compute_and, compute_or, compute_xor;
compute compute_add_word, compute_sub_word;
compute compute_shift_left, compute_shift_right, compute_shift_arithmetic;
compute compute_shift_left_word, compute_shift_right_word, compute_shift_arithmetic_word;
compute compute_equal, compute_not_equal, compute_less, compute_not_less;
compute compute_below, compute_not_below; /* unsigned less */
compute compute_multiply, compute_multiply_word;
compute compute_multiply_high, compute_multiply_high_mixed, compute_multiply_high_unsigned;
compute compute_divide, compute_divide_unsigned, compute_divide_word, compute_divide_unsigned_word;
compute compute_remain, compute_remain_unsigned, compute_remain_word, compute_remain_unsigned_word;
compute compute_sign_byte, compute_sign_half, compute_sign_word, compute_same;

#endif
