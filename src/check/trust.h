/* SPDX-License-Identifier: MIT */
/*
 * trust.h: whether a trace agrees with a prediction often enough that a disagreement is damage.
 *
 * A trace may lack writes (of system calls, of omitted instructions), print effects before their
 * instruction, or have a disassembler of its own.  A rule about predictions therefore reports only
 * after the trace has shown that it can be trusted: the prediction was right TRUSTED times, and
 * TRUST_SHARE times as often right as wrong.
 */
#ifndef SPOOR_CHECK_TRUST_H
#define SPOOR_CHECK_TRUST_H

#include <stdbool.h>
#include <stdint.h>

enum { TRUSTED = 8, TRUST_SHARE = 32 };

struct trust {
    uint64_t right, wrong;
};

/* True if the trace is trusted. */
static inline bool trust_is_enough(const struct trust *trust)
{
    return trust->right >= TRUSTED && trust->right >= TRUST_SHARE * trust->wrong;
}

/* Counts a prediction; true if it is wrong and the trace is trusted. */
static inline bool trust_evaluate(struct trust *trust, bool right)
{
    const bool trusted = trust_is_enough(trust);
    trust->right += right;
    trust->wrong += !right;
    return !right && trusted;
}

#endif
