/* SPDX-License-Identifier: MIT */
/*
 * arrow.c: columns as arrays of Arrow.
 *
 * A column of numbers without nulls is handed over as it is; the others are spread out to one value
 * a row.
 */
#include "spoor/arrow.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "columns/record_columns.h"
#include "model/error.h"
#include "model/options.h"
#include "model/record.h"

enum { DEFAULT_ROWS = 65536, BUFFERS_MAX = 3 };

struct arrow_stream {
    struct spoor_reader *reader;
    struct columns *columns;
    const struct spoor_select *where; /* NULL: all */
    size_t rows;
    const struct spoor_batch *batch; /* the current one; NULL: none */
    size_t at;                       /* its next record */
    bool ended;
    uint32_t *indexes;
    struct spoor_error error;
};

/* ---- schemas ---- */

static void arrow_release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; schema->children && i < schema->n_children; i++) {
        struct ArrowSchema *child = schema->children[i];
        if (child && child->release) child->release(child);
        free(child);
    }
    free(schema->children);
    free(schema->private_data); /* the name */
    schema->release = NULL;
}

static bool arrow_fill_schema(struct ArrowSchema *schema, const char *format, const char *name,
                              int64_t flags)
{
    char *copy = strdup(name);
    *schema = (struct ArrowSchema){.format = format,
                                   .name = copy,
                                   .flags = flags,
                                   .release = arrow_release_schema,
                                   .private_data = copy};
    return copy != NULL;
}

static int arrow_get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    const struct arrow_stream *arrow = stream->private_data;
    const struct columns *columns = arrow->columns;
    bool good = arrow_fill_schema(schema, "+s", "", 0);
    schema->children = calloc(columns->count, sizeof *schema->children);
    good = good && schema->children;
    for (size_t i = 0; good && i < columns->count; i++) {
        const struct column *column = &columns->items[i];
        schema->children[i] = calloc(1, sizeof **schema->children);
        schema->n_children = (int64_t)i + 1;
        const char *format = column->type == COLUMN_SIGNED ? "l"
                             : column->type == COLUMN_BOOL ? "b"
                             : column->type == COLUMN_TEXT ? "u"
                                                           : "L";
        good = schema->children[i] &&
               arrow_fill_schema(schema->children[i], format, column->name,
                                 column->field == SPOOR_FIELD_RECORD ? 0 : ARROW_FLAG_NULLABLE);
    }
    if (good) return 0;
    arrow_release_schema(schema);
    return ENOMEM;
}

/* ---- arrays ---- */

static void arrow_release_array(struct ArrowArray *array)
{
    for (int64_t i = 0; array->children && i < array->n_children; i++) {
        struct ArrowArray *child = array->children[i];
        if (child && child->release) child->release(child);
        free(child);
    }
    for (int64_t i = 0; i < array->n_buffers; i++) {
        void *buffer;
        memcpy(&buffer, &array->buffers[i], sizeof buffer); /* allocated here: no constant */
        free(buffer);
    }
    free(array->children);
    free(array->private_data); /* the list of buffers */
    array->release = NULL;
}

static bool arrow_fill_array(struct ArrowArray *array, size_t rows, int64_t buffers)
{
    const void **list = calloc(BUFFERS_MAX, sizeof *list);
    *array = (struct ArrowArray){.length = (int64_t)rows,
                                 .n_buffers = list ? buffers : 0,
                                 .buffers = list,
                                 .release = arrow_release_array,
                                 .private_data = list};
    return list != NULL;
}

static struct spoor_slice arrow_text_at(const struct column *column, size_t index)
{
    uint64_t word;
    return words_text(&column->words, *number_store_get(&column->store, index, 1, &word));
}

