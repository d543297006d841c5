/* SPDX-License-Identifier: MIT */
/*
 * study_run.h: running cells of a study on this machine.
 *
 * A cell is a process of this program.  Its output goes to a file of its own, which gets the name
 * of the result when the process has ended well: a result is whole or not there.  While a cell
 * runs, a byte of the file LOCKS is locked for it, so that launchers on several machines that share
 * the folder run each cell once; the system releases the lock when a launcher dies.
 */
#ifndef SPOOR_CLI_STUDY_RUN_H
#define SPOOR_CLI_STUDY_RUN_H

#include "cli/study.h"

struct run_options {
    const struct settings *settings; /* by which a failure is written */
    uint64_t jobs;                   /* processes at a time */
    uint64_t task, tasks; /* only cells of this number modulo `tasks`, from 0; tasks 0: all */
    bool retry_failed;
    bool quiet;
};

struct run_counts {
    uint64_t failed_before;                  /* of the failed ones, in an earlier run */
    uint64_t done, failed, there, elsewhere; /* there: had a result; elsewhere: another launcher
                                              * runs it */
};

/* Makes the folder of results with what it holds; false: an error has been printed. */
bool study_make_folder(const struct study *study);
/* Runs the cells that are missing; returns the exit code. */
int study_run(const struct study *study, const struct cells *cells,
              const struct run_options *options, struct run_counts *counts);

/* One cell run for its cost, its output thrown away: seconds and bytes of memory. */
struct cell_cost {
    double seconds;
    uint64_t memory;
};
bool cell_measure(const struct command *words, struct cell_cost *cost);

#endif
