/* SPDX-License-Identifier: MIT */
/*
 * plot/svg.c: the pieces of an SVG picture in the style of docs/plots.md.
 *
 * Colours are classes of one style sheet, for light and dark; renderers that know no media queries
 * draw the light ones.  The first eight colours of series differ for all common kinds of colour
 * blindness and have a contrast of 3:1 or more on their background; the others are their tints, for
 * stacks of many parts.
 */
#include "plot/panel.h"

#include <stdlib.h>

#include "spoor/plot.h"

static const char style_sheet[] =
    ".sp{background:#fff}.sp .bg{fill:#fff}"
    ".sp text{font:13px system-ui,'Segoe UI','DejaVu Sans',Arial,sans-serif;fill:#1f2328}"
    ".sp .t{font-size:16px;font-weight:600}.sp .q{fill:#57606a}.sp .v{font-size:12px}"
    ".sp .g{stroke:#d8dee4;stroke-width:1}.sp .a{stroke:#57606a;stroke-width:1}"
    ".sp .e{stroke:#1f2328;stroke-width:1.4}"
    ".sp .l{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}"
    ".sp .p{stroke:#fff;stroke-width:1}.sp .d{stroke-dasharray:6 4}"
    ".sp .w{fill:#fff}.sp .b{fill:#14171a}"
    ".sp .f0{fill:#0b62a8}.sp .f1{fill:#c8500a}.sp .f2{fill:#00805c}.sp .f3{fill:#a5488d}"
    ".sp .f4{fill:#7d6608}.sp .f5{fill:#1a8fb0}.sp .f6{fill:#59636e}.sp .f7{fill:#c2334d}"
    ".sp .f8{fill:#79a9d6}.sp .f9{fill:#ea9a66}.sp .f10{fill:#66b59c}.sp .f11{fill:#cf97c1}"
    ".sp .l0{stroke:#0b62a8}.sp .l1{stroke:#c8500a}.sp .l2{stroke:#00805c}"
    ".sp .l3{stroke:#a5488d}.sp .l4{stroke:#7d6608}.sp .l5{stroke:#1a8fb0}"
    ".sp .l6{stroke:#59636e}.sp .l7{stroke:#c2334d}.sp .l8{stroke:#79a9d6}"
    ".sp .l9{stroke:#ea9a66}.sp .l10{stroke:#66b59c}.sp .l11{stroke:#cf97c1}"
    ".sp .f12{fill:#cfd6dd}.sp .f13{fill:#4b2ca0}.sp .f14{fill:#a6b800}.sp .f15{fill:#e0559e}"
    ".sp .f16{fill:#7a4a2b}.sp .hn{fill:#eef1f4}"
    ".sp .h0{fill:#00224e}.sp .h1{fill:#123570}.sp .h2{fill:#3b496c}.sp .h3{fill:#575d6d}"
    ".sp .h4{fill:#707173}.sp .h5{fill:#8a8678}.sp .h6{fill:#a59c74}.sp .h7{fill:#c3b369}"
    ".sp .h8{fill:#fee838}"
    "@media (prefers-color-scheme:dark){.sp .f12{fill:#454d56}.sp .f13{fill:#a78bfa}"
    ".sp .f14{fill:#d7e34a}.sp .f15{fill:#ff8ac5}.sp .f16{fill:#c99872}.sp "
    ".hn{fill:#20252a}.sp{background:#14171a}.sp "
    ".bg{fill:#14171a}"
    ".sp .e{stroke:#e6e9ec}"
    ".sp text{fill:#e6e9ec}.sp .q{fill:#a3acb5}.sp .g{stroke:#31373e}.sp .a{stroke:#a3acb5}"
    ".sp .p{stroke:#14171a}.sp .w{fill:#fff}.sp .b{fill:#14171a}"
    ".sp .f0{fill:#5aaef2}.sp .f1{fill:#ff8d4a}.sp .f2{fill:#35c793}.sp .f3{fill:#e48fcd}"
    ".sp .f4{fill:#d4bb3c}.sp .f5{fill:#56cbe8}.sp .f6{fill:#a9b3bd}.sp .f7{fill:#ff7f8f}"
    ".sp .f8{fill:#2f6ea6}.sp .f9{fill:#b05a24}.sp .f10{fill:#1f8a63}.sp .f11{fill:#98578a}"
    ".sp .l0{stroke:#5aaef2}.sp .l1{stroke:#ff8d4a}.sp .l2{stroke:#35c793}"
    ".sp .l3{stroke:#e48fcd}.sp .l4{stroke:#d4bb3c}.sp .l5{stroke:#56cbe8}"
    ".sp .l6{stroke:#a9b3bd}.sp .l7{stroke:#ff7f8f}.sp .l8{stroke:#2f6ea6}"
    ".sp .l9{stroke:#b05a24}.sp .l10{stroke:#1f8a63}.sp .l11{stroke:#98578a}}";

