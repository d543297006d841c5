/* SPDX-License-Identifier: MIT */
/*
 * result_beside.c: print results of several traces as columns of one table.
 *
 * A line for each member, in the order in which the results name them; the members of an object lie
 * below its key, and rows of an array below the text that each begins with.  Traces that do not fit
 * beside the others follow in another block.
 */
#include <string.h>

#include "result/result_printer.h"

enum { BESIDE_MAX = 64, TEXT_WIDTH = 24, DEEPEST = 6 };

/* The members of one path, of each result; NULL: it has none. */
struct beside_values {
    const struct spoor_result *of[BESIDE_MAX];
};

struct beside {
    struct printer *printer;
    size_t count;
    size_t label;              /* width of the labels */
    size_t widths[BESIDE_MAX]; /* of the columns */
    size_t first, end; /* the results of the block that is printed; none: widths are found */
};

/* A value of a result that is printed; NULL: none has one that is not empty. */
static const struct spoor_result *beside_any(const struct beside *beside,
                                             const struct beside_values *values)
{
    const bool prints = beside->first != beside->end;
    for (size_t i = prints ? beside->first : 0; i < (prints ? beside->end : beside->count); i++) {
        const struct spoor_result *value = values->of[i];
        const bool empty = value && !result_is_scalar(value) && !value->first;
        if (value && value->type != NODE_NULL && !empty) return value;
    }
    return NULL;
}

/* The cell of one result in the scratch buffer, with a text cut; its width. */
static size_t beside_cell(const struct beside *beside, const struct spoor_result *value)
{
    struct printer *printer = beside->printer;
    if (value && !result_is_scalar(value)) {
        printer->cell.size = 0;
        table_put_cell(&printer->cell, value);
    } else {
        printer_format_cell(printer, value);
    }
    struct text *cell = &printer->cell;
    if (value && !result_is_number(value) && cell->size > TEXT_WIDTH) {
        /* Cuts a text that is too long: a path at its beginning, another one at its end. */
        static const char mark[] = "...";
        const bool path = value->key && strcmp(value->key, "trace") == 0;
        const size_t left = TEXT_WIDTH - (sizeof mark - 1);
        size_t at = path ? cell->size - left : left;
        while (at > 0 && at < cell->size && (cell->bytes[at] & 0xC0) == 0x80)
            at += path ? 1 : (size_t)-1;
        if (path) {
            memmove(cell->bytes + sizeof mark - 1, cell->bytes + at, cell->size - at);
            memcpy(cell->bytes, mark, sizeof mark - 1);
            cell->size -= at - (sizeof mark - 1);
        } else {
            cell->size = at;
            text_puts(cell, mark);
        }
    }
    size_t width = 0;
    for (size_t i = 0; i < cell->size; i++) width += (cell->bytes[i] & 0xC0) != 0x80;
    return width;
}

/* A line: measured, or printed if a block is. */
static void beside_line(struct beside *beside, const char *label, size_t indent,
                        const struct beside_values *values)
{
    struct printer *printer = beside->printer;
    const size_t size = printer_words_width(label);
    if (beside->first == beside->end) {
        if (indent + size > beside->label) beside->label = indent + size;
        for (size_t i = 0; values && i < beside->count; i++) {
            const size_t width = beside_cell(beside, values->of[i]);
            if (width > beside->widths[i]) beside->widths[i] = width;
        }
        return;
    }
    printer_put_spaces(printer->out, indent);
    printer_put_label(printer, label);
    if (values) printer_put_spaces(printer->out, beside->label - indent - size);
    for (size_t i = beside->first; values && i < beside->end; i++) {
        const size_t width = beside_cell(beside, values->of[i]);
        printer_put_spaces(printer->out, RESULT_GAP + beside->widths[i] - width);
        printer_put_cell(printer);
    }
    text_puts(printer->out, "\n");
}

static void beside_objects(struct beside *beside, const struct beside_values *objects,
                           size_t indent, const char *without);

/* The text that a row begins with; NULL: it begins with another value. */
static const char *beside_name(const struct spoor_result *row)
{
    if (row->type != NODE_OBJECT || !row->first || row->first->type != NODE_STRING) return NULL;
    return row->first->string;
}

