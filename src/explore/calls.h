/* SPDX-License-Identifier: MIT */
/* explore/calls.h: spoor/calls.h from an index. */
#ifndef SPOOR_EXPLORE_CALLS_H
#define SPOOR_EXPLORE_CALLS_H

#include "effects/machine.h"
#include "spoor/calls.h"

/* True if an index keeps all that the options ask for. */
bool calls_keep_all(const struct spoor_calls *calls);
/* Passes on the events of a section (explore/activity_section.h); false if memory runs out. */
bool calls_use_section(struct spoor_calls *calls, const struct machine *machine,
                       const uint8_t *bytes, size_t size);

#endif
