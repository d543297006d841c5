/* SPDX-License-Identifier: MIT */
/* stated.h: what a trace states of execution, so that a page says nothing of the rest. */
#ifndef SPOOR_HTML_STATED_H
#define SPOOR_HTML_STATED_H

#include "spoor/batch.h"
#include "spoor/format.h"

/* Zeroed, nothing is seen yet. */
struct stated {
    bool executed; /* instructions or micro-ops */
    bool samples;  /* of a profiler */
    bool stages;   /* of a pipeline */
    bool indexed;  /* branches with the number of their instruction */
};

void stated_add(struct stated *stated, const struct spoor_record *record);
/* What spoor_profile counts as instructions: "instruction", "branch" or "sample". */
const char *stated_unit(const struct stated *stated);
/* True if exceptions would be seen, so that none is a fact. */
bool stated_has_exceptions(const struct stated *stated, const struct spoor_format *format);

#endif
