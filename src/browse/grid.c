/* SPDX-License-Identifier: MIT */
/* grid.c: writes text into a grid, and prints the grid. */
#include "browse/browser.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "browse/press.h"

struct style_look style_look(enum style style, bool colors)
{
    enum { RED = 1, GREEN, YELLOW, BLUE, MAGENTA, CYAN };
    static const struct style_look looks[STYLES] = {
        [STYLE_PLAIN] = {.color = -1},
        [STYLE_DIM] = {.dim = true, .color = -1},
        [STYLE_STATUS] = {.reversed = true, .color = -1},
        [STYLE_TITLE] = {.underlined = true, .color = -1},
        [STYLE_FOCUS] = {.underlined = true, .bold = true, .color = -1},
        [STYLE_CURSOR] = {.reversed = true, .color = -1},
        [STYLE_CHANGED] = {.bold = true, .color = YELLOW},
        [STYLE_MATCH] = {.reversed = true, .color = YELLOW},
        [STYLE_NUMBER] = {.color = CYAN},
        [STYLE_NAME] = {.color = GREEN},
        [STYLE_CODE] = {.bold = true, .color = -1},
        [STYLE_EVENT] = {.bold = true, .color = MAGENTA},
        [STYLE_DIFFERENT] = {.underlined = true, .color = YELLOW},
        [STYLE_ROOT] = {.bold = true, .underlined = true, .color = RED},
        [STYLE_ERROR] = {.bold = true, .color = RED},
    };
    struct style_look look = looks[style < STYLES ? style : STYLE_PLAIN];
    if (!colors) look.color = -1;
    return look;
}

bool grid_resize(struct grid *grid, int width, int height)
{
    if (width > GRID_MAX) width = GRID_MAX;
    if (height > GRID_MAX) height = GRID_MAX;
    if (width < 1) width = 1;
    if (height < 1) height = 1;
    if (width == grid->width && height == grid->height) return true;
    free(grid->glyphs);
    grid->glyphs = calloc((size_t)width * (size_t)height, sizeof *grid->glyphs);
    grid->width = grid->glyphs ? width : 0;
    grid->height = grid->glyphs ? height : 0;
    grid_clear(grid);
    return grid->glyphs != NULL;
}

void grid_clear(struct grid *grid)
{
    const size_t count = (size_t)grid->width * (size_t)grid->height;
    if (count) grid->glyphs[0] = (struct glyph){' ', STYLE_PLAIN};
    for (size_t done = 1; done < count; done *= 2) {
        const size_t more = done < count - done ? done : count - done;
        memcpy(grid->glyphs + done, grid->glyphs, more * sizeof *grid->glyphs);
    }
    grid->cursor_x = grid->cursor_y = -1;
}

static struct glyph *grid_glyph(const struct grid *grid, const struct area *area, int x, int y)
{
    if (x < 0 || y < 0 || x >= area->width || y >= area->height) return NULL;
    x += area->x;
    y += area->y;
    if (x < 0 || y < 0 || x >= grid->width || y >= grid->height) return NULL;
    return &grid->glyphs[(size_t)y * (size_t)grid->width + (size_t)x];
}

static void grid_set(struct grid *grid, const struct area *area, int x, int y, enum style style,
                     uint32_t character, int columns)
{
    struct glyph *glyph = grid_glyph(grid, area, x, y);
    struct glyph *next = columns > 1 ? grid_glyph(grid, area, x + 1, y) : NULL;
    if (!glyph) return;
    if (columns > 1 && !next) character = ' '; /* half of it would be cut */
    *glyph = (struct glyph){character, (uint8_t)style};
    if (next) *next = (struct glyph){0, (uint8_t)style};
}

