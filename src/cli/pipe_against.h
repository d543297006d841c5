/* SPDX-License-Identifier: MIT */
/* pipe_against.h: `pipe --against`: the simulated machine beside the log of another pipeline. */
#ifndef SPOOR_CLI_PIPE_AGAINST_H
#define SPOOR_CLI_PIPE_AGAINST_H

#include "cli/cli.h"
#include "cli/option.h"
#include "simulate/pipeline/stage_diff.h"
#include "spoor/spoor.h"

/* The options. */
struct against_choice {
    const char *log;
    uint64_t tolerance, ticks;
};

struct against_log {
    struct stage_diff *diff; /* NULL: there is no log */
    const char *path;
    struct settings settings;
    struct trace_input input;
};

/* True if the options fit a run of so many swept parameters and traces. */
bool against_makes_sense(const struct against_choice *choice, size_t swept, int traces);
/* False: an error has been printed.  Without --against nothing is opened. */
bool against_log_open(struct against_log *log, const struct against_choice *choice,
                      const struct settings *settings);
/* Compares the next micro-op; reads as much of the log as that needs. */
void against_log_show(struct against_log *log, const struct spoor_pipeline_event *event);
/* No micro-op follows.  `whole`: the trace was simulated to its end.  Returns the exit code. */
int against_log_end(struct against_log *log, bool whole);
void against_log_report(struct against_log *log, struct spoor_result *result);
void against_log_close(struct against_log *log);

#endif
