/* SPDX-License-Identifier: MIT */
/* sweep_axes.h: --sweep: several values of several keys, and all their combinations. */
#ifndef SPOOR_CLI_SWEEP_AXES_H
#define SPOOR_CLI_SWEEP_AXES_H

#include "cli/option.h"
#include "spoor/pipeline.h"

enum { MAX_SWEEP = 65536, SWEEP_AXES = 8, SWEEP_VALUE = SPOOR_PIPELINE_SPEC };

struct sweep_axis {
    char name[32];
    char (*values)[SWEEP_VALUE];
    size_t count, capacity;
    bool failed; /* memory ran out */
    bool full;   /* there are more values than MAX_SWEEP */
};
struct sweep {
    struct sweep_axis axes[SWEEP_AXES];
    size_t axis_count;
    bool failed; /* memory ran out */
};

/* Parses "KEY=VALUES[,KEY=VALUES...]" of each: "a,b,c"; "A..B", doubled from A on; "A..B+S", in
 * steps of S.  Values of predictor and level are separated by ';'.  False: an error has been
 * printed, also of more than `maximum` combinations. */
bool sweep_parse(struct sweep *sweep, const struct settings *settings, const struct list *words,
                 size_t maximum);
/* Number of combinations: 1 without any axis. */
size_t sweep_count(const struct sweep *sweep);
/* The value of an axis in combination `index`. */
const char *sweep_value(const struct sweep *sweep, size_t index, size_t axis);
/* Adds the values of combination `index` to a row, numbers and yes or no as such. */
void sweep_put(const struct sweep *sweep, size_t index, struct spoor_result *row);
void sweep_free(struct sweep *sweep);

#endif