static bool arrow_fill_column(struct ArrowArray *array, struct column *column, size_t rows)
{
    if (!arrow_fill_array(array, rows, column->type == COLUMN_TEXT ? 3 : 2)) return false;
    array->null_count = (int64_t)(rows - column->count);
    if (array->null_count) {
        /* Bits, lowest first, of bytes that are 0 or 1. */
        const uint8_t *bytes = column_presence(column);
        uint8_t *bits = calloc(rows / 8 + 1, 1);
        for (size_t i = 0; bits && i < rows; i++) bits[i / 8] |= (uint8_t)(bytes[i] << i % 8);
        array->buffers[0] = bits;
    }
    if (array->null_count && !array->buffers[0]) return false;
    if (column->type == COLUMN_TEXT) {
        /* The bytes of all texts, and the offset of each; false where memory runs out, or where
         * they take over 2 GiB, which 65,536 rows of lines of a trace do not. */
        const void **buffers = array->buffers;
        size_t size = 0;
        for (size_t i = 0; i < column->count; i++) size += arrow_text_at(column, i).size;
        int32_t *offsets = size <= INT32_MAX ? malloc((rows + 1) * sizeof *offsets) : NULL;
        char *bytes = offsets ? malloc(size + 1) : NULL;
        buffers[1] = offsets;
        buffers[2] = bytes;
        if (!bytes) return false;
        const uint8_t *present = column_presence(column);
        size_t from = 0;
        size = 0;
        for (size_t i = 0; i < rows; i++) {
            offsets[i] = (int32_t)size;
            if (!present[i]) continue;
            const struct spoor_slice text = arrow_text_at(column, from++);
            memcpy(bytes + size, text.bytes, text.size);
            size += text.size;
        }
        offsets[rows] = (int32_t)size;
        return true;
    }
    if (column->type == COLUMN_BOOL) {
        uint8_t *bits = calloc(rows / 8 + 1, 1);
        const uint8_t *present = column_presence(column);
        const uint64_t *from = column_numbers(column);
        for (size_t i = 0; bits && i < rows; i++)
            if (present[i]) bits[i / 8] |= (uint8_t)((*from++ & 1) << i % 8);
        array->buffers[1] = bits;
    } else if (array->null_count == 0 && column->store.bytes) { /* handed over */
        array->buffers[1] = column->store.bytes;
        column->store = (struct number_store){0};
        free(column->present);
        column->present = NULL;
        column->capacity = 0;
    } else {
        /* The values as one for each row; 0 for a null. */
        uint64_t *values = calloc(rows + 1, sizeof *values);
        const uint8_t *present = column_presence(column);
        const uint64_t *from = column_numbers(column);
        for (size_t i = 0; values && from && i < rows; i++)
            if (present[i]) values[i] = *from++;
        array->buffers[1] = values;
    }
    return array->buffers[1] != NULL;
}

/* ---- streams ---- */

static int arrow_get_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    struct arrow_stream *arrow = stream->private_data;
    struct columns *columns = arrow->columns;
    *array = (struct ArrowArray){0};
    while (!arrow->ended && columns->rows < arrow->rows) {
        if (!arrow->batch || arrow->at == arrow->batch->count) {
            const enum spoor_status status =
                spoor_reader_next(arrow->reader, &arrow->batch, &arrow->error);
            arrow->at = 0;
            arrow->ended = status == SPOOR_END;
            if (status == SPOOR_ENOMEM) return ENOMEM;
            if (status != SPOOR_OK && !arrow->ended) return EIO;
        }
        /* Adds records of the batch until the array is full. */
        const struct spoor_batch *batch = arrow->batch;
        const size_t capacity = arrow->rows - columns->rows;
        size_t count = 0;
        for (; !arrow->ended && arrow->at < batch->count && count < capacity; arrow->at++) {
            const uint8_t kind = batch->records[arrow->at].kind;
            arrow->indexes[count] = (uint32_t)arrow->at;
            count += (columns->kind == COLUMNS_ALL_KINDS || kind == columns->kind) &&
                     (!arrow->where || spoor_select_match(arrow->where, batch, arrow->at));
        }
        if (count && !columns_add(columns, batch, arrow->indexes, count)) {
            error_no_memory(&arrow->error);
            return ENOMEM;
        }
        if (spoor_select_status(arrow->where, &arrow->error) != SPOOR_OK)
            return arrow->error.status == SPOOR_ENOMEM ? ENOMEM : EINVAL;
    }
    if (columns->rows == 0) return 0;
    bool good = arrow_fill_array(array, columns->rows, 1);
    array->children = good ? calloc(columns->count, sizeof *array->children) : NULL;
    good = array->children != NULL;
    for (size_t i = 0; good && i < columns->count; i++) {
        array->children[i] = calloc(1, sizeof **array->children);
        array->n_children = (int64_t)i + 1;
        good = array->children[i] &&
               arrow_fill_column(array->children[i], &columns->items[i], columns->rows);
    }
    columns_clear(columns);
    if (good) return 0;
    arrow_release_array(array);
    error_no_memory(&arrow->error);
    return ENOMEM;
}

