/* SPDX-License-Identifier: MIT */
/*
 * preset.h: presets: the conventions of a course, tool or textbook, by its name.  Every verb that
 * simulates accepts every name, and its manual states the settings; a preset for which nothing was
 * published changes nothing.
 */
#ifndef SPOOR_CLI_PRESET_H
#define SPOOR_CLI_PRESET_H

#include <stdbool.h>

/* In the order of PRESET_CHOICES. */
enum preset { PRESET_NONE, PRESET_PENN, PRESET_SFSU, PRESET_SDSU, PRESET_TEXTBOOK, PRESET_DINERO };
#define PRESET_CHOICES "none|penn|sfsu|sdsu|textbook|dinero"

/* The courses that simulate micro-op traces use loads and stores, no fetches. */
static inline bool preset_is_data_only(int preset)
{
    return preset == PRESET_PENN || preset == PRESET_SFSU;
}

#endif
