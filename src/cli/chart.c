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

static unsigned chart_level(double value, double lowest, double highest)
{
    if (!(highest > lowest)) return 0;
    const double level = (value - lowest) / (highest - lowest) * (LEVELS - 1) + 0.5;
    return level < 0 ? 0 : level >= LEVELS ? LEVELS - 1 : (unsigned)level;
}

static void chart_put_level(const struct chart *chart, struct text *out, unsigned level)
{
    if (chart->ascii)
        text_put(out, &ascii_levels[level], 1);
    else
        text_puts(out, low_eighths[level]);
}

void chart_spark(const struct chart *chart, struct text *out, const double *values, size_t count)
{
    double lowest = 0, highest = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] < lowest) lowest = values[i];
        if (values[i] > highest) highest = values[i];
    }
    for (size_t i = 0; i < count; i++)
        chart_put_level(chart, out, chart_level(values[i], lowest, highest));
}

static double chart_mean(const double *values, size_t count)
{
    double sum = 0;
    for (size_t i = 0; i < count; i++) sum += values[i];
    return count ? sum / (double)count : 0;
}

static void chart_put_heat(const struct chart *chart, struct text *out, unsigned level)
{
    if (chart->color)
        text_printf(out, "\033[48;5;%um \033[0m", heat_colors[level]);
    else
        chart_put_level(chart, out, level);
}

void chart_heat(const struct chart *chart, struct text *out, const double *values, size_t count,
                unsigned width)
{
    const size_t group = (count + (size_t)width * HEAT_LINES - 1) / ((size_t)width * HEAT_LINES);
    double highest = 0;
    for (size_t at = 0; at < count; at += group) {
        const double mean = chart_mean(values + at, group < count - at ? group : count - at);
        if (mean > highest) highest = mean;
    }
    for (size_t at = 0, cell = 0; at < count; at += group, cell++) {
        const double mean = chart_mean(values + at, group < count - at ? group : count - at);
        if (cell % width == 0) text_printf(out, "%s%8zu ", cell ? "\n" : "", at);
        chart_put_heat(chart, out, chart_level(mean, 0, highest));
    }
    if (!count) return;
    text_puts(out, "\n       0 "); /* the levels from 0 to the highest value */
    for (unsigned level = 0; level < LEVELS; level++) chart_put_heat(chart, out, level);
    text_puts(out, " ");
    text_put_significant(out, highest, 1);
    text_puts(out, "\n");
}
