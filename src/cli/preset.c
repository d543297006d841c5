/* SPDX-License-Identifier: MIT */
/* preset.c: the list of presets. */
#include "cli/preset.h"

static const struct {
    const char *name, *title;
} presets[] = {
    {"penn", "CIS 501 at Pennsylvania: data references only; counters of two bits, from 0"},
    {"sfsu", "CSC 656 at San Francisco: data references only, its reports; all branches count"},
    {"sdsu", "CS 480 at San Diego: a TLB of the ten pages accessed last, its report"},
    {"textbook", "Hennessy and Patterson: conditional branches count, counters begin weakly taken"},
    {"dinero",
     "DineroIV: accesses of unknown size are 4 bytes, dirty blocks are written at the end"},
};

size_t preset_count(void)
{
    return sizeof presets / sizeof *presets;
}

const char *preset_name(size_t index)
{
    return presets[index].name;
}

const char *preset_title(size_t index)
{
    return presets[index].title;
}
