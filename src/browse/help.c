/* SPDX-License-Identifier: MIT */
/* help.c: the page that lists the keys. */
#include <stdio.h>
#include <string.h>

#include "browse/internal.h"

/* Writes the page into an area, from its row `top` on; returns the rows of the whole page. */
static int put_page(struct grid *grid, const struct area *area, int top)
{
    enum { COLUMN = 26, NARROW = 16, NARROW_SCREEN = 60 };
    const int column = area->width < NARROW_SCREEN ? NARROW : COLUMN;
    const struct area words_area = {area->x + column, area->y, area->width - column, area->height};
    const char *group = "";
    int y = 0;
    for (size_t i = 0;; i++) {
        struct text keys = {0};
        struct browser_key_row row = {.keys = &keys};
        char words[200];
        if (!browser_key_row(i, &row)) return y;
        if (strcmp(group, row.group) != 0) {
            y += y > 0;
            grid_puts(grid, area, 0, y++ - top, STYLE_TITLE, row.group);
            group = row.group;
        }
        text_put(&keys, "", 1);
        const char *names = keys.failed ? "" : keys.bytes;
        const int end = grid_puts(grid, area, 0, y - top, STYLE_NAME, names);
        if (end + 2 > column && (int)strlen(names) + 2 > column) y++; /* the words are below */
        snprintf(words, sizeof words, "%s (:%s)", row.help, row.name);
        y += grid_wrap(grid, &words_area, y - top, STYLE_PLAIN, words);
        text_free(&keys);
    }
}

int help_rows(const struct browser *browser)
{
    const struct area nothing = {0, 0, browser->grid.width, 0};
    struct grid grid = browser->grid;
    return put_page(&grid, &nothing, 0);
}

void draw_help(struct browser *browser)
{
    const struct area area = {0, 0, browser->grid.width, browser->grid.height - 2};
    const int rows = help_rows(browser);
    if (browser->help_top > rows - area.height)
        browser->help_top = rows > area.height ? rows - area.height : 0;
    put_page(&browser->grid, &area, browser->help_top);
    if (!browser->message[0]) say(browser, "%s", "q closes this page");
}

void show_help(struct browser *browser, const struct command_call *call)
{
    (void)call;
    browser->help = !browser->help;
    browser->help_top = 0;
}
