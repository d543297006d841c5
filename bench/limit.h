/* SPDX-License-Identifier: MIT */
/* limit.h: the limit that simulators in memory are compared with: a hash of every byte of what they
 * read, by one multiplication after the other (FNV-1a, of 8 bytes at a time). */
#ifndef SPOOR_BENCH_LIMIT_H
#define SPOOR_BENCH_LIMIT_H

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "seconds.h"

/* Returns the processor seconds of hashing some bytes. */
static inline double limit_seconds(const void *bytes, size_t size)
{
    const double begin = thread_seconds();
    const char *at = bytes;
    uint64_t hash = UINT64_C(14695981039346656037), word;
    for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, at + i, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
    }
    __asm__ volatile("" : : "r"(hash)); /* so that the loop is not left out */
    return thread_seconds() - begin;
}

static inline void limit_print(uint64_t count, double seconds, const char *unit)
{
    printf("limit, a hash of every byte %9.1f M %s/s\n", (double)count / seconds * 1e-6, unit);
}

#endif
