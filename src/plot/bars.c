/* SPDX-License-Identifier: MIT */
/* plot/bars.c: horizontal bars, side by side or stacked, with their values at their ends. */
#include <math.h>
#include <stdlib.h>

#include "plot/panel.h"

enum {
    THICK = 17, /* a bar alone */
    THIN = 12,  /* one of several side by side */
    SPACE = 6,
    WIDEST_NAME = 190,
    VALUE = 58, /* for the values */
    MAX_BARS = 64
};

static size_t bars_count(const struct plot_data *data)
{
    return data->categories.count < MAX_BARS ? data->categories.count : MAX_BARS;
}

/* Moves panel->left to the right of the names of the bars. */
static void bars_indent(struct panel *panel, double *width)
{
    *width = 0;
    for (size_t i = 0; i < bars_count(panel->data); i++) {
        const double name = svg_width(panel->data->categories.items[i]);
        if (name > *width) *width = name;
    }
    if (*width > WIDEST_NAME) *width = WIDEST_NAME;
    panel->left += *width + 8;
}

static void bars_put_bar(struct panel *panel, const struct plot_point *point, double from,
                         double to, double top, double height)
{
    if (to < from) {
        const double swap = from;
        from = to;
        to = swap;
    }
    svg_put_rectangle(panel->out, from, top, to - from, height);
    text_printf(panel->out, " class=\"p f%u\"", panel_color(panel->data, point->series));
    panel_end_mark(panel, point, "rect");
    panel_put_hatch(panel, point->series, from, top, to - from, height);
}

static void bars_put_value(struct panel *panel, double value, double x, double middle)
{
    struct text label = {0};
    scale_put(&label, value, panel->data->plot->y.unit);
    text_put(&label, "", 1);
    panel->out->failed |= label.failed;
    if (!label.failed)
        svg_put_text(panel->out, x + 5, middle + 4, "q v", ANCHOR_START, label.bytes);
    text_free(&label);
}

/* The scale of the values, drawn over bars of `height` in all; returns the bottom. */
static double bars_begin(struct panel *panel, double low, double high, double height)
{
    const struct plot_data *data = panel->data;
    panel->right -= VALUE;
    panel->x = scale_of(low, high, &data->plot->y, true, 5);
    panel->x.from = panel->left;
    panel->x.to = panel->right;
    struct text label = {0};
    panel_put_label(data, &data->plot->y, &label);
    panel->out->failed |= label.failed;
    if (!label.failed)
        svg_put_text(panel->out, (panel->left + panel->right) / 2, panel->top + 12, "q",
                     ANCHOR_MIDDLE, label.bytes);
    text_free(&label);
    panel->top += 16;
    panel->bottom = panel->top + 20 + height;
    panel_put_lines_down(panel);
    return panel->bottom + 8;
}

double plot_draw_bars(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    const size_t count = bars_count(data);
    const double one = data->series.count > 1 ? THIN : THICK;
    const double group = one * (double)data->series.count + SPACE;
    double width;
    panel_put_legend(panel);
    bars_indent(panel, &width);
    const double bottom = bars_begin(panel, data->y_low, data->y_high, group * (double)count);
    const double top = panel->top + SPACE / 2.0, zero = scale_at(&panel->x, 0);
    for (size_t i = 0; i < count; i++)
        svg_put_fitted(panel->out, panel->left - 8,
                       top + group * (double)i + (group - SPACE) / 2 + 4.5, "", ANCHOR_END,
                       data->categories.items[i], width);
    for (size_t i = 0; i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        if (point->category >= count) continue;
        const double y = top + group * point->category + one * point->series;
        const double end = scale_at(&panel->x, point->y);
        bars_put_bar(panel, point, zero, end, y, one - 1);
        const double whole = plot_point_whole(point);
        const double value = whole > point->y ? scale_at(&panel->x, whole) : end;
        bars_put_value(panel, point->y, value > zero ? value : zero, y + one / 2);
        panel_put_error(panel, point, point->y, y + (one - 1) / 2, false);
    }
    return bottom;
}

/* ---- stacks ---- */

