/* SPDX-License-Identifier: MIT */
/*
 * counter.h: saturating counters, and the keys that tables of them share.
 *
 * A two-bit counter (Smith 1981) is 0 strongly not taken, 1 weakly not taken, 2 weakly taken, 3
 * strongly taken.
 */
#ifndef SPOOR_SIMULATE_BRANCH_COUNTER_H
#define SPOOR_SIMULATE_BRANCH_COUNTER_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/inline.h"
#include "base/text.h"

static inline bool counter_taken(uint8_t counter)
{
    return counter >> 1;
}
static FORCE_INLINE uint8_t counter_moved(uint8_t counter, bool up)
{
    static const uint8_t next[2][4] = {{0, 0, 1, 2}, {1, 2, 3, 3}};
    return next[up][counter & 3];
}
static FORCE_INLINE void counter_train(uint8_t *counter, bool taken)
{
    *counter = counter_moved(*counter, taken);
}

/* A signed counter of `bits` bits, from -2^(bits-1) to 2^(bits-1) - 1. */
static FORCE_INLINE int8_t weight_moved(int8_t weight, bool up, unsigned bits)
{
    int maximum = (1 << (bits - 1)) - 1, next = weight + (up ? 1 : -1);
    return (int8_t)(next > maximum ? maximum : next < ~maximum ? ~maximum : next);
}

static FORCE_INLINE uint64_t low_bits(unsigned bits)
{
    return bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Each predictor has its own generator, so that runs are reproducible (Marsaglia 2003). */
#define RANDOM_START UINT32_C(2463534242)
static FORCE_INLINE uint32_t random_draw(uint32_t *random)
{
    *random ^= *random << 13;
    *random ^= *random >> 17;
    *random ^= *random << 5;
    return *random;
}

/* The history of `bits` outcomes after one more: the newest in bit 0, or with `top` in the highest.
 */
static FORCE_INLINE uint64_t history_after(uint64_t history, unsigned bits, bool top, bool taken)
{
    if (!top) return (history << 1 | taken) & low_bits(bits);
    return bits ? history >> 1 | (uint64_t)taken << (bits - 1) : 0;
}

/* The keys that follow a convention: see spoor_predictor_preset(). */
#define KEY_SHIFT                                                                           \
    {                                                                                       \
        "shift", "low bits of the pc that are dropped (instructions are aligned)", 2, 0, 16 \
    }
#define KEY_START                                                                                 \
    {                                                                                             \
        "start", "initial value of the counters: 0 strongly not taken to 3 strongly taken", 1, 0, \
            3                                                                                     \
    }
#define KEY_UNCONDITIONAL                                                           \
    {                                                                               \
        "unconditional", "1: unconditional branches enter the history too", 0, 0, 1 \
    }

#define KEY_TRAIN_UNCONDITIONAL                                                            \
    {                                                                                      \
        "train_unconditional", "1: unconditional branches train the counters too", 0, 0, 1 \
    }

/* Counters as the CIS501 course prints them; `letters` from 0 to 3. */
static inline void show_counters(struct text *text, const uint8_t *counters, size_t count,
                                 const char letters[4])
{
    char *at = text_reserve(text, count);
    for (size_t i = 0; at && i < count; i++) *at++ = letters[counters[i] & 3];
    if (at) text_commit(text, at);
}
static inline void show_history(struct text *text, uint64_t history, unsigned length)
{
    text_puts(text, "  ");
    while (length--) text_puts(text, history >> length & 1 ? "T" : "N");
}

#endif
