/* SPDX-License-Identifier: MIT */
/* diff_beside.c: prints the first difference with its context, both sides next to each other. */
#include <stdio.h>
#include <string.h>

#include "cli/diff_report.h"

enum { PATH_MAXIMUM = 256 };

struct beside {
    struct text *text;
    unsigned column; /* width of one side in characters */
    bool color;
};

/* Prints one side of a line, cut to the width of the column and padded. */
static void diff_beside_put_cell(const struct beside *beside, const char *words, bool indented,
                                 bool pad)
{
    enum { INDENT = 4 };
    const size_t indent = indented && *words ? INDENT : 0, maximum = beside->column - indent;
    size_t size = strlen(words);
    text_printf(beside->text, "%*s", (int)indent, "");
    text_put(beside->text, words, size < maximum ? size : maximum);
    for (; pad && size < maximum; size++) text_puts(beside->text, " ");
}

static void diff_beside_put_row(void *context, const struct spoor_diff_row *row)
{
    const struct beside *beside = context;
    struct text *text = beside->text;
    const bool colored = beside->color && row->mark != ' ';
    const size_t begin = text->size;
    if (colored) text_puts(text, row->mark == '~' ? "\033[33m" : "\033[31m");
    diff_beside_put_cell(beside, row->sides[0], row->effect, true);
    text_printf(text, " %c ", row->mark);
    diff_beside_put_cell(beside, row->sides[1], row->effect, false);
    while (text->size > begin && text->bytes[text->size - 1] == ' ') text->size--;
    if (colored) text_puts(text, "\033[0m");
    text_puts(text, "\n");
}

void diff_put_beside(const struct diff_answer *compared, unsigned column, bool color,
                     struct text *text)
{
    struct beside beside = {text, column, color};
    char titles[2][PATH_MAXIMUM + 8];
    const char *const paths[2] = {diff_answer_path(compared, 0), diff_answer_path(compared, 1)};
    for (unsigned side = 0; side < 2; side++) {
        static const char dots[] = "...";
        enum { DOTS = sizeof dots - 1 };
        size_t shared = 0; /* the size of the folders that both have */
        for (size_t i = 0; paths[side][i] && paths[side][i] == paths[1 - side][i]; i++)
            if (paths[side][i] == '/') shared = i + 1;
        if ((strlen(paths[side]) > column || strlen(paths[1 - side]) > column) && shared > DOTS + 1)
            snprintf(titles[side], sizeof titles[side], "%s/%s", dots, paths[side] + shared);
        else
            snprintf(titles[side], sizeof titles[side], "%s", paths[side]);
        const size_t size = strlen(titles[side]);
        if (size <= column || column <= DOTS + 2) continue;
        const size_t tail = (column - DOTS) / 2, head = column - DOTS - tail;
        memcpy(titles[side] + head, dots, DOTS);
        memmove(titles[side] + head + DOTS, titles[side] + size - tail, tail + 1);
    }
    text_puts(text, "\n");
    diff_beside_put_row(&beside, &(struct spoor_diff_row){{titles[0], titles[1]}, false, ' '});
    spoor_diff_rows(compared->diff, 0, diff_beside_put_row, &beside);
}
