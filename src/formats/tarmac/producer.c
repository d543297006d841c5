/* SPDX-License-Identifier: MIT */
/* producer.c: the dialects by name. */
#include <string.h>

#include "formats/tarmac/dialect.h"
#include "formats/tarmac/spelling.h"

const char *const producer_names[] = {"fast-models", "gem5", "es", "rtl-m", "rtl-r", "cs", NULL};
_Static_assert(sizeof producer_names / sizeof *producer_names == PRODUCERS, "a name for each");

enum producer producer_named(const char *name)
{
    for (int i = 0; name && producer_names[i]; i++)
        if (strcmp(producer_names[i], name) == 0) return (enum producer)(i + 1);
    return PRODUCER_ANY;
}

const char *producer_of_spelling(const void *spelling, size_t size)
{
    struct spelling known;
    if (size != sizeof known) return NULL;
    memcpy(&known, spelling, sizeof known);
    return known.producer && known.producer < PRODUCERS ? producer_names[known.producer - 1] : NULL;
}

bool producer_fits(enum producer trace, enum producer line)
{
    if (trace == PRODUCER_GEM5) trace = PRODUCER_FAST_MODELS;
    if (line == PRODUCER_GEM5) line = PRODUCER_FAST_MODELS;
    return trace == PRODUCER_ANY || line == PRODUCER_ANY || trace == line;
}