static const char *arrow_get_last_error(struct ArrowArrayStream *stream)
{
    const struct arrow_stream *arrow = stream->private_data;
    return arrow->error.status == SPOOR_OK ? NULL : arrow->error.text;
}

static void arrow_free_stream(struct arrow_stream *arrow)
{
    columns_free(arrow->columns);
    free(arrow->indexes);
    free(arrow);
}

static void arrow_release_stream(struct ArrowArrayStream *stream)
{
    struct arrow_stream *arrow = stream->private_data;
    spoor_reader_close(arrow->reader);
    arrow_free_stream(arrow);
    stream->release = NULL;
}

/* Removes the columns that nobody asked for; before any has memory. */
static enum spoor_status arrow_choose_columns(struct columns *columns,
                                              const struct spoor_arrow_options *options,
                                              struct spoor_error *error)
{
    size_t count = 0;
    for (size_t i = 0; options->fields && i < options->field_count; i++)
        if (spoor_field_find(options->fields[i], strlen(options->fields[i])) < 0)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "found field '%s', expected pc, addr or another",
                                   options->fields[i]);
    for (size_t i = 0; i < columns->count; i++) {
        const char *name = spoor_field_name(columns->items[i].field);
        bool asked = !options->fields;
        for (size_t j = 0; !asked && j < options->field_count; j++)
            asked = strcmp(options->fields[j], name) == 0;
        if (asked) columns->items[count++] = columns->items[i];
    }
    columns->count = count;
    if (count) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE, "found no column with the fields, expected one");
}

enum spoor_status spoor_arrow_export(struct spoor_reader *reader,
                                     const struct spoor_arrow_options *given,
                                     struct ArrowArrayStream *stream, struct spoor_error *error)
{
    struct spoor_arrow_options options = {0};
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    const int kind = options.kind ? kind_find(options.kind) : COLUMNS_ALL_KINDS;
    if (status != SPOOR_OK) return status;
    if (kind < 0)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "found kind '%s', expected insn, mem or another", options.kind);
    struct arrow_stream *arrow = calloc(1, sizeof *arrow);
    if (arrow) {
        arrow->reader = reader;
        arrow->rows = options.rows ? options.rows : DEFAULT_ROWS;
        arrow->columns = columns_new(kind, arrow->rows);
        if (arrow->columns) arrow->columns->wide = true;
        arrow->indexes = malloc((arrow->rows + 1) * sizeof *arrow->indexes);
        arrow->where = options.where;
    }
    if (!arrow || !arrow->columns || !arrow->indexes) {
        if (arrow) arrow_free_stream(arrow);
        return error_no_memory(error);
    }
    status = arrow_choose_columns(arrow->columns, &options, error);
    if (status != SPOOR_OK) {
        arrow_free_stream(arrow);
        return status;
    }
    *stream = (struct ArrowArrayStream){arrow_get_schema, arrow_get_next, arrow_get_last_error,
                                        arrow_release_stream, arrow};
    return SPOOR_OK;
}
