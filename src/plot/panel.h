/* SPDX-License-Identifier: MIT */
/* plot/panel.h: what the kinds of plots share: heads, legends, axes, the attributes of marks. */
#ifndef SPOOR_PLOT_PANEL_H
#define SPOOR_PLOT_PANEL_H

#include "plot/data.h"
#include "plot/scale.h"
#include "plot/svg.h"

struct panel {
    const struct plot_data *data;
    struct text *out;
    double left, right, top, bottom; /* of the marks */
    struct plot_scale x, y;
};

/* Draw a plot below panel->top, and return where it ends. */
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

/* Ends a mark that was begun with "<NAME ATTRIBUTES": data-series, data-x and data-y with the
 * values of the result, and a tooltip.  `name`: "rect". */
void panel_end_mark(struct panel *panel, const struct plot_point *point, const char *name);

/* The label of an axis: its own, or the key in words. */
void panel_put_label(const struct plot_data *data, const struct plot_axis *axis, struct text *out);

#endif
