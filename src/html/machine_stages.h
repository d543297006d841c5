/* SPDX-License-Identifier: MIT */
/*
 * machine_stages.h: the micro-ops of simulated machines as JSON: `Pipeline` and `PipelineRow` of
 * web/src/api.ts, which log_chart.h gives of logs.
 */
#ifndef SPOOR_HTML_MACHINE_STAGES_H
#define SPOOR_HTML_MACHINE_STAGES_H

#include "base/text.h"
#include "spoor/pipeline.h"

/* Adds `stages`, [name, colour]; a colour is a number of the style of plots: that which the plot
 * `timeline` has for the same. */
void machine_put_stages(struct text *out, enum spoor_pipeline_model model);
void stage_put(struct text *out, const char *name, unsigned color);
/* Begins the row of a micro-op, which the caller may add members to, and ends. */
void machine_begin_row(struct text *out, enum spoor_pipeline_model model,
                       const struct spoor_pipeline_event *event, uint64_t pc);

#endif
