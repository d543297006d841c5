/* SPDX-License-Identifier: MIT */
/* report_trace.h: everything that a report says about one trace, from one reading of it. */
#ifndef SPOOR_CLI_REPORT_TRACE_H
#define SPOOR_CLI_REPORT_TRACE_H

#include "cli/cli.h"

/* Results as those of the verbs of these names. */
enum report_part {
    REPORT_INFO,
    REPORT_MIX,
    REPORT_PROFILE,
    REPORT_CACHE,
    REPORT_BRANCH,
    REPORT_PIPE,
    REPORT_CHECK,
    REPORT_PARTS
};

enum { REPORT_ROWS = 40 }; /* of a table, at most */

struct report_trace {
    struct spoor_result *parts[REPORT_PARTS]; /* members of the arrays that were given */
    char *flame;                              /* a picture; NULL: there are no functions */
    size_t flame_size;
};

/* Reads the trace and adds an object to each of `parts`; returns the exit code.  Without a result,
 * trace->parts are NULL.  The caller frees trace->flame. */
int report_trace_read(struct report_trace *trace, const char *path, const struct settings *settings,
                      struct spoor_result *const parts[REPORT_PARTS]);

#endif
