/* SPDX-License-Identifier: MIT */
/*
 * critical.h: the critical path of an out-of-order machine, and the slack of its operations.
 *
 * The model is that of Fields, Rubin and Bodik, "Focusing Processor Policies via Critical-Path
 * Prediction", ISCA 2001.  Each operation has three nodes: fetch, execution and commit.  Each node
 * has the edge that arrived last.  The path from the last commit back along these edges is the
 * critical path.  Here each node stores the sum of its path by kind of edge.  One pass over the
 * operations in flight therefore suffices, and the parts add up to all cycles.
 *
 * The (local) slack of an operation is the number of cycles by which its result could be later
 * without delaying any consumer that was in flight with it; without a consumer, the number of
 * cycles until its commit (Fields, Bodik and Hill, "Slack: Maximizing Performance under
 * Technological Constraints", ISCA 2002).
 */
#ifndef SPOOR_PIPELINE_CRITICAL_H
#define SPOOR_PIPELINE_CRITICAL_H

#include "simulate/pipeline/machine.h"

struct critical;

/* The bytes that a study of that machine takes. */
uint64_t critical_memory(const struct spoor_pipeline_config *config);
/* Returns the state for a machine of that configuration; NULL if memory runs out. */
struct critical *critical_new(const struct spoor_pipeline_config *config);
/* Handles an operation that has retired or was squashed. */
void critical_event(struct critical *critical, const struct spoor_pipeline_event *event);
/* Adds the object `critical_path` (cycles by kind of edge) and the array `slack`. */
void critical_report(const struct critical *critical, struct spoor_result *result);
void critical_free(struct critical *critical);

#endif
