/* SPDX-License-Identifier: MIT */
/*
 * limits.h: the upper bounds of a trace's speed.
 *
 * The dataflow limit: each operation issues as soon as its values are available, through registers
 * and through memory, with unlimited resources and perfect branch prediction (Austin and Sohi,
 * "Dynamic Dependency Analysis of Ordinary Programs", ISCA 1992).  With a window of W, an operation
 * also waits until the operation W positions before it has retired in order (the continuous window
 * of Wall, "Limits of Instruction-Level Parallelism", ASPLOS 1991).
 *
 * No machine that waits for true dependences with the same latencies is faster than the limit.
 */
#ifndef SPOOR_PIPELINE_LIMITS_H
#define SPOOR_PIPELINE_LIMITS_H

#include "simulate/pipeline/machine.h"

struct limits;

/* Returns a state with the latencies of `config`; NULL if memory runs out. */
struct limits *limits_new(const struct spoor_pipeline_config *config);
/* Adds the next operations of the trace; false if memory runs out. */
bool limits_feed(struct limits *limits, const struct spoor_operation *operations, size_t count);
/* Adds `dataflow_cycles`, `dataflow_ilp` and the array `windows`. */
void limits_report(const struct limits *limits, struct spoor_result *result);
void limits_free(struct limits *limits);

#endif
