/* SPDX-License-Identifier: MIT */
/* plot/panel.h: the parts of a plot: elements of SVG, scales, points, legends, axes, marks. */
#ifndef SPOOR_PLOT_PANEL_H
#define SPOOR_PLOT_PANEL_H

#include "plot/plot.h"
#include "result/result_node.h"

/* ---- svg.c: the pieces of an SVG picture in the style of docs/plots.md ---- */

/* Units of the picture, which a screen of 400 pixels scales by 0.7. */
enum { PLOT_WIDTH = 560, PLOT_MARGIN = 14, FONT = 13, COLORS = 12, HEAT_STEPS = 9 };

enum svg_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* ` name="value"`, the value with at most two decimals. */
void svg_put_number(struct text *out, const char *name, double value);
/* A text element of a class of the style sheet ("" for the plain one). */
void svg_put_text(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                  const char *words);
/* A text element whose words are shortened to `width` with an ellipsis in the middle. */
void svg_put_fitted(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                    const char *words, double width);
void svg_put_line(struct text *out, double x1, double y1, double x2, double y2, const char *style);
/* Begins a rectangle, up to and without ">": attributes may follow. */
void svg_put_rectangle(struct text *out, double x, double y, double width, double height);

/* The width of words in the picture's font, about. */
double svg_width(const char *words);

/* ---- scale.c: from values to positions, ticks on round numbers, and numbers as labels ---- */

enum { MAX_TICKS = 16 };

struct plot_scale {
    double low, high; /* values */
    double from, to;  /* positions of them */
    bool log2, log10;
    enum plot_unit unit;
    double ticks[MAX_TICKS];
    size_t tick_count;
};

/* A scale whose ends are ticks, with at most about `wanted` ticks.  Without logarithm, `zero` makes
 * it contain 0. */
struct plot_scale scale_of(double low, double high, const struct plot_axis *axis, bool zero,
                           unsigned wanted);
/* A scale whose ends are `low` and `high`. */
struct plot_scale scale_within(double low, double high, const struct plot_axis *axis,
                               unsigned wanted);
double scale_at(const struct plot_scale *scale, double value);

/* The value as people read it: 32K, 1,234, 12.5 %, 0x1000. */
void scale_put(struct text *out, double value, enum plot_unit unit);

/* ---- data.c: the points of a plot, read from result trees by its description ---- */

struct plot_point {
    double x, y;                          /* x: the value, or the number of the category */
    uint32_t series, category;            /* numbers in `series` and `categories` */
    const struct spoor_result *at, *x_at; /* the values that y and x are; x_at NULL: a name; at
                                           * NULL: a mean, which is in no result */
    const struct spoor_result *whole;     /* NULL, or what y, an estimate, is of the whole trace: of
                                           * parts on the last one, their sum */
};

/* Distinct names in order of appearance. */
struct plot_names {
    char **items;
    size_t count, capacity;
};

struct plot_data {
    const struct plot *plot;
    struct plot_point *points;
    size_t count, capacity;
    struct plot_names series, categories;
    char *x_key;          /* the member that "#0" was; NULL: none */
    char *subtitle;       /* the trace, where there is one */
    double x_low, x_high; /* of all points */
    double y_low, y_high;
    bool numeric; /* every x is a number */
    bool several; /* results of traces */
    bool failed;  /* memory ran out */
};

/* Reads the points; none: the results have no such table.  Values that are no numbers are left
 * out.  plot_data_free() in any case. */
void plot_data_read(struct plot_data *data, const struct plot *plot,
                    const struct spoor_result *results);
void plot_data_free(struct plot_data *data);
/* Finds the lowest and highest values of its points anew. */
void plot_data_range(struct plot_data *data);
/* Adds a point that no result has. */
void plot_data_add(struct plot_data *data, double y, const char *series, const char *category);
/* What the point would be of the whole trace, as a number; NAN: nothing says. */
double plot_point_whole(const struct plot_point *point);

/* ---- panel.c: what the kinds of plots share ---- */

struct panel {
    const struct plot_data *data;
    struct text *out;
    double left, right, top, bottom; /* of the marks */
    bool hatched;
    struct plot_scale x, y;
};

/* lines.c, bars.c, heat.c, spans.c: draw a plot below panel->top, and return where it ends. */
double plot_draw_lines(struct panel *panel);
double plot_draw_columns(struct panel *panel);
double plot_draw_bars(struct panel *panel);
double plot_draw_stack(struct panel *panel);
double plot_draw_heat(struct panel *panel);
double plot_draw_spans(struct panel *panel);

/* The number of the series' colour. */
unsigned panel_color(const struct plot_data *data, uint32_t series);
/* Puts the names of the series in their colours below panel->top, if they need it, and moves
 * panel->top. */
void panel_put_legend(struct panel *panel);
/* The vertical axis with lines across the plot: panel->y is set from panel->top and ->bottom, and
 * panel->left moves to the right of the labels.  panel->top is where its label goes. */
void panel_put_y_axis(struct panel *panel);
/* A horizontal axis of panel->x above the marks, with lines down to panel->bottom. */
void panel_put_lines_down(struct panel *panel);
/* The label of the x axis, below `y`; returns the end. */
double panel_put_x_label(struct panel *panel, double y);
/* The names of x below marks that are `slot` wide: as many, at equal distances, as do not overlap.
 */
void panel_put_x_names(struct panel *panel, double slot);

/* The pattern of a series over a rectangle of its colour, where patterns are wanted. */
void panel_put_hatch(struct panel *panel, uint32_t series, double x, double y, double width,
                     double height);
/* Defines the patterns. */
void panel_put_patterns(struct text *out);
/* A line from a value to that of the whole trace, along an axis; `at` on the other one. */
void panel_put_error(struct panel *panel, const struct plot_point *point, double value, double at,
                     bool upright);
/* Ends a mark that was begun with "<NAME ATTRIBUTES": data-series, data-x and data-y with the
 * values of the result, and a tooltip.  `name`: "rect". */
void panel_end_mark(struct panel *panel, const struct plot_point *point, const char *name);

/* The label of an axis: its own, or the key in words. */
void panel_put_label(const struct plot_data *data, const struct plot_axis *axis, struct text *out);

#endif
