/* SPDX-License-Identifier: MIT */
/*
 * plotted.h: the option --plot, of every verb that has a plot (plot/plots.c).
 *
 * It stands for --json: show_result() then hands the result over, and prints it only if --json was
 * given as well.
 */
#ifndef SPOOR_CLI_PLOTTED_H
#define SPOOR_CLI_PLOTTED_H

#include "cli/option.h"
#include "spoor/result.h"

extern const struct option plot_options[];
/* True if the verb has these options. */
bool verb_has_plots(const struct verb *verb);

/* False: an error has been printed. */
bool plotted_begin(const struct settings *settings);
/* Draws the result; returns the exit code. */
int plotted_show(const struct settings *settings, const struct spoor_result *result);
/* Writes the picture; `code` is the exit code so far. */
int plotted_end(const struct settings *settings, int code);

#endif
