/* SPDX-License-Identifier: MIT */
/*
 * result_text.c: print the result tree as text.
 *
 * The values of the whole tree are aligned in one column.  Numbers are right-aligned in an object
 * that holds only numbers, and in the columns of a table.
 */
#include <string.h>

#include "result/result_printer.h"

enum { WIDEST_LABEL = 40, LINE_WIDTH = 100, NARROWEST = 20 };

/* ---- measuring ---- */

/* True if the object holds numbers only, nested objects and arrays aside. */
static bool result_text_holds_numbers(const struct spoor_result *object)
{
    for (const struct spoor_result *member = object->first; member; member = member->next)
        if (result_is_scalar(member) && !result_is_number(member)) return false;
    return true;
}

/* The widest number of all objects that hold numbers only. */
static size_t result_text_number_width(struct printer *printer, const struct spoor_result *node)
{
    size_t widest = 0;
    const bool numbers = result_text_holds_numbers(node);
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        size_t width = 0;
        if (member->type == NODE_OBJECT)
            width = result_text_number_width(printer, member);
        else if (numbers && result_is_scalar(member))
            width = printer_format_cell(printer, member);
        if (width > widest) widest = width;
    }
    return widest;
}

static size_t result_text_label_width(const struct spoor_result *node, size_t indent);

/* The widest label of the objects of an array that is printed as one object after another. */
static size_t result_text_array_label_width(const struct spoor_result *array, size_t indent)
{
    size_t widest = 0;
    struct table table;
    if (result_is_list(array) || table_of(array, &table)) return 0;
    for (const struct spoor_result *member = array->first; member; member = member->next) {
        const size_t width = member->type == NODE_OBJECT ? result_text_label_width(member, indent)
                             : member->type == NODE_ARRAY
                                 ? result_text_array_label_width(member, indent + RESULT_INDENT)
                                 : 0;
        if (width > widest) widest = width;
    }
    return widest;
}

/* Returns the width of the widest label among the members that print a value on the same line. */
static size_t result_text_label_width(const struct spoor_result *node, size_t indent)
{
    size_t widest = 0;
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        size_t width = 0;
        if (member->hidden) continue;
        if (member->type == NODE_OBJECT)
            width = result_text_label_width(member, member->key ? indent + RESULT_INDENT : indent);
        else if (member->type == NODE_ARRAY && !result_is_list(member))
            width = result_text_array_label_width(member, indent + RESULT_INDENT);
        else if (member->key && (result_is_scalar(member) || result_is_list(member)))
            width = indent + printer_words_width(member->key);
        if (width > widest && width <= WIDEST_LABEL) widest = width;
    }
    return widest;
}

/* ---- printing ---- */

/* A label at its indent, then spaces up to the column of values. */
static void result_text_begin_line(struct printer *printer, const char *key, size_t indent)
{
    size_t used = indent + printer_words_width(key);
    printer_put_spaces(printer->out, indent);
    printer_put_label(printer, key);
    printer_put_spaces(printer->out, used < printer->column ? printer->column - used : RESULT_GAP);
}

static size_t result_text_line_width(const struct printer *printer)
{
    return printer->style.columns && !printer->style.wide ? printer->style.columns : LINE_WIDTH;
}

/* The members of a list, wrapped at the width of a line. */
static void result_text_put_list(struct printer *printer, const struct spoor_result *list)
{
    size_t at = printer->column;
    if (!list->first) text_puts(printer->out, "none");
    for (const struct spoor_result *member = list->first; member; member = member->next) {
        size_t width = printer_format_cell(printer, member);
        if (member->type == NODE_STRING && memchr(member->string, ' ', member->size)) {
            /* On a line of its own. */
            const size_t limit = result_text_line_width(printer);
            if (member != list->first) {
                text_puts(printer->out, "\n");
                printer_put_spaces(printer->out, printer->column);
            }
            if (printer->style.columns && printer->column + width > limit &&
                printer->column + NARROWEST < limit)
                printer_put_wrapped(printer, printer->column, limit);
            else
                printer_put_cell(printer);
            at = limit;
            continue;
        }
        if (member == list->first) {
            at += width;
        } else if (at + 1 + width <= result_text_line_width(printer)) {
            text_puts(printer->out, " ");
            at += 1 + width;
        } else {
            text_puts(printer->out, "\n");
            printer_put_spaces(printer->out, printer->column);
            at = printer->column + width;
        }
        printer_put_cell(printer);
    }
    text_puts(printer->out, "\n");
}

