/* SPDX-License-Identifier: MIT */
/*
 * preset.h: presets: the conventions of a course, tool or textbook, by its name.  Every verb that
 * simulates accepts every name, and its manual states the settings; a preset for which nothing was
 * published changes nothing.
 */
#ifndef SPOOR_CLI_PRESET_H
#define SPOOR_CLI_PRESET_H

#include <stdbool.h>
#include <stddef.h>

/* In the order of PRESET_CHOICES. */
enum preset {
    PRESET_NONE,
    PRESET_PENN,
    PRESET_SFSU,
    PRESET_SDSU,
    PRESET_TEXTBOOK,
    PRESET_DINERO,
    PRESET_SDSU_2024
};
#define PRESET_CHOICES "none|penn|sfsu|sdsu|textbook|dinero|sdsu-2024"

/* The courses that simulate micro-op traces use loads and stores, no fetches. */
static inline bool preset_is_data_only(int preset)
{
    return preset == PRESET_PENN || preset == PRESET_SFSU;
}

/* The presets, and what each one changes; NULL after the last. */
const char *preset_at(size_t index, const char **title);

#endif
