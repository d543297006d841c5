/* SPDX-License-Identifier: MIT */
/* study_collect.h: the results of the cells of a study as one table. */
#ifndef SPOOR_CLI_STUDY_COLLECT_H
#define SPOOR_CLI_STUDY_COLLECT_H

#include "cli/study.h"

/* Adds `rows`: for each cell with a result its run, trace, weight and the values of its grid, and
 * then the single numbers and texts of the result, or with `table` each row of that table of the
 * result.  Adds `weighted`, the weighted means over the traces of each combination of which all
 * traces have a result, where weights were given.  False: an error has been printed. */
bool study_collect(const struct study *study, const struct cells *cells, const char *table,
                   struct spoor_result *result);
/* The result of a cell that is done; NULL: an error has been printed. */
struct spoor_result *study_result(const struct study *study, const struct study_cell *cell);
/* Adds the single values of a result to a row, those of objects in it with both keys. */
void study_put_scalars(struct spoor_result *row, const struct spoor_result *from);
/* True if all cells have a result; else a message has been printed, which says how many lack one.
 */
bool study_is_complete(const struct study *study, const struct cells *cells);
/* Adds the numbers of cells: all, done, failed, missing; and of each run. */
void study_count(const struct study *study, const struct cells *cells, struct spoor_result *result);

#endif
