/* SPDX-License-Identifier: MIT */
/*
 * column_chunk.h: a column of a row group as Parquet stores it: a dictionary page if it has one,
 * data pages, and an entry for each page in two indexes.
 * ("Parquet file format", README.md and PageIndex.md of Apache Parquet's format.)
 */
#ifndef SPOOR_COLUMNS_COLUMN_CHUNK_H
#define SPOOR_COLUMNS_COLUMN_CHUNK_H

#include "columns/encodings.h"
#include "columns/record_columns.h"

enum { PAGE_ROWS = 16384, GROUP_ROWS = 131072, GROUP_PAGES = GROUP_ROWS / PAGE_ROWS };

/* The smallest and largest value; texts are cut to LIMIT_SIZE bytes, or not stated. */
enum { LIMIT_SIZE = 64 };
struct limits {
    bool stated;
    size_t low_size, high_size;
    char low[LIMIT_SIZE], high[LIMIT_SIZE];
};

struct page {
    uint64_t offset; /* in the file */
    uint32_t size;   /* with its header */
    uint32_t row;    /* the first */
    uint32_t nulls;
    bool all_null;
    struct limits limits;
};

struct column_chunk {
    enum encoding encoding;
    bool has_dictionary;
    uint64_t dictionary_offset, data_offset; /* in the file */
    uint64_t size, raw_size;                 /* of all pages, compressed and not */
    uint64_t rows, nulls;
    struct limits limits;
    struct page pages[GROUP_PAGES];
    size_t page_count;
};

/* Writes chunks; remembers which encoding suits each column. */
struct chunk_writer {
    int level;     /* of zstd */
    void *context; /* of zstd */
    struct text raw, packed, sample;
    uint64_t *numbers;         /* dictionary entries of a chunk's values */
    struct number_slot *slots; /* of the dictionary of a chunk */
    uint32_t *ranks;           /* of texts, in their order */
    struct {
        enum encoding encoding;
        unsigned uses; /* left, until it is tried again */
    } chosen[COLUMNS_MAX];
    bool failed; /* memory ran out for a choice: other bytes would be written */
};

bool chunk_writer_start(struct chunk_writer *writer, int level);
void chunk_writer_end(struct chunk_writer *writer);
/* The codec of the pages: 6 (zstd), or 0 where the library was built without zstd. */
int chunk_codec(void);
/* Appends column `which` to `out`, whose first byte lies at `base` of the file.  A failure marks
 * `out`. */
void chunk_put(struct chunk_writer *writer, const struct columns *columns, size_t which,
               uint64_t base, struct text *out, struct column_chunk *chunk);

#endif
