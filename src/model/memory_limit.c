/* SPDX-License-Identifier: MIT */
/* memory_limit.c: refusing a simulation that needs more memory than is allowed. */
#include "model/memory_limit.h"

enum spoor_status memory_check(const char *what, uint64_t needed, uint64_t allowed,
                               struct spoor_error *error)
{
    char sentence[MEMORY_SENTENCE];
    if (memory_fits(what, needed, allowed, sentence)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "%s", sentence);
}
