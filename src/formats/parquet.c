/* SPDX-License-Identifier: MIT */
/*
 * parquet.c: Apache Parquet, for data frames and databases: all records of a trace as one table.
 *
 * Only written.  Columns are the fields of all kinds, and `kind`; see columns/parquet_file.h.
 */
#include "columns/parquet_file.h"

#include "columns/record_columns.h"
#include "formats/format.h"

enum { RUN = 4096 };

/* The file, with the unit of the first record's time. */
static struct parquet_file *file_of(struct encoder *encoder, const struct spoor_batch *batch,
                                    size_t first)
{
    struct parquet_file *file = parquet_file_new(COLUMNS_ALL_KINDS, encoder->options.level);
    if (file && batch) parquet_file_unit(file, spoor_record_unit(batch, &batch->records[first]));
    return file;
}

static void write(struct encoder *encoder, const struct spoor_batch *batch, size_t from, size_t to,
                  struct text *out)
{
    if (from == to) return;
    if (!encoder->tables) encoder->tables = file_of(encoder, batch, from);
    out->failed |= !encoder->tables;
    encoder->written += to - from;
    while (from < to && !out->failed) {
        uint32_t indexes[RUN];
        size_t count = 0;
        while (count < RUN && from < to) indexes[count++] = (uint32_t)from++;
        out->failed |= !parquet_file_add(encoder->tables, batch, indexes, count, out);
    }
}

static void end(struct encoder *encoder, struct text *out)
{
    if (!encoder->tables) encoder->tables = file_of(encoder, NULL, 0);
    out->failed |=
        !encoder->tables || !parquet_file_end(encoder->tables, encoder->options.description, out);
    parquet_file_free(encoder->tables);
    encoder->tables = NULL;
}

static int probe(const struct spoor_head *head)
{
    (void)head;
    return 0;
}

const struct spoor_format format_parquet = {
    .name = "parquet",
    .title = "Apache Parquet, a table of all records; a folder: of each kind",
    .suffixes = "parquet",
    .document = "Apache Parquet: file format 2.11",
    .time_unit = "",
    .table = true,
    .fields = FORMAT_EVERY_FIELD,
    .probe = probe,
    .write = write,
    .end = end,
};
