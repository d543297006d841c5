/* SPDX-License-Identifier: MIT */
/*
 * skip.h: skips the segments of a trace that a selection excludes, by means of an existing index.
 *
 * No index is made for this.  Segments with faulty lines are read anyway, so the reports on a trace
 * do not depend on an index.  A range of records of a .spoor file without an index is found by the
 * table of its segments; what lies before it is not read.
 */
#ifndef SPOOR_CLI_SKIP_H
#define SPOOR_CLI_SKIP_H

#include "cli/cli.h"
#include "spoor/index.h"

struct trace_skip;

/* After input_open() and before the first batch.  `path` is the trace's; what the selection refers
 * to must outlive the input. */
void input_skip(struct trace_input *trace_input, const char *path,
                const struct spoor_skipper_options *selection);
/* Call it before each batch: continues at the next segment that is not excluded; SPOOR_END: there
 * is none. */
enum spoor_status skip_ahead(struct trace_input *trace_input, struct spoor_error *error);
/* The processor that was named last before the next batch, if batches were passed over before it
 * since the last call; *timed: some record before it names a time.  NULL cpu: none was named. */
bool skip_passed(struct trace_input *trace_input, const char **cpu, bool *timed);
void skip_close(struct trace_skip *skip);

#endif
