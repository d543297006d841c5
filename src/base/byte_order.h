/* SPDX-License-Identifier: MIT */
/*
 * byte_order.h: words of eight bytes in a stated byte order, whatever that of the processor is.
 * Systems differ in the header that has such functions; compilers agree.
 */
#ifndef SPOOR_BASE_BYTE_ORDER_H
#define SPOOR_BASE_BYTE_ORDER_H

#include <stdint.h>

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
#define BYTE_ORDER_IS_BIG 1
#else
#define BYTE_ORDER_IS_BIG 0
#endif

/* Converts between the processor's order and lowest byte first, in both directions. */
static inline uint64_t little_endian64(uint64_t word)
{
    return BYTE_ORDER_IS_BIG ? __builtin_bswap64(word) : word;
}
/* The same for highest byte first. */
static inline uint64_t big_endian64(uint64_t word)
{
    return BYTE_ORDER_IS_BIG ? word : __builtin_bswap64(word);
}

#endif
