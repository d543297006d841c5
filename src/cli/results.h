/* SPDX-License-Identifier: MIT */
/*
 * results.h: printing the result of a verb: as text, JSON or CSV, whole or one table of it, on
 * standard output or to the file of --output.
 */
#ifndef SPOOR_CLI_RESULTS_H
#define SPOOR_CLI_RESULTS_H

#include "cli/option.h"
#include "spoor/result.h"

/* Before and after a verb runs: open and close what it prints to.  They return the exit code;
 * results_begin() has printed an error unless it is EXIT_CLEAN. */
int results_begin(struct settings *settings);
int results_end(int code);

/* Writes bytes to the place of results, checked; returns EXIT_CLEAN or fail(). */
int show_bytes(const char *bytes, size_t size);
/* The same for a text, unless memory ran out while it was made. */
struct text;
int show_text(const struct text *text);

/* True if results go to a terminal. */
bool shows_on_terminal(void);
/* The width of the terminal that results go to, else what COLUMNS in the environment states, else
 * 0: no limit, as tools that read lines expect. */
unsigned screen_columns(void);
/* True if text is coloured: --color decides, else NO_COLOR and whether results go to a terminal. */
bool wants_color(const struct settings *settings);
/* The same, by the settings of this run. */
bool results_have_color(void);

/* Prints a finished result in the selected form, or only the table of --table; returns the exit
 * code. */
enum result_form { RESULT_TEXT, RESULT_COLORED_TEXT, RESULT_JSON, RESULT_CSV };
/* JSON, CSV or text, coloured or not, according to the settings. */
enum result_form result_form_of(const struct settings *settings);
int show_result(const struct spoor_result *result, enum result_form form);
/* True if the result is printed from its tree: --json, --csv or --table. */
bool prints_data(const struct settings *settings);
/* Of a verb that has several results: the name in reports.def of the one that is shown. */
void results_describe(const char *report);
/* A verb that streams its rows: it has printed the form that was asked for. */
void showed_form(void);
/* Prints one table of it, as rows; NULL: the first. */
int show_table(const struct spoor_result *result, const char *name, enum result_form form);

/* Runs every operand, up to the first with a usage error.  For several operands with --json or
 * --csv, `all` is one array that is printed at the end, as CSV with a column `trace`. */
int run_each_trace(const struct settings *settings, trace_runner *run, const void *context);
/* The result of one of them: an object of `all` or, if that is NULL, a new one. */
struct spoor_result *result_of(struct spoor_result *all);
/* Shows a new one, unless `shown` is NULL, and frees it; one of `all` is shown with the others. */
int show_one(const struct settings *settings, struct spoor_result *result, bool *shown,
             struct spoor_result *all);
/* Call before printing a result: prints an empty line unless it is the first. */
int show_apart(bool *shown);

#endif
