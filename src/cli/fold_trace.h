/* SPDX-License-Identifier: MIT */
/* fold_trace.h: a verb that only counts the batches of a trace and reports its counts. */
#ifndef SPOOR_CLI_FOLD_TRACE_H
#define SPOOR_CLI_FOLD_TRACE_H

#include "cli/cli.h"

struct trace_fold {
    void *state;                                                /* NULL: memory ran out */
    bool (*feed)(void *state, const struct spoor_batch *batch); /* false: memory ran out */
    void (*report)(const void *state, const struct spoor_stream *stream,
                   struct spoor_result *result);
};
/* Reads the trace, and shows the result or adds it to the array `all`; returns the exit code. */
int fold_trace(const struct settings *settings, const struct trace_fold *fold, const char *path,
               bool *shown, struct spoor_result *all);

#endif
