/* SPDX-License-Identifier: MIT */
/*
 * generate.h: traces to measure with: large, the same on every machine, and repeating as real ones
 * do (a program's loops, its few hundred opcodes, its strides through memory).
 */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <stdint.h>
#include <stdio.h>

#include "base/text.h"

/* xorshift64*: the same numbers everywhere. */
struct chance {
    uint64_t state;
};
static inline uint64_t chance_next(struct chance *chance)
{
    uint64_t x = chance->state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    chance->state = x;
    return x * UINT64_C(2685821657736338717);
}
/* A number below `bound`. */
static inline uint64_t chance_below(struct chance *chance, uint64_t bound)
{
    return (chance_next(chance) >> 16) % bound;
}

/* Write what is in `out` to stdout once there is much of it; exits with a sentence on failure. */
void drain(struct text *out, size_t maximum);

/* `count` micro-ops of CIS501, in the padded columns of the public samples or single-spaced. */
void generate_uop(uint64_t count, int padded);
/* `count` records of BYU's 12-byte format. */
void generate_byu12(uint64_t count);
/* About `bytes` bytes of Tarmac, with every record of the document in it. */
void generate_tarmac(uint64_t bytes);
/* About `bytes` bytes of VCD of a core with its RISC-V Formal Interface. */
void generate_vcd(uint64_t bytes);

#endif
