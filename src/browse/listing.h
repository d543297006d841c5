/* SPDX-License-Identifier: MIT */
/*
 * listing.h: the rows of a trace at any place, with or without an index.
 *
 * A row is a line of a text trace, or a record of a binary one, with all events that it states.  It
 * is identified by its offset in the decompressed trace.  Rows are decoded in blocks on demand, and
 * the blocks used last are retained.  There are three kinds of blocks:
 *
 *   by bytes     parts of an uncompressed file: any place is there at once, but the number of a row
 *                is known only if all blocks before it were read
 *   in order     of a compressed file: a place is reached by reading up to it
 *   by segments  of an index: any place, with its number
 */
#ifndef SPOOR_BROWSE_LISTING_H
#define SPOOR_BROWSE_LISTING_H

#include "explore/explorer.h"

#define ROW_UNKNOWN UINT64_MAX

struct row {
    uint64_t offset, end; /* its bytes in the decompressed trace */
    uint64_t record;      /* its first record; ROW_UNKNOWN */
    uint64_t line;        /* from 1; 0: unknown, or the trace is binary */
    bool exact;           /* inherited values (the time) are known, too */
    const struct spoor_batch *batch;
    size_t index, count; /* its records in the batch */
    const char *text;    /* its bytes without the line end; binary: NULL */
    size_t size;
};

struct listing;

/* Called during long reading with the share that is done; false: stop. */
typedef bool listing_progress(void *context, uint64_t done, uint64_t size);

enum spoor_status listing_open(struct listing **listing, const char *path,
                               const struct spoor_reader_options *options,
                               struct spoor_error *error);
/* The first error of reading; its status is SPOOR_OK if there was none. */
const struct spoor_error *listing_failure(const struct listing *listing);
void listing_close(struct listing *listing);
void listing_on_progress(struct listing *listing, listing_progress *progress, void *context);
/* From now on the segments of the explorer's index are the blocks; NULL: no longer. */
void listing_use(struct listing *listing, struct explorer *explorer);
const struct spoor_stream *listing_stream(const struct listing *listing);

/* True if any place can be reached without reading up to it. */
bool listing_is_direct(const struct listing *listing);
/* Bytes of the decompressed trace; 0: not known yet. */
uint64_t listing_size(const struct listing *listing);
/* True if it can be read while it grows. */
bool listing_grows(const struct listing *listing);
/* The file may have grown; returns true if it has. */
bool listing_grow(struct listing *listing);

/* Finds the row that contains the byte `offset`.  SPOOR_END: the trace ends before it, or
 * reading was stopped.  The row is valid until the next call. */
enum spoor_status listing_at(struct listing *listing, uint64_t offset, struct row *row,
                             struct spoor_error *error);
/* Finds the row that ends at `offset`, or contains the byte before it; SPOOR_END: none. */
enum spoor_status listing_before(struct listing *listing, uint64_t offset, struct row *row,
                                 struct spoor_error *error);
/* Finds the row of a record or of a line, by an index or in the blocks whose numbers are known.
 * SPOOR_END: there is none, or it is not known yet. */
enum spoor_status listing_of_record(struct listing *listing, uint64_t record, struct row *row,
                                    struct spoor_error *error);
enum spoor_status listing_of_line(struct listing *listing, uint64_t line, struct row *row,
                                  struct spoor_error *error);

/* Appends what the format prints for the row, as one line; tabs are kept. */
void listing_text(struct listing *listing, const struct row *row, struct text *text);
/* Appends the fields of the row's records by name. */
void listing_columns(const struct row *row, struct text *text);

/* ---- parts of the trace, for searches ---- */

/* A part: rows from `offset` up to `end`.  Searches go from part to part. */
struct listing_part {
    uint64_t offset, end;
    size_t segment; /* SIZE_MAX: no index */
};
/* The part that contains the byte, or that ends at it; SPOOR_END: there is none. */
enum spoor_status listing_part_at(struct listing *listing, uint64_t offset,
                                  struct listing_part *part, struct spoor_error *error);
enum spoor_status listing_part_before(struct listing *listing, uint64_t offset,
                                      struct listing_part *part, struct spoor_error *error);

#endif
