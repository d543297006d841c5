/* SPDX-License-Identifier: MIT */
/* result_csv.c: print the result tree as CSV: its first table, or a line for each value. */
#include <string.h>

#include "base/csv.h"
#include "result/result_table.h"

static void put_cell(struct text *out, const struct spoor_result *cell)
{
    struct text plain = {0};
    table_put_cell(&plain, cell);
    csv_put_string(out, plain.bytes ? plain.bytes : "", plain.size);
    out->failed |= plain.failed;
    text_free(&plain);
}

static void put_rows(struct text *out, const struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (i) text_puts(out, ",");
        csv_put_string(out, table->keys[i], strlen(table->keys[i]));
    }
    text_puts(out, "\n");
    for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
        for (size_t i = 0; i < table->count; i++) {
            const struct spoor_result *cell = table_cell(row, table->keys[i]);
            if (i) text_puts(out, ",");
            if (cell) put_cell(out, cell);
        }
        text_puts(out, "\n");
    }
}

/* "a.b.c": the keys from the root; members of arrays by number from 0. */
static void put_values(struct text *out, const struct spoor_result *node, struct text *path)
{
    if (result_is_scalar(node) || result_is_list(node)) {
        csv_put_string(out, path->bytes ? path->bytes : "", path->size);
        text_puts(out, ",");
        put_cell(out, node);
        text_puts(out, "\n");
        return;
    }
    size_t before = path->size, number = 0;
    for (const struct spoor_result *member = node->first; member; member = member->next) {
        if (before) text_puts(path, ".");
        if (member->key)
            text_puts(path, member->key);
        else
            text_printf(path, "%zu", number++);
        put_values(out, member, path);
        path->size = before;
    }
}

char *spoor_result_to_csv(const struct spoor_result *root, size_t *size)
{
    struct text out = {0}, path = {0};
    struct table table;
    if (!root) return NULL;
    if (table_first(root, &table)) {
        put_rows(&out, &table);
    } else if (root->type == NODE_ARRAY && !root->first) {
        /* a table without rows has its columns, if they are known */
        if (root->columns)
            text_printf(&out, "%s%s%s\n", root->around ? root->around : "", root->around ? "," : "",
                        root->columns);
    } else {
        text_puts(&out, "key,value\n");
        put_values(&out, root, &path);
        out.failed |= path.failed;
        text_free(&path);
    }
    return result_hand_out(&out, size);
}
