/* SPDX-License-Identifier: MIT */
/*
 * press.h: keys, with their names as help pages print them and as scripts write them.
 *
 * A key is the code point of a character (1 to 31: with Ctrl) or one of enum press.
 */
#ifndef SPOOR_BROWSE_PRESS_H
#define SPOOR_BROWSE_PRESS_H

#include "base/text.h"

enum press {
    PRESS_TAB = 0x09,
    PRESS_RETURN = 0x0D,
    PRESS_ESCAPE = 0x1B,
    PRESS_BACKSPACE = 0x7F,
    PRESS_FIRST_NAMED = 0x110000, /* after all code points */
    PRESS_UP = PRESS_FIRST_NAMED,
    PRESS_DOWN,
    PRESS_LEFT,
    PRESS_RIGHT,
    PRESS_PAGE_UP,
    PRESS_PAGE_DOWN,
    PRESS_HOME,
    PRESS_END,
    PRESS_BACK_TAB,
    PRESS_DELETE,
    PRESS_F1,
    PRESS_F6 = PRESS_F1 + 5,
    PRESS_F7,
    PRESS_F10 = PRESS_F1 + 9,
    PRESS_CLICK, /* of the mouse: browser_click() has the place */
    PRESS_WHEEL_UP,
    PRESS_WHEEL_DOWN,
};

#define PRESS_CTRL(letter) ((letter)&0x1F)

/* Reads the next key of "jj<PgDn>/word<CR>" and advances; "<lt>" is "<".  0 at the end. */
int press_parse(const char **keys);
/* Appends the name of a key: "j", "^F", "PgDn", "Space". */
void press_name(int key, struct text *text);

/* ---- UTF-8 ---- */

/* Decodes the character at `at`; returns its bytes, 0 if they are not UTF-8. */
size_t utf8_decode(const char *at, size_t size, uint32_t *character);
void utf8_put(struct text *text, uint32_t character);

#endif
