/* SPDX-License-Identifier: MIT */
/* result_table.c: finding the columns of an array of objects. */
#include "result/result_table.h"

#include <string.h>

bool result_is_list(const struct spoor_result *node)
{
    if (node->type != NODE_ARRAY) return false;
    for (const struct spoor_result *member = node->first; member; member = member->next)
        if (!result_is_scalar(member)) return false;
    return true;
}

bool table_of(const struct spoor_result *array, struct table *table)
{
    *table = (struct table){.rows = array};
    if (array->type != NODE_ARRAY || !array->first) return false;
    for (const struct spoor_result *row = array->first; row; row = row->next) {
        if (row->type != NODE_OBJECT) return false;
        for (const struct spoor_result *cell = row->first; cell; cell = cell->next) {
            if (!cell->key || (!result_is_scalar(cell) && !result_is_list(cell))) return false;
            size_t column = 0;
            while (column < table->count && strcmp(table->keys[column], cell->key) != 0) column++;
            if (column < table->count) continue;
            if (table->count == MAX_TABLE_COLUMNS) return false;
            table->keys[table->count++] = cell->key;
        }
    }
    return true;
}

bool table_first(const struct spoor_result *node, struct table *table)
{
    if (result_is_scalar(node)) return false;
    if (table_of(node, table)) return true;
    for (const struct spoor_result *member = node->first; member; member = member->next)
        if (table_first(member, table)) return true;
    return false;
}

void table_put_cell(struct text *out, const struct spoor_result *cell)
{
    const struct spoor_result *member = result_is_scalar(cell) ? cell : cell->first;
    const size_t before = out->size;
    for (; member; member = result_is_scalar(cell) ? NULL : member->next) {
        if (out->size > before) text_puts(out, " ");
        if (member->type == NODE_BOOL)
            text_puts(out, member->number ? "true" : "false");
        else
            result_put_exact(out, member);
    }
}

/* Adds a row for each value: the keys from the root, joined by dots, and its text; members of
 * arrays by number from 0. */
static void table_add_values(struct spoor_result *rows, const struct spoor_result *node,
                             struct text *path)
{
    if (result_is_scalar(node) || result_is_list(node)) {
        struct text value = {0};
        struct spoor_result *row = spoor_result_object(rows, NULL);
        table_put_cell(&value, node);
        if (path->failed || value.failed) spoor_result_fail(row);
        spoor_result_bytes(row, "key", path->bytes ? path->bytes : "", path->size);
        if (node->type == NODE_NULL)
            spoor_result_null(row, "value");
        else
            spoor_result_bytes(row, "value", value.bytes ? value.bytes : "", value.size);
        text_free(&value);
        return;
    }
    const size_t before = path->size;
    size_t number = 0;
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        if (before) text_puts(path, ".");
        if (member->key)
            text_puts(path, member->key);
        else
            text_printf(path, "%zu", number++);
        table_add_values(rows, member, path);
        path->size = before;
    }
}

struct spoor_result *table_of_values(const struct spoor_result *root, struct table *table)
{
    struct spoor_result *rows = spoor_result_new_array();
    struct text path = {0};
    if (rows) table_add_values(rows, root, &path);
    text_free(&path);
    *table = (struct table){.rows = rows, .count = 2, .keys = {"key", "value"}};
    if (rows && spoor_result_complete(rows)) return rows;
    spoor_result_free(rows);
    return NULL;
}
