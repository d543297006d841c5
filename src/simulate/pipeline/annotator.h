/* SPDX-License-Identifier: MIT */
/*
 * annotator.h: notes which branches are mispredicted and which accesses miss.
 *
 * An annotator gets the operations in the order of the trace and passes them to its predictor and
 * caches.  The timing of a machine has no influence on that, so machines with the same predictor
 * and caches share one annotator.
 */
#ifndef SPOOR_PIPELINE_ANNOTATOR_H
#define SPOOR_PIPELINE_ANNOTATOR_H

#include "simulate/pipeline/machine.h"

struct annotator;

/* Adds to *needed the bytes that the predictors and caches of a configuration take. */
enum spoor_status annotator_memory(const struct spoor_pipeline_config *config, uint64_t *needed,
                                   struct spoor_error *error);
/* Returns an annotator for a configuration; NULL with a message in `error` if it fails. */
struct annotator *annotator_new(const struct spoor_pipeline_config *config,
                                struct spoor_error *error);
/* True if its notes are those of an annotator for `config`. */
bool annotator_serves(const struct annotator *annotator,
                      const struct spoor_pipeline_config *config);
/* True if both have the same predictor and caches. */
bool annotator_same(const struct annotator *one, const struct annotator *other);
/* True if it has a predictor or caches, so that notes can differ from zero. */
bool annotator_is_active(const struct annotator *annotator);
/* Returns the longest delay that it can note. */
uint32_t annotator_longest(const struct annotator *annotator);
/* Writes notes on `count` operations to `notes`; false if memory runs out. */
bool annotator_note(struct annotator *annotator, const struct spoor_operation *operations,
                    size_t count, struct note *notes);
void annotator_free(struct annotator *annotator);

#endif
