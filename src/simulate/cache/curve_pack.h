/* SPDX-License-Identifier: MIT */
/* curve_pack.h: the curve of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_SIMULATE_CACHE_CURVE_PACK_H
#define SPOOR_SIMULATE_CACHE_CURVE_PACK_H

#include "base/pack.h"
#include "spoor/curve.h"

/* Appends the histogram of distances, the blocks in order of their first use and in the order of
 * the stack.  If memory runs out, the text is marked failed. */
void curve_pack(const struct spoor_curve *curve, struct text *bytes);
/* The curve of a part of a trace, to merge with those of other parts: the blocks of the later ones
 * are read in their order and never looked up. */
struct curve_part;
/* The curve that was packed; NULL: the bytes are damaged, or memory ran out. */
struct curve_part *curve_part_unpack(struct unpacker *from);
void curve_part_free(struct curve_part *part);
/* Adds the part after it.  SPOOR_EUSAGE: they have different options; SPOOR_EINPUT: one is damaged.
 */
enum spoor_status curve_part_merge(struct curve_part *part, const struct curve_part *next,
                                   struct spoor_error *error);
/* Its counts, for a report. */
const struct spoor_curve *curve_part_curve(const struct curve_part *part);

#endif
