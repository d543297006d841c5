/* SPDX-License-Identifier: MIT */
/*
 * activity_input.h: the calls of a trace, or the counts of its instructions, for the verbs that
 * report on them: from its index, which keeps them, or by reading the trace.
 *
 *   if (activity_open(&input, settings, path) && activity_start(&input, reads)) {
 *       make the report, of input.stream or, if that is NULL, of input.index;
 *       while (activity_next(&input, &batch)) add the batch;
 *       good = activity_end(&input, status, &error);
 *   }
 *   code = activity_close(&input);
 */
#ifndef SPOOR_CLI_ACTIVITY_INPUT_H
#define SPOOR_CLI_ACTIVITY_INPUT_H

#include "cli/image_set.h"
#include "cli/trace_index.h"
#include "spoor/index.h"

struct activity_input {
    const struct settings *settings;
    const char *path, *format;
    enum spoor_index_needs needs; /* of the index: calls, unless changed before activity_start() */
    struct image_set located;
    struct spoor_index *index;         /* that keeps it; NULL: the trace is read */
    const struct spoor_stream *stream; /* of the trace that is read; NULL: the index answers */
    bool broken;                       /* the trace could not be read to its end */
    int code;
    struct trace_index trace_index;
    struct trace_input input;
};

/* Opens the images of a trace.  Of this function and the next, false: an error has been printed,
 * and input->code is set. */
bool activity_open(struct activity_input *input, const struct settings *settings, const char *path);
/* Finds the index, or begins to read the trace; `reads`: the index does not keep what is needed.
 * A pipe, a part of a trace, and a trace with --no-index are always read. */
bool activity_start(struct activity_input *input, bool reads);
/* The next batch of a trace that is read; false: there is none, or the index answers. */
bool activity_next(struct activity_input *input, const struct spoor_batch **batch);
/* Ends what activity_start() began; `status` is that of the report.  False: it is not SPOOR_OK, and
 * `error` has been printed. */
bool activity_end(struct activity_input *input, enum spoor_status status,
                  const struct spoor_error *error);
/* True if nothing of the trace and of its names is missing; else an error has been printed. */
bool activity_is_whole(struct activity_input *input);
/* Closes what is open; returns the exit code. */
int activity_close(struct activity_input *input);

#endif
