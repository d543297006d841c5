/* SPDX-License-Identifier: MIT */
/* plot/figure.c: pictures of one or more plots, one below the other. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/panel.h"

enum { HEAD = 24, BETWEEN = 22, BOTTOM = 12 };

/* Draws a plot from `top` on; returns where it ends. */
static double figure_draw_panel(const struct plot_data *data,
                                const struct spoor_plot_options *options, double top,
                                struct text *out)
{
    const bool untitled = options->untitled;
    struct panel panel = {.data = data, .out = out, .hatched = options->hatched};
    text_printf(out, "<g data-plot=\"%s\">\n", data->plot->name);
    if (!untitled) {
        svg_put_text(out, PLOT_MARGIN, top + 18, "t", ANCHOR_START, data->plot->title);
        top += HEAD;
    }
    bool estimates = false;
    for (size_t i = 0; i < data->count; i++) estimates |= data->points[i].whole != NULL;
    if (estimates && !untitled) {
        svg_put_text(out, PLOT_MARGIN, top + 14, "q", ANCHOR_START,
                     "of simpoints; black lines end at the whole trace's values");
        top += HEAD - 4;
    }
    if (data->subtitle && !untitled) {
        svg_put_fitted(out, PLOT_MARGIN, top + 14, "q", ANCHOR_START, data->subtitle,
                       PLOT_WIDTH - 2 * PLOT_MARGIN);
        top += HEAD - 4;
    }
    panel.left = PLOT_MARGIN;
    panel.right = PLOT_WIDTH - PLOT_MARGIN;
    panel.top = top + 4;
    double bottom;
    switch (data->plot->mark) {
    case PLOT_LINES: bottom = plot_draw_lines(&panel); break;
    case PLOT_COLUMNS: bottom = plot_draw_columns(&panel); break;
    case PLOT_BARS: bottom = plot_draw_bars(&panel); break;
    case PLOT_STACK: bottom = plot_draw_stack(&panel); break;
    case PLOT_HEAT: bottom = plot_draw_heat(&panel); break;
    default: bottom = plot_draw_spans(&panel);
    }
    text_puts(out, "</g>\n");
    return bottom;
}

/* What the picture shows, for readers that do not see it. */
static void figure_describe(const struct plot_data *data, struct text *text)
{
    struct text x = {0}, y = {0};
    panel_put_label(data, &data->plot->x, &x);
    panel_put_label(data, &data->plot->y, &y);
    text->failed |= x.failed || y.failed;
    if (!text->failed) {
        text_puts_xml(text, data->plot->title);
        if (data->subtitle) {
            text_puts(text, " of ");
            text_puts_xml(text, data->subtitle);
        }
        text_puts(text, ": ");
        text_puts_xml(text, y.bytes);
        text_puts(text, " by ");
        text_puts_xml(text, *x.bytes ? x.bytes : "name");
        text_puts(text, ", from ");
        scale_put(text, data->y_low, data->plot->y.unit);
        text_puts(text, " to ");
        scale_put(text, data->y_high, data->plot->y.unit);
        text_puts(text, ". ");
    }
    text_free(&x);
    text_free(&y);
}

static void figure_put_document(const struct spoor_plot_options *options, const char *name,
                                const char *title, const struct text *about,
                                const struct text *body, double height, struct text *out)
{
    char id[64];
    snprintf(id, sizeof id, "%s%.0u", name, options->number);
    text_puts(out, "<svg class=\"sp\"");
    if (options->width > 0) {
        text_printf(out, " width=\"%.3fin\" height=\"%.3fin\"", options->width,
                    options->width * height / PLOT_WIDTH);
    } else {
        text_printf(out, " width=\"%d\" height=\"%d\"", PLOT_WIDTH, (int)height);
    }
    text_printf(out,
                " xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
                "role=\"img\" aria-labelledby=\"%s-t %s-d\">\n<title id=\"%s-t\">",
                PLOT_WIDTH, (int)height, id, id, id);
    text_puts_xml(out, title);
    text_printf(out, "</title>\n<desc id=\"%s-d\">", id);
    text_append(out, about);
    text_puts(out, "</desc>\n");
    if (!options->inlined) text_printf(out, "<style>%s</style>\n", spoor_plot_style());
    if (options->hatched) panel_put_patterns(out);
    text_puts(out, "<rect class=\"bg\" width=\"100%\" height=\"100%\"/>\n");
    text_append(out, body);
    text_puts(out, "</svg>\n");
}

