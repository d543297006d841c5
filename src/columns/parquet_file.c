/* SPDX-License-Identifier: MIT */
/* parquet_file.c: row groups, their indexes, and the footer. */
#include "columns/parquet_file.h"

#include <stdio.h>
#include <stdlib.h>

#include "columns/chunk_pool.h"
#include "columns/thrift.h"

/* Numbers of parquet.thrift. */
enum {
    TYPE_BOOLEAN = 0,
    TYPE_INT64 = 2,
    TYPE_DOUBLE = 5,
    TYPE_BYTE_ARRAY = 6,
    REQUIRED = 0,
    OPTIONAL = 1,
    CONVERTED_UTF8 = 0,
    CONVERTED_UINT_64 = 14,
    LOGICAL_STRING = 1,
    LOGICAL_INTEGER = 10,
    ORDER_UNKNOWN = 0
};

/* Records whose columns are filled at a time: they stay in the cache. */
enum { ADD_ROWS = 2048 };

struct parquet_file {
    struct columns *columns;
    struct chunk_pool *pool;
    struct column_chunk *chunks; /* of the current row group, by column */
    struct text groups;          /* the row groups of the footer */
    size_t group_count;
    uint64_t rows, size; /* of the file, until now */
    char unit[16];       /* of times */
    bool failed;         /* memory ran out: the columns have no values for some rows */
};

struct parquet_file *parquet_file_new(struct columns *columns, struct chunk_pool *pool)
{
    struct parquet_file *parquet = columns && pool ? calloc(1, sizeof *parquet) : NULL;
    if (!parquet) {
        columns_free(columns);
        return NULL;
    }
    parquet->pool = pool;
    parquet->columns = columns;
    parquet->chunks = calloc(columns->count + 1, sizeof *parquet->chunks);
    if (parquet->chunks) return parquet;
    parquet_file_free(parquet);
    return NULL;
}

void parquet_file_free(struct parquet_file *parquet)
{
    if (!parquet) return;
    columns_free(parquet->columns);
    free(parquet->chunks);
    text_free(&parquet->groups);
    free(parquet);
}

size_t parquet_file_memory(const struct parquet_file *parquet)
{
    size_t memory = 0;
    for (size_t i = 0; i < parquet->columns->count; i++) {
        const struct column *column = &parquet->columns->items[i];
        memory += column->capacity + column->store.capacity;
    }
    return memory;
}

/* ---- the indexes of a row group ---- */

static int parquet_file_physical_type(enum column_type type)
{
    switch (type) {
    case COLUMN_TEXT: return TYPE_BYTE_ARRAY;
    case COLUMN_BOOL: return TYPE_BOOLEAN;
    case COLUMN_REAL: return TYPE_DOUBLE;
    default: return TYPE_INT64;
    }
}

/* Puts the index if every page that has values states their limits. */
static void parquet_file_put_column_index(const struct column_chunk *chunk, struct text *out)
{
    struct thrift index = {.out = out};
    const size_t count = chunk->page_count;
    for (size_t i = 0; i < count; i++)
        if (!chunk->pages[i].all_null && !chunk->pages[i].limits.stated) return;
    thrift_list(&index, 1, THRIFT_TRUE, count);
    for (size_t i = 0; i < count; i++) {
        const char null = chunk->pages[i].all_null ? THRIFT_TRUE : THRIFT_FALSE;
        text_put(out, &null, 1);
    }
    thrift_list(&index, 2, THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++)
        thrift_put_binary(&index, chunk->pages[i].limits.low, chunk->pages[i].limits.low_size);
    thrift_list(&index, 3, THRIFT_BINARY, count);
    for (size_t i = 0; i < count; i++)
        thrift_put_binary(&index, chunk->pages[i].limits.high, chunk->pages[i].limits.high_size);
    thrift_integer(&index, 4, THRIFT_I32, ORDER_UNKNOWN);
    thrift_list(&index, 5, THRIFT_I64, count);
    for (size_t i = 0; i < count; i++) text_signed_varint(out, chunk->pages[i].nulls);
    thrift_end(&index);
}

/* A part of the file. */
struct part {
    uint64_t offset, size;
};

/* ---- the footer ---- */

