/* SPDX-License-Identifier: MIT */
/* help.c: the page that lists the keys. */
#include <stdio.h>
#include <string.h>

#include "browse/internal.h"

/* Calls the function for each row of the page. */
static int each_help_row(void (*row)(void *context, int y, enum style style, const char *keys,
                                     const char *words),
                         void *context)
{
    const char *group = "";
    int y = 0;
    for (size_t i = 0;; i++, y++) {
        struct text keys = {0};
        struct browser_key_row key_row = {.keys = &keys};
        if (!browser_key_row(i, &key_row)) return y;
        if (strcmp(group, key_row.group) != 0) {
            if (y) y++;
            if (row) row(context, y, STYLE_TITLE, key_row.group, "");
            group = key_row.group;
            y++;
        }
        char words[200];
        text_put(&keys, "", 1);
        snprintf(words, sizeof words, "%s (:%s)", key_row.help, key_row.name);
        if (row) row(context, y, STYLE_PLAIN, keys.failed ? "" : keys.bytes, words);
        text_free(&keys);
    }
}

int help_rows(void)
{
    return each_help_row(NULL, NULL);
}

static void draw_help_row(void *context, int y, enum style style, const char *keys,
                          const char *words)
{
    enum { COLUMN = 26, NARROW = 16 };
    struct browser *browser = context;
    const struct area area = {0, 0, browser->grid.width, browser->grid.height - 2};
    const int column = browser->grid.width < 60 ? NARROW : COLUMN;
    y -= browser->help_top;
    if (y < 0) return;
    int x = grid_puts(&browser->grid, &area, 0, y, style == STYLE_PLAIN ? STYLE_NAME : style, keys);
    x = x + 2 > column ? x + 2 : column;
    grid_puts(&browser->grid, &area, x, y, style, words);
}

void draw_help(struct browser *browser)
{
    const int rows = help_rows(), shown = browser->grid.height - 2;
    if (browser->help_top > rows - shown) browser->help_top = rows > shown ? rows - shown : 0;
    each_help_row(draw_help_row, browser);
    if (!browser->message[0]) say(browser, "%s", "q closes this page");
}

void show_help(struct browser *browser, const struct command_call *call)
{
    (void)call;
    browser->help = !browser->help;
    browser->help_top = 0;
}
