/* SPDX-License-Identifier: MIT */
/* preset.c: the list of presets. */
#include "cli/preset.h"

static const struct {
    const char *name, *title;
} presets[] = {
    {"penn", "the CIS501 course: data references only; counters begin strongly not taken"},
    {"sfsu", "a course: data references only, its reports; every branch is predicted"},
    {"sdsu", "a course on BYU traces, of 2023: a TLB of the ten pages accessed last, its report"},
    {"textbook", "the default: conditional branches only, counters begin weakly not taken"},
    {"dinero",
     "DineroIV: accesses of unknown size are 4 bytes, dirty blocks are written at the end"},
    {"sdsu-2024", "the same course of 2024: its report, a TLB by plain LRU"},
};

const char *preset_at(size_t index, const char **title)
{
    if (index >= sizeof presets / sizeof *presets) return NULL;
    *title = presets[index].title;
    return presets[index].name;
}
