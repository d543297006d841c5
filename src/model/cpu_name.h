/* SPDX-License-Identifier: MIT */
/* cpu_name.h: which processor a user means. */
#ifndef SPOOR_MODEL_CPU_NAME_H
#define SPOOR_MODEL_CPU_NAME_H

#include <stdbool.h>
#include <string.h>

#include "base/ascii.h"

/* True if `wanted`, such as --cpu states it, is the processor that a trace names `name`: letter
 * case does not count, and "cpu0" is also the one that is named "0". */
static inline bool cpu_is_named(const char *name, const char *wanted)
{
    return ascii_compare(name, wanted) == 0 ||
           (ascii_compare_some(wanted, "cpu", 3) == 0 && strcmp(name, wanted + 3) == 0);
}

#endif