static const struct spoor_result *beside_row(const struct spoor_result *rows, const char *name)
{
    for (const struct spoor_result *row = rows ? rows->first : NULL; row; row = row->next)
        if (beside_name(row) && strcmp(beside_name(row), name) == 0) return row;
    return NULL;
}

/* Rows of the same name, which the first result with such a row states. */
static void beside_rows(struct beside *beside, const struct beside_values *arrays, size_t indent)
{
    for (size_t i = 0; i < beside->count; i++) {
        const struct spoor_result *row = arrays->of[i] ? arrays->of[i]->first : NULL;
        for (; row; row = row->next) {
            const char *name = beside_name(row);
            struct beside_values rows = {{NULL}};
            bool seen = !name;
            for (size_t j = 0; j < i && !seen; j++) seen = beside_row(arrays->of[j], name) != NULL;
            if (seen) continue;
            for (size_t j = i; j < beside->count; j++) rows.of[j] = beside_row(arrays->of[j], name);
            if (!beside_any(beside, &rows)) continue;
            /* The name is as it is: it may be one that an option takes. */
            if (beside->first == beside->end) {
                beside_line(beside, name, indent, NULL);
            } else {
                struct printer *printer = beside->printer;
                printer_put_spaces(printer->out, indent);
                text_printf(printer->out, "%s%s%s\n", printer->on, name, printer->off);
            }
            beside_objects(beside, &rows, indent + RESULT_INDENT, row->first->key);
        }
    }
}

/* The members of all objects, but for those called `without`. */
static void beside_objects(struct beside *beside, const struct beside_values *objects,
                           size_t indent, const char *without)
{
    for (size_t i = 0; i < beside->count; i++) {
        const struct spoor_result *object = objects->of[i];
        if (!object || object->type != NODE_OBJECT) continue;
        for (const struct spoor_result *member = object->first; member; member = member->next) {
            struct beside_values values = {{NULL}};
            if (!member->key || !*member->key) continue; /* a bar has no key */
            bool seen = without && strcmp(member->key, without) == 0;
            for (size_t j = 0; j < i && !seen; j++)
                seen = spoor_result_member(objects->of[j], member->key) != NULL;
            if (seen) continue;
            for (size_t j = i; j < beside->count; j++)
                values.of[j] = spoor_result_member(objects->of[j], member->key);
            const struct spoor_result *any = beside_any(beside, &values);
            bool hidden = true;
            for (size_t j = 0; j < beside->count; j++)
                hidden &= !values.of[j] || values.of[j]->hidden ||
                          (values.of[j]->hides_empty && !values.of[j]->first);
            if (!any || hidden || indent > RESULT_INDENT * DEEPEST) continue;
            if (any->type == NODE_OBJECT) {
                beside_line(beside, member->key, indent, NULL);
                beside_objects(beside, &values, indent + RESULT_INDENT, NULL);
            } else if (any->type == NODE_ARRAY && !result_is_list(any)) {
                beside_line(beside, member->key, indent, NULL);
                beside_rows(beside, &values, indent + RESULT_INDENT);
            } else {
                beside_line(beside, member->key, indent, &values);
            }
        }
    }
}

char *spoor_result_to_columns(const struct spoor_result *results,
                              const struct spoor_result_style *style, size_t *size)
{
    struct text out = {0};
    struct printer printer = {.out = &out,
                              .style = *style,
                              .on = style->color ? "\033[36m" : "",
                              .off = style->color ? "\033[0m" : ""};
    struct beside beside = {.printer = &printer};
    struct beside_values values = {{NULL}};
    if (!results || results->type != NODE_ARRAY || results->size > BESIDE_MAX) return NULL;
    for (const struct spoor_result *result = results->first; result; result = result->next)
        values.of[beside.count++] = result;
    beside_objects(&beside, &values, 0, NULL);
    const size_t columns = style->wide ? 0 : style->columns;
    for (size_t first = 0, end; first < beside.count; first = end) {
        /* As many results as fit beside one another, one at least. */
        size_t width = beside.label;
        for (end = first; end < beside.count; end++) {
            width += RESULT_GAP + beside.widths[end];
            if (end > first && columns && width > columns) break;
        }
        beside.first = first;
        beside.end = end;
        if (first) text_puts(&out, "\n");
        beside_objects(&beside, &values, 0, NULL);
    }
    out.failed |= printer.cell.failed;
    text_free(&printer.cell);
    return text_hand_out(&out, size);
}
