/* SPDX-License-Identifier: MIT */
/*
 * cli.h: what verbs share: walking over the batches of several traces, saying what is wrong on
 * stderr, results on stdout.
 */
#ifndef SPOOR_CLI_CLI_H
#define SPOOR_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "cli/option.h"
#include "cli/progress.h"
#include "spoor/spoor.h"

/* One line on stderr: "spoor: " and the sentence. */
void complain(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Say that no verb is called `word`, with what may have been meant; gives EXIT_USAGE. */
int unknown_verb(const char *word);
/* Exit code that a failed status stands for; a closed pipe is quiet and EXIT_CLEAN. */
int exit_for(const struct spoor_error *error);
/* Complain with error->text unless the output's reader just went away, and give the exit code. */
int fail(const struct spoor_error *error);

/* Reads one trace and says on stderr what was wrong with it. */
struct walk {
    struct spoor_reader *reader;
    const struct spoor_stream *stream;
    const struct settings *settings;
    uint64_t faults; /* reported or not */
    int exit_code;   /* EXIT_CLEAN, or EXIT_UNREADABLE after faults or an error */
    bool silent;     /* faults are counted, not told (check tells them itself) */
    bool streams;    /* what is read goes to stdout at once: no progress on the same terminal */
    struct progress progress;
};
/* How many threads the settings ask for. */
unsigned thread_count(const struct settings *settings);
/* False: the sentence has been said, walk->exit_code is set. */
bool walk_open(struct walk *walk, const char *path, const struct settings *settings);
/* The same with what else a reader can do; format, threads and dialect are the settings'. */
bool walk_open_with(struct walk *walk, const char *path, const struct settings *settings,
                    struct spoor_reader_options options);
/* The next batch; false at the end or after an error (then exit_code is set).  Tells the faults of
 * each batch, the first few in full, and updates the progress line on a terminal. */
bool walk_next(struct walk *walk, const struct spoor_batch **batch);
/* The same of what else a reader hands out. */
bool walk_next_to_count(struct walk *walk, const struct spoor_batch **batch);
bool walk_next_branches(struct walk *walk, struct spoor_branch_block *block);
/* The same of its references. */
bool walk_next_references(struct walk *walk, const struct spoor_reference_options *options,
                          struct spoor_reference_block *block);
/* Say how many faults were not told, close, and return the exit code. */
int walk_close(struct walk *walk);

/* The operands, or "-" alone where there are none. */
size_t operand_count(const struct settings *settings);
const char *operand(const struct settings *settings, size_t index);

/* What a verb does with each trace it is given: fills an object of `all`, or where that is NULL
 * shows its result by itself, behind show_apart(shown).  `context` is the verb's own; gives an exit
 * code. */
typedef int trace_runner(const void *context, const char *path, bool *shown,
                         struct spoor_result *all);
/* Run every operand, up to the first that shows wrong usage.  Of several with --json, `all` is one
 * array that is shown at the end. */
int run_each_trace(const struct settings *settings, trace_runner *run, const void *context);
/* Another result is about to be shown: an empty line, where it is not the first. */
int show_apart(bool *shown);

/* Whether text on stdout is to be coloured: --color, else NO_COLOR and a terminal decide. */
bool wants_color(const struct settings *settings);

/* Write a finished result to stdout in the asked form; gives the exit code. */
enum result_form { RESULT_TEXT, RESULT_COLORED_TEXT, RESULT_JSON, RESULT_CSV };
/* JSON or text, coloured or not, as the settings say. */
enum result_form result_form_of(const struct settings *settings);
int show_result(const struct spoor_result *result, enum result_form form);
/* Add an array of what there is to choose from: rows of `name` and `title`, up to the NULL that the
 * functions give behind the last. */
void list_choices(struct spoor_result *result, const char *array, const char *(*name_at)(size_t),
                  const char *(*title_at)(size_t));
/* Bytes to stdout, checked; EXIT_CLEAN or fail(). */
int show_bytes(const char *bytes, size_t size);

/* Worse of two exit codes: unreadable input outranks findings. */
int worse(int a, int b);

#endif
