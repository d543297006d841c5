/* SPDX-License-Identifier: MIT */
/* result_csv.c: print the result tree as CSV: its first table, or a line for each value. */
#include <string.h>

#include "base/csv.h"
#include "result/result_table.h"

static void result_csv_put_rows(struct text *out, const struct table *table)
{
    for (size_t i = 0; i < table->count; i++) {
        if (i) text_puts(out, ",");
        csv_put_string(out, table->keys[i], strlen(table->keys[i]));
    }
    text_puts(out, "\n");
    for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
        for (size_t i = 0; i < table->count; i++) {
            const struct spoor_result *cell = spoor_result_member(row, table->keys[i]);
            if (i) text_puts(out, ",");
            if (cell) {
                struct text plain = {0};
                table_put_cell(&plain, cell);
                csv_put_string(out, plain.bytes ? plain.bytes : "", plain.size);
                out->failed |= plain.failed;
                text_free(&plain);
            }
        }
        text_puts(out, "\n");
    }
}

char *spoor_result_to_csv(const struct spoor_result *root, size_t *size)
{
    struct text out = {0};
    struct table table;
    if (!root) return NULL;
    if (table_first(root, &table)) {
        result_csv_put_rows(&out, &table);
    } else if (root->type == NODE_ARRAY && !root->first) {
        /* a table without rows has its columns, if they are known */
        if (root->columns)
            text_printf(&out, "%s%s%s\n", root->around ? root->around : "", root->around ? "," : "",
                        root->columns);
    } else {
        struct spoor_result *rows = table_of_values(root, &table);
        if (rows) result_csv_put_rows(&out, &table);
        out.failed |= !rows;
        spoor_result_free(rows);
    }
    return text_hand_out(&out, size);
}
