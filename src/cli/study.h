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
#include "cli/sweep_axes.h"

enum { MAX_CELLS = 1 << 22 };

/* Words, each owned by the list.  command_add(): false: memory ran out, which has been said. */
struct command {
    char **items;
    size_t count, capacity;
};
bool command_add(struct command *words, const char *word);
void command_free(struct command *words);

struct study_trace {
    char *path;
    double weight;
    struct command options; /* of every verb: -f FORMAT */
    char *simpoints;        /* a file of representative intervals; NULL: all is counted */
    uint64_t intervals;     /* a hash of what that file states */
    uint64_t warmup;        /* instructions that train before each interval; 0: all before it */
    uint64_t size, seconds, nanoseconds;
};
struct study_run {
    char *name, *verb;
    struct command options;
    struct command grid_words;
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
    const struct command *options; /* NULL: none */
    const char *simpoints;         /* a file; NULL: the whole trace */
    uint64_t warmup;               /* instructions that train before each interval; 0: all */
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
/* True if the program can do these. */
bool study_can_read(void);

/* ---- cells ---- */

struct study_cell {
    uint32_t trace, run, combination;
    uint64_t hash;
};
struct cells {
    struct study_cell *items;
    size_t count, capacity;
};
/* All cells, in the order of runs, traces, combinations.  False: an error has been printed. */
bool cells_make(struct cells *cells, const struct study *study);
void cells_free(struct cells *cells);

/* The words of a cell's command after "spoor". */
bool cell_words(const struct study *study, const struct study_cell *cell, struct command *words);
/* The path of a file of a cell: its result (".json"), its failure (".failed"). */
enum cell_file { CELL_RESULT, CELL_FAILED };
void cell_path(const struct study *study, const struct study_cell *cell, enum cell_file which,
               struct text *path);
/* The state of a cell by its files; CELL_UNREAD: they cannot be read, which has been said. */
enum cell_state { CELL_MISSING, CELL_DONE, CELL_HAS_FAILED, CELL_UNREAD };
enum cell_state cell_state(const struct study *study, const struct study_cell *cell);

#endif
