/* SPDX-License-Identifier: MIT */
/* result_file.c: from a table of a result to columns, by the types of its cells. */
#include <stdio.h>
#include <stdlib.h>

#include "columns/chunk_pool.h"
#include "columns/parquet_file.h"
#include "result/result_table.h"
#include "spoor/result.h"

/* The type of a cell that is not null. */
static enum column_type result_file_type_of(const struct spoor_result *cell)
{
    switch (cell->type) {
    case NODE_UNSIGNED:
    case NODE_HEX:
    case NODE_SIZE: return COLUMN_UNSIGNED;
    case NODE_SIGNED: return COLUMN_SIGNED;
    case NODE_REAL: return COLUMN_REAL;
    case NODE_BOOL: return COLUMN_BOOL;
    default: return COLUMN_TEXT;
    }
}

static bool result_file_is_null(const struct spoor_result *cell)
{
    return !cell || cell->type == NODE_NULL;
}

/* ---- columns ---- */

static struct columns *result_file_columns_of(const struct table *table)
{
    struct columns *columns = calloc(1, sizeof *columns);
    if (!columns || table->count > COLUMNS_MAX) {
        free(columns);
        return NULL;
    }
    columns->kind = COLUMNS_ALL_KINDS;
    columns->capacity = GROUP_ROWS;
    columns->items = calloc(table->count + 1, sizeof *columns->items);
    if (!columns->items) {
        free(columns);
        return NULL;
    }
    for (size_t i = 0; i < table->count; i++) {
        enum column_type type = COLUMN_TEXT;
        bool known = false;
        for (const struct spoor_result *row = table->rows->first; row; row = row->next) {
            const struct spoor_result *cell = spoor_result_member(row, table->keys[i]);
            if (result_file_is_null(cell)) continue;
            const enum column_type other = result_file_type_of(cell);
            const bool integers = type <= COLUMN_SIGNED && other <= COLUMN_SIGNED;
            const bool numbers = (type <= COLUMN_SIGNED || type == COLUMN_REAL) &&
                                 (other <= COLUMN_SIGNED || other == COLUMN_REAL);
            if (known && type != other) /* the type that holds both */
                type = integers ? COLUMN_SIGNED : numbers ? COLUMN_REAL : COLUMN_TEXT;
            else
                type = other;
            known = true;
        }
        struct column *column = &columns->items[columns->count++];
        *column = (struct column){.field = SPOOR_FIELDS_ALL, .leader = NO_COLUMN, .type = type};
        snprintf(column->name, sizeof column->name, "%s", table->keys[i]);
    }
    return columns;
}

static uint64_t result_file_value(struct column *column, const struct spoor_result *cell)
{
    double real;
    uint64_t bits;
    if (column->type == COLUMN_TEXT) {
        struct text text = {0};
        table_put_cell(&text, cell);
        const uint32_t number = words_add(&column->words, text.bytes ? text.bytes : "", text.size);
        column->words.failed |= text.failed;
        text_free(&text);
        return number;
    }
    if (column->type != COLUMN_REAL) return cell->number; /* a signed one has the same bits */
    real = cell->type == NODE_REAL     ? cell->real
           : cell->type == NODE_SIGNED ? (double)cell->signed_number
                                       : (double)cell->number;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static bool result_file_put_table(const struct table *table, struct text *out)
{
    struct columns *columns = result_file_columns_of(table);
    struct chunk_pool *pool = chunk_pool_new(SPOOR_LEVEL_DEFAULT, 1);
    struct parquet_file *file = parquet_file_new(columns, pool);
    bool good = file != NULL; /* without one, the columns are freed */
    for (const struct spoor_result *row = table->rows->first; row && good; row = row->next) {
        good = columns_reserve(columns, 1);
        for (size_t i = 0; good && i < columns->count; i++) {
            struct column *column = &columns->items[i];
            const struct spoor_result *cell = spoor_result_member(row, table->keys[i]);
            column->present[columns->rows] = !result_file_is_null(cell);
            if (result_file_is_null(cell)) continue;
            const uint64_t value = result_file_value(column, cell);
            good = column_append(column, &value, 1);
        }
        columns->rows += good;
        if (columns->rows == columns->capacity) good = good && parquet_file_flush(file, out);
    }
    for (size_t i = 0; good && i < columns->count; i++) good = !columns->items[i].words.failed;
    good = good && parquet_file_end(file, NULL, out);
    parquet_file_free(file);
    chunk_pool_free(pool);
    return good;
}

char *spoor_result_to_parquet(const struct spoor_result *root, size_t *size)
{
    struct text out = {0}, keys = {0};
    struct table table;
    bool good;
    if (table_first(root, &table)) {
        good = result_file_put_table(&table, &out);
    } else if (root->type == NODE_ARRAY && !root->first && root->columns) {
        /* A table without rows has its columns, if they are known; as texts. */
        char *rest = NULL;
        table = (struct table){.rows = root};
        if (root->around) text_printf(&keys, "%s,", root->around);
        text_puts(&keys, root->columns);
        text_put(&keys, "", 1);
        for (char *key = keys.failed ? NULL : strtok_r(keys.bytes, ",", &rest);
             key && table.count < MAX_TABLE_COLUMNS; key = strtok_r(NULL, ",", &rest))
            table.keys[table.count++] = key;
        good = !keys.failed && result_file_put_table(&table, &out);
        text_free(&keys);
    } else {
        struct spoor_result *rows = table_of_values(root, &table);
        good = rows && result_file_put_table(&table, &out);
        spoor_result_free(rows);
    }
    if (good && !out.failed) {
        *size = out.size;
        return out.bytes;
    }
    text_free(&out);
    return NULL;
}
