/* SPDX-License-Identifier: MIT */
/*
 * memory_limit.h: the memory that a simulation needs, stated and compared with what is allowed
 * before any of it is allocated.
 *
 * The kernel promises more memory than it has and ends the process that uses it.  So a design whose
 * size is a number in an option is counted first.
 */
#ifndef SPOOR_MODEL_MEMORY_LIMIT_H
#define SPOOR_MODEL_MEMORY_LIMIT_H

#include <stdint.h>

#include "spoor/error.h"

/* Adds `count` items of `size` bytes each to *needed, which stays UINT64_MAX where the sum is more
 * than can be counted. */
void memory_need(uint64_t *needed, uint64_t count, uint64_t size);
/* SPOOR_EUSAGE with a sentence if `what` ("the levels") need more than `allowed` bytes; 0: half of
 * the machine's memory. */
enum spoor_status memory_check(const char *what, uint64_t needed, uint64_t allowed,
                               struct spoor_error *error);

#endif
