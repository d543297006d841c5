/* SPDX-License-Identifier: MIT */
/* study_page.h: the collected results of a study as one HTML page. */
#ifndef SPOOR_CLI_STUDY_PAGE_H
#define SPOOR_CLI_STUDY_PAGE_H

#include "cli/study.h"

/* Writes the page of a result that study_collect() filled: what the study is, for each run a plot
 * of each ratio over the first axis of its grid, and the rows as tables that sort.  Returns the
 * exit code. */
int study_write_page(const struct study *study, const struct spoor_result *result, const char *path,
                     const struct settings *settings);

#endif
