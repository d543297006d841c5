/* SPDX-License-Identifier: MIT */
/* plot/panel.c: what the kinds of plots share: legends, axes, the attributes of marks. */
#include "plot/panel.h"

#include <math.h>
#include <stdlib.h>

enum { LINE = 18, SWATCH = 11, GAP = 6, TICK_DISTANCE = 46 };

/* ---- colours ---- */

unsigned panel_color(const struct plot_data *data, uint32_t series)
{
    const char *words = data->series.items[series];
    unsigned number = 0;
    /* a timeline's colours are those of its columns, by their numbers in the description */
    for (const char *key = data->plot->mark == PLOT_SPANS ? data->plot->y.key : ""; *key;
         number++) {
        const bool muted = *key == '~';
        key += muted;
        const size_t size = strcspn(key, "|");
        bool same = strlen(words) == size;
        for (size_t i = 0; i < size && same; i++)
            same = words[i] == key[i] || (words[i] == ' ' && key[i] == '_');
        if (same) return muted ? COLORS : number % COLORS;
        key += size + (key[size] == '|');
    }
    return series % COLORS;
}

/* ---- labels ---- */

void panel_put_label(const struct plot_data *data, const struct plot_axis *axis, struct text *out)
{
    const char *words = axis->label;
    if (!words) words = axis == &data->plot->x && data->x_key ? data->x_key : axis->key;
    for (; *words; words++) text_put(out, *words == '_' ? " " : words, 1);
    text_put(out, "", 1);
}

/* What the x of a point is called on an axis. */
static void panel_put_x(const struct panel *panel, const struct plot_point *point,
                        struct text *name)
{
    const struct plot_data *data = panel->data;
    const bool is_name = point->x_at && point->x_at->type == NODE_STRING;
    if (data->numeric && !is_name)
        scale_put(name, point->x, data->plot->x.unit);
    else
        text_puts(name, data->categories.items[point->category]);
    text_put(name, "", 1);
}

void panel_put_legend(struct panel *panel)
{
    const struct plot_names *series = &panel->data->series;
    if (series->count < 2) return;
    double x = panel->left;
    for (size_t i = 0; i < series->count; i++) {
        const double width = SWATCH + GAP + svg_width(series->items[i]) + 2 * GAP;
        if (i && x + width > panel->right) {
            x = panel->left;
            panel->top += LINE;
        }
        svg_put_rectangle(panel->out, x, panel->top + 4, SWATCH, SWATCH);
        text_printf(panel->out, " class=\"f%u\"/>\n", panel_color(panel->data, (uint32_t)i));
        panel_put_hatch(panel, (uint32_t)i, x, panel->top + 4, SWATCH, SWATCH);
        svg_put_fitted(panel->out, x + SWATCH + GAP, panel->top + 14, "", ANCHOR_START,
                       series->items[i], panel->right - x - SWATCH - GAP);
        x += width;
    }
    panel->top += LINE + GAP;
}

/* ---- patterns, for pictures without colours ---- */

/* Lines over squares of 8 units; the first series has none. */
static const char *const patterns[] = {"M-2 2L2 -2M0 8L8 0M6 10L10 6",
                                       "M-2 6L2 10M0 0L8 8M6 -2L10 2",
                                       "M0 4H8",
                                       "M4 0V8",
                                       "M0 8L8 0M0 0L8 8",
                                       "M2 4H6",
                                       "M4 0V8M0 4H8"};
enum { PATTERNS = sizeof patterns / sizeof *patterns };

void panel_put_patterns(struct text *out)
{
    text_puts(out, "<defs>");
    for (int i = 0; i < PATTERNS; i++)
        text_printf(out,
                    "<pattern id=\"hatch-%d\" width=\"8\" height=\"8\" "
                    "patternUnits=\"userSpaceOnUse\"><path d=\"%s\" "
                    "style=\"fill:none;stroke:#fff;stroke-width:1.6\"/></pattern>\n",
                    i + 1, patterns[i]);
    text_puts(out, "</defs>\n");
}

void panel_put_hatch(struct panel *panel, uint32_t series, double x, double y, double width,
                     double height)
{
    const uint32_t number = series % (PATTERNS + 1);
    if (!panel->hatched || !number) return;
    svg_put_rectangle(panel->out, x, y, width, height);
    text_printf(panel->out, " style=\"fill:url(#hatch-%u);pointer-events:none\"/>\n", number);
}

/* ---- axes ---- */

void panel_put_y_axis(struct panel *panel)
{
    const struct plot_axis *axis = &panel->data->plot->y;
    struct text label = {0};
    double widest = 0;
    panel->y = scale_of(panel->data->y_low, panel->data->y_high, axis, true, 5);
    panel_put_label(panel->data, axis, &label);
    if (!label.failed)
        svg_put_text(panel->out, panel->left, panel->top + 12, "q", ANCHOR_START, label.bytes);
    panel->top += LINE + 10;
    panel->y.from = panel->bottom;
    panel->y.to = panel->top;
    for (int turn = 0; turn < 2; turn++) {
        if (turn) panel->left += widest + GAP;
        for (size_t i = 0; i < panel->y.tick_count; i++) {
            const double at = scale_at(&panel->y, panel->y.ticks[i]);
            label.size = 0;
            scale_put(&label, panel->y.ticks[i], axis->unit);
            text_put(&label, "", 1);
            if (label.failed) break;
            const double width = svg_width(label.bytes);
            if (width > widest) widest = width;
            if (!turn) continue;
            svg_put_text(panel->out, panel->left - GAP, at + 4.5, "q", ANCHOR_END, label.bytes);
            svg_put_line(panel->out, panel->left, at, panel->right, at,
                         panel->y.ticks[i] == 0 ? "a" : "g");
        }
    }
    panel->out->failed |= label.failed;
    text_free(&label);
}

