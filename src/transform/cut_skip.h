/* SPDX-License-Identifier: MIT */
/*
 * cut_skip.h: a cut of a trace of which parts are passed over, because nothing in them can be
 * selected.
 */
#ifndef SPOOR_TRANSFORM_CUT_SKIP_H
#define SPOOR_TRANSFORM_CUT_SKIP_H

#include "spoor/cut.h"

/* Batches were passed over before the next one.  `cpu` is named last in them (NULL: none is),
 * `timed`: a record before the next one names a time.  Not for a cut by pc. */
void cut_skip(struct spoor_cut *cut, struct spoor_names *names, const char *cpu, bool timed);

#endif
