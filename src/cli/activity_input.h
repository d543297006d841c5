/* SPDX-License-Identifier: MIT */
/*
 * activity_input.h: the calls of a trace for the verbs that report on them: from its index, which
 * keeps them, or by reading the trace.
 */
#ifndef SPOOR_CLI_ACTIVITY_INPUT_H
#define SPOOR_CLI_ACTIVITY_INPUT_H

#include "cli/indexed.h"
#include "cli/located.h"
#include "spoor/index.h"

/* The functions of a report; every function has `context` as its first argument. */
struct activity_report {
    void *context;
    /* Makes an empty report; `stream`: of the trace that is read, NULL: the index answers.  False:
     * an error has been printed, and *code is set. */
    bool (*begin)(void *context, const struct spoor_stream *stream, int *code);
    /* Adds a batch, or all that the index keeps; both, and the end: false if memory runs out or
     * `where` has no answer. */
    bool (*feed)(void *context, const struct spoor_batch *batch);
    bool (*use)(void *context, const struct spoor_index *index);
    bool (*end)(void *context);
    bool *broken;        /* set if the trace could not be read to its end; may be NULL */
    const char **format; /* set to the name of the trace's format; may be NULL */
    const struct spoor_select *where; /* what it counts; NULL: all */
};

/* Makes the report of a trace; `reads`: the index does not keep what it needs.  A pipe is always
 * read.  False: there is no report, an error has been printed, and *code is set. */
bool activity_input(const struct activity_report *report, const char *path,
                    const struct settings *settings, const struct located *located, bool reads,
                    int *code);

#endif
