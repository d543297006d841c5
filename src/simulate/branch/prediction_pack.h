/* SPDX-License-Identifier: MIT */
/* prediction_pack.h: the prediction of a part of a trace as bytes, for partial results. */
#ifndef SPOOR_SIMULATE_BRANCH_PREDICTION_PACK_H
#define SPOOR_SIMULATE_BRANCH_PREDICTION_PACK_H

#include "base/pack.h"
#include "spoor/prediction.h"

/* Appends the predictors' descriptions, with the defaults that they were made with, and all counts.
 * If memory runs out, the text is marked failed. */
void prediction_pack(const struct spoor_prediction *prediction, struct text *bytes);
/* The prediction that was packed, for merging and reporting: its predictors are untrained.  NULL:
 * the bytes are damaged, or memory ran out. */
struct spoor_prediction *prediction_unpack(struct unpacker *from);

#endif
