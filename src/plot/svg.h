/* SPDX-License-Identifier: MIT */
/* plot/svg.h: the pieces of an SVG picture in the style of docs/plots.md. */
#ifndef SPOOR_PLOT_SVG_H
#define SPOOR_PLOT_SVG_H

#include "base/text.h"

/* Units of the picture, which a screen of 400 pixels scales by 0.7. */
enum { PLOT_WIDTH = 560, PLOT_MARGIN = 14, FONT = 13, COLORS = 12, HEAT_STEPS = 9 };

enum svg_anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* ` name="value"`, the value with at most two decimals. */
void svg_put_number(struct text *out, const char *name, double value);
/* A text element of a class of the style sheet ("" for the plain one). */
void svg_put_text(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                  const char *words);
/* The same, shortened with an ellipsis in the middle to `width`. */
void svg_put_fitted(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                    const char *words, double width);
void svg_put_line(struct text *out, double x1, double y1, double x2, double y2, const char *style);
/* Begins a rectangle, up to and without ">": attributes may follow. */
void svg_put_rectangle(struct text *out, double x, double y, double width, double height);

/* The width of words in the picture's font, about. */
double svg_width(const char *words);

#endif
