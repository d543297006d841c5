/* SPDX-License-Identifier: MIT */
/* formats/probe.h: probes of text formats whose lines all follow one rule. */
#ifndef SPOOR_FORMATS_PROBE_H
#define SPOOR_FORMATS_PROBE_H

#include "spoor/format.h"

enum line_fit {
    LINE_MISFITS,
    LINE_FITS,
    LINE_NEUTRAL, /* blank, a comment: no evidence for or against the format */
    LINE_FAILED,  /* memory ran out */
};

/* Tests the format's `fit` on a line without its newline. */
enum line_fit probe_line(const struct spoor_format *format, const uint8_t *line, size_t size);

/* Tests the format's `fit` on the first lines (line end excluded; 64 readable zeros follow it).
 * Returns 95 if every line matches (80 if there is only one), 70 if nine of ten do, else 0;
 * PROBE_FAILED. */
int probe_lines(const struct spoor_format *format, const struct spoor_head *head);

/* Writes ": the nearest is uop (88 of 100), but in line 1 found ..., expected ..."; leaves the text
 * as it is if no format matches enough of the bytes to be named. */
void format_nearest(const struct spoor_head *head, char *text, size_t capacity);

#endif
