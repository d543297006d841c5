/* SPDX-License-Identifier: MIT */
/*
 * result_text_table.c: print an array of objects as a table.
 *
 * A table that is wider than the screen is printed in another way, so that no line wraps: a few
 * rows stand side by side, a column each, with the keys below one another; else the text of the
 * last column is wrapped below its beginning, and columns are left out from the right until the
 * others fit.  A line below the table names the columns that were left out.
 */
#include <string.h>

#include "result/result_printer.h"

enum { TURNED_ROWS = 6, NARROWEST_TEXT = 24 };

struct column {
    size_t width;
    bool right, empty; /* empty: every cell is 0 or absent */
    bool minor;        /* reports.def says that others come before it */
};

struct layout {
    const struct table *table;
    struct column columns[MAX_TABLE_COLUMNS];
    bool left_out[MAX_TABLE_COLUMNS];
    size_t last;  /* the last column that is shown */
    size_t width; /* of the lines, the indent aside; 0: no limit */
};

/* ---- measuring ---- */

static size_t layout_width(const struct layout *layout)
{
    size_t width = 0;
    for (size_t i = 0; i < layout->table->count; i++)
        if (!layout->left_out[i]) width += (width ? RESULT_GAP : 0) + layout->columns[i].width;
    return width;
}

/* ---- choosing columns ---- */

static void layout_find_last(struct layout *layout)
{
    for (size_t i = 0; i < layout->table->count; i++)
        if (!layout->left_out[i]) layout->last = i;
}

/* True if the lines fit, the last column wrapped if it is text. */
static bool layout_fits(struct layout *layout)
{
    const size_t width = layout_width(layout);
    if (width <= layout->width) return true;
    layout_find_last(layout);
    struct column *last = &layout->columns[layout->last];
    const size_t others = width - last->width;
    if (last->right || others + NARROWEST_TEXT > layout->width) return false;
    if (printer_words_width(layout->table->keys[layout->last]) > layout->width - others)
        return false;
    last->width = layout->width - others;
    return true;
}

/* ---- printing ---- */

/* A line of the table; row NULL: the keys. */
static void layout_put_line(struct printer *printer, const struct layout *layout,
                            const struct spoor_result *row, size_t indent)
{
    size_t begins = indent;
    for (size_t i = 0; i < layout->table->count; i++) {
        if (layout->left_out[i]) continue;
        printer_put_spaces(printer->out, begins > indent ? RESULT_GAP : indent);
        if (begins > indent) begins += RESULT_GAP;
        const struct column *at = &layout->columns[i];
        const char *key = layout->table->keys[i];
        const size_t width = row ? printer_format_cell(printer, spoor_result_member(row, key))
                                 : printer_words_width(key);
        const size_t space = at->width > width ? at->width - width : 0;
        if (at->right) printer_put_spaces(printer->out, space);
        if (!row)
            printer_put_label(printer, key);
        else if (width > at->width)
            printer_put_wrapped(printer, begins, begins + at->width);
        else
            printer_put_cell(printer);
        if (!at->right && i != layout->last) printer_put_spaces(printer->out, space);
        begins += at->width;
    }
    text_puts(printer->out, "\n");
}

/* ---- rows side by side ---- */

/* Prints a table of few rows, if these fit side by side; else false. */
static bool layout_put_turned(struct printer *printer, const struct layout *layout, size_t indent)
{
    const struct table *table = layout->table;
    size_t label = 0, widths[TURNED_ROWS] = {0}, count = 0;
    if (table->rows->size > TURNED_ROWS) return false;
    for (size_t i = 0; i < table->count; i++)
        if (printer_words_width(table->keys[i]) > label)
            label = printer_words_width(table->keys[i]);
    size_t width = label;
    for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
        size_t *widest = &widths[count++];
        for (size_t i = 0; i < table->count; i++) {
            const size_t cell =
                printer_format_cell(printer, spoor_result_member(row, table->keys[i]));
            if (cell > *widest) *widest = cell;
        }
        width += RESULT_GAP + *widest;
    }
    if (width > layout->width) return false;
    for (size_t i = 0; i < table->count; i++) {
        printer_put_spaces(printer->out, indent);
        printer_put_label(printer, table->keys[i]);
        printer_put_spaces(printer->out, label - printer_words_width(table->keys[i]));
        size_t at = 0;
        for (const struct spoor_result *row = table->rows->first; row; row = row->next, at++) {
            const size_t cell =
                printer_format_cell(printer, spoor_result_member(row, table->keys[i]));
            printer_put_spaces(printer->out, RESULT_GAP + widths[at] - cell);
            printer_put_cell(printer);
        }
        text_puts(printer->out, "\n");
    }
    return true;
}

void printer_put_table(struct printer *printer, const struct table *table, size_t indent)
{
    struct layout layout = {.table = table};
    for (size_t i = 0; i < table->count; i++) {
        struct column column = {
            .width = printer_words_width(table->keys[i]),
            .right = true,
            .empty = true,
            .minor = report_is_minor(printer->style.report, printer->path, table->keys[i])};
        for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
            const struct spoor_result *cell = spoor_result_member(row, table->keys[i]);
            const size_t width = printer_format_cell(printer, cell);
            if (width > column.width) column.width = width;
            if (!cell || cell->type == NODE_NULL) continue;
            column.right &= result_is_number(cell);
            column.empty &= cell->type == NODE_REAL ? cell->real == 0
                                                    : result_is_number(cell) && cell->number == 0;
        }
        layout.columns[i] = column;
    }
    layout.last = table->count - 1;
    if (printer->style.columns > indent && !printer->style.wide)
        layout.width = printer->style.columns - indent;
    if (layout.width && layout_width(&layout) > layout.width) {
        if (layout_put_turned(printer, &layout, indent)) return;
        for (size_t i = table->count; i-- > 1 && !layout_fits(&layout);)
            layout.left_out[i] = layout.columns[i].empty;
        for (size_t i = table->count; i-- > 1 && !layout_fits(&layout);)
            layout.left_out[i] |= layout.columns[i].minor;
        for (size_t i = table->count; i-- > 1 && !layout_fits(&layout);) layout.left_out[i] = true;
        layout_find_last(&layout);
    }
    layout_put_line(printer, &layout, NULL, indent);
    for (const struct spoor_result *row = table->rows->first; row; row = row->next)
        layout_put_line(printer, &layout, row, indent);
    struct text *cell = &printer->cell;
    cell->size = 0;
    for (size_t i = 0; i < table->count; i++) {
        if (!layout.left_out[i]) continue;
        text_puts(cell, cell->size ? ", " : "--wide also shows: ");
        printer_put_words(cell, table->keys[i]);
    }
    if (!cell->size) return;
    printer_put_spaces(printer->out, indent);
    printer_put_wrapped(printer, indent, indent + layout.width);
    text_puts(printer->out, "\n");
}
