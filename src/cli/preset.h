/* SPDX-License-Identifier: MIT */
/*
 * preset.h: the conventions that verbs which simulate can follow, by the name of who published
 * them.  Every such verb takes every name, and says in its manual what it sets there; where nothing
 * was published, nothing is set.
 */
#ifndef SPOOR_CLI_PRESET_H
#define SPOOR_CLI_PRESET_H

#include <stdbool.h>

/* In the order of PRESET_CHOICES. */
enum preset { PRESET_NONE, PRESET_PENN, PRESET_SFSU, PRESET_SDSU, PRESET_TEXTBOOK, PRESET_DINERO };
#define PRESET_CHOICES "none|penn|sfsu|sdsu|textbook|dinero"

/* The courses that simulate on micro-op traces take loads and stores, no fetches. */
static inline bool preset_takes_data(int preset)
{
    return preset == PRESET_PENN || preset == PRESET_SFSU;
}

#endif
