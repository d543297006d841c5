/* SPDX-License-Identifier: MIT */
/*
 * parquet.c: Apache Parquet, for data frames and databases: all records of a trace as one table.
 *
 * Only written.  Columns are the fields of all kinds, and `kind`; see columns/parquet_file.h.
 */
#include "columns/parquet_file.h"

#include <stdlib.h>

#include "columns/chunk_pool.h"
#include "formats/format.h"

enum { RUN = 4096 };

/* encoder->tables */
struct parquet_writer {
    struct chunk_pool *pool;
    struct parquet_file *file;
};

/* Begins the file with the first record; NULL if memory runs out. */
static struct parquet_file *parquet_begun(struct encoder *encoder)
{
    struct parquet_writer *writer = encoder->tables;
    if (writer) return writer->file;
    writer = encoder->tables = calloc(1, sizeof *writer);
    if (!writer) return NULL;
    writer->pool = chunk_pool_new(encoder->options.level, encoder->options.threads);
    writer->file = parquet_file_new(columns_new(COLUMNS_ALL_KINDS, GROUP_ROWS), writer->pool);
    return writer->file;
}

static void parquet_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                          size_t to, struct text *out)
{
    if (from == to) return;
    struct parquet_file *file = parquet_begun(encoder);
    out->failed |= !file;
    if (file && encoder->written == 0)
        parquet_file_unit(file, spoor_record_unit(batch, &batch->records[from]));
    encoder->written += to - from;
    while (from < to && !out->failed) {
        uint32_t indexes[RUN];
        size_t count = 0;
        while (count < RUN && from < to) indexes[count++] = (uint32_t)from++;
        out->failed |= !parquet_file_add(file, batch, indexes, count, out);
    }
}

static void parquet_end(struct encoder *encoder, struct text *out)
{
    struct parquet_file *file = parquet_begun(encoder);
    out->failed |= !file || !parquet_file_end(file, encoder->options.description, out);
    struct parquet_writer *writer = encoder->tables;
    if (!writer) return;
    parquet_file_free(writer->file);
    chunk_pool_free(writer->pool);
    free(writer);
    encoder->tables = NULL;
}

const struct spoor_format format_parquet = {
    .name = "parquet",
    .title = "Apache Parquet, a table of all records; a folder: of each kind",
    .suffixes = "parquet",
    .document = "Apache Parquet: file format 2.11",
    .time_unit = "",
    .table = true,
    .fields = FORMAT_EVERY_FIELD,
    .write = parquet_write,
    .end = parquet_end,
};
