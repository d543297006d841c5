/* SPDX-License-Identifier: MIT */
/* drawing.h: open calls and flows of data as text and as results, for slice, stack and why. */
#ifndef SPOOR_CLI_DRAWING_H
#define SPOOR_CLI_DRAWING_H

#include "cli/asking.h"

/* ---- slice.c ---- */

/* Prints the flow as a tree; false: memory ran out. */
bool draw_dataflow(struct asking *asking, const struct spoor_dataflow *slice, bool forward,
                   struct text *text);
/* Adds the array `nodes`. */
void give_dataflow(struct asking *asking, const struct spoor_dataflow *slice,
                   struct spoor_result *result);

/* ---- stack.c ---- */

/* Prints the open calls of a processor that --where selects, innermost first, and adds them to the
 * array; `unit`: of the times, or "". */
void stack_put_frames(struct asking *asking, const struct spoor_state *state, unsigned cpu,
                      const char *unit, struct text *text, struct spoor_result *frames);

#endif
