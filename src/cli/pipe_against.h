/* SPDX-License-Identifier: MIT */
/* pipe_against.h: `pipe --against`: the simulated machine beside the log of another pipeline. */
#ifndef SPOOR_CLI_PIPE_AGAINST_H
#define SPOOR_CLI_PIPE_AGAINST_H

#include "cli/cli.h"
#include "cli/option.h"
#include "spoor/spoor.h"

/* The options. */
struct against_choice {
    const char *log;
    uint64_t tolerance, ticks;
};

/* A micro-op of the machine, and the instruction of the log that it was compared with. */
struct log_pair {
    uint64_t ordinal;
    struct spoor_pipeline_times log;
};
/* The pairs of a range of micro-ops, in order. */
struct log_pairs {
    struct range range;
    uint64_t tolerance;
    struct log_pair *items;
    size_t count, capacity;
    bool failed;
};

struct against_log {
    struct log_pairs pairs;
    struct spoor_pipeline_diff *diff; /* NULL: there is no log */
    bool stops;                       /* no more of the log is read */
    struct spoor_error error;         /* the first failure */
    const char *path;
    struct settings settings;
    struct trace_input input;
};

/* Pairs of the micro-ops of `range` are kept, if it is given.  False: an error has been printed.
 * Without --against nothing is opened. */
bool against_log_open(struct against_log *log, const struct against_choice *choice,
                      const struct settings *settings, const struct range *range);
/* No micro-op follows.  `whole`: the trace was simulated to its end.  Returns the exit code. */
int against_log_end(struct against_log *log, bool whole);
void against_log_close(struct against_log *log);

#endif
