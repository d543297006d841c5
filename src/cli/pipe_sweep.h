/* SPDX-License-Identifier: MIT */
/* pipe_sweep.h: sweeps: several values of several parameters, and the resulting machines. */
#ifndef SPOOR_CLI_PIPE_SWEEP_H
#define SPOOR_CLI_PIPE_SWEEP_H

#include "cli/option.h"
#include "spoor/pipeline.h"

enum { MAX_SWEEP = 1024, SWEEP_AXES = 8, SWEEP_VALUE = SPOOR_PIPELINE_SPEC };

struct sweep_axis {
    char name[32];
    char (*values)[SWEEP_VALUE];
    size_t count, capacity;
    bool failed; /* memory ran out */
};
struct sweep {
    struct sweep_axis axes[SWEEP_AXES];
    size_t axis_count;
    bool failed; /* memory ran out */
};

/* Parses "NAME=VALUES" of each: "a,b,c"; "A..B", doubled from A on; "A..B+S", in steps of S. Values
 * of predictor and level are separated by ';'.  False: an error has been printed. */
bool sweep_parse(struct sweep *sweep, const struct list *words);
/* Number of machines: 1 without any axis. */
size_t sweep_count(const struct sweep *sweep);
/* The value of an axis in machine `index`. */
const char *sweep_value(const struct sweep *sweep, size_t index, size_t axis);
void sweep_free(struct sweep *sweep);

#endif
