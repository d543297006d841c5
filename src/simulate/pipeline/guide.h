/* SPDX-License-Identifier: MIT */
/*
 * guide.h: which branches are mispredicted and which accesses miss.
 *
 * A guide sees the operations in the order of the trace and notes what its predictor and caches
 * make of them.  The timing of a machine has no part in that, so machines with the same predictor
 * and caches share one guide.
 */
#ifndef SPOOR_PIPELINE_GUIDE_H
#define SPOOR_PIPELINE_GUIDE_H

#include "simulate/pipeline/machine.h"

struct guide;

/* A guide for a configuration; NULL: `error` has a sentence. */
struct guide *guide_new(const struct spoor_pipeline_config *config, struct spoor_error *error);
/* Whether it notes what a guide for `config` would. */
bool guide_serves(const struct guide *guide, const struct spoor_pipeline_config *config);
/* Whether it can note anything. */
bool guide_speaks(const struct guide *guide);
/* The longest delay it can note. */
uint32_t guide_longest(const struct guide *guide);
/* Note `count` operations in `notes`; false if memory runs out. */
bool guide_note(struct guide *guide, const struct spoor_operation *operations, size_t count,
                struct note *notes);
void guide_free(struct guide *guide);

#endif
