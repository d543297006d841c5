/* SPDX-License-Identifier: MIT */
/* phases_sample.h: `phases --sample`: many short intervals instead of one for each phase. */
#ifndef SPOOR_CLI_PHASES_SAMPLE_H
#define SPOOR_CLI_PHASES_SAMPLE_H

#include "cli/cli.h"
#include "spoor/sampling.h"

/* Reads a trace, chooses intervals, writes them to the file of --simpoints (NULL: none), and adds
 * the result to `all`, or prints it.  Returns the exit code. */
int phases_sample(const struct settings *settings, const struct spoor_sampling_options *options,
                  const char *simpoints, const char *path, bool *shown, struct spoor_result *all);

#endif
