/* SPDX-License-Identifier: MIT */
/*
 * check_part.h: the partial result of `check`: the findings so far, and the state of its rules.
 *
 * Rules remember what a place of the program held, what registers hold, and how often the trace was
 * right: a part says nothing without the records before it.  So it continues their state, and has
 * the findings of all records from the first on.
 */
#ifndef SPOOR_CLI_CHECK_PART_H
#define SPOOR_CLI_CHECK_PART_H

#include "cli/cli.h"
#include "sweep/partial.h"

extern const struct partial_fold partial_check; /* it is continued, not merged */

struct check_part {
    uint64_t limit;    /* of the findings of a rule; 0: none */
    unsigned severity; /* enum spoor_severity */
    const char *lines; /* the findings as text */
    size_t size;
    bool failed;          /* memory ran out for the text */
    const uint8_t *state; /* of spoor_check_save() */
    size_t state_size;
};
/* Appends all but the state; the rows are those of the findings as data.  If memory runs out, the
 * text is marked failed. */
void check_part_pack(const struct check_part *part, const struct trace_input *trace_input,
                     const struct spoor_result *rows, struct text *bytes);
/* Reads it, and adds the rows to an array (`rows`) or to an object that begins with its trace and
 * format (`trace`); each may be NULL.  False: the bytes are damaged. */
bool check_part_read(struct check_part *part, const struct partial *partial,
                     struct spoor_result *trace, struct spoor_result *rows);

/* Prints the result that `check` prints of a whole trace; returns the exit code. */
int check_join(const struct partial *partial, const struct settings *settings);

#endif
