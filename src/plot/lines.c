/* SPDX-License-Identifier: MIT */
/*
 * plot/lines.c: curves, a line through the points of each series, with the name of each at its end.
 */
#include <stdio.h>
#include <stdlib.h>

#include "plot/panel.h"

enum { HEIGHT = 250, NAME_DISTANCE = 15, WIDEST_NAME = 150, MAX_NAMED = 12, FEW_POINTS = 40 };

struct line_name {
    double y;
    uint32_t series;
};

static int lines_compare_names(const void *a, const void *b)
{
    const struct line_name *left = a, *right = b;
    if (left->y != right->y) return left->y < right->y ? -1 : 1;
    return left->series < right->series ? -1 : 1;
}

/* Names at the ends of the lines, moved apart where they would overlap. */
static void lines_put_names(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    struct line_name names[MAX_NAMED];
    size_t count = 0;
    for (uint32_t i = 0; i < data->series.count; i++) {
        const struct plot_point *last = NULL;
        for (size_t k = 0; k < data->count; k++)
            if (data->points[k].series == i && (!last || data->points[k].x >= last->x))
                last = &data->points[k];
        if (last) names[count++] = (struct line_name){scale_at(&panel->y, last->y), i};
    }
    qsort(names, count, sizeof *names, lines_compare_names);
    for (size_t i = 1; i < count; i++)
        if (names[i].y < names[i - 1].y + NAME_DISTANCE)
            names[i].y = names[i - 1].y + NAME_DISTANCE;
    for (size_t i = count; i-- > 0;) {
        const double lowest = panel->bottom - (double)(count - 1 - i) * NAME_DISTANCE;
        if (names[i].y > lowest) names[i].y = lowest;
    }
    for (size_t i = 0; i < count; i++) {
        char style[8];
        snprintf(style, sizeof style, "f%u", panel_color(panel->data, names[i].series));
        svg_put_text(panel->out, panel->right + 8, names[i].y + 4, style, ANCHOR_START,
                     data->series.items[names[i].series]);
    }
}

/* Of lines that are to be told apart without colours. */
static const char *const dashes[] = {"",
                                     " style=\"stroke-dasharray:7 4\"",
                                     " style=\"stroke-dasharray:2 4\"",
                                     " style=\"stroke-dasharray:9 4 2 4\"",
                                     " style=\"stroke-dasharray:12 5\"",
                                     " style=\"stroke-dasharray:2 4 2 4 9 4\""};
enum { DASHES = sizeof dashes / sizeof *dashes };

double plot_draw_lines(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    double names = 0; /* the width of names at the ends of the lines; 0: they go into a legend */
    if (data->series.count >= 2 && data->series.count <= MAX_NAMED) {
        double widest = 0;
        for (size_t i = 0; i < data->series.count; i++) {
            const double width = svg_width(data->series.items[i]);
            if (width > widest) widest = width;
        }
        if (widest <= WIDEST_NAME) names = widest + 10;
    }
    if (names == 0) panel_put_legend(panel);
    panel->bottom = panel->top + HEIGHT;
    panel->right -= names > 0 ? names : 12;
    panel_put_y_axis(panel);
    panel->x = scale_within(data->x_low, data->x_high, &data->plot->x, 8);
    panel->x.from = panel->left + 8;
    panel->x.to = panel->right - 2;
    struct text label = {0};
    double free_from = 0;
    for (size_t i = 0; i < panel->x.tick_count; i++) {
        const double at = scale_at(&panel->x, panel->x.ticks[i]);
        label.size = 0;
        scale_put(&label, panel->x.ticks[i], panel->x.unit);
        text_put(&label, "", 1);
        if (label.failed) break;
        const double half = svg_width(label.bytes) / 2;
        svg_put_line(panel->out, at, panel->bottom, at, panel->bottom + 4, "a");
        if (at - half < free_from) continue;
        free_from = at + half + 8;
        svg_put_text(panel->out, at, panel->bottom + 17, "q", ANCHOR_MIDDLE, label.bytes);
    }
    panel->out->failed |= label.failed;
    text_free(&label);
    for (uint32_t series = 0; series < data->series.count; series++) {
        const unsigned color = panel_color(data, series);
        size_t count = 0;
        const char *dash = panel->hatched ? dashes[series % DASHES] : "";
        text_printf(panel->out, "<path class=\"l l%u%s\"%s d=\"", color,
                    series >= COLORS - 4 ? " d" : "", dash);
        for (size_t i = 0; i < data->count; i++) {
            const struct plot_point *point = &data->points[i];
            if (point->series != series) continue;
            text_puts(panel->out, count++ ? "L" : "M");
            text_put_fixed(panel->out, scale_at(&panel->x, point->x), 1);
            text_puts(panel->out, " ");
            text_put_fixed(panel->out, scale_at(&panel->y, point->y), 1);
        }
        text_puts(panel->out, "\"/>\n");
        for (size_t i = 0; i < data->count; i++) {
            const struct plot_point *point = &data->points[i];
            if (point->series != series) continue;
            text_printf(panel->out, "<circle class=\"p f%u\"", color);
            svg_put_number(panel->out, "cx", scale_at(&panel->x, point->x));
            svg_put_number(panel->out, "cy", scale_at(&panel->y, point->y));
            svg_put_number(panel->out, "r", count <= FEW_POINTS ? 3.6 : 1.8);
            panel_end_mark(panel, point, "circle");
        }
    }
    if (names > 0) lines_put_names(panel);
    return panel_put_x_label(panel, panel->bottom + 22);
}
