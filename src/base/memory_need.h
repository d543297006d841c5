/* SPDX-License-Identifier: MIT */
/*
 * memory_need.h: the memory that something needs, stated and compared with what is allowed before
 * any of it is allocated.
 *
 * The kernel promises more memory than it has and ends the process that uses it.  So what has a
 * number of an option as its size is counted first.
 */
#ifndef SPOOR_BASE_MEMORY_NEED_H
#define SPOOR_BASE_MEMORY_NEED_H

#include <stdbool.h>
#include <stdint.h>

/* Adds `count` items of `size` bytes each to *needed, which stays UINT64_MAX where the sum is more
 * than can be counted. */
void memory_need(uint64_t *needed, uint64_t count, uint64_t size);
enum { MEMORY_SENTENCE = 200 /* bytes */ };
/* True if `needed` bytes are allowed; `allowed` 0: half of the machine's memory.  Else a sentence
 * says that `what` ("the levels") need more. */
bool memory_fits(const char *what, uint64_t needed, uint64_t allowed,
                 char sentence[MEMORY_SENTENCE]);

#endif