const char *spoor_plot_style(void)
{
    return style_sheet;
}

void svg_put_number(struct text *out, const char *name, double value)
{
    struct text digits = {0};
    text_put_fixed(&digits, value, 2);
    while (digits.size && digits.bytes[digits.size - 1] == '0') digits.size--;
    if (digits.size && digits.bytes[digits.size - 1] == '.') digits.size--;
    text_printf(out, " %s=\"", name);
    text_append(out, &digits);
    text_puts(out, "\"");
    text_free(&digits);
}

void svg_put_text(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                  const char *words)
{
    static const char *const anchors[] = {"", " text-anchor=\"middle\"", " text-anchor=\"end\""};
    text_puts(out, "<text");
    if (*style) text_printf(out, " class=\"%s\"", style);
    svg_put_number(out, "x", x);
    svg_put_number(out, "y", y);
    text_printf(out, "%s>", anchors[anchor]);
    text_puts_xml(out, words);
    text_puts(out, "</text>\n");
}

static bool utf8_continues(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

void svg_put_fitted(struct text *out, double x, double y, const char *style, enum svg_anchor anchor,
                    const char *words, double width)
{
    const double whole = svg_width(words);
    size_t size = strlen(words);
    if (whole <= width || size < 4) {
        svg_put_text(out, x, y, style, anchor, words);
        return;
    }
    const size_t keep = (size_t)((double)size * (width - FONT) / whole);
    size_t head = keep * 2 / 3, tail = size - (keep - head);
    while (head && utf8_continues(words[head])) head--;
    while (tail < size && utf8_continues(words[tail])) tail++;
    struct text fitted = {0};
    text_put(&fitted, words, head);
    text_puts(&fitted, "…");
    text_puts(&fitted, words + tail);
    text_put(&fitted, "", 1);
    out->failed |= fitted.failed;
    if (!fitted.failed) svg_put_text(out, x, y, style, anchor, fitted.bytes);
    text_free(&fitted);
}

void svg_put_line(struct text *out, double x1, double y1, double x2, double y2, const char *style)
{
    text_printf(out, "<line class=\"%s\"", style);
    svg_put_number(out, "x1", x1);
    svg_put_number(out, "y1", y1);
    svg_put_number(out, "x2", x2);
    svg_put_number(out, "y2", y2);
    text_puts(out, "/>\n");
}

void svg_put_rectangle(struct text *out, double x, double y, double width, double height)
{
    text_puts(out, "<rect");
    svg_put_number(out, "x", x);
    svg_put_number(out, "y", y);
    svg_put_number(out, "width", width);
    svg_put_number(out, "height", height);
}

double svg_width(const char *words)
{
    double width = 0;
    for (; *words; words++) {
        if (utf8_continues(*words)) continue;
        if (strchr("ijl.,:;'|! f()[]trI", *words))
            width += 0.4;
        else if (strchr("mwMW%@", *words))
            width += 0.95;
        else
            width += *words >= 'A' && *words <= 'Z' ? 0.72 : 0.64;
    }
    return width * FONT;
}