void panel_put_lines_down(struct panel *panel)
{
    struct text label = {0};
    for (size_t i = 0; i < panel->x.tick_count; i++) {
        const double at = scale_at(&panel->x, panel->x.ticks[i]);
        label.size = 0;
        scale_put(&label, panel->x.ticks[i], panel->x.unit);
        text_put(&label, "", 1);
        if (label.failed) break;
        svg_put_text(panel->out, at, panel->top + 12, "q", ANCHOR_MIDDLE, label.bytes);
        svg_put_line(panel->out, at, panel->top + LINE, at, panel->bottom,
                     panel->x.ticks[i] == 0 ? "a" : "g");
    }
    panel->out->failed |= label.failed;
    text_free(&label);
    panel->top += LINE + 2;
}

void panel_put_x_names(struct panel *panel, double slot)
{
    const struct plot_data *data = panel->data;
    struct text name = {0};
    double widest = 0;
    uint32_t every = 1;
    for (int turn = 0; turn < 2; turn++) {
        uint32_t next = 0;
        while (turn && slot * every < widest + 8) every++;
        for (size_t i = 0; i < data->count && !name.failed; i++) {
            const struct plot_point *point = &data->points[i];
            if (point->category < next) continue;
            next = point->category + every;
            name.size = 0;
            panel_put_x(panel, point, &name);
            if (name.failed) break;
            if (svg_width(name.bytes) > widest) widest = svg_width(name.bytes);
            if (turn)
                svg_put_text(panel->out, panel->left + slot * (point->category + 0.5),
                             panel->bottom + 16, "q", ANCHOR_MIDDLE, name.bytes);
        }
    }
    panel->out->failed |= name.failed;
    text_free(&name);
}

double panel_put_x_label(struct panel *panel, double y)
{
    struct text label = {0};
    panel_put_label(panel->data, &panel->data->plot->x, &label);
    if (!label.failed)
        svg_put_text(panel->out, (panel->left + panel->right) / 2, y + 14, "q", ANCHOR_MIDDLE,
                     label.bytes);
    panel->out->failed |= label.failed;
    text_free(&label);
    return y + 24;
}

/* ---- marks ---- */

static void panel_put_exact(struct text *out, const struct spoor_result *node)
{
    struct text plain = {0};
    result_put_exact(&plain, node);
    text_put(&plain, "", 1);
    out->failed |= plain.failed;
    if (!plain.failed) text_puts_xml(out, plain.bytes);
    text_free(&plain);
}

void panel_put_error(struct panel *panel, const struct plot_point *point, double value, double at,
                     bool upright)
{
    enum { CAP = 4 };
    const double whole = plot_point_whole(point);
    if (isnan(whole)) return;
    const struct plot_scale *scale = upright ? &panel->y : &panel->x;
    const double from = scale_at(scale, value), to = scale_at(scale, whole);
    text_puts(panel->out, "<g data-whole=\"");
    panel_put_exact(panel->out, point->whole);
    text_puts(panel->out, "\"><title>of the whole trace: ");
    scale_put(panel->out, whole, panel->data->plot->y.unit);
    text_puts(panel->out, "</title>\n");
    if (upright) {
        svg_put_line(panel->out, at, from, at, to, "e");
        svg_put_line(panel->out, at - CAP, to, at + CAP, to, "e");
    } else {
        svg_put_line(panel->out, from, at, to, at, "e");
        svg_put_line(panel->out, to, at - CAP, to, at + CAP, "e");
    }
    text_puts(panel->out, "</g>\n");
}

void panel_end_mark(struct panel *panel, const struct plot_point *point, const char *name)
{
    const struct plot_data *data = panel->data;
    const char *series = data->series.items[point->series];
    struct text words = {0};
    if (*series) {
        text_puts(panel->out, " data-series=\"");
        text_puts_xml(panel->out, series);
        text_puts(panel->out, "\"");
    }
    text_puts(panel->out, " data-x=\"");
    if (point->x_at)
        panel_put_exact(panel->out, point->x_at);
    else
        text_puts_xml(panel->out, data->categories.items[point->category]);
    text_puts(panel->out, "\" data-y=\"");
    if (point->at)
        panel_put_exact(panel->out, point->at);
    else
        text_printf(panel->out, "%.17g", point->y);
    panel_put_x(panel, point, &words);
    text_puts(panel->out, "\"><title>");
    if (*series) {
        text_puts_xml(panel->out, series);
        text_puts(panel->out, ", ");
    }
    panel->out->failed |= words.failed;
    if (!words.failed) text_puts_xml(panel->out, words.bytes);
    text_puts(panel->out, ": ");
    scale_put(panel->out, point->y, data->plot->y.unit);
    text_printf(panel->out, "</title></%s>\n", name);
    text_free(&words);
}
