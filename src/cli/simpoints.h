/* SPDX-License-Identifier: MIT */
/*
 * simpoints.h: shared by the simulators: --simpoints, which counts only intervals that stand for a
 * trace, and weights their results; and --whole, which states the errors against the result of the
 * whole trace.
 *
 * The trace is read once.  Caches and predictors train on all records between the intervals
 * (functional warming), or with --warmup on the last instructions of these; a pipeline is timed in
 * the intervals alone.
 */
#ifndef SPOOR_CLI_SIMPOINTS_H
#define SPOOR_CLI_SIMPOINTS_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/selection.h"

enum { SIMPOINT_INTERVAL = 100000 }; /* instructions, as `phases` divides a trace */

/* The rows of a verb's option table; it has SELECTION_OPTIONS and a WARMUP_OPTION, too. */
#define SIMPOINT_OPTIONS                                                                      \
    OPT(0, "simpoints", INPUT, "FILE", COMMON(simpoints),                                     \
        "count only the representative intervals of FILE, which `spoor phases` or SimPoint "  \
        "wrote, and weight their results"),                                                   \
        OPT(0, "simpoint-interval", NUMBER, "N", COMMON(interval),                            \
            "instructions of an interval of SimPoint's own files (100,000)"),                 \
        OPT(0, "whole", INPUT, "FILE", COMMON(whole),                                         \
            "print the errors against the result of the whole trace in FILE, which the same " \
            "command wrote with --json")

/* An interval that stands for part of a trace. */
struct simpoint {
    struct boundary first, end;
    double weight;
    uint64_t cluster;      /* of SimPoint's files */
    uint64_t instructions; /* 0: not stated */
    bool placed;           /* `instruction` is known */
    uint64_t instruction;  /* the number of its first, from 0 */
};
struct simpoints {
    struct simpoint *items;
    size_t count, capacity;
    bool of_simpoint; /* they are SimPoint's: intervals of equally many instructions */
};
/* Reads a file of intervals, for a verb, and sorts them by place; `interval`: of SimPoint's files,
 * 0: as usual.  False: an error has been printed.  The caller frees the items even then. */
bool simpoints_read(struct simpoints *points, const char *verb, const char *path,
                    uint64_t interval);

/* A simulator that goes on from interval to interval. */
struct interval_simulator {
    /* Makes the simulator of the next interval.  It goes on with that of the interval before (NULL:
     * there is none), which is kept or freed.  Returns an exit code; unless that is EXIT_CLEAN, a
     * message has been printed and there is no simulator. */
    int (*make)(const void *context, void *before, void **simulator);
    /* Simulates the next interval of the input and fills an object with its result.  Returns an
     * exit code; unless that is EXIT_CLEAN, a message has been printed. */
    int (*run)(const void *context, struct trace_input *input, void *simulator,
               struct spoor_result *result);
    void (*free)(void *simulator);
    /* Shows the result of a whole trace; NULL: show_apart() and show_result(). */
    int (*show)(const void *context, void *simulator, const struct spoor_result *result,
                bool *shown);
    bool has_addresses; /* its results have addresses of code, which images name */
};
/* Runs each operand with `run`, as run_each_trace() does, or if that is NULL with the simulator, as
 * one interval; or, with --simpoints, its intervals, and prints one result that combines theirs. */
int simpoints_run(const struct settings *settings, trace_runner *run,
                  const struct interval_simulator *simulator, const void *context);

#endif
