/* SPDX-License-Identifier: MIT */
/*
 * annotator.h: which branches are mispredicted and which accesses miss.
 *
 * A guide sees the operations in the order of the trace and notes what its predictor and caches
 * make of them.  The timing of a machine has no part in that, so machines with the same predictor
 * and caches share one guide.
 */
#ifndef SPOOR_PIPELINE_ANNOTATOR_H
#define SPOOR_PIPELINE_ANNOTATOR_H

#include "simulate/pipeline/machine.h"

struct annotator;

/* A guide for a configuration; NULL: `error` has a sentence. */
struct annotator *annotator_new(const struct spoor_pipeline_config *config,
                                struct spoor_error *error);
/* Whether it notes what a guide for `config` would. */
bool annotator_serves(const struct annotator *annotator,
                      const struct spoor_pipeline_config *config);
/* Whether it can note anything. */
bool annotator_speaks(const struct annotator *annotator);
/* The longest delay it can note. */
uint32_t annotator_longest(const struct annotator *annotator);
/* Note `count` operations in `notes`; false if memory runs out. */
bool annotator_note(struct annotator *annotator, const struct spoor_operation *operations,
                    size_t count, struct note *notes);
void annotator_free(struct annotator *annotator);

#endif
