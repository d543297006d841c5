/* SPDX-License-Identifier: MIT */
/*
 * critical.h: the critical path of an out-of-order machine, and the slack of its operations.
 *
 * As Fields, Rubin and Bodik, "Focusing Processor Policies via Critical-Path Prediction", ISCA
 * 2001: each operation has three nodes, fetch, execution and commit, and each node has the edge
 * that arrived last.  The path from the last commit back along these edges is the critical path;
 * here each node carries the sum of its path by kind of edge, so one pass and the operations in
 * flight suffice, and the parts sum up to all cycles.
 *
 * The (local) slack of an operation: by how many cycles its result could be later without making
 * any consumer later that was in flight with it; without a consumer, until its commit (Fields,
 * Bodik and Hill, "Slack: Maximizing Performance under Technological Constraints", ISCA 2002).
 */
#ifndef SPOOR_PIPELINE_CRITICAL_H
#define SPOOR_PIPELINE_CRITICAL_H

#include "simulate/pipeline/machine.h"

struct critical;

/* For a machine of that configuration; NULL if memory runs out. */
struct critical *critical_new(const struct spoor_pipeline_config *config);
/* An operation has retired or was squashed. */
void critical_event(struct critical *critical, const struct spoor_pipeline_event *event);
/* Add the objects `critical_path` (cycles by kind of edge) and the array `slack`. */
void critical_report(const struct critical *critical, struct spoor_result *result);
void critical_free(struct critical *critical);

#endif
