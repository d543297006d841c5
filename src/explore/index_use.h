/* SPDX-License-Identifier: MIT */
/* index_use.h: tools whose structs are private, answered from the sections of an index. */
#ifndef SPOOR_EXPLORE_INDEX_USE_H
#define SPOOR_EXPLORE_INDEX_USE_H

#include "effects/machine.h"
#include "spoor/annotate.h"
#include "spoor/calls.h"

/* Uses the counts of a section instead of batches; `machine` has the names of the processors.
 * False: the bytes are damaged, or memory ran out. */
bool annotate_use_section(struct spoor_annotate *annotate, const struct machine *machine,
                          const uint8_t *bytes, size_t size);

/* True if it counts only some instructions. */
bool annotate_selects(const struct spoor_annotate *annotate);

/* True if an index keeps all that the options ask for. */
bool calls_keep_all(const struct spoor_calls *calls);
/* Passes on the events of a section (explore/activity_section.h); false if memory runs out. */
bool calls_use_section(struct spoor_calls *calls, const struct machine *machine,
                       const uint8_t *bytes, size_t size);

#endif
