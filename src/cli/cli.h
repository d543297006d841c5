/* SPDX-License-Identifier: MIT */
/*
 * cli.h: shared by all verbs: reading the batches of several traces, error messages on stderr,
 * results on stdout.
 */
#ifndef SPOOR_CLI_CLI_H
#define SPOOR_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/option.h"
#include "cli/results.h"
#include "spoor/spoor.h"

/* Prints one line on stderr: "spoor: " and the message.  Returns false. */
bool complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints one line as complain() does; returns `code`. */
int complain_for(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* What a verb is called that had another name, and the option that stands for it; NULL: none. */
const struct verb *verb_of_old_name(const char *word, const char **option);
/* Reports that no verb is called `word`, with the nearest name; returns EXIT_USAGE. */
int verb_refuse(const char *word);
/* The exit code of a failed status; a closed pipe is silent and EXIT_CLEAN. */
int exit_for(const struct spoor_error *error);
/* Prints error->text, unless the reader of the output has exited, and returns the exit code. */
int fail(const struct spoor_error *error);
/* Prints the option whose value failed and error->text; returns the exit code. */
int fail_option(const char *option, const struct spoor_error *error);

/* ---- progress.c: the progress line on stderr, if that is a terminal ---- */

struct progress {
    bool on;               /* stderr is a terminal and --quiet is not given */
    bool shown;            /* a line is displayed now */
    double started, drawn; /* seconds of a monotonic clock */
};

struct progress progress_start(bool quiet);
/* `done` of `size` bytes of the file have been read (size 0: unknown).  Draws a few times a second,
 * never in the first half second. */
void progress_update(struct progress *progress, const char *path, uint64_t done, uint64_t size);
/* Erases the line: before any other output, and at the end. */
void progress_clear(struct progress *progress);

/* ---- trace_input.c ---- */

struct trace_input;
/* What several traces that are read as one do instead (cores.h); it sets the exit code. */
struct joint_input {
    bool (*next_branches)(struct trace_input *trace_input, struct spoor_branch_block *block);
    bool (*next_references)(struct trace_input *trace_input,
                            const struct spoor_reference_options *options,
                            struct spoor_reference_block *block);
    bool (*counts)(const struct trace_input *trace_input);
    const char *(*format)(const struct trace_input *trace_input);
    int (*close)(struct trace_input *trace_input);
};

/* Reads one trace and reports its damage on stderr. */
struct trace_input {
    struct spoor_reader *reader;
    const struct spoor_stream *stream;
    const struct settings *settings;
    uint64_t faults;    /* reported or not */
    uint64_t last;      /* the last record that is asked for: faults after it are no part of the
                         * answer, however many records were read with it */
    int exit_code;      /* EXIT_CLEAN, or EXIT_UNREADABLE after faults or an error */
    bool broken;        /* the trace could not be read to its end */
    bool starved;       /* with `broken`: memory ran out, another reading may come further */
    bool silent;        /* faults are counted, not printed (check prints them itself) */
    bool repeats;       /* an earlier reading of the same trace has said what is damaged */
    bool fills;         /* records are filled in from a program: no index has them */
    bool unordered;     /* the verb follows execution, and the format does not */
    uint64_t misplaced; /* with `unordered`: instructions after one with a higher number */
    uint64_t latest;    /* with `unordered`: the highest number so far */
    bool console;       /* lines of other programs stand between those of the log */
    uint64_t lines, comments; /* with `console`: all, and those of other programs */
    bool streams;             /* records are printed on stdout at once: no progress line on the same
                               * terminal */
    bool ended;               /* there is no further batch */
    bool flushed;             /* the branches that waited for the end of the trace were given */
    uint64_t instructions;    /* up to the end of the branches that were given last */
    const uint64_t *cpu_instructions; /* likewise, of each cpu (struct spoor_branch_block) */
    size_t cpu_capacity;
    struct spoor_error error; /* why it could not be opened, or is broken; else empty */
    struct progress progress;
    struct trace_skip *skip;         /* skip.h; NULL: nothing is passed over */
    struct selection *selection;     /* selection.h; NULL: all records */
    const struct joint_input *joint; /* NULL: it is one trace */
    void *joined;                    /* of `joint` */
};
/* The number of threads that the settings select. */
unsigned thread_count(const struct settings *settings);
/* Where --dialect names a file of parameters (.scf), takes its text.  False: an error has been
 * printed. */
bool dialect_open(struct settings *settings);
/* How the settings say that a trace is decoded. */
struct spoor_decode_options decode_options(const struct settings *settings);
/* False: an error has been printed and trace_input->exit_code is set. */
bool input_open(struct trace_input *trace_input, const char *path, const struct settings *settings);
/* Opens with further reader options; format, threads and dialect come from the settings. */
bool input_open_with(struct trace_input *trace_input, const char *path,
                     const struct settings *settings, struct spoor_reader_options options);
/* The next batch, counts of a batch, branches or references; false at the end of the interval
 * (selection.h) or of the trace, or after an error (then exit_code is set).  They report the faults
 * of each batch, the first few in full, and update the progress line on a terminal. */
bool input_next(struct trace_input *trace_input, const struct spoor_batch **batch);
bool input_next_to_count(struct trace_input *trace_input, const struct spoor_batch **batch);
bool input_next_branches(struct trace_input *trace_input, struct spoor_branch_block *block);
bool input_next_references(struct trace_input *trace_input,
                           const struct spoor_reference_options *options,
                           struct spoor_reference_block *block);
/* False while what was given trains and is not counted. */
bool input_counts(const struct trace_input *trace_input);
/* Reports the number of faults that were not printed, closes, and returns the exit code. */
int input_close(struct trace_input *trace_input);

/* Begins a result about a trace: the keys `trace` and `format`, in every verb. */
void put_trace(struct spoor_result *result, const struct trace_input *trace_input);

/* True if the path is a regular file: a pipe can be read only once. */
bool can_be_read_twice(const char *path);

/* The operands, or "-" alone if there are none. */
size_t operand_count(const struct settings *settings);
const char *operand(const struct settings *settings, size_t index);

/* Puts words with a backslash before each byte that is special. */
void put_escaped(struct text *out, const char *words, const char *special);
/* Puts a word in single quotes, for a shell. */
void put_shell_word(struct text *out, const char *word);

/* The worse of two exit codes: unreadable input outranks findings. */
int worse(int a, int b);

#endif
