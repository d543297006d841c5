/* SPDX-License-Identifier: MIT */
/*
 * arithmetic.c: the arithmetic of RV64IM.
 *
 * All operations use unsigned numbers, for which C defines overflow.  Signed division is the only
 * exception; its two special cases come first, as the manual's table "Semantics for division by
 * zero and division overflow" demands.
 */
#include "arithmetic.h"

__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static uint64_t extend_word(uint64_t a)
{
    return (uint64_t)(int64_t)(int32_t)(uint32_t)a;
}

uint64_t compute_add(uint64_t a, uint64_t b)
{
    return a + b;
}

uint64_t compute_sub(uint64_t a, uint64_t b)
{
    return a - b;
}

uint64_t compute_and(uint64_t a, uint64_t b)
{
    return a & b;
}

uint64_t compute_or(uint64_t a, uint64_t b)
{
    return a | b;
}

uint64_t compute_xor(uint64_t a, uint64_t b)
{
    return a ^ b;
}

uint64_t compute_add_word(uint64_t a, uint64_t b)
{
    return extend_word(a + b);
}

uint64_t compute_sub_word(uint64_t a, uint64_t b)
{
    return extend_word(a - b);
}

uint64_t compute_shift_left(uint64_t a, uint64_t b)
{
    return a << (b & 63);
}

uint64_t compute_shift_right(uint64_t a, uint64_t b)
{
    return a >> (b & 63);
}

/* gcc and clang define >> of a negative number as arithmetic. */
uint64_t compute_shift_arithmetic(uint64_t a, uint64_t b)
{
    return (uint64_t)((int64_t)a >> (b & 63));
}

uint64_t compute_shift_left_word(uint64_t a, uint64_t b)
{
    return extend_word(a << (b & 31));
}

uint64_t compute_shift_right_word(uint64_t a, uint64_t b)
{
    return extend_word((uint32_t)a >> (b & 31));
}

uint64_t compute_shift_arithmetic_word(uint64_t a, uint64_t b)
{
    return (uint64_t)(int64_t)((int32_t)(uint32_t)a >> (b & 31));
}

uint64_t compute_equal(uint64_t a, uint64_t b)
{
    return a == b;
}

uint64_t compute_not_equal(uint64_t a, uint64_t b)
{
    return a != b;
}

uint64_t compute_less(uint64_t a, uint64_t b)
{
    return (int64_t)a < (int64_t)b;
}

uint64_t compute_not_less(uint64_t a, uint64_t b)
{
    return (int64_t)a >= (int64_t)b;
}

uint64_t compute_below(uint64_t a, uint64_t b)
{
    return a < b;
}

uint64_t compute_not_below(uint64_t a, uint64_t b)
{
    return a >= b;
}

uint64_t compute_multiply(uint64_t a, uint64_t b)
{
    return a * b;
}

uint64_t compute_multiply_word(uint64_t a, uint64_t b)
{
    return extend_word(a * b);
}

uint64_t compute_multiply_high(uint64_t a, uint64_t b)
{
    return (uint64_t)(((wide)(int64_t)a * (int64_t)b) >> 64);
}

uint64_t compute_multiply_high_mixed(uint64_t a, uint64_t b)
{
    return (uint64_t)(((wide)(int64_t)a * (wide)b) >> 64);
}

uint64_t compute_multiply_high_unsigned(uint64_t a, uint64_t b)
{
    return (uint64_t)(((unsigned_wide)a * b) >> 64);
}

uint64_t compute_divide(uint64_t a, uint64_t b)
{
    if (b == 0) return UINT64_MAX;
    if ((int64_t)b == -1) return 0 - a;
    return (uint64_t)((int64_t)a / (int64_t)b);
}

uint64_t compute_divide_unsigned(uint64_t a, uint64_t b)
{
    return b ? a / b : UINT64_MAX;
}

uint64_t compute_divide_word(uint64_t a, uint64_t b)
{
    return extend_word(compute_divide(extend_word(a), extend_word(b)));
}

uint64_t compute_divide_unsigned_word(uint64_t a, uint64_t b)
{
    return extend_word(compute_divide_unsigned((uint32_t)a, (uint32_t)b));
}

uint64_t compute_remain(uint64_t a, uint64_t b)
{
    if (b == 0) return a;
    if ((int64_t)b == -1) return 0;
    return (uint64_t)((int64_t)a % (int64_t)b);
}

uint64_t compute_remain_unsigned(uint64_t a, uint64_t b)
{
    return b ? a % b : a;
}

uint64_t compute_remain_word(uint64_t a, uint64_t b)
{
    return extend_word(compute_remain(extend_word(a), extend_word(b)));
}

uint64_t compute_remain_unsigned_word(uint64_t a, uint64_t b)
{
    return extend_word(compute_remain_unsigned((uint32_t)a, (uint32_t)b));
}

uint64_t compute_sign_byte(uint64_t a, uint64_t b)
{
    (void)b;
    return (uint64_t)(int64_t)(int8_t)(uint8_t)a;
}

uint64_t compute_sign_half(uint64_t a, uint64_t b)
{
    (void)b;
    return (uint64_t)(int64_t)(int16_t)(uint16_t)a;
}

uint64_t compute_sign_word(uint64_t a, uint64_t b)
{
    (void)b;
    return extend_word(a);
}

uint64_t compute_same(uint64_t a, uint64_t b)
{
    (void)b;
    return a;
}
