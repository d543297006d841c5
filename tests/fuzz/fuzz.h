/* SPDX-License-Identifier: MIT */
/*
 * fuzz.h: shared by the fuzz targets.  A target is one function that accepts any bytes; libFuzzer
 * calls it in a fuzzing build, replay.c calls it with the stored inputs in every other build.
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* A condition that must hold for every input, in every kind of build. */
#define DEMAND(condition, ...)                             \
    do {                                                   \
        if (!(condition)) {                                \
            fprintf(stderr, "demanded: %s: ", #condition); \
            fprintf(stderr, __VA_ARGS__);                  \
            fputc('\n', stderr);                           \
            abort();                                       \
        }                                                  \
    } while (0)

/* Returns a number that the input determines: fuzzers then explore it, and the input alone repeats
 * a run. */
static inline uint32_t fuzz_hash(const uint8_t *bytes, size_t size)
{
    uint32_t hash = 2166136261u;
    for (size_t i = 0; i < size; i++) hash = (hash ^ bytes[i]) * 16777619u;
    return hash ^ (hash >> 15);
}

#endif
