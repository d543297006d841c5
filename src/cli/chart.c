/* SPDX-License-Identifier: MIT */
/* chart.c: bars, sparklines and heat maps. */
#include "cli/chart.h"

#include <stdlib.h>
#include <string.h>

enum { LEVELS = 8, HEAT_LINES = 8 };

/* Eighths of a cell, from the left and from below. */
static const char *const left_eighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉", "█"};
static const char *const low_eighths[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char ascii_levels[] = " .:-=+*#";
/* Viridis in the 256 colours of a terminal: from dark to light, so that its order is seen without
 * telling colours apart. */
static const unsigned char heat_colors[] = {53, 54, 24, 30, 36, 77, 149, 226};

struct chart chart_start(bool color)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    const char *locale = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && (!locale || !*locale); i++)
        locale = getenv(names[i]);
    const bool utf8 = locale && (strcasestr(locale, "utf-8") || strcasestr(locale, "utf8"));
    return (struct chart){.ascii = !utf8, .color = color};
}

void chart_bar(const struct chart *chart, struct text *out, double value, double maximum,
               unsigned width)
{
    if (!(value > 0) || !(maximum > 0)) return;
    const double share = value < maximum ? value / maximum : 1;
    const unsigned eighths = (unsigned)(share * width * LEVELS + 0.5);
    for (unsigned i = 0; i < eighths / LEVELS; i++) text_puts(out, chart->ascii ? "#" : "█");
    if (!chart->ascii) text_puts(out, left_eighths[eighths % LEVELS]);
}

static unsigned level_of(double value, double lowest, double highest)
{
    if (!(highest > lowest)) return 0;
    const double level = (value - lowest) / (highest - lowest) * (LEVELS - 1) + 0.5;
    return level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : (unsigned)level;
}

static void find_range(const double *values, size_t count, double *lowest, double *highest)
{
    *lowest = *highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] < *lowest) *lowest = values[i];
        if (values[i] > *highest) *highest = values[i];
    }
}

static void put_level(const struct chart *chart, struct text *out, unsigned level)
{
    if (chart->ascii)
        text_put(out, &ascii_levels[level], 1);
    else
        text_puts(out, low_eighths[level]);
}

void chart_spark(const struct chart *chart, struct text *out, const double *values, size_t count)
{
    double lowest, highest;
    find_range(values, count, &lowest, &highest);
    for (size_t i = 0; i < count; i++) put_level(chart, out, level_of(values[i], lowest, highest));
}

static double mean_of(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : 0;
}

static void put_heat(const struct chart *chart, struct text *out, unsigned level)
{
    if (chart->color)
        text_printf(out, "\033[48;5;%um \033[0m", heat_colors[level]);
    else
        put_level(chart, out, level);
}

/* The levels from 0 to the highest value. */
static void put_legend(const struct chart *chart, struct text *out, double highest)
{
    text_puts(out, "       0 ");
    for (unsigned level = 0; level < LEVELS; level++) put_heat(chart, out, level);
    text_puts(out, " ");
    text_put_significant(out, highest, 1);
    text_puts(out, "\n");
}

void chart_heat(const struct chart *chart, struct text *out, const double *values, size_t count,
                unsigned width)
{
    const size_t group = (count + (size_t)width * HEAT_LINES - 1) / ((size_t)width * HEAT_LINES);
    double highest = 0;
    for (size_t at = 0; at < count; at += group) {
        const double mean = mean_of(values + at, group < count - at ? group : count - at);
        if (mean > highest) highest = mean;
    }
    for (size_t at = 0, cell = 0; at < count; at += group, cell++) {
        const double mean = mean_of(values + at, group < count - at ? group : count - at);
        if (cell % width == 0) text_printf(out, "%s%8zu ", cell ? "\n" : "", at);
        put_heat(chart, out, level_of(mean, 0, highest));
    }
    if (count) text_puts(out, "\n");
    if (count) put_legend(chart, out, highest);
}
