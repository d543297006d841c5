/* SPDX-License-Identifier: MIT */
/* study_database.h: the results of a study as one SQLite database. */
#ifndef SPOOR_CLI_STUDY_DATABASE_H
#define SPOOR_CLI_STUDY_DATABASE_H

#include "cli/study_collect.h"

/* Writes the tables traces, designs, cells, and for each verb results_VERB (the single values of
 * each result) and results_VERB_TABLE (the rows of its tables).  Returns the exit code. */
int study_write_database(const struct study *study, const struct cells *cells, const char *path,
                         const struct settings *settings);

#endif
