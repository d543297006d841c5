/* SPDX-License-Identifier: MIT */
/*
 * simpoints.h: shared by the simulators: --simpoints, which simulates intervals that stand for a
 * trace and weights their results; --warmup-records, which simulates the records before an interval
 * (or before --records) without counting them; and --whole, which states the errors
 * against the result of the whole trace.
 */
#ifndef SPOOR_CLI_SIMPOINTS_H
#define SPOOR_CLI_SIMPOINTS_H

#include "base/text.h"
#include "cli/cli.h"
#include "spoor/sampling.h"

/* The rows of a verb's option table; it has SELECTION_OPTIONS, too. */
#define SIMPOINT_OPTIONS                                                                        \
    {0,                                                                                         \
     "simpoints",                                                                               \
     "FILE",                                                                                    \
     OPTION_INPUT,                                                                              \
     offsetof(struct settings, simpoints),                                                      \
     "simulate only the simpoints of FILE, which `spoor phases --simpoints` wrote, and weight " \
     "the results",                                                                             \
     NULL,                                                                                      \
     OPTION_DOUBLE_DASH},                                                                       \
        {0,                                                                                     \
         "warmup-records",                                                                      \
         "N",                                                                                   \
         OPTION_NUMBER,                                                                         \
         offsetof(struct settings, selection.warmup),                                           \
         "simulate the N records before each simpoint or --records without counting them",      \
         NULL,                                                                                  \
         OPTION_DOUBLE_DASH},                                                                   \
    {                                                                                           \
        0, "whole", "FILE", OPTION_INPUT, offsetof(struct settings, whole),                     \
            "print the errors against the result of the whole trace in FILE, which the same "   \
            "command wrote with --json",                                                        \
            NULL, OPTION_DOUBLE_DASH                                                            \
    }

struct simpoint {
    uint64_t first, last; /* records, both included */
    double weight;
    uint64_t instructions;                        /* 0: not stated */
    double replicates[SPOOR_SAMPLING_REPLICATES]; /* its weight in each replicate, relative */
};
struct simpoints {
    struct simpoint *items;
    size_t count, capacity;
    size_t replicates; /* SPOOR_SAMPLING_REPLICATES, or 0: the file has none */
    char *history;     /* the path of the file of the history before each; NULL: there is none */
};
/* The line of a file of simpoints that names the file of their history, in the same folder. */
#define SIMPOINT_HISTORY "history "
#define SIMPOINT_HISTORY_SUFFIX ".history"
/* The fields of a line of a sample, for the comment at its beginning. */
#define SIMPOINT_FIELDS \
    "first record, last record, weight, instructions, relative weights in replicates"
/* Appends the line of a simpoint, with its replicates or without. */
void simpoint_put(struct text *text, const struct simpoint *point, bool replicated);
/* Reads a file of simpoints, for a verb, and sorts them by place.  False: an error has been
 * printed.  Free it even then. */
bool simpoints_read(struct simpoints *points, const char *verb, const char *path);
void simpoints_free(struct simpoints *points);

/* Runs each operand as run_each_trace() does, or its simpoints where they are given: then the
 * runner fills one result for each, and one that combines them is printed. */
int simpoints_run(struct settings *settings, trace_runner *run, const void *context);

/* Before simpoints_run(): of levels of caches whose misses the history of a sample has for the
 * whole trace, these are replayed instead of the simpoints. */
void reduced_choose(struct settings *settings, const struct spoor_cache_level *levels, size_t count,
                    const struct spoor_cache_options *options);
struct reference_sink;
/* After references_run(): if reduced references were fed, states the accesses of all. */
void reduced_complete(const struct settings *settings, struct spoor_cache_system *system,
                      struct reference_sink *sink);

struct spoor_index;
struct located;
/* What one simpoint leaves to the next: a simulator, whose caches or predictors the next one goes
 * on with, the index and the images of the trace, and its reader. */
struct carried {
    void *state;
    void (*free)(void *state);
    struct spoor_index *index;   /* that skip.c found; NULL: none yet */
    uint64_t done;               /* the records before this one were simulated, or skipped */
    struct spoor_reader *reader; /* of the trace, which the next one reads on from; NULL: none */
    const struct spoor_batch *batch; /* that it returned last */
    struct located *located;         /* the images of the trace; NULL: none were opened */
    struct selecting *selecting;     /* whose memory the next one takes; NULL: none */
    bool reduced;                    /* its reduced references are read, as its gap 0 */
    struct spoor_replay *replay;     /* the history of the sample; NULL: it has none */
    size_t gap_begin, gap_end;       /* the gaps of it that are read, */
    size_t gap;                      /* the one that is read now, */
    size_t gap_counted;              /* and the first that counts */
    uint64_t counted;                /* instructions of those that count and were read */
};
/* The simulator of the simpoint before, which the caller owns; NULL: there is none. */
void *carried_state(const struct settings *settings);
/* Leaves a simulator to the next simpoint; without simpoints, frees it. */
void carry(const struct settings *settings, void *state, void (*free)(void *state));
/* Closes and frees what the last part left; returns the exit code. */
int carried_close(struct carried *carried);

/* Adds the table `errors` of a result against that of the whole trace, in a file; returns the exit
 * code. */
int errors_put(struct spoor_result *result, const char *verb, const char *path);

#endif
