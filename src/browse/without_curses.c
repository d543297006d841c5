/* SPDX-License-Identifier: MIT */
/* without_curses.c: instead of a terminal, where ncursesw was not there to build with. */
#include "browse/terminal.h"

const bool terminal_is_built = false;

enum spoor_status terminal_open(bool colors, struct spoor_error *error)
{
    (void)colors;
    return spoor_error_set(
        error, SPOOR_EUSAGE,
        "this spoor was built without ncursesw: install libncurses-dev and build "
        "again, or print a screen with --dump");
}

void terminal_run(struct browser *browser)
{
    (void)browser;
}

void terminal_close(void)
{
}

bool terminal_goes_on(void *context)
{
    (void)context;
    return true;
}

void terminal_show(struct browser *browser)
{
    (void)browser;
}
