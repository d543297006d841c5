/* SPDX-License-Identifier: MIT */
/*
 * column_chunk.h: a column of a row group as Parquet stores it: a dictionary page if it has one,
 * data pages, and an entry for each page in two indexes.
 * ("Parquet file format", README.md, PageIndex.md and Encodings.md of Apache Parquet's format.)
 */
#ifndef SPOOR_COLUMNS_COLUMN_CHUNK_H
#define SPOOR_COLUMNS_COLUMN_CHUNK_H

#include "columns/record_columns.h"

/* ---- encodings.c ---- */

/* The numbers of the encodings in the format. */
enum encoding {
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    ENCODING_DELTA = 5, /* DELTA_BINARY_PACKED */
    ENCODING_DICTIONARY = 8,
    ENCODING_SPLIT = 9 /* BYTE_STREAM_SPLIT */
};

/* Each appends to `out`; if memory runs out, the text is marked failed. */

/* Eight bytes each, lowest first; encode_stored() and those after it: numbers of a store, from
 * `first` on. */
void encode_plain(struct text *out, const uint64_t *values, size_t count);
void encode_stored(struct text *out, const struct number_store *store, size_t first, size_t count);
/* Their first bytes, then their second bytes, and so on. */
void encode_split(struct text *out, const struct number_store *store, size_t first, size_t count);
/* One bit each, lowest first. */
void encode_bits(struct text *out, const struct number_store *store, size_t first, size_t count);
/* Differences, packed in blocks of 128. */
void encode_delta(struct text *out, const struct number_store *store, size_t first, size_t count);

/* Codes, numbers of dictionary entries below `entries`, with their width in front: 1, 2, 4, 8 or 16
 * bits, so that sequences that repeat have the same bytes at any place, and zstd finds them. */
void encode_codes(struct text *out, const struct codes *codes, size_t count, size_t entries);
/* Definition levels of 0 or 1, with their size in front. */
void encode_levels(struct text *out, const uint8_t *present, size_t count, size_t ones);

/* ---- number_dictionary.c: the distinct numbers of a column, in the order of their first use ----
 */

enum { DICTIONARY_ENTRIES = 65535 }; /* the maximum */

struct number_dictionary {
    uint64_t *entries;
    size_t count;
    struct codes codes; /* by value: the number of its entry; in `memory` */
    void *memory;       /* for codes of two bytes */
    uint16_t *slots;    /* of a table: number of an entry + 1; 0: empty */
};

/* For columns of up to `values` values; false if memory runs out. */
bool number_dictionary_start(struct number_dictionary *dictionary, size_t values);
void number_dictionary_end(struct number_dictionary *dictionary);
/* Fills `entries` and `codes` from the first `count` values, at least one, of this range.  False if
 * there are more distinct ones than `maximum`, which is at most DICTIONARY_ENTRIES.  Some entries
 * may have no value. */
bool number_dictionary_fill(struct number_dictionary *dictionary, const struct number_store *values,
                            size_t count, const struct number_range *range, size_t maximum);

/* Fills `entries` with the values that replace those of the dictionary where `values`, of another
 * column, have its codes.  False if a code stands for two of them, or if the codes are not in the
 * order of their first use. */
bool number_dictionary_follow(const struct number_dictionary *dictionary,
                              const struct number_store *values, size_t count, uint64_t *entries);

/* ---- column_chunk.c ---- */

enum { PAGE_ROWS = 16384, GROUP_ROWS = 131072, GROUP_PAGES = GROUP_ROWS / PAGE_ROWS };

/* The smallest and largest value; texts are cut to LIMIT_SIZE bytes, or not stated. */
enum { LIMIT_SIZE = 64 };
struct limits {
    bool stated;
    size_t low_size, high_size;
    char low[LIMIT_SIZE], high[LIMIT_SIZE];
};

struct page {
    uint64_t offset;   /* in the file, from column_chunk_move() on */
    uint32_t size;     /* with its header */
    uint32_t raw_size; /* and before it was compressed */
    uint32_t row;      /* the first */
    uint32_t nulls;
    bool all_null;
    struct limits limits;
};

/* The encoding that suits the numbers of a column, chosen by a sample. */
struct encoding_choice {
    enum encoding encoding;
    unsigned uses; /* left, until it is chosen again */
    bool is_quick; /* zstd's quickest level compresses as well */
};

/* At first all zeros; then that of the row group before. */
struct column_chunk {
    struct encoding_choice choice;
    enum encoding encoding;
    bool has_dictionary;
    uint64_t dictionary_offset, data_offset; /* as those of pages */
    uint64_t size, raw_size;                 /* of all pages, compressed and not */
    uint64_t rows, nulls;
    struct limits limits;
    struct page pages[GROUP_PAGES];
    size_t page_count;
};

enum { LEVEL_FAST = 1, LEVEL_SMALL = 19 }; /* of zstd */

/* The definition levels of a page of the column before. */
struct page_levels {
    const uint8_t *present; /* NULL: none */
    size_t rows, ones;
    struct text bytes;
};

/* The codec of the pages: zstd, or none where the library was built without it. */
#ifdef SPOOR_WITH_ZSTD
enum { CHUNK_CODEC = 6 };
#else
enum { CHUNK_CODEC = 0 };
#endif

/* Writes chunks, one at a time. */
struct chunk_writer {
    int level;     /* of zstd: FAST or SMALL */
    void *context; /* of zstd */
    struct text raw, packed, sample;
    struct number_dictionary dictionary;        /* of a chunk; of texts only its codes are used */
    const struct column *numbers;               /* whose dictionary it is; NULL: of none */
    struct page_levels levels[GROUP_PAGES + 1]; /* of the pages, and of all rows as one page */
};

bool chunk_writer_start(struct chunk_writer *writer, int level);
void chunk_writer_end(struct chunk_writer *writer);
/* Appends the column, which has so many rows, to `out`; the offsets in `chunk` count from the
 * chunk's first byte.  A failure marks `out`. */
void chunk_put(struct chunk_writer *writer, const struct column *column, size_t rows,
               struct text *out, struct column_chunk *chunk);
/* The same for a column whose leader this writer has put: where the leader's codes suit it, its
 * data page is the leader's, and only its dictionary is new. `bytes` begins with the leader's
 * chunk. */
void chunk_put_after(struct chunk_writer *writer, const struct column *leader,
                     const struct column_chunk *leader_chunk, const struct text *leader_bytes,
                     const struct column *column, size_t rows, struct text *out,
                     struct column_chunk *chunk);

#endif
