/* SPDX-License-Identifier: MIT */
/*
 * result_text.c: print the result tree as text.
 *
 * The values of the whole tree are aligned in one column.  Numbers are right-aligned in an object
 * that holds only numbers, and in the columns of a table.
 */
#include <string.h>

#include "result/result_table.h"

enum { INDENT = 2, GAP = 2, WIDEST_LABEL = 40, LINE_WIDTH = 100, TABLE_WIDTH = 80 };

struct printer {
    struct text *out;
    struct text cell;     /* scratch */
    size_t column;        /* column of the values */
    size_t numbers;       /* width of the numbers of objects that hold only numbers */
    const char *on, *off; /* around labels: colour or nothing */
};

/* ---- measuring ---- */

static size_t width_of(const char *bytes, size_t size)
{
    size_t width = 0;
    for (size_t i = 0; i < size; i++) width += ((unsigned char)bytes[i] & 0xC0) != 0x80;
    return width;
}

/* Text without characters that could move the cursor of a terminal. */
static void put_safe(struct text *out, const char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)bytes[i];
        if (c < ' ' || c == 0x7F)
            text_printf(out, "\\x%02x", c);
        else
            text_put(out, bytes + i, 1);
    }
}

static void put_value(struct text *out, const struct spoor_result *node)
{
    switch (node->type) {
    case NODE_NULL: text_puts(out, "-"); break;
    case NODE_BOOL: text_puts(out, node->number ? "yes" : "no"); break;
    case NODE_STRING: put_safe(out, node->string, node->size); break;
    default: result_put_plain(out, node);
    }
}

/* The text of a cell in the scratch buffer; its width. */
static size_t format_cell(struct printer *printer, const struct spoor_result *cell)
{
    struct text *text = &printer->cell;
    text->size = 0;
    if (!cell) {
        text_puts(text, "-");
    } else if (result_is_scalar(cell)) {
        put_value(text, cell);
    } else {
        for (const struct spoor_result *member = cell->first; member; member = member->next) {
            put_value(text, member);
            if (member->next) text_puts(text, " ");
        }
    }
    return width_of(text->bytes ? text->bytes : "", text->size);
}

static bool is_number(const struct spoor_result *node)
{
    return node->type >= NODE_UNSIGNED && node->type <= NODE_REAL;
}

/* True if the object holds numbers only, nested objects and arrays aside. */
static bool holds_numbers(const struct spoor_result *object)
{
    for (const struct spoor_result *member = object->first; member; member = member->next)
        if (result_is_scalar(member) && !is_number(member)) return false;
    return true;
}

/* The widest number of all objects that hold numbers only. */
static size_t number_width(struct printer *printer, const struct spoor_result *node)
{
    size_t widest = 0;
    const bool numbers = holds_numbers(node);
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        size_t width = 0;
        if (member->type == NODE_OBJECT)
            width = number_width(printer, member);
        else if (numbers && result_is_scalar(member))
            width = format_cell(printer, member);
        if (width > widest) widest = width;
    }
    return widest;
}

/* Returns the width of the widest label among the members that print a value on the same line. */
static size_t label_width(const struct spoor_result *node, size_t indent)
{
    size_t widest = 0;
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        size_t width = 0;
        if (member->type == NODE_OBJECT)
            width = label_width(member, member->key ? indent + INDENT : indent);
        else if (member->key && (result_is_scalar(member) || result_is_list(member)))
            width = indent + strlen(member->key);
        if (width > widest && width <= WIDEST_LABEL) widest = width;
    }
    return widest;
}

/* ---- printing ---- */

static void put_spaces(struct text *out, size_t count)
{
    char *at = text_reserve(out, count);
    if (!at) return;
    memset(at, ' ', count);
    text_commit(out, at + count);
}

static void put_cell(struct printer *printer)
{
    text_put(printer->out, printer->cell.bytes, printer->cell.size);
}

static void put_label(struct printer *printer, const char *key)
{
    text_puts(printer->out, printer->on);
    for (; *key; key++) text_put(printer->out, *key == '_' ? " " : key, 1);
    text_puts(printer->out, printer->off);
}

/* A label at its indent, then spaces up to the column of values. */
static void begin_line(struct printer *printer, const char *key, size_t indent)
{
    size_t used = indent + strlen(key);
    put_spaces(printer->out, indent);
    put_label(printer, key);
    put_spaces(printer->out, used < printer->column ? printer->column - used : GAP);
}

