/* SPDX-License-Identifier: MIT */
/* stats/mix_pack.h: the mix of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_STATS_MIX_PACK_H
#define SPOOR_STATS_MIX_PACK_H

#include "base/pack.h"
#include "spoor/mix.h"

/* Appends the mix and its options.  If memory runs out, the text is marked failed. */
void mix_pack(const struct spoor_mix *mix, struct text *bytes);
/* The mix that was packed; NULL: the bytes are damaged, or memory ran out. */
struct spoor_mix *mix_unpack(struct unpacker *from);

#endif
