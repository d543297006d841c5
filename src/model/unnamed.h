/* SPDX-License-Identifier: MIT */
/* unnamed.h: records whose names have no id, because the stream's table of names is full. */
#ifndef SPOOR_MODEL_UNNAMED_H
#define SPOOR_MODEL_UNNAMED_H

#include "spoor/batch.h"

/* Adds a fault to every record that has SPOOR_NAMES_FULL for a name. */
void batch_fault_unnamed(struct spoor_batch *batch);

#endif
