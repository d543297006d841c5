/* SPDX-License-Identifier: MIT */
/* plot/columns.c: distributions, a column for each value of x, in the order of the table. */
#include <stdlib.h>

#include "plot/panel.h"

enum { HEIGHT = 200 };

/* The labels below the columns, as many as do not overlap. */
static void put_x_labels(struct panel *panel, double slot)
{
    const struct plot_data *data = panel->data;
    struct text label = {0};
    double free_from = 0;
    uint32_t next = 0;
    for (size_t i = 0; i < data->count && !label.failed; i++) {
        const struct plot_point *point = &data->points[i];
        if (point->category < next) continue;
        next = point->category + 1;
        label.size = 0;
        panel_put_x(panel, point, &label);
        if (label.failed) break;
        const double at = panel->left + slot * (point->category + 0.5);
        const double half = svg_width(label.bytes) / 2;
        if (at - half < free_from) continue;
        free_from = at + half + 8;
        svg_put_text(panel->out, at, panel->bottom + 16, "q", ANCHOR_MIDDLE, label.bytes);
    }
    panel->out->failed |= label.failed;
    text_free(&label);
}

double plot_draw_columns(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    panel_put_legend(panel);
    panel->bottom = panel->top + HEIGHT;
    panel_put_y_axis(panel);
    double slot = (panel->right - panel->left) / (double)data->categories.count;
    if (slot > 60) slot = 60;
    const double wide = slot * (slot > 4 ? 0.82 : 1) / (double)data->series.count;
    const double zero = scale_at(&panel->y, 0);
    for (size_t i = 0; i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        const double x = panel->left + slot * point->category + slot * 0.09 + wide * point->series;
        const double y = scale_at(&panel->y, point->y);
        svg_put_rectangle(panel->out, x, y < zero ? y : zero, wide, y < zero ? zero - y : y - zero);
        text_printf(panel->out, " class=\"f%u\"", panel_color(panel->data, point->series));
        panel_end_mark(panel, point, "rect");
    }
    put_x_labels(panel, slot);
    panel->right = panel->left + slot * (double)data->categories.count;
    return panel_put_x_label(panel, panel->bottom + 20);
}