/* The members of a list, wrapped at the width of a line. */
static void put_list(struct printer *printer, const struct spoor_result *list)
{
    size_t at = printer->column;
    if (!list->first) text_puts(printer->out, "none");
    for (const struct spoor_result *member = list->first; member; member = member->next) {
        size_t width = format_cell(printer, member);
        if (member == list->first) {
            at += width;
        } else if (at + 1 + width <= LINE_WIDTH) {
            text_puts(printer->out, " ");
            at += 1 + width;
        } else {
            text_puts(printer->out, "\n");
            put_spaces(printer->out, printer->column);
            at = printer->column + width;
        }
        put_cell(printer);
    }
    text_puts(printer->out, "\n");
}

static void put_row_gap(struct printer *printer, size_t column, size_t indent)
{
    put_spaces(printer->out, column ? GAP : indent);
}

struct column {
    size_t width;
    bool right;
};

static void measure(struct printer *printer, const struct table *table, struct column *columns)
{
    for (size_t i = 0; i < table->count; i++) {
        columns[i] = (struct column){strlen(table->keys[i]), true};
        for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
            const struct spoor_result *cell = table_cell(row, table->keys[i]);
            size_t width = format_cell(printer, cell);
            if (width > columns[i].width) columns[i].width = width;
            if (cell && cell->type != NODE_NULL && !is_number(cell)) columns[i].right = false;
        }
    }
}

/* The columns `from` to before `to` of a table, with the first ones, which name a row, before. */
struct part {
    const struct table *table;
    const struct column *columns;
    size_t leading, from, to, indent;
};

/* The next column of a part; they begin with column 0. */
static size_t next_column(const struct part *part, size_t column)
{
    return column + 1 == part->leading && part->from > 0 ? part->from : column + 1;
}

static void put_headings(struct printer *printer, const struct part *part)
{
    for (size_t i = 0; i < part->to; i = next_column(part, i)) {
        const struct column *column = &part->columns[i];
        const char *key = part->table->keys[i];
        put_row_gap(printer, i, part->indent);
        if (column->right) put_spaces(printer->out, column->width - strlen(key));
        put_label(printer, key);
        if (!column->right && i + 1 < part->to)
            put_spaces(printer->out, column->width - strlen(key));
    }
    text_puts(printer->out, "\n");
}

/* The last cell of a row, from column `at` of the line on: a text that is too wide goes on below.
 */
static void put_last_cell(struct printer *printer, size_t at)
{
    const char *bytes = printer->cell.bytes;
    size_t size = printer->cell.size;
    while (at + width_of(bytes, size) > TABLE_WIDTH) {
        const char *blank = NULL, *first = NULL;
        for (const char *byte = bytes; byte < bytes + size; byte++) {
            if (*byte != ' ') continue;
            if (!first) first = byte;
            if (at + width_of(bytes, (size_t)(byte - bytes)) <= TABLE_WIDTH) blank = byte;
        }
        if (!blank) blank = first;
        if (!blank) break;
        text_put(printer->out, bytes, (size_t)(blank - bytes));
        text_puts(printer->out, "\n");
        put_spaces(printer->out, at);
        size -= (size_t)(blank + 1 - bytes);
        bytes = blank + 1;
    }
    text_put(printer->out, bytes, size);
}

static void put_row(struct printer *printer, const struct part *part,
                    const struct spoor_result *row)
{
    size_t at = 0; /* the column of the line */
    for (size_t i = 0; i < part->to; i = next_column(part, i)) {
        const struct column *column = &part->columns[i];
        const size_t width = format_cell(printer, table_cell(row, part->table->keys[i]));
        const bool last = i + 1 == part->to;
        put_row_gap(printer, i, part->indent);
        at += i ? GAP : part->indent;
        if (column->right) put_spaces(printer->out, column->width - width);
        if (last && !column->right)
            put_last_cell(printer, at);
        else
            put_cell(printer);
        if (!column->right && !last) put_spaces(printer->out, column->width - width);
        at += column->width;
    }
    text_puts(printer->out, "\n");
}

/* The columns that name a row: texts at the left, one at least. */
static size_t leading_columns(const struct part *part)
{
    size_t count = 0, used = part->indent;
    while (count < part->table->count && !part->columns[count].right &&
           used + GAP + part->columns[count].width <= TABLE_WIDTH / 2)
        used += GAP + part->columns[count++].width;
    return count ? count : 1;
}

