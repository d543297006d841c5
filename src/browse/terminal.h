/* SPDX-License-Identifier: MIT */
/*
 * terminal.h: shows a browser in a terminal, through ncursesw.
 *
 * Whatever ends the program, also a signal or a crash, the terminal is as it was.
 */
#ifndef SPOOR_BROWSE_TERMINAL_H
#define SPOOR_BROWSE_TERMINAL_H

#include "browse/browser.h"

/* False: this spoor was built without ncursesw. */
extern const bool terminal_is_built;
/* Prepares the terminal.  SPOOR_EUSAGE: standard output is none, there is no keyboard, or
 * its kind is not known. */
enum spoor_status terminal_open(bool colors, struct spoor_error *error);
/* Passes keys to the browser and shows it until it is over, or the terminal is closed. */
void terminal_run(struct browser *browser);
void terminal_close(void);
/* For browser_options: false if ^C was pressed since it was called last; shows the screen. */
bool terminal_goes_on(void *context);
/* The browser whose screen terminal_goes_on() shows; NULL: none. */
void terminal_show(struct browser *browser);

#endif