int grid_put(struct grid *grid, const struct area *area, int x, int y, enum style style,
             const char *bytes, size_t size, int skip)
{
    int column = -skip;
    for (size_t i = 0; i < size && x + column < area->width;) {
        uint32_t character;
        size_t length = utf8_decode(bytes + i, size - i, &character);
        int columns = 0; /* 0: it cannot be shown */
        if (length && character < 0x80)
            columns = character >= ' ' && character < 0x7F;
        else if (length && !grid->ascii)
            columns = wcwidth((wchar_t)character);
        if (character == '\t' && length) {
            columns = 8 - (column + skip) % 8;
            for (int j = 0; j < columns; j++)
                if (column + j >= 0) grid_set(grid, area, x + column + j, y, style, ' ', 1);
        } else {
            if (columns <= 0) character = '.', columns = 1;
            if (column >= 0) grid_set(grid, area, x + column, y, style, character, columns);
        }
        column += columns;
        i += length ? length : 1;
    }
    return x + (column > 0 ? column : 0);
}

int grid_puts(struct grid *grid, const struct area *area, int x, int y, enum style style,
              const char *string)
{
    return grid_put(grid, area, x, y, style, string, strlen(string), 0);
}

int grid_printf(struct grid *grid, const struct area *area, int x, int y, enum style style,
                const char *format, ...)
{
    char bytes[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(bytes, sizeof bytes, format, arguments);
    va_end(arguments);
    return grid_puts(grid, area, x, y, style, bytes);
}

int grid_wrap(struct grid *grid, const struct area *area, int y, enum style style,
              const char *words)
{
    const int width = area->width > 1 ? area->width : 1;
    int rows = 0;
    do {
        size_t size = 0, blank = 0;
        for (int columns = 0; words[size]; size++) {
            columns += (words[size] & 0xC0) != 0x80;
            if (columns > width) break;
            if (words[size] == ' ') blank = size;
        }
        if (words[size] && words[size] != ' ' && blank) size = blank;
        grid_put(grid, area, 0, y + rows++, style, words, size, 0);
        const char *next = words + size;
        while (*next == ' ') next++;
        if (next == words) break;
        words = next;
    } while (*words);
    return rows;
}

void grid_bar(struct grid *grid, const struct area *area, int y, enum style style)
{
    for (int x = 0; x < area->width; x++) grid_set(grid, area, x, y, style, ' ', 1);
}

void grid_restyle(struct grid *grid, const struct area *area, int y, enum style style, bool all)
{
    for (int x = 0; x < area->width; x++) {
        struct glyph *glyph = grid_glyph(grid, area, x, y);
        if (glyph && (all || glyph->style == STYLE_PLAIN)) glyph->style = (uint8_t)style;
    }
}

void grid_line(struct grid *grid, int x, int y, int length, bool vertical)
{
    const struct area all = {0, 0, grid->width, grid->height};
    const uint32_t character =
        vertical ? (grid->ascii ? '|' : 0x2502) : (grid->ascii ? '-' : 0x2500);
    for (int i = 0; i < length; i++)
        grid_set(grid, &all, vertical ? x : x + i, vertical ? y + i : y, STYLE_DIM, character, 1);
}

/* ---- printing ---- */

static void grid_put_look(enum style style, bool colors, struct text *text)
{
    const struct style_look look = style_look(style, colors);
    text_puts(text, "\033[0");
    if (look.bold) text_puts(text, ";1");
    if (look.dim) text_puts(text, ";2");
    if (look.underlined) text_puts(text, ";4");
    if (look.reversed) text_puts(text, ";7");
    if (look.color >= 0) text_printf(text, ";3%d", look.color);
    text_puts(text, "m");
}

void grid_dump(const struct grid *grid, bool styles, bool colors, struct text *text)
{
    for (int y = 0; y < grid->height; y++) {
        const struct glyph *row = &grid->glyphs[(size_t)y * (size_t)grid->width];
        enum style style = STYLE_PLAIN;
        int end = grid->width;
        while (end > 0 && row[end - 1].character == ' ' &&
               (!styles || row[end - 1].style == STYLE_PLAIN))
            end--;
        for (int x = 0; x < end; x++) {
            if (styles && row[x].style != style) {
                style = (enum style)row[x].style;
                grid_put_look(style, colors, text);
            }
            if (row[x].character) utf8_put(text, row[x].character);
        }
        if (styles && style != STYLE_PLAIN) grid_put_look(STYLE_PLAIN, colors, text);
        text_puts(text, "\n");
    }
}
