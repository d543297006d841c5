/* SPDX-License-Identifier: MIT */
/* curve_pack.h: the curve of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_SIMULATE_CACHE_CURVE_PACK_H
#define SPOOR_SIMULATE_CACHE_CURVE_PACK_H

#include "base/pack.h"
#include "spoor/curve.h"

/* Appends the histogram of distances, the blocks in order of their first use and in the order of
 * the stack.  If memory runs out, the text is marked failed. */
void curve_pack(const struct spoor_curve *curve, struct text *bytes);
/* The curve that was packed; NULL: the bytes are damaged, or memory ran out. */
struct spoor_curve *curve_unpack(struct unpacker *from);

#endif
