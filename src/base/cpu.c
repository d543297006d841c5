/* SPDX-License-Identifier: MIT */
/* cpu.c: detect the features of the processor, once per process. */
#include "base/cpu.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static bool cpu_is_avx2(void)
{
#if CPU_MAY_HAVE_AVX2
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
    return false;
#endif
}

/* The value of SPOOR_CPU; an unknown one is NATIVE. */
enum wanted { NATIVE, SCALAR, AVX2, WANTED };
static const char *const wanted_names[WANTED] = {"native", "scalar", "avx2"};
static enum wanted cpu_wanted(const char *word)
{
    for (int i = NATIVE; word && i < WANTED; i++)
        if (strcmp(wanted_names[i], word) == 0) return (enum wanted)i;
    return NATIVE;
}

const char *cpu_refusal(void)
{
    const char *word = getenv("SPOOR_CPU");
    if (!word || !*word) return NULL;
    const enum wanted found = cpu_wanted(word);
    if (found == AVX2 && !cpu_is_avx2())
        return "found avx2, which this processor does not have, expected native or scalar";
    if (found == NATIVE && strcmp(word, wanted_names[NATIVE]) != 0)
        return "found another word, expected native, avx2 or scalar";
    return NULL;
}

bool cpu_has_avx2(void)
{
    enum { UNKNOWN, ABSENT, PRESENT };
    static atomic_int found; /* every thread computes the same value */
    int answer = atomic_load_explicit(&found, memory_order_relaxed);
    if (answer == UNKNOWN) {
        const bool wanted = cpu_wanted(getenv("SPOOR_CPU")) != SCALAR;
        answer = wanted && cpu_is_avx2() ? PRESENT : ABSENT;
        atomic_store_explicit(&found, answer, memory_order_relaxed);
    }
    return answer == PRESENT;
}
