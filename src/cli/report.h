/* SPDX-License-Identifier: MIT */
/* report.h: what `report` reads of traces (report.c), and the page that it makes of it
 * (report_page.c). */
#ifndef SPOOR_CLI_REPORT_H
#define SPOOR_CLI_REPORT_H

#include "base/text.h"
#include "spoor/result.h"

/* Results as those of the verbs of these names. */
enum report_part {
    REPORT_INFO,
    REPORT_MIX,
    REPORT_PROFILE,
    REPORT_CACHE,
    REPORT_BRANCH,
    REPORT_PIPE,
    REPORT_CHECK,
    REPORT_LOG, /* of no verb: the stages that the log of a pipeline states */
    REPORT_PARTS
};

enum { REPORT_ROWS = 40 }; /* of a table, at most */

struct report_trace {
    struct spoor_result *parts[REPORT_PARTS]; /* members of the arrays that were given */
                                              /* NULL: it could not be read at all */
    const char *path;
    struct text overview; /* the beginning of an object of JSON: `overview` and `found` */
    char damage[640];     /* why the trace is not whole; "": it is */
    bool is_part;         /* it could not be read to its end */
};

enum { REPORT_TRACES = 8 };

struct report {
    const char *title; /* NULL: by the traces */
    struct text out;
    struct spoor_result *parts[REPORT_PARTS]; /* arrays, an object for each trace */
    struct report_trace traces[REPORT_TRACES];
    size_t count;
};

/* Writes the page into report->out. */
void report_put_page(struct report *report);

#endif
