/* SPDX-License-Identifier: MIT */
/* memory_need.c: comparing the memory that something needs with what is allowed. */
#include "base/memory_need.h"

#include <stdio.h>
#include <unistd.h>

void memory_need(uint64_t *needed, uint64_t count, uint64_t size)
{
    uint64_t bytes;
    if (__builtin_mul_overflow(count, size, &bytes) ||
        __builtin_add_overflow(*needed, bytes, needed))
        *needed = UINT64_MAX;
}

bool memory_fits(const char *what, uint64_t needed, uint64_t allowed,
                 char sentence[MEMORY_SENTENCE])
{
    enum { MEBIBYTE = 1 << 20 };
    if (!allowed) {
        const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
        allowed = pages > 0 && size > 0 ? (uint64_t)pages / 2 * (uint64_t)size : UINT64_MAX;
    }
    if (needed <= allowed) return true;
    snprintf(sentence, MEMORY_SENTENCE,
             "%s need about %llu MiB of this machine's memory, and %llu MiB are allowed: "
             "--memory-limit SIZE "
             "allows more",
             what, (unsigned long long)(needed / MEBIBYTE + (needed % MEBIBYTE != 0)),
             (unsigned long long)(allowed / MEBIBYTE));
    return false;
}
