/* SPDX-License-Identifier: MIT */
/* pipe_cores.h: `pipe --core`, several traces at once. */
#ifndef SPOOR_CLI_PIPE_CORES_H
#define SPOOR_CLI_PIPE_CORES_H

#include "cli/cli.h"
#include "spoor/pipeline.h"

/* Runs the traces of --core on one pipeline, and each of them alone; fills an object with the
 * sums and, in `cpus`, a row for each core, unless they could not run.  Returns an exit code, after
 * a message if it is not EXIT_CLEAN. */
int pipe_run_cores(const struct settings *settings, const struct spoor_reader_options *reading,
                   const struct spoor_pipeline_options *how,
                   const struct spoor_pipeline_config *config,
                   const struct spoor_pipeline_config *usual, struct spoor_result *result);

#endif
