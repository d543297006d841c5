/* SPDX-License-Identifier: MIT */
/* branch_debug.h: the lines that two courses print for each branch. */
#ifndef SPOOR_CLI_BRANCH_DEBUG_H
#define SPOOR_CLI_BRANCH_DEBUG_H

#include "cli/cli.h"

/* CIS501 at Penn: the state before each conditional branch, the branch, the prediction.  Needs one
 * predictor with such a state: bimodal, gshare or tournament. */
int debug_penn(struct trace_input *trace_input, const char *const *specs, size_t count);

/* The course at SFSU: counts, and before them, for bimodal and btb together, a line for each
 * branch.
 */
int debug_sfsu(struct trace_input *trace_input, const char *const *specs, size_t count);

#endif
