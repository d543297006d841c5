/* SPDX-License-Identifier: MIT */
/*
 * limits.h: how fast a trace could be at all.
 *
 * The dataflow limit: each operation issues as soon as the values that it needs are there, through
 * registers and through memory, with as many of everything as wanted and every branch known (Austin
 * and Sohi, "Dynamic Dependency Analysis of Ordinary Programs", ISCA 1992).  With a window of W, an
 * operation also waits until the one W before it has retired in order (the continuous window of
 * Wall, "Limits of Instruction-Level Parallelism", ASPLOS 1991).
 *
 * No machine that waits for true dependences with the same latencies is faster than the limit.
 */
#ifndef SPOOR_PIPELINE_LIMITS_H
#define SPOOR_PIPELINE_LIMITS_H

#include "simulate/pipeline/machine.h"

struct limits;

/* With the latencies of `config`; NULL if memory runs out. */
struct limits *limits_new(const struct spoor_pipeline_config *config);
/* The next operations of the trace; false if memory runs out. */
bool limits_feed(struct limits *limits, const struct spoor_operation *operations, size_t count);
/* Add `dataflow_cycles`, `dataflow_ilp` and the array `windows`. */
void limits_report(const struct limits *limits, struct spoor_result *result);
void limits_free(struct limits *limits);

#endif