/* The column after those that fit in a line, from `from` on: one at least. */
static size_t fitting_columns(const struct part *part, size_t from)
{
    const size_t first = from > part->leading ? from : part->leading;
    size_t used = part->indent, i = 0;
    for (; i < part->leading; i++) used += part->columns[i].width + (i ? GAP : 0);
    for (i = first; i < part->table->count; i++) {
        used += GAP + part->columns[i].width;
        if (used > TABLE_WIDTH && i > first) break;
    }
    return i;
}

/* A table that is wider than a line is printed in parts, each with the columns that name a row. */
static void put_table(struct printer *printer, const struct table *table, size_t indent)
{
    struct column columns[MAX_TABLE_COLUMNS] = {{0, false}};
    struct part part = {table, columns, 0, 0, 0, indent};
    measure(printer, table, columns);
    part.leading = leading_columns(&part);
    do {
        part.from = part.to;
        part.to = fitting_columns(&part, part.from);
        put_headings(printer, &part);
        for (const struct spoor_result *row = table->rows->first; row; row = row->next)
            put_row(printer, &part, row);
    } while (part.to < table->count);
}

static void put_object(struct printer *printer, const struct spoor_result *object, size_t indent);

/* An array that is not a list: a table, or its members one after another. */
static void put_array(struct printer *printer, const struct spoor_result *array, size_t indent)
{
    struct table table;
    if (table_of(array, &table)) {
        put_table(printer, &table, indent);
        return;
    }
    for (const struct spoor_result *member = array->first; member; member = member->next) {
        if (member->type == NODE_OBJECT) {
            put_object(printer, member, indent);
        } else if (member->type == NODE_ARRAY) {
            put_array(printer, member, indent + INDENT);
        } else {
            put_spaces(printer->out, indent);
            format_cell(printer, member);
            put_cell(printer);
            text_puts(printer->out, "\n");
        }
        if (member->next) text_puts(printer->out, "\n");
    }
}

static void put_heading(struct printer *printer, const char *key, size_t indent)
{
    put_spaces(printer->out, indent);
    put_label(printer, key);
    text_puts(printer->out, "\n");
}

static void put_scalar(struct printer *printer, const struct spoor_result *scalar, bool right)
{
    size_t width = format_cell(printer, scalar);
    if (right && width < printer->numbers) put_spaces(printer->out, printer->numbers - width);
    if (scalar->type == NODE_NULL)
        text_puts(printer->out, "none");
    else
        put_cell(printer);
    text_puts(printer->out, "\n");
}

static void put_member(struct printer *printer, const struct spoor_result *member, size_t indent,
                       bool right)
{
    if (result_is_list(member)) {
        begin_line(printer, member->key, indent);
        put_list(printer, member);
    } else if (result_is_scalar(member)) {
        begin_line(printer, member->key, indent);
        put_scalar(printer, member, right);
    } else if (!member->first) {
        begin_line(printer, member->key, indent);
        text_puts(printer->out, "none\n");
    } else {
        put_heading(printer, member->key, indent);
        if (member->type == NODE_OBJECT)
            put_object(printer, member, indent + INDENT);
        else
            put_array(printer, member, indent + INDENT);
    }
}

static void put_object(struct printer *printer, const struct spoor_result *object, size_t indent)
{
    const bool right = holds_numbers(object);
    for (const struct spoor_result *member = object->first; member; member = member->next)
        put_member(printer, member, indent, right);
}

static char *print(const struct spoor_result *root, size_t *size, const char *on, const char *off)
{
    if (!root) return NULL;
    struct text out = {0};
    struct printer printer = {
        .out = &out, .column = label_width(root, 0) + GAP, .on = on, .off = off};
    printer.numbers = number_width(&printer, root);
    if (root->type == NODE_OBJECT)
        put_object(&printer, root, 0);
    else
        put_array(&printer, root, 0);
    out.failed |= printer.cell.failed;
    text_free(&printer.cell);
    return result_hand_out(&out, size);
}

char *spoor_result_to_text(const struct spoor_result *root, size_t *size)
{
    return print(root, size, "", "");
}

char *spoor_result_to_colored_text(const struct spoor_result *root, size_t *size)
{
    return print(root, size, "\033[36m", "\033[0m");
}
