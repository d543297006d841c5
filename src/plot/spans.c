/* SPDX-License-Identifier: MIT */
/*
 * plot/spans.c: timelines, a row for each x, in which each part lasts from its column's value to
 * that of the next column; the last column is one unit long.
 */
#include <stdlib.h>

#include "plot/panel.h"

enum { ROW = 15, BAR = 12, WIDEST_NAME = 200, MAX_ROWS = 200 };

/* The end of a part: the next column of the same row that begins later. */
static double span_end(const struct plot_data *data, size_t index)
{
    const struct plot_point *point = &data->points[index];
    if (index + 1 < data->count && data->points[index + 1].category == point->category)
        return data->points[index + 1].y;
    return point->y + 1;
}

double plot_draw_spans(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    const size_t rows = data->categories.count < MAX_ROWS ? data->categories.count : MAX_ROWS;
    struct text label = {0};
    double widest = 0;
    panel_put_legend(panel);
    for (size_t i = 0; i < rows; i++) {
        const double width = svg_width(data->categories.items[i]);
        if (width > widest) widest = width;
    }
    if (widest > WIDEST_NAME) widest = WIDEST_NAME;
    panel->left += widest + 8;
    double last = data->y_high;
    for (size_t i = 0; i < data->count; i++)
        if (span_end(data, i) > last) last = span_end(data, i);
    panel->x = scale_within(data->y_low, last, &data->plot->y, 6);
    panel->x.from = panel->left;
    panel->x.to = panel->right - 6;
    panel_put_label(data, &data->plot->y, &label);
    if (!label.failed)
        svg_put_text(panel->out, (panel->left + panel->right) / 2, panel->top + 12, "q",
                     ANCHOR_MIDDLE, label.bytes);
    panel->out->failed |= label.failed;
    text_free(&label);
    panel->top += 16;
    panel->bottom = panel->top + 20 + ROW * (double)rows;
    panel_put_lines_down(panel);
    for (size_t i = 0; i < rows; i++)
        svg_put_fitted(panel->out, panel->left - 8, panel->top + ROW * (double)i + 11, "v",
                       ANCHOR_END, data->categories.items[i], widest);
    for (size_t i = 0; i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        const double from = scale_at(&panel->x, point->y);
        const double to = scale_at(&panel->x, span_end(data, i));
        if (point->category >= rows || to <= from) continue;
        svg_put_rectangle(panel->out, from, panel->top + ROW * point->category + 1, to - from, BAR);
        text_printf(panel->out, " class=\"f%u\"", panel_color(panel->data, point->series));
        panel_end_mark(panel, point, "rect");
    }
    return panel->bottom + 8;
}
