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
#include "cli/progress.h"
#include "spoor/spoor.h"

/* Prints one line on stderr: "spoor: " and the message. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Reports that no verb is called `word`, with the nearest name; returns EXIT_USAGE. */
int unknown_verb(const char *word);
/* The exit code of a failed status; a closed pipe is silent and EXIT_CLEAN. */
int exit_for(const struct spoor_error *error);
/* Prints error->text, unless the reader of the output has exited, and returns the exit code. */
int fail(const struct spoor_error *error);
/* The same, after the option whose value failed. */
int fail_option(const char *option, const struct spoor_error *error);

/* Reads one trace and reports its damage on stderr. */
struct trace_input {
    struct spoor_reader *reader;
    const struct spoor_stream *stream;
    const struct settings *settings;
    uint64_t faults; /* reported or not */
    int exit_code;   /* EXIT_CLEAN, or EXIT_UNREADABLE after faults or an error */
    bool broken;     /* the trace could not be read to its end, */
    bool starved;    /* because memory ran out: another reading may come further */
    bool silent;     /* faults are counted, not printed (check prints them itself) */
    bool streams;    /* records are printed on stdout at once: no progress line on the same
                      * terminal */
    struct progress progress;
    struct skipping *skipping;   /* skip.h; NULL: nothing is passed over */
    struct selecting *selecting; /* selecting.h; NULL: all records */
};
/* The number of threads that the settings select. */
unsigned thread_count(const struct settings *settings);
/* False: an error has been printed and walk->exit_code is set. */
bool input_open(struct trace_input *trace_input, const char *path, const struct settings *settings);
/* The same with further reader options; format, threads and dialect come from the settings. */
bool input_open_with(struct trace_input *trace_input, const char *path,
                     const struct settings *settings, struct spoor_reader_options options);
/* The next batch; false at the end or after an error (then exit_code is set).  Reports the faults
 * of each batch, the first few in full, and updates the progress line on a terminal. */
bool input_next(struct trace_input *trace_input, const struct spoor_batch **batch);
/* The same for other results of a reader. */
bool input_next_to_count(struct trace_input *trace_input, const struct spoor_batch **batch);
bool input_next_branches(struct trace_input *trace_input, struct spoor_branch_block *block);
/* The same for its references. */
bool input_next_references(struct trace_input *trace_input,
                           const struct spoor_reference_options *options,
                           struct spoor_reference_block *block);
/* Reports the number of faults that were not printed, closes, and returns the exit code. */
int input_close(struct trace_input *trace_input);

/* True if the path is a regular file: a pipe can be read only once. */
bool can_be_read_twice(const char *path);

/* The operands, or "-" alone if there are none. */
size_t operand_count(const struct settings *settings);
const char *operand(const struct settings *settings, size_t index);

/* A verb's function for one trace: it fills an object of `all`, or, if that is NULL, prints its
 * result itself, after show_apart(shown).  `context` belongs to the verb; returns an exit code. */
typedef int trace_runner(const void *context, const char *path, bool *shown,
                         struct spoor_result *all);
/* Runs every operand, up to the first with a usage error.  For several operands with --json, `all`
 * is one array that is printed at the end. */
int run_each_trace(const struct settings *settings, trace_runner *run, const void *context);
/* Call before printing a result: prints an empty line unless it is the first. */
int show_apart(bool *shown);

/* True if text on stdout is coloured: --color decides, else NO_COLOR and whether it is a
 * terminal. */
bool wants_color(const struct settings *settings);

/* Writes a finished result to stdout in the selected form; returns the exit code. */
enum result_form { RESULT_TEXT, RESULT_COLORED_TEXT, RESULT_JSON, RESULT_CSV };
/* JSON or text, coloured or not, according to the settings. */
enum result_form result_form_of(const struct settings *settings);
int show_result(const struct spoor_result *result, enum result_form form);
/* Adds an array of choices: rows of `name` and `title`, up to the NULL that the functions return
 * past the end. */
void list_choices(struct spoor_result *result, const char *array, const char *(*name_at)(size_t),
                  const char *(*title_at)(size_t));
/* Writes bytes to stdout, checked; returns EXIT_CLEAN or fail(). */
int show_bytes(const char *bytes, size_t size);
/* The same for a text, unless memory ran out while it was made. */
struct text;
int show_text(const struct text *text);

/* The worse of two exit codes: unreadable input outranks findings. */
int worse(int a, int b);

#endif
