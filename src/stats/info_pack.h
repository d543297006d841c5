/* SPDX-License-Identifier: MIT */
/* stats/info_pack.h: the summary of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_STATS_INFO_PACK_H
#define SPOOR_STATS_INFO_PACK_H

#include "base/pack.h"
#include "spoor/info.h"

/* Appends the summary with the names that it counts.  If memory runs out, the text is marked
 * failed. */
void info_pack(const struct spoor_info *info, struct text *bytes);
/* Makes the summary that was packed.  Its names are added to the tables of `stream`, which all
 * parts of a trace share and which must outlive it.  NULL: the bytes are damaged, or memory ran
 * out. */
struct spoor_info *info_unpack(struct unpacker *from, const struct spoor_stream *stream);

#endif
