/* SPDX-License-Identifier: MIT */
/*
 * tracer.c: the list of formats.
 */
#include "tracer.h"

#include <string.h>

static const struct tracer tracers[] = {
    {"byu6", trace_byu6},     {"byu12", trace_byu12},     {"din", trace_din},
    {"lackey", trace_lackey}, {"matcher", trace_matcher}, {"tarmac", trace_tarmac},
    {"uop", trace_uop},
};

const struct tracer *tracer_find(const char *name)
{
    for (size_t i = 0; i < sizeof tracers / sizeof *tracers; i++)
        if (strcmp(tracers[i].name, name) == 0) return &tracers[i];
    return NULL;
}