/* ---- options of the caller ---- */

/* Leaves out points that a logarithm does not have. */
static void figure_make_logarithmic(struct plot_data *data, struct plot *own)
{
    size_t kept = 0;
    for (size_t i = 0; i < data->count; i++)
        if (data->points[i].y > 0) data->points[kept++] = data->points[i];
    data->count = kept;
    own->y.log10 = true;
    plot_data_range(data);
}

/* Divides the parts of each bar by their sum. */
static void figure_normalise(struct plot_data *data, struct plot *own)
{
    double *sums = calloc(data->categories.count + 1, sizeof *sums);
    data->failed |= !sums;
    if (!sums) return;
    for (size_t i = 0; i < data->count; i++) sums[data->points[i].category] += data->points[i].y;
    for (size_t i = 0; i < data->count; i++)
        if (sums[data->points[i].category] > 0) data->points[i].y /= sums[data->points[i].category];
    free(sums);
    own->y.unit = UNIT_SHARE;
    own->y.label = "share of the whole";
    plot_data_range(data);
}

static void figure_name(struct plot_data *data, const char *words)
{
    const bool bars = data->plot->mark == PLOT_STACK;
    const struct plot_names *names = bars ? &data->categories : &data->series;
    for (size_t i = 0; i < names->count && *words; i++) {
        const size_t size = strcspn(words, "|");
        char *name = strndup(words, size);
        data->failed |= !name;
        if (!name) return;
        free(names->items[i]);
        names->items[i] = name;
        words += size + (words[size] == '|');
    }
}

static const char mean_name[] = "geometric mean";

/* Adds the geometric mean over several traces: for each bar that all of them have, or, of bars of
 * parts, one of the sums of their parts. */
static void figure_average(struct plot_data *data, const struct plot *own)
{
    const bool parts = own->mark == PLOT_STACK;
    const size_t groups = parts ? 1 : data->categories.count;
    const size_t members = parts ? data->categories.count : data->series.count;
    const size_t count = data->count;
    const bool traces = parts
                            ? strcmp(own->x.key, "@name") == 0
                            : own->mark == PLOT_BARS && !own->series && !strpbrk(own->y.key, "|*");
    if (!data->several || !traces || members < 2) return;
    double *values = calloc(members, sizeof *values);
    data->failed |= !values;
    for (size_t group = 0; values && group < groups; group++) {
        double sum = 0;
        bool good = true;
        memset(values, 0, members * sizeof *values);
        for (size_t i = 0; i < count; i++) {
            const struct plot_point *point = &data->points[i];
            if (parts)
                values[point->category] += point->y;
            else if (point->category == group && point->series < members)
                values[point->series] = point->y;
        }
        for (size_t i = 0; i < members; i++) {
            good = good && values[i] > 0;
            sum += good ? log(values[i]) : 0;
        }
        if (good)
            plot_data_add(data, exp(sum / (double)members), mean_name,
                          parts ? mean_name : data->categories.items[group]);
    }
    free(values);
    plot_data_range(data);
}

/* Upright bars; the scale of parts has their sums. */
static void figure_raise(struct plot_data *data, struct plot *own)
{
    own->stacked = own->mark == PLOT_STACK;
    own->mark = PLOT_COLUMNS;
    double *sums = calloc(data->categories.count + 1, sizeof *sums);
    data->failed |= !sums;
    for (size_t i = 0; sums && own->stacked && i < data->count; i++) {
        const struct plot_point *point = &data->points[i];
        double *sum = &sums[point->category];
        *sum += point->y > 0 ? point->y : 0;
        if (*sum > data->y_high) data->y_high = *sum;
    }
    if (own->y.unit == UNIT_SHARE && data->y_high > 0.99 && data->y_high < 1.01)
        data->y_high = 1; /* rounded parts */
    free(sums);
}

