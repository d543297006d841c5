/* SPDX-License-Identifier: MIT */
/*
 * study.h: a study of designs on traces, and its cells.
 *
 * A study names traces and runs.  A run is a verb with options; its grid gives values to the names
 * in braces in these options.  Each combination on each trace (or on each simpoint of it) is a
 * cell: one process, whose result is one file.  The name of the file is a hash of all that
 * decides the result, so a cell whose file is there is never run again, and a changed study runs
 * only what changed.
 */
#ifndef SPOOR_CLI_STUDY_H
#define SPOOR_CLI_STUDY_H

#include "base/text.h"
#include "cli/cli.h"
#include "cli/operands.h"
#include "cli/sweep_axes.h"

enum { MAX_CELLS = 1 << 22 };

struct study_trace {
    char *path;
    double weight;
    struct word_list options; /* of every verb: -f FORMAT */
    char *simpoints;          /* a file of representative intervals; NULL: all is counted */
    uint64_t intervals;       /* a hash of what that file states */
    uint64_t warmup;          /* instructions that train before each interval; 0: all before it */
    uint64_t size, seconds, nanoseconds;
};
struct study_run {
    char *name, *verb;
    struct word_list options;
    struct word_list grid_words;
    struct sweep grid;
};
struct study {
    char *path;    /* of the file; NULL: made of options */
    char *results; /* folder */
    bool confined; /* the command line does not name it: it lies below the folder of the file */
    char *notes;
    struct study_trace *traces;
    size_t trace_count, trace_capacity;
    struct study_run *runs;
    size_t run_count, run_capacity;
    bool unread; /* its file cannot be read, or memory ran out: the study is not wrong */
};

/* What a study says of a trace. */
struct trace_words {
    double weight;
    const struct word_list *options; /* NULL: none */
    const char *simpoints;           /* a file; NULL: the whole trace */
    uint64_t warmup;                 /* instructions that train before each interval; 0: all */
};
/* Add a trace (a pattern adds the files that it fits) or a run.  False: an error has been printed.
 */
bool study_add_trace(struct study *study, const char *pattern, const struct trace_words *words);
struct study_run *study_add_run(struct study *study, const char *name, const char *verb);
/* Sets the folder of results to one below that of the study's file; false: the name leads out of
 * it, or memory ran out. */
bool study_set_results(struct study *study, const char *name);
/* After everything was added: parses the grids and checks each run.  False: an error has been
 * printed. */
bool study_finish(struct study *study, const struct settings *settings);
void study_free(struct study *study);
/* Says that memory ran out, so that the study is not wrong but unread.  Returns false. */
bool study_out_of_memory(struct study *study);

/* Reads the study's file.  False: an error has been printed. */
bool study_read(struct study *study, const char *path, const struct settings *settings);
/* The result that a verb printed as JSON; NULL: it is not JSON (errno is 0), or cannot be read. */
struct spoor_result *result_of_json(const char *bytes, size_t size);
struct spoor_result *result_of_file(const char *path);

/* ---- cells ---- */

struct study_cell {
    uint32_t trace, run, combination;
    uint64_t hash;
};
struct cells {
    struct study_cell *items;
    size_t count, capacity;
};
/* All cells, in the order of runs, traces, combinations; the caller frees the items.  False: an
 * error has been printed. */
bool cells_make(struct cells *cells, const struct study *study);

/* The words of a cell's command after "spoor". */
bool cell_words(const struct study *study, const struct study_cell *cell, struct word_list *words);
/* The path of a file of a cell: its result (".json"), its failure (".failed"). */
enum cell_file { CELL_RESULT, CELL_FAILED };
void cell_path(const struct study *study, const struct study_cell *cell, enum cell_file which,
               struct text *path);
/* The state of a cell by its files; CELL_UNREAD: they cannot be read, which has been said. */
enum cell_state { CELL_MISSING, CELL_DONE, CELL_HAS_FAILED, CELL_UNREAD };
enum cell_state cell_state(const struct study *study, const struct study_cell *cell);

/* ---- study_collect.c ---- */

/* Adds `rows`: for each cell with a result its run, trace, weight and the values of its grid, and
 * then each row of a table of the result: `table` or, if it is NULL, that of the verb's designs; of
 * a result without it, the single numbers and texts.  Adds `weighted`, the weighted means over the
 * traces of each combination of which all traces have a result, where weights were given.  False:
 * an error has been printed. */
bool study_collect(const struct study *study, const struct cells *cells, const char *table,
                   struct spoor_result *result);
/* The result of a cell that is done; NULL: an error has been printed. */
struct spoor_result *study_result(const struct study *study, const struct study_cell *cell);
/* Adds the single values of a result to a row, those of objects in it with both keys, and all
 * with a prefix, unless it is "". */
void study_put_scalars(struct spoor_result *row, const struct spoor_result *from,
                       const char *prefix);
/* True if all cells have a result; else a message has been printed, which says how many lack one.
 */
bool study_is_complete(const struct study *study, const struct cells *cells);
/* Adds the numbers of cells: all, done, failed, missing; and of each run. */
void study_count(const struct study *study, const struct cells *cells, struct spoor_result *result);

/* ---- study_database.c ---- */

/* Writes the tables traces, designs, cells, and for each verb results_VERB (the single values of
 * each result) and results_VERB_TABLE (the rows of its tables).  Returns the exit code. */
int study_write_database(const struct study *study, const struct cells *cells, const char *path,
                         const struct settings *settings);

/* ---- study_engine.c ---- */

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

/* ---- study_page.c ---- */

/* Writes the page of a result that study_collect() filled: what the study is, for each run a plot
 * of each ratio over the first axis of its grid, and the rows as tables that sort.  Returns the
 * exit code. */
int study_write_page(const struct study *study, const struct spoor_result *result, const char *path,
                     const struct settings *settings);

/* ---- study_run.c ---- */

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
bool cell_measure(const struct word_list *words, struct cell_cost *cost);

#endif
