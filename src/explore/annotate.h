/* SPDX-License-Identifier: MIT */
/* explore/annotate.h: annotations from the counts that an index keeps. */
#ifndef SPOOR_EXPLORE_ANNOTATE_H
#define SPOOR_EXPLORE_ANNOTATE_H

#include "explore/pc_counts.h"
#include "spoor/annotate.h"

/* Uses the counts of a section instead of batches; `machine` has the names of the processors.
 * False: the bytes are damaged, or memory ran out. */
bool annotate_use_section(struct spoor_annotate *annotate, const struct machine *machine,
                          const uint8_t *bytes, size_t size);

/* True if it counts only some instructions. */
bool annotate_selects(const struct spoor_annotate *annotate);

#endif