/* The row group's entry, with the parts of the file that the indexes of its columns are. */
static void parquet_file_put_group(struct parquet_file *parquet, uint64_t offset,
                                   const struct part *parts)
{
    const struct columns *columns = parquet->columns;
    struct thrift footer = {.out = &parquet->groups, .depth = 1};
    uint64_t size = 0, raw_size = 0;
    thrift_list(&footer, 1, THRIFT_STRUCT, columns->count);
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        const struct column_chunk *chunk = &parquet->chunks[i];
        const struct part *offsets = &parts[2 * i];
        const struct part *limits = &parts[2 * i + 1];
        const uint64_t first =
            chunk->has_dictionary ? chunk->dictionary_offset : chunk->data_offset;
        thrift_begin(&footer);
        thrift_integer(&footer, 2, THRIFT_I64, (int64_t)first);
        thrift_struct(&footer, 3);
        thrift_integer(&footer, 1, THRIFT_I32, parquet_file_physical_type(column->type));
        thrift_list(&footer, 2, THRIFT_I32, chunk->has_dictionary ? 3 : 2);
        text_signed_varint(footer.out, ENCODING_RLE);
        text_signed_varint(footer.out, chunk->encoding);
        if (chunk->has_dictionary) text_signed_varint(footer.out, ENCODING_PLAIN);
        thrift_list(&footer, 3, THRIFT_BINARY, 1);
        thrift_put_binary(&footer, column->name, strlen(column->name));
        thrift_integer(&footer, 4, THRIFT_I32, CHUNK_CODEC);
        thrift_integer(&footer, 5, THRIFT_I64, (int64_t)chunk->rows);
        thrift_integer(&footer, 6, THRIFT_I64, (int64_t)chunk->raw_size);
        thrift_integer(&footer, 7, THRIFT_I64, (int64_t)chunk->size);
        thrift_integer(&footer, 9, THRIFT_I64, (int64_t)chunk->data_offset);
        if (chunk->has_dictionary)
            thrift_integer(&footer, 11, THRIFT_I64, (int64_t)chunk->dictionary_offset);
        thrift_struct(&footer, 12);
        thrift_integer(&footer, 3, THRIFT_I64, (int64_t)chunk->nulls);
        if (chunk->limits.stated) {
            thrift_binary(&footer, 5, chunk->limits.high, chunk->limits.high_size);
            thrift_binary(&footer, 6, chunk->limits.low, chunk->limits.low_size);
        }
        thrift_end(&footer);
        thrift_end(&footer);
        thrift_integer(&footer, 4, THRIFT_I64, (int64_t)offsets->offset);
        thrift_integer(&footer, 5, THRIFT_I32, (int64_t)offsets->size);
        if (limits->size) {
            thrift_integer(&footer, 6, THRIFT_I64, (int64_t)limits->offset);
            thrift_integer(&footer, 7, THRIFT_I32, (int64_t)limits->size);
        }
        thrift_end(&footer);
        size += chunk->size;
        raw_size += chunk->raw_size;
    }
    thrift_integer(&footer, 2, THRIFT_I64, (int64_t)raw_size);
    thrift_integer(&footer, 3, THRIFT_I64, (int64_t)columns->rows);
    if (columns->items[0].field == SPOOR_FIELD_RECORD) { /* sorted by it */
        thrift_list(&footer, 4, THRIFT_STRUCT, 1);
        thrift_begin(&footer);
        thrift_integer(&footer, 1, THRIFT_I32, 0);
        thrift_bool(&footer, 2, false);
        thrift_bool(&footer, 3, false);
        thrift_end(&footer);
    }
    thrift_integer(&footer, 5, THRIFT_I64, (int64_t)offset);
    thrift_integer(&footer, 6, THRIFT_I64, (int64_t)size);
    thrift_end(&footer);
}

static void parquet_file_put_note(struct thrift *footer, const char *key, size_t key_size,
                                  const char *value, size_t value_size)
{
    thrift_begin(footer);
    thrift_binary(footer, 1, key, key_size);
    thrift_binary(footer, 2, value, value_size);
    thrift_end(footer);
}

/* ---- the file ---- */

void parquet_file_unit(struct parquet_file *parquet, const char *unit)
{
    snprintf(parquet->unit, sizeof parquet->unit, "%s", unit);
}

static bool parquet_file_put_rows(struct parquet_file *parquet, struct text *out)
{
    struct columns *columns = parquet->columns;
    struct part parts[2 * COLUMNS_MAX] = {0};
    if (parquet->failed) return false;
    if (parquet->size == 0) {
        text_put(out, "PAR1", 4);
        parquet->size = 4;
    }
    if (columns->rows == 0) return true;
    const uint64_t offset = parquet->size, base = parquet->size - out->size;
    const size_t before = out->size;
    chunk_pool_put(parquet->pool, columns, base, out, parquet->chunks);
    for (size_t i = 0; i < columns->count; i++) {
        const struct column_chunk *chunk = &parquet->chunks[i];
        parts[2 * i].offset = base + out->size;
        struct thrift index = {.out = out};
        thrift_list(&index, 1, THRIFT_STRUCT, chunk->page_count);
        for (size_t j = 0; j < chunk->page_count; j++) {
            const struct page *page = &chunk->pages[j];
            thrift_begin(&index);
            thrift_integer(&index, 1, THRIFT_I64, (int64_t)page->offset);
            thrift_integer(&index, 2, THRIFT_I32, page->size);
            thrift_integer(&index, 3, THRIFT_I64, page->row);
            thrift_end(&index);
        }
        thrift_end(&index);
        parts[2 * i].size = base + out->size - parts[2 * i].offset;
        parts[2 * i + 1].offset = base + out->size;
        parquet_file_put_column_index(chunk, out);
        parts[2 * i + 1].size = base + out->size - parts[2 * i + 1].offset;
    }
    parquet_file_put_group(parquet, offset, parts);
    parquet->size += out->size - before;
    parquet->rows += columns->rows;
    parquet->group_count++;
    columns_clear(columns);
    parquet->failed = out->failed || parquet->groups.failed;
    return !parquet->failed;
}

