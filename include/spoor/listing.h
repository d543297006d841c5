/* SPDX-License-Identifier: MIT */
/*
 * listing.h: the rows of a trace at any place, with or without an index: what a viewer shows.
 *
 *     spoor_listing_open(&listing, path, NULL, &error);
 *     uint64_t at = 0;
 *     while (spoor_listing_at(listing, at, &row, &error) == SPOOR_OK) {
 *         text = spoor_listing_text(listing, &row, &size);
 *         if (text) fwrite(text, 1, size, stdout);
 *         at = row.end;
 *     }
 *     spoor_listing_close(listing);
 *
 * A row is a line of a text trace, or a record of a binary one, with all events that it states.  It
 * is identified by its offset in the decompressed trace; in a .spoor file, whose bytes are no rows,
 * by the number of its first record, and sizes are numbers of records.  Rows are decoded in blocks
 * on demand, and the blocks used last are retained, so that memory does not grow with the trace.
 * There are three kinds of blocks:
 *
 *   by bytes     parts of an uncompressed file: any place is there at once, but the number of a row
 *                is known only if all blocks before it were read
 *   in order     of a compressed file, or a .spoor file: a place is reached by reading up to it
 *   by segments  of an index: any place, with its number
 */
#ifndef SPOOR_LISTING_H
#define SPOOR_LISTING_H

#include "explore.h"
#include "reader.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SPOOR_ROW_UNKNOWN UINT64_MAX

struct spoor_listing_row {
    size_t struct_size;   /* sizeof this struct; 0: as in version 0.1 */
    uint64_t offset, end; /* its bytes in the decompressed trace: up to before `end` */
    uint64_t record;      /* number of its first record, from 0; SPOOR_ROW_UNKNOWN */
    uint64_t line;        /* from 1; 0: unknown, or the trace is binary */
    const struct spoor_batch *batch;
    size_t index, count; /* its records in the batch */
    const char *text;    /* its bytes without the line end; NULL: a binary trace, or .spoor */
    size_t size;         /* of these, in bytes */
    bool exact;          /* inherited values (the time) are known, too */
};

struct spoor_listing;

struct spoor_listing_options {
    size_t struct_size;                         /* sizeof this struct */
    const struct spoor_reader_options *reading; /* without `samples`; one thread reads.  NULL: all
                                                 * zero */
    /* Called from time to time while a place is searched for, with the bytes or records that are
     * done and their number in all (0: unknown); false: stop.  NULL: none. */
    bool (*progress)(void *context, uint64_t done, uint64_t size);
    void *context;
};

/* Opens a trace, a file.  On SPOOR_OK the caller owns *listing; what the options point at must
 * outlive it. */
enum spoor_status spoor_listing_open(struct spoor_listing **listing, const char *path,
                                     const struct spoor_listing_options *options,
                                     struct spoor_error *error);
void spoor_listing_close(struct spoor_listing *listing); /* NULL is allowed */
/* From now on the segments of the explorer's index are the blocks; the explorer, of the same trace,
 * must outlive the listing.  NULL: no longer. */
void spoor_listing_use_explorer(struct spoor_listing *listing, struct spoor_explorer *explorer);
/* The first error of reading; its status is SPOOR_OK if there was none. */
const struct spoor_error *spoor_listing_failure(const struct spoor_listing *listing);
const struct spoor_stream *spoor_listing_stream(const struct spoor_listing *listing);

/* True if any place can be reached without reading up to it. */
bool spoor_listing_is_direct(const struct spoor_listing *listing);
/* Bytes of the decompressed trace, records of a .spoor file; 0: not known yet. */
uint64_t spoor_listing_size(const struct spoor_listing *listing);
/* True if the trace can be read while it grows: an uncompressed file. */
bool spoor_listing_grows(const struct spoor_listing *listing);
/* The file may have grown; returns true if it has. */
bool spoor_listing_grow(struct spoor_listing *listing);

/* ---- rows: each is valid until the next call for the listing or its explorer ---- */

/* Finds the row that contains the byte `offset`.  SPOOR_END: the trace ends before it, or
 * `progress` stopped the search. */
enum spoor_status spoor_listing_at(struct spoor_listing *listing, uint64_t offset,
                                   struct spoor_listing_row *row, struct spoor_error *error);
/* Finds the row that ends at `offset`, or contains the byte before it; SPOOR_END: none. */
enum spoor_status spoor_listing_before(struct spoor_listing *listing, uint64_t offset,
                                       struct spoor_listing_row *row, struct spoor_error *error);
/* Finds the row of a record, from 0, or of a line, from 1, by an index or in the blocks whose
 * numbers are known.  SPOOR_END: there is none, or it is not known yet. */
enum spoor_status spoor_listing_of_record(struct spoor_listing *listing, uint64_t record,
                                          struct spoor_listing_row *row, struct spoor_error *error);
enum spoor_status spoor_listing_of_line(struct spoor_listing *listing, uint64_t line,
                                        struct spoor_listing_row *row, struct spoor_error *error);

/* What the format prints for the row, as one line of *size bytes; tabs are kept.  NULL: memory ran
 * out.  The text is valid until the next text of the listing. */
const char *spoor_listing_text(struct spoor_listing *listing, const struct spoor_listing_row *row,
                               size_t *size);
/* The same of the fields of the row's records, by name: "mem addr=0x8000 size=4". */
const char *spoor_listing_fields(struct spoor_listing *listing, const struct spoor_listing_row *row,
                                 size_t *size);

#ifdef __cplusplus
}
#endif

#endif
