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
    const char *table; /* only the plots of this table, or the plot of this name; NULL: all */
    bool inlined;      /* SVG only: an element for each plot, without a style sheet, for a page that
                        * has that of spoor_plot_style() */
    /* For papers: */
    double width;      /* inches of the picture, which is scaled to it; 0: 560 pixels */
    bool untitled;     /* neither a title nor the name of the trace above the plot */
    bool logarithmic;  /* y of lines: powers of ten at equal distances; points that are not above
                        * 0 are left out */
    bool normalised;   /* each bar of parts is divided by its sum */
    const char *names; /* of the series in their order, "A|B|C", in place of those that the data
                        * give; of bars of parts, those of the bars.  NULL: none */
    unsigned number;   /* 1 or more makes the identifiers of the elements distinct from those of the
                        * same plot elsewhere on the page */
    bool per_instruction; /* misses per 1,000 instructions where a miss ratio is drawn; without
                           * instructions there is none */
    bool vertical;        /* bars, and bars of parts, stand upright */
    bool averaged; /* of several traces: a bar of the geometric mean, of bars of parts that of
                    * their sums; only of values above 0 */
    bool hatched;  /* bars, and lines, can be told apart without colours */
};

/* The name of a plot of the verb, "curve", by its index from 0; NULL: it has no more. */
const char *spoor_plot_name(const char *verb, size_t index);
/* The style sheet of inlined plots: rules of CSS for elements of the class "sp", light and dark. */
const char *spoor_plot_style(void);

/* Draws the result of one trace, or an array of the results of several, which share each plot.  On
 * SPOOR_OK the caller owns *svg, of *size bytes without the NUL that follows, and frees it with
 * free().  SPOOR_EUSAGE: the verb has no plots, or the result has none of the tables that they
 * draw; the sentence names the plots of the verb. */
enum spoor_status spoor_plot_svg(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **svg, size_t *size,
                                 struct spoor_error *error);

/* The same as PNG, two pixels for each unit of the SVG, drawn by librsvg and cairo, which are
 * loaded when they are first needed.  SPOOR_EUSAGE besides: one of them is not installed, which
 * spoor_plot_png_ready() finds out beforehand.  SPOOR_EOUTPUT: librsvg could not draw it. */
enum spoor_status spoor_plot_png(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **png, size_t *size,
                                 struct spoor_error *error);
enum spoor_status spoor_plot_png_ready(struct spoor_error *error);
/* The same as PDF, of one page as large as the picture. */
enum spoor_status spoor_plot_pdf(const struct spoor_result *results,
                                 const struct spoor_plot_options *options, char **pdf, size_t *size,
                                 struct spoor_error *error);

#ifdef __cplusplus
}
#endif

#endif
