/* SPDX-License-Identifier: MIT */
/* press.c: names of keys, and UTF-8. */
#include "browse/press.h"

#include <stdlib.h>

#include "base/ascii.h"

/* The first name of a key is the printed one. */
static const struct {
    int key;
    const char *name;
} names[] = {
    {PRESS_TAB, "Tab"},
    {PRESS_RETURN, "Return"},
    {PRESS_RETURN, "CR"},
    {PRESS_ESCAPE, "Esc"},
    {PRESS_BACKSPACE, "Backspace"},
    {PRESS_BACKSPACE, "BS"},
    {' ', "Space"},
    {'<', "lt"},
    {PRESS_UP, "Up"},
    {PRESS_DOWN, "Down"},
    {PRESS_LEFT, "Left"},
    {PRESS_RIGHT, "Right"},
    {PRESS_PAGE_UP, "PgUp"},
    {PRESS_PAGE_DOWN, "PgDn"},
    {PRESS_HOME, "Home"},
    {PRESS_END, "End"},
    {PRESS_BACK_TAB, "S-Tab"},
    {PRESS_DELETE, "Del"},
    {PRESS_F1, "F1"},
    {PRESS_F6, "F6"},
    {PRESS_F7, "F7"},
    {PRESS_F10, "F10"},
    {PRESS_WHEEL_UP, "WheelUp"},
    {PRESS_WHEEL_DOWN, "WheelDown"},
    {PRESS_CLICK, "Click"},
};

int press_parse(const char **keys)
{
    const char *at = *keys;
    uint32_t character;
    if (!*at) return 0;
    const char *end = *at == '<' ? strchr(at, '>') : NULL;
    const char *name = at + 1;
    const size_t length = end ? (size_t)(end - name) : 0;
    int key = 0;
    if (length == 3 && ascii_compare_some(name, "C-", 2) == 0) key = PRESS_CTRL(name[2]);
    for (size_t i = 0; i < sizeof names / sizeof *names && length && !key; i++)
        if (strlen(names[i].name) == length && ascii_compare_some(names[i].name, name, length) == 0)
            key = names[i].key;
    if (key) {
        *keys = end + 1;
        return key;
    }
    const size_t size = utf8_decode(at, strlen(at), &character);
    *keys = at + (size ? size : 1);
    return size ? (int)character : (unsigned char)*at;
}

void press_name(int key, struct text *text)
{
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].key == key && key != '<') {
            text_puts(text, names[i].name);
            return;
        }
    if (key > 0 && key < ' ')
        text_printf(text, "^%c", key + '@');
    else
        utf8_put(text, (uint32_t)key);
}

/* ---- UTF-8 ---- */

size_t utf8_decode(const char *at, size_t size, uint32_t *character)
{
    static const uint32_t minimum[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)at;
    if (size == 0) return 0;
    *character = bytes[0];
    if (bytes[0] < 0x80) return 1;
    const size_t length = bytes[0] >= 0xF0 ? 4 : bytes[0] >= 0xE0 ? 3 : bytes[0] >= 0xC0 ? 2 : 0;
    if (length == 0 || length > size || bytes[0] > 0xF4) return 0;
    *character = bytes[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xC0) != 0x80) return 0;
        *character = *character << 6 | (bytes[i] & 0x3Fu);
    }
    const bool surrogate = *character >= 0xD800 && *character < 0xE000;
    return *character < minimum[length] || *character > 0x10FFFF || surrogate ? 0 : length;
}

void utf8_put(struct text *text, uint32_t character)
{
    char bytes[4];
    size_t size = 1;
    if (character < 0x80) {
        bytes[0] = (char)character;
    } else {
        size = character < 0x800 ? 2 : character < 0x10000 ? 3 : 4;
        for (size_t i = size; i-- > 1; character >>= 6)
            bytes[i] = (char)(0x80 | (character & 0x3F));
        bytes[0] = (char)((0xF00u >> size) | character);
    }
    text_put(text, bytes, size);
}