static void result_text_put_object(struct printer *printer, const struct spoor_result *object,
                                   size_t indent);

/* An array that is not a list: a table, or its members one after another. */
static void result_text_put_array(struct printer *printer, const struct spoor_result *array,
                                  size_t indent)
{
    struct table table;
    const size_t path = strlen(printer->path);
    if (array->key) report_path_add(printer->path, array->key, strlen(array->key));
    if (table_of(array, &table)) {
        printer_put_table(printer, &table, indent);
        printer->path[path] = '\0';
        return;
    }
    for (const struct spoor_result *member = array->first; member; member = member->next) {
        if (member->type == NODE_OBJECT) {
            result_text_put_object(printer, member, indent);
        } else if (member->type == NODE_ARRAY) {
            result_text_put_array(printer, member, indent + RESULT_INDENT);
        } else {
            printer_put_spaces(printer->out, indent);
            printer_format_cell(printer, member);
            printer_put_cell(printer);
            text_puts(printer->out, "\n");
        }
        if (member->next) text_puts(printer->out, "\n");
    }
    printer->path[path] = '\0';
}

static void result_text_put_object(struct printer *printer, const struct spoor_result *object,
                                   size_t indent)
{
    const bool right = result_text_holds_numbers(object);
    for (const struct spoor_result *member = object->first; member; member = member->next) {
        if (member->hidden || (member->hides_empty && !result_is_scalar(member) && !member->first))
            continue;
        if (result_is_list(member)) {
            result_text_begin_line(printer, member->key, indent);
            result_text_put_list(printer, member);
        } else if (result_is_scalar(member)) {
            result_text_begin_line(printer, member->key, indent);
            size_t width = printer_format_cell(printer, member);
            if (right && width < printer->numbers)
                printer_put_spaces(printer->out, printer->numbers - width);
            const size_t limit = result_text_line_width(printer);
            if (member->type == NODE_NULL)
                text_puts(printer->out, "none");
            else if (printer->style.columns && member->type == NODE_STRING &&
                     printer->column + width > limit && printer->column + NARROWEST < limit)
                printer_put_wrapped(printer, printer->column, limit);
            else
                printer_put_cell(printer);
            text_puts(printer->out, "\n");
        } else if (!member->first) {
            result_text_begin_line(printer, member->key, indent);
            text_puts(printer->out, "none\n");
        } else {
            printer_put_spaces(printer->out, indent);
            printer_put_label(printer, member->key);
            text_puts(printer->out, "\n");
            if (member->type == NODE_OBJECT) {
                const size_t path = strlen(printer->path);
                report_path_add(printer->path, member->key, strlen(member->key));
                result_text_put_object(printer, member, indent + RESULT_INDENT);
                printer->path[path] = '\0';
            } else
                result_text_put_array(printer, member, indent + RESULT_INDENT);
        }
    }
}

char *spoor_result_to_styled_text(const struct spoor_result *root,
                                  const struct spoor_result_style *style, size_t *size)
{
    static const struct spoor_result_style plain;
    if (!root) return NULL;
    if (!style) style = &plain;
    struct text out = {0};
    struct printer printer = {.out = &out,
                              .style = *style,
                              .column = result_text_label_width(root, 0) + RESULT_GAP,
                              .on = style->color ? "\033[36m" : "",
                              .off = style->color ? "\033[0m" : ""};
    printer.numbers = result_text_number_width(&printer, root);
    if (root->type == NODE_OBJECT)
        result_text_put_object(&printer, root, 0);
    else
        result_text_put_array(&printer, root, 0);
    out.failed |= printer.cell.failed;
    text_free(&printer.cell);
    return text_hand_out(&out, size);
}
