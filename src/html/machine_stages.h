/* SPDX-License-Identifier: MIT */
/* machine_stages.h: the stages of simulated machines, as pages draw them. */
#ifndef SPOOR_HTML_MACHINE_STAGES_H
#define SPOOR_HTML_MACHINE_STAGES_H

#include "spoor/pipeline.h"

enum { MACHINE_STAGES = 5 };

/* A stage: its letter, its name and its colour, a number of the style of plots: that which the plot
 * `timeline` has for the same. */
struct machine_stage {
    const char *letter, *name; /* NULL: there is none */
    int color;
};
const struct machine_stage *machine_stages(enum spoor_pipeline_model model);
/* The cycles at which the stages of a micro-op begin, and the one after the last, counted from its
 * fetch; returns their number. */
size_t machine_stage_cycles(enum spoor_pipeline_model model,
                            const struct spoor_pipeline_event *event,
                            uint64_t at[MACHINE_STAGES + 1]);

#endif
