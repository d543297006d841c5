/* SPDX-License-Identifier: MIT */
/* plot/heat.c: heat maps, a cell for each x and series, from dark (low) to bright (high). */
#include <math.h>

#include "plot/panel.h"

enum { CELL = 24, SMALL_CELL = 11, MANY_ROWS = 16, WIDEST_NAME = 150, NARROWEST_TEXT = 40 };

/* Counts of many sizes: equal ratios are equal steps of colour.  No cell is drawn as 0 then. */
static bool heat_is_log(const struct plot_data *data)
{
    enum { MANY = 100 };
    return data->plot->y.unit == UNIT_COUNT && data->y_low >= 0 && data->y_high > MANY;
}

static void heat_put_cell(struct panel *panel, const struct plot_point *point, double slot,
                          double cell)
{
    const double x = panel->left + slot * point->category, y = panel->top + cell * point->series;
    const double span = panel->data->y_high - panel->data->y_low;
    double share = span > 0 ? (point->y - panel->data->y_low) / span : 0;
    if (heat_is_log(panel->data))
        share = point->y > 1 ? log(point->y) / log(panel->data->y_high) : 0;
    int step = (int)(share * (HEAT_STEPS - 1) + 0.5);
    if (step < 0) step = 0;
    if (step >= HEAT_STEPS) step = HEAT_STEPS - 1;
    const double gap = slot > 6 ? 1 : 0;
    svg_put_rectangle(panel->out, x, y, slot - gap, cell - 1);
    if (point->y == 0 && panel->data->plot->y.unit == UNIT_COUNT)
        text_puts(panel->out, " class=\"hn\"");
    else
        text_printf(panel->out, " class=\"h%d\"", step);
    panel_end_mark(panel, point, "rect");
    if (slot < NARROWEST_TEXT || cell < CELL) return;
    struct text label = {0};
    scale_put(&label, point->y, panel->data->plot->y.unit);
    text_put(&label, "", 1);
    panel->out->failed |= label.failed;
    if (!label.failed && svg_width(label.bytes) < slot)
        svg_put_text(panel->out, x + (slot - gap) / 2, y + cell / 2 + 4,
                     step > HEAT_STEPS / 2 ? "v b" : "v w", ANCHOR_MIDDLE, label.bytes);
    text_free(&label);
}

/* Round numbers where x is a number that grows from cell to cell by the same amount, else the names
 * of the cells. */
static void heat_put_x(struct panel *panel, double slot)
{
    enum { TICKS = 6, FEW = 8 };
    const struct plot_data *data = panel->data;
    const size_t cells = data->categories.count;
    const double step = (data->x_high - data->x_low) / (double)(cells > 1 ? cells - 1 : 1);
    bool regular = data->numeric && cells > FEW && !data->plot->x.log2 && step > 0;
    for (size_t i = 0; i < data->count && regular; i++) {
        const double at = data->x_low + step * data->points[i].category;
        regular = fabs(data->points[i].x - at) < step / 100;
    }
    if (!regular) {
        panel_put_x_names(panel, slot);
        return;
    }
    struct plot_scale scale = scale_within(data->x_low, data->x_high + step, &data->plot->x, TICKS);
    struct text label = {0};
    scale.from = panel->left;
    scale.to = panel->right;
    for (size_t i = 0; i < scale.tick_count && !label.failed; i++) {
        const double at = scale_at(&scale, scale.ticks[i]);
        label.size = 0;
        scale_put(&label, scale.ticks[i], data->plot->x.unit);
        text_put(&label, "", 1);
        if (label.failed) break;
        svg_put_line(panel->out, at, panel->bottom, at, panel->bottom + 4, "a");
        svg_put_text(panel->out, at, panel->bottom + 16, "q", ANCHOR_MIDDLE, label.bytes);
    }
    panel->out->failed |= label.failed;
    text_free(&label);
}

double plot_draw_heat(struct panel *panel)
{
    const struct plot_data *data = panel->data;
    const double cell = data->series.count > MANY_ROWS ? SMALL_CELL : CELL;
    /* The colours with the values at their ends. */
    enum { WIDTH = 16 };
    struct text label = {0};
    panel_put_label(data, &data->plot->y, &label);
    if (label.size) label.size--;
    text_puts(&label, heat_is_log(data) ? " (logarithmic): " : ": ");
    scale_put(&label, heat_is_log(data) ? 1 : data->y_low, data->plot->y.unit);
    text_put(&label, "", 1);
    double x = panel->left;
    if (!label.failed) {
        svg_put_text(panel->out, x, panel->top + 12, "q", ANCHOR_START, label.bytes);
        x += svg_width(label.bytes) + 8;
    }
    for (unsigned i = 0; i < HEAT_STEPS; i++) {
        svg_put_rectangle(panel->out, x, panel->top + 2, WIDTH, 12);
        text_printf(panel->out, " class=\"h%u\"/>\n", i);
        x += WIDTH;
    }
    label.size = 0;
    scale_put(&label, data->y_high, data->plot->y.unit);
    text_put(&label, "", 1);
    panel->out->failed |= label.failed;
    if (!label.failed)
        svg_put_text(panel->out, x + 6, panel->top + 12, "q", ANCHOR_START, label.bytes);
    text_free(&label);
    panel->top += 24;
    double widest = 0;
    for (size_t i = 0; i < data->series.count; i++) {
        const double width = svg_width(data->series.items[i]);
        if (width > widest) widest = width;
    }
    if (widest > WIDEST_NAME) widest = WIDEST_NAME;
    panel->left += widest + 8;
    double slot = (panel->right - panel->left) / (double)data->categories.count;
    if (slot > 80) slot = 80;
    panel->bottom = panel->top + cell * (double)data->series.count;
    for (size_t i = 0; i < data->series.count; i++)
        svg_put_fitted(panel->out, panel->left - 8,
                       panel->top + cell * ((double)i + 0.5) + (cell < CELL ? 3.5 : 4.5),
                       cell < CELL ? "v" : "", ANCHOR_END, data->series.items[i], widest);
    for (size_t i = 0; i < data->count; i++) heat_put_cell(panel, &data->points[i], slot, cell);
    panel->right = panel->left + slot * (double)data->categories.count;
    heat_put_x(panel, slot);
    return panel_put_x_label(panel, panel->bottom + 20);
}
