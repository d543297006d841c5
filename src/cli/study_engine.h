/* SPDX-License-Identifier: MIT */
/* study_engine.h: handing the cells of a study to GNU parallel, Slurm or Snakemake.  Each task of
 * theirs is this program with --task K/N, which runs every N-th cell. */
#ifndef SPOOR_CLI_STUDY_ENGINE_H
#define SPOOR_CLI_STUDY_ENGINE_H

#include "cli/study.h"

enum study_engine { ENGINE_LOCAL, ENGINE_PARALLEL, ENGINE_SLURM, ENGINE_SNAKEMAKE };
#define ENGINE_CHOICES "local|parallel|slurm|snakemake"

struct engine_options {
    uint64_t tasks;    /* N */
    uint64_t jobs;     /* cells of a task at a time; parallel: tasks at a time */
    uint64_t throttle; /* tasks of a Slurm array at a time; 0: no limit */
    const char *slurm_account, *partition, *limit; /* of Slurm; NULL: its own */
    const char *hosts;                             /* of parallel: --sshlogin; NULL: this machine */
    bool retry_failed;
};

/* Returns the exit code.  Slurm: the tasks and the job that collects are submitted when it returns;
 * parallel: they have ended; snakemake: Snakefile is written beside the results. */
int engine_run(enum study_engine engine, const struct study *study,
               const struct engine_options *options);

#endif
