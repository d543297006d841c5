/* SPDX-License-Identifier: MIT */
/* memory_limit.h: a simulation is refused before it takes more memory than is allowed. */
#ifndef SPOOR_MODEL_MEMORY_LIMIT_H
#define SPOOR_MODEL_MEMORY_LIMIT_H

#include "base/memory_need.h"
#include "spoor/error.h"

/* SPOOR_EUSAGE with a sentence if `what` ("the levels") need more than `allowed` bytes; 0: half of
 * the machine's memory. */
enum spoor_status memory_check(const char *what, uint64_t needed, uint64_t allowed,
                               struct spoor_error *error);

#endif
