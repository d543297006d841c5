/* SPDX-License-Identifier: MIT */
/*
 * projection.c: the fuzz target of projection: a projection equals the view built from the records.
 * The first line of the input names the format.
 */
#include <string.h>

#include "fuzz/fuzz.h"
#include "support/projection.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    char name[16] = "";
    const uint8_t *newline = size ? memchr(bytes, '\n', size) : NULL;
    if (!newline || (size_t)(newline - bytes) >= sizeof name) return 0;
    memcpy(name, bytes, (size_t)(newline - bytes));
    const struct spoor_format *format = spoor_format_find(name);
    if (!format || !format_projects(format, PROJECT_STATS)) return 0;
    const char *difference =
        projection_difference(format, newline + 1, size - (size_t)(newline + 1 - bytes));
    DEMAND(!difference, "%s: %s", name, difference);
    return 0;
}