/* Draws misses per 1,000 instructions in place of a ratio; a title that begins with the ratio is
 * written to `title`. */
static void figure_count_instructions(struct plot *own, char *title, size_t capacity)
{
    static const char ratio[] = "Miss ratio", rate[] = "Misses per 1,000 instructions";
    if (strcmp(own->y.key, "miss_ratio") != 0) return;
    own->y = (struct plot_axis){
        .key = "mpki", .label = "misses per 1,000 instructions", .unit = UNIT_NUMBER};
    if (strncmp(own->title, ratio, sizeof ratio - 1) != 0) return;
    snprintf(title, capacity, "%s%s", rate, own->title + sizeof ratio - 1);
    own->title = title;
}

/* Makes of a plot and its data what the options ask for. */
static void figure_adapt(struct plot_data *data, struct plot *own,
                         const struct spoor_plot_options *options)
{
    if (options->logarithmic && own->mark == PLOT_LINES) figure_make_logarithmic(data, own);
    if (options->normalised && own->mark == PLOT_STACK) figure_normalise(data, own);
    if (options->averaged && !(options->normalised && own->mark == PLOT_STACK))
        figure_average(data, own);
    if (options->names) figure_name(data, options->names);
    if (options->vertical && (own->mark == PLOT_STACK || own->mark == PLOT_BARS))
        figure_raise(data, own);
}

static bool figure_is_wanted(const struct plot *plot, const struct spoor_plot_options *options)
{
    if (strcmp(plot->verb, options->verb) != 0) return false;
    if (!options->table) return true;
    const char *last = strrchr(plot->table, '.');
    for (const struct plot *other = plots; other->verb; other++) /* names come before tables */
        if (!strcmp(other->verb, options->verb) && !strcmp(other->name, options->table))
            return strcmp(options->table, plot->name) == 0;
    return !strcmp(options->table, plot->table) || (last && !strcmp(options->table, last + 1));
}

size_t plot_draw(const struct spoor_result *results, const struct spoor_plot_options *options,
                 struct text *out)
{
    struct text body = {0}, about = {0};
    char title[96] = "";
    double bottom = 6;
    size_t count = 0;
    for (const struct plot *plot = plots; plot->verb; plot++) {
        struct plot_data data;
        if (!figure_is_wanted(plot, options)) continue;
        struct plot own = *plot;
        char words[96];
        if (options->per_instruction) figure_count_instructions(&own, words, sizeof words);
        plot_data_read(&data, &own, results);
        figure_adapt(&data, &own, options);
        out->failed |= data.failed;
        /* A plot must show more than a number. */
        const bool heat = plot->mark == PLOT_HEAT, curve = heat || plot->mark == PLOT_LINES;
        bool shows = data.count > 0;
        if (curve && (!data.numeric || !(data.x_high > data.x_low))) shows = false;
        if (heat && data.series.count < 2) shows = false;
        if (plot->mark == PLOT_COLUMNS && data.categories.count < 2) shows = false;
        if (!data.failed && shows) {
            bottom = figure_draw_panel(&data, options,
                                       count && !options->inlined ? bottom + BETWEEN : 6, &body);
            figure_describe(&data, &about);
            if (!*title) snprintf(title, sizeof title, "%s", own.title);
            count++;
            if (options->inlined) {
                figure_put_document(options, plot->name, own.title, &about, &body, bottom + BOTTOM,
                                    out);
                body.size = about.size = 0;
            }
        }
        plot_data_free(&data);
    }
    if (count && !options->inlined)
        figure_put_document(options, options->verb, title, &about, &body, bottom + BOTTOM, out);
    text_free(&body);
    text_free(&about);
    return count;
}
