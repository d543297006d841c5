/* SPDX-License-Identifier: MIT */
/* narrow.c: cuts names and breaks titles where a line is wider than the screen. */
#include "cli/narrow.h"

#include <string.h>

#include "cli/results.h"

enum { NAME_LEFT = 12 /* columns of a name that stay, at minimum */ };

unsigned narrow_columns(const struct settings *settings)
{
    return settings->wide ? 0 : screen_columns();
}

/* Returns the byte after the character at `at`, and counts its column: a colour has none. */
static size_t narrow_next_character(const struct text *text, size_t at, size_t *columns)
{
    const char *bytes = text->bytes;
    if (bytes[at] == '\033') {
        while (at < text->size && bytes[at] != 'm') at++;
        return at < text->size ? at + 1 : at;
    }
    ++*columns;
    do {
        at++;
    } while (at < text->size && (bytes[at] & 0xC0) == 0x80);
    return at;
}

size_t narrow_width(const struct text *text, size_t begin)
{
    size_t columns = 0;
    while (begin < text->size) begin = narrow_next_character(text, begin, &columns);
    return columns;
}

void narrow_name(struct text *text, size_t line, size_t name, size_t tail, unsigned columns)
{
    static const char mark[] = "...";
    enum { MARK = sizeof mark - 1 };
    if (columns == 0 || narrow_width(text, line) + tail <= columns) return;
    const size_t width = narrow_width(text, name), before = narrow_width(text, line) - width;
    size_t left = before + tail + NAME_LEFT < columns ? columns - before - tail : NAME_LEFT;
    size_t at = name, used = 0;
    if (width <= left) return;
    for (left -= MARK; used < left;) at = narrow_next_character(text, at, &used);
    text->size = at;
    text_puts(text, mark);
}

void narrow_wrap(struct text *text, size_t line, size_t begin, unsigned columns, unsigned indent,
                 bool parts)
{
    while (columns && narrow_width(text, line) > columns) {
        size_t at = line, used = 0, blank = 0, end;
        while (at < text->size && (used <= columns || !blank)) {
            if (text->bytes[at] == ' ' && at > begin && text->bytes[at - 1] != ' ' &&
                (!parts || strchr(":,;", text->bytes[at - 1])))
                blank = at;
            at = narrow_next_character(text, at, &used);
        }
        if (!blank || !text_reserve(text, indent)) return;
        for (end = blank; end < text->size && text->bytes[end] == ' ';) end++;
        memmove(text->bytes + blank + 1 + indent, text->bytes + end, text->size - end);
        text->size += blank + 1 + indent - end;
        text->bytes[blank] = '\n';
        line = blank + 1;
        begin = line + indent;
        memset(text->bytes + line, ' ', indent);
    }
}
