/* SPDX-License-Identifier: MIT */
/* error.h: the errors of lack of memory, and a simulation that would take too much of it. */
#ifndef SPOOR_MODEL_ERROR_H
#define SPOOR_MODEL_ERROR_H

#include "base/memory_need.h"
#include "spoor/error.h"

/* Fills `error` (may be NULL) with "out of memory" and returns SPOOR_ENOMEM. */
enum spoor_status error_no_memory(struct spoor_error *error);
/* Fills `error` with "PATH: out of memory while reading" and returns SPOOR_ENOMEM; `path`, or
 * `doing` ("reading"), may be NULL: the sentence lacks it. */
enum spoor_status error_no_memory_while(struct spoor_error *error, const char *path,
                                        const char *doing);

/* SPOOR_EUSAGE with a sentence if `what` ("the levels") need more than `allowed` bytes; 0: half of
 * the machine's memory. */
enum spoor_status memory_check(const char *what, uint64_t needed, uint64_t allowed,
                               struct spoor_error *error);

#endif
