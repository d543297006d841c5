/* SPDX-License-Identifier: MIT */
/* plot/columns.c: distributions, a column for each value of x, in the order of the table. */
#include "plot/panel.h"

enum { HEIGHT = 200 };

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
    panel_put_x_names(panel, slot);
    panel->right = panel->left + slot * (double)data->categories.count;
    return panel_put_x_label(panel, panel->bottom + 20);
}