double plot_draw_stack(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    const size_t count = bars_count(data);
    const double group = THICK + SPACE;
    double width, high = 0;
    panel_put_legend(panel);
    bars_indent(panel, &width);
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (size_t k = 0; k < data->count; k++)
            if (data->points[k].category == i && data->points[k].y > 0) sum += data->points[k].y;
        if (sum > high) high = sum;
    }
    for (size_t k = 0; k < data->count; k++)
        if (plot_point_whole(&data->points[k]) > high) high = plot_point_whole(&data->points[k]);
    if (data->plot->y.unit == UNIT_SHARE && high > 0.99 && high < 1.01)
        high = 1; /* rounded parts */
    const double bottom = bars_begin(panel, 0, high, group * (double)count);
    for (size_t i = 0; i < count; i++) {
        const double top = panel->top + SPACE / 2.0 + group * (double)i;
        svg_put_fitted(panel->out, panel->left - 8, top + THICK / 2.0 + 4.5, "", ANCHOR_END,
                       data->categories.items[i], width);
        double sum = 0, end;
        const struct plot_point *estimate = NULL;
        for (uint32_t series = 0; series < data->series.count; series++)
            for (size_t k = 0; k < data->count; k++) {
                const struct plot_point *point = &data->points[k];
                if (point->category != i || point->series != series || !(point->y >= 0)) continue;
                bars_put_bar(panel, point, scale_at(&panel->x, sum),
                             scale_at(&panel->x, sum + point->y), top, THICK);
                sum += point->y;
                if (point->whole) estimate = point;
            }
        end = sum;
        if (estimate) panel_put_error(panel, estimate, sum, top + THICK / 2.0, false);
        if (estimate && plot_point_whole(estimate) > sum) end = plot_point_whole(estimate);
        if (data->plot->y.unit != UNIT_SHARE)
            bars_put_value(panel, sum, scale_at(&panel->x, end), top + THICK / 2.0);
    }
    return bottom;
}

/* ---- distributions: a column for each value of x, in the order of the table ---- */

enum { HEIGHT = 200, WIDEST = 60, WIDEST_NAMED = 120, NARROWEST_NAMED = 34 };

double plot_draw_columns(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    const bool stacked = data->plot->stacked, named = !data->numeric;
    panel_put_legend(panel);
    panel->bottom = panel->top + HEIGHT;
    panel_put_y_axis(panel);
    double slot = (panel->right - panel->left) / (double)data->categories.count;
    const double widest = named ? WIDEST_NAMED : WIDEST;
    if (slot > widest) slot = widest;
    const double all = slot * (slot > 4 ? 0.82 : 1);
    const double wide = stacked ? all : all / (double)data->series.count;
    double *sums = calloc(data->categories.count + 1, sizeof *sums);
    panel->out->failed |= !sums;
    for (uint32_t series = 0; sums && series < data->series.count; series++)
        for (size_t i = 0; i < data->count; i++) {
            const struct plot_point *point = &data->points[i];
            if (point->series != series || (stacked && !(point->y >= 0))) continue;
            double *sum = &sums[point->category];
            const double x = panel->left + slot * point->category + slot * 0.09 +
                             (stacked ? 0 : wide * point->series);
            const double from = scale_at(&panel->y, stacked ? *sum : 0);
            *sum = stacked ? *sum + point->y : point->y;
            const double y = scale_at(&panel->y, *sum), top = y < from ? y : from;
            svg_put_rectangle(panel->out, x, top, wide, fabs(from - y));
            text_printf(panel->out, " class=\"%sf%u\"", stacked ? "p " : "",
                        panel_color(panel->data, series));
            panel_end_mark(panel, point, "rect");
            panel_put_hatch(panel, series, x, top, wide, fabs(from - y));
            if (!stacked) panel_put_error(panel, point, *sum, x + wide / 2, true);
        }
    for (size_t i = 0; sums && stacked && i < data->count; i++)
        panel_put_error(panel, &data->points[i], sums[data->points[i].category],
                        panel->left + slot * (data->points[i].category + 0.5), true);
    free(sums);
    if (named && slot >= NARROWEST_NAMED)
        for (size_t i = 0; i < data->categories.count; i++)
            svg_put_fitted(panel->out, panel->left + slot * ((double)i + 0.5), panel->bottom + 16,
                           "q", ANCHOR_MIDDLE, data->categories.items[i], slot - 6);
    else
        panel_put_x_names(panel, slot);
    panel->right = panel->left + slot * (double)data->categories.count;
    return panel_put_x_label(panel, panel->bottom + 20);
}
