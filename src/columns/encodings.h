/* SPDX-License-Identifier: MIT */
/*
 * encodings.h: Parquet's encodings of values.
 * ("Parquet encoding definitions", Encodings.md of Apache Parquet's format.)
 */
#ifndef SPOOR_COLUMNS_ENCODINGS_H
#define SPOOR_COLUMNS_ENCODINGS_H

#include "base/text.h"
#include "columns/number_store.h"

/* The numbers of the encodings in the format. */
enum encoding {
    ENCODING_PLAIN = 0,
    ENCODING_RLE = 3,
    ENCODING_DELTA = 5, /* DELTA_BINARY_PACKED */
    ENCODING_DICTIONARY = 8,
    ENCODING_SPLIT = 9 /* BYTE_STREAM_SPLIT */
};

/* Each appends to `out`; if memory runs out, the text is marked failed. */

/* Eight bytes each, lowest first. */
void encode_plain(struct text *out, const uint64_t *values, size_t count);

/* Numbers of a store, from `first` on. */

/* The same. */
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

#endif
