/* SPDX-License-Identifier: MIT */
/* machine_part.h: the statistics of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_EXPLORE_MACHINE_PART_H
#define SPOOR_EXPLORE_MACHINE_PART_H

#include "base/pack.h"
#include "spoor/machine_stats.h"

/* Appends mergeable statistics; false: they are not.  If memory runs out, the text is marked
 * failed. */
bool machine_stats_pack(const struct spoor_machine_stats *stats, struct text *bytes);
/* Returns statistics that refer to the bytes, which must outlive them; NULL: they are damaged, or
 * memory ran out. */
struct spoor_machine_stats *machine_stats_unpack(struct unpacker *from);

#endif
