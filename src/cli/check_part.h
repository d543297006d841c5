/* SPDX-License-Identifier: MIT */
/*
 * check_part.h: what a partial result of `check` has beside the state of the rules: the findings so
 * far, which are members of its head.
 *
 * Rules remember what a place of the program held, what registers hold, and how often the trace was
 * right: a part says nothing without the records before it.  So it continues their state, and has
 * the findings of all records from the first on.
 */
#ifndef SPOOR_CLI_CHECK_PART_H
#define SPOOR_CLI_CHECK_PART_H

#include "cli/cli.h"
#include "spoor/partial.h"

struct check_part {
    uint64_t limit;    /* of the findings of a rule; 0: none */
    unsigned severity; /* enum spoor_severity */
    const char *lines; /* the findings as text */
    size_t size;
    struct spoor_result *head; /* of what was read; the lines are a part of it */
};
/* Adds the limit, the severity and the lines to a head, which has the trace and the rows of the
 * findings. */
void check_part_put(const struct check_part *part, struct spoor_result *head);
/* Reads them, and adds the rows of the findings to an array (`rows`), or the trace and the rows to
 * an object (`trace`); each may be NULL.  False: they are damaged, or memory ran out.  Call
 * check_part_free() in any case. */
bool check_part_read(struct check_part *part, const struct spoor_partial *partial,
                     struct spoor_result *trace, struct spoor_result *rows);
void check_part_free(struct check_part *part);

/* Prints the result that `check` prints of a whole trace; returns the exit code. */
int check_join(const struct spoor_partial *partial, const struct settings *settings);

#endif
