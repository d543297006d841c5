/* SPDX-License-Identifier: MIT */
/*
 * pipe_stages.h: pictures of the stages that the log of a pipeline states (O3PipeView, Kanata), as
 * `pipe` draws them of a simulated machine: a timeline in text, a table, a page.
 */
#ifndef SPOOR_CLI_PIPE_STAGES_H
#define SPOOR_CLI_PIPE_STAGES_H

#include "html/log_chart.h"
#include "spoor/result.h"

/* The timeline in text, 100 columns wide. */
void log_chart_put_text(const struct log_chart *chart, struct text *out);
/* The page; `path` is that of the log. */
void log_chart_put_page(const struct log_chart *chart, const char *path, struct text *out);
/* Into an object: `retired`, `squashed`, `cycles`, `ipc`, and `stages`, how long the instructions
 * of the chart were in each. */
void log_chart_report(const struct log_chart *chart, struct spoor_result *result);
/* `cpi_stack`, the cycles of an instruction by what the log says that they were lost for; nothing
 * if it does not say that. */
void log_chart_put_stack(const struct log_chart *chart, struct spoor_result *result);
/* The timeline as a table.  `apart`: the stages of a row, whatever their names, are members of an
 * object `stages`. */
void log_chart_put_rows(const struct log_chart *chart, bool apart, struct spoor_result *rows);

#endif
