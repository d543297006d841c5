/* SPDX-License-Identifier: MIT */
/* random_trace.h: random programs for tests of pipelines: many dependences, few addresses. */
#ifndef TESTS_SIMULATE_PIPE_RANDOM_TRACE_H
#define TESTS_SIMULATE_PIPE_RANDOM_TRACE_H

#include "support/trace.h"

/* Makes `count` micro-ops, the same for the same seed.  The caller frees the trace. */
void random_trace(struct trace *trace, uint64_t seed, size_t count);

#endif
