/* SPDX-License-Identifier: MIT */
/*
 * plot.h: results as pictures: what the option --plot of the program draws.
 *
 * A picture is one SVG element with a style sheet of its own, which needs nothing else: browsers
 * and documents show it as it is.  A result with several tables that can be drawn becomes one
 * picture with a plot for each.
 */
#ifndef SPOOR_PLOT_H
#define SPOOR_PLOT_H

#include "error.h"
#include "result.h"

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_plot_options {
    size_t struct_size; /* sizeof this struct */
    const char *verb;  /* of the program that prints such a result: "cache", "branch", "pipe" ... */
    const char *table; /* only plots of this table; NULL: all */
};

/* Draws the result of one trace, or an array of the results of several, which share each plot.  On
 * SPOOR_OK the caller owns *svg, of *size bytes without the NUL that follows, and frees it with
 * free().  SPOOR_EUSAGE: the verb has no plots, or the result has none of the tables that they
 * draw; the sentence names the plots of the verb. */
enum spoor_status spoor_plot_svg(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **svg, size_t *size,
                                 struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