bool parquet_file_flush(struct parquet_file *parquet, struct text *out)
{
    const bool good = parquet_file_put_rows(parquet, out);
    columns_release(parquet->columns);
    return good;
}

bool parquet_file_add(struct parquet_file *parquet, const struct spoor_batch *batch,
                      const uint32_t *indexes, size_t count, struct text *out)
{
    struct columns *columns = parquet->columns;
    while (count > 0) {
        const size_t left = columns->capacity - columns->rows;
        const size_t block = count < ADD_ROWS ? count : ADD_ROWS;
        const size_t some = block < left ? block : left;
        parquet->failed |= !columns_add(columns, batch, indexes, some);
        if (parquet->failed) return false;
        indexes += some;
        count -= some;
        if (columns->rows == columns->capacity && !parquet_file_put_rows(parquet, out))
            return false;
    }
    return true;
}

bool parquet_file_end(struct parquet_file *parquet, const char *description, struct text *out)
{
    if (!parquet_file_put_rows(parquet, out)) return false;
    const size_t before = out->size;
    struct thrift footer = {.out = out};
    thrift_integer(&footer, 1, THRIFT_I32, 2);
    const struct columns *columns = parquet->columns;
    thrift_list(&footer, 2, THRIFT_STRUCT, columns->count + 1);
    thrift_begin(&footer);
    thrift_string(&footer, 4, "record");
    thrift_integer(&footer, 5, THRIFT_I32, (int64_t)columns->count);
    thrift_end(&footer);
    for (size_t i = 0; i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        const bool required = column->field == SPOOR_FIELD_RECORD;
        thrift_begin(&footer);
        thrift_integer(&footer, 1, THRIFT_I32, parquet_file_physical_type(column->type));
        thrift_integer(&footer, 3, THRIFT_I32, required ? REQUIRED : OPTIONAL);
        thrift_string(&footer, 4, column->name);
        if (column->type == COLUMN_TEXT) {
            thrift_integer(&footer, 6, THRIFT_I32, CONVERTED_UTF8);
            thrift_struct(&footer, 10);
            thrift_struct(&footer, LOGICAL_STRING);
            thrift_end(&footer);
            thrift_end(&footer);
        } else if (column->type == COLUMN_UNSIGNED) {
            thrift_integer(&footer, 6, THRIFT_I32, CONVERTED_UINT_64);
            thrift_struct(&footer, 10);
            thrift_struct(&footer, LOGICAL_INTEGER);
            thrift_field(&footer, 1, THRIFT_BYTE);
            text_put(out, &(const char){64}, 1);
            thrift_bool(&footer, 2, false);
            thrift_end(&footer);
            thrift_end(&footer);
        }
        thrift_end(&footer);
    }
    thrift_integer(&footer, 3, THRIFT_I64, (int64_t)parquet->rows);
    thrift_list(&footer, 4, THRIFT_STRUCT, parquet->group_count);
    text_append(out, &parquet->groups);
    size_t notes = 1; /* and one for each line of the description that has a key */
    for (const char *line = description; line && *line; line += strcspn(line, "\n")) {
        line += *line == '\n';
        notes += *line && strcspn(line, "=") < strcspn(line, "\n");
    }
    thrift_list(&footer, 5, THRIFT_STRUCT, notes);
    parquet_file_put_note(&footer, "spoor.time_unit", 15, parquet->unit, strlen(parquet->unit));
    for (const char *line = description; line && *line; line += strcspn(line, "\n")) {
        line += *line == '\n';
        const size_t line_size = strcspn(line, "\n"), key = strcspn(line, "=");
        if (*line && key < line_size)
            parquet_file_put_note(&footer, line, key, line + key + 1, line_size - key - 1);
    }
    thrift_string(&footer, 6, "spoor " SPOOR_VERSION);
    thrift_list(&footer, 7, THRIFT_STRUCT, columns->count);
    for (size_t i = 0; i < columns->count; i++) { /* TYPE_ORDER */
        thrift_begin(&footer);
        thrift_struct(&footer, 1);
        thrift_end(&footer);
        thrift_end(&footer);
    }
    thrift_end(&footer);
    const uint32_t size = (uint32_t)(out->size - before);
    text_put(out, &size, sizeof size);
    text_put(out, "PAR1", 4);
    return !out->failed;
}
