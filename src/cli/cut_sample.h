/* SPDX-License-Identifier: MIT */
/*
 * cut_sample.h: shared by `cut` and transfer.c: simpoints as one small trace, and beside it what
 * caches and predictors remember of the records before each.
 */
#ifndef SPOOR_CLI_CUT_SAMPLE_H
#define SPOOR_CLI_CUT_SAMPLE_H

#include "cli/cli.h"

enum cut_history { HISTORY_ALL, HISTORY_CACHES };

struct cut_sample;
/* A sample of the one operand, by a file of simpoints; NULL: an error has been printed, and *code
 * is set. */
struct cut_sample *cut_sample_open(const struct settings *settings, const char *simpoints,
                                   enum cut_history history, int *code);
/* The next range of records of a batch that are written: *from .. *to - 1, searched from *to on.
 * Start with *to = 0; false: no more.  Batches come in order. */
bool cut_sample_run(struct cut_sample *sample, const struct spoor_batch *batch, size_t *from,
                    size_t *to);
/* Writes the simpoints with the numbers that their records have in the sample, and the history
 * between them, and frees it.  Returns the exit code. */
int cut_sample_close(struct cut_sample *sample, const char *output, bool whole);

#endif
