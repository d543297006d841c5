/* SPDX-License-Identifier: MIT */
/* listing.c: blocks of rows: loaded on demand, retained while they are used. */
#include "spoor/listing.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/sorted.h"
#include "explore/internal.h"
#include "formats/format.h"
#include "io/reader.h"
#include "model/error.h"
#include "model/options.h"
#include "query/value.h"

enum {
    BLOCKS = 12,            /* retained */
    BLOCK_BYTES = 192 << 10 /* of a block by bytes */
};

enum block_kind { BLOCKS_BY_BYTES, BLOCKS_IN_ORDER, BLOCKS_BY_SEGMENTS };

/* The beginning of a row in its block. */
struct row_begin {
    uint32_t batch, record; /* its first record in that batch */
    uint64_t offset;
};

struct block {
    size_t number;
    uint64_t used;        /* time of the last use; 0: empty */
    uint64_t offset, end; /* of its rows */
    bool exact;
    uint64_t line; /* of its first row; 0: unknown */
    struct spoor_batch *batches;
    const struct spoor_batch *shown; /* the batches, its own or the explorer's */
    size_t count, capacity;
    struct row_begin *rows;
    size_t row_count, row_capacity;
};

/* The known numbers of the beginning of a block. */
struct block_place {
    bool known;
    struct reader_place place;
};

struct spoor_listing {
    struct spoor_reader *reader;
    struct explorer *explorer; /* NULL: no index */
    enum block_kind kind;
    uint64_t file_size; /* of an uncompressed file */
    uint64_t size;      /* 0: unknown */
    bool complete;      /* in order: all places are known */
    struct block blocks[BLOCKS];
    uint64_t clock;
    struct block_place *places;
    size_t place_count, place_capacity;
    struct text tables; /* of the reader at these places: reader_where() */
    struct encoder encoder;
    bool (*progress)(void *context, uint64_t done, uint64_t size);
    void *context;
    struct text text;           /* of the last row that was asked for */
    struct spoor_error failure; /* the first; status SPOOR_OK: none */
    struct spoor_error unread;  /* where nobody reads errors */
};

static enum spoor_status listing_no_memory(const struct spoor_listing *listing,
                                           struct spoor_error *error)
{
    return error_no_memory_while(error, listing->reader->path, NULL);
}

static void listing_note_failure(struct spoor_listing *listing, enum spoor_status status,
                                 const struct spoor_error *error)
{
    const bool stopped = status == SPOOR_EUSAGE; /* by the user */
    if (status >= SPOOR_OK || listing->failure.status != SPOOR_OK || stopped) return;
    listing->failure = *error;
    listing->failure.status = status;
}

static const struct spoor_format *listing_format(const struct spoor_listing *listing)
{
    return listing->reader->stream.format;
}

/* True if rows are in units of records: the bytes of a .spoor file are no rows, and a record may
 * take less than one of them. */
static bool listing_counts_records(const struct spoor_listing *listing)
{
    return listing->reader->stream.container != NULL;
}

static uint64_t listing_begin_of(const struct spoor_listing *listing,
                                 const struct reader_place *place)
{
    return listing_counts_records(listing) ? place->record : place->offset;
}

/* ---- opening ---- */

static uint64_t listing_size_of_file(const struct spoor_listing *listing)
{
    struct stat status;
    const int file = listing->reader->cutter.bytes.source.file;
    return fstat(file, &status) == 0 && status.st_size > 0 ? (uint64_t)status.st_size : 0;
}

enum spoor_status spoor_listing_open(struct spoor_listing **listing, const char *path,
                                     const struct spoor_listing_options *given,
                                     struct spoor_error *error)
{
    struct spoor_listing_options options;
    struct spoor_reader_options reading = {.struct_size = sizeof reading};
    enum spoor_status status = options_read(&options, sizeof options, given, error);
    if (status == SPOOR_OK && options.reading)
        status = options_read(&reading, sizeof reading, options.reading, error);
    if (status != SPOOR_OK) return status;
    struct spoor_listing *opened = calloc(1, sizeof *opened);
    if (!opened) return error_no_memory_while(error, path, NULL);
    reading.threads = 1;
    reading.decode.effects = SPOOR_EFFECTS_AS_WRITTEN; /* rows are those of the file */
    status = spoor_reader_open(&opened->reader, path, &reading, error);
    if (status != SPOOR_OK) {
        free(opened);
        return status;
    }
    const struct spoor_format *format = listing_format(opened);
    const bool plain =
        !opened->reader->cutter.bytes.compression && !opened->reader->stream.container;
    opened->kind = plain && !format->length && !format->forget ? BLOCKS_BY_BYTES : BLOCKS_IN_ORDER;
    if (plain) opened->size = opened->file_size = listing_size_of_file(opened);
    opened->encoder.format = format;
    opened->encoder.options.style = SPOOR_WRITE_PRINT;
    opened->encoder.seam = true;
    opened->progress = options.progress;
    opened->context = options.context;
    *listing = opened;
    return SPOOR_OK;
}

static void listing_empty_block(struct block *block)
{
    for (size_t i = 0; i < block->capacity; i++) spoor_batch_free(&block->batches[i]);
    free(block->batches);
    free(block->rows);
    *block = (struct block){0};
}

void spoor_listing_close(struct spoor_listing *listing)
{
    if (!listing) return;
    spoor_listing_use_explorer(listing, NULL);
    /* what a format keeps while it writes is released by its end */
    if (listing->encoder.tables) listing->encoder.format->end(&listing->encoder, &listing->text);
    free(listing->places);
    text_free(&listing->tables);
    text_free(&listing->text);
    spoor_reader_close(listing->reader);
    free(listing);
}

void spoor_listing_use_explorer(struct spoor_listing *listing, struct spoor_explorer *explorer)
{
    for (size_t i = 0; i < BLOCKS; i++) listing_empty_block(&listing->blocks[i]);
    const bool shares = explorer && !explorer_of(explorer)->index->effects_first;
    listing->explorer = shares ? explorer_of(explorer) : NULL;
    if (!shares) return;
    const struct index *index = listing->explorer->index;
    listing->size = listing_counts_records(listing) ? index->records : index->bytes;
}

const struct spoor_stream *spoor_listing_stream(const struct spoor_listing *listing)
{
    return &listing->reader->stream;
}

static enum block_kind listing_kind(const struct spoor_listing *listing)
{
    return listing->explorer ? BLOCKS_BY_SEGMENTS : listing->kind;
}

bool spoor_listing_is_direct(const struct spoor_listing *listing)
{
    return listing_kind(listing) != BLOCKS_IN_ORDER || listing->complete;
}

uint64_t spoor_listing_size(const struct spoor_listing *listing)
{
    return listing->size;
}

bool spoor_listing_grows(const struct spoor_listing *listing)
{
    return listing->kind == BLOCKS_BY_BYTES;
}

bool spoor_listing_grow(struct spoor_listing *listing)
{
    if (listing->explorer || listing->kind != BLOCKS_BY_BYTES) return false;
    const uint64_t size = listing_size_of_file(listing);
    if (size == listing->file_size) return false;
    const size_t last = (size_t)(listing->file_size / BLOCK_BYTES);
    for (size_t i = 0; i < BLOCKS; i++) /* the last row may have been cut */
        if (listing->blocks[i].used && listing->blocks[i].number + 1 >= last)
            listing_empty_block(&listing->blocks[i]);
    if (listing->place_count > last) listing->place_count = last;
    listing->size = listing->file_size = size;
    return true;
}

/* ---- rows of a block ---- */

/* Where the row after the one at `at` begins. */
static const char *listing_after_row(const struct spoor_batch *batch, const char *at,
                                     const char *end)
{
    const struct spoor_stream *stream = batch->stream;
    if (stream->length) {
        const size_t length = stream->length(stream, at, (size_t)(end - at));
        return length ? at + length : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    return newline ? newline + 1 : end;
}

/* Finds the rows of the batches, up to `limit`; false: memory ran out. */
static bool listing_find_rows(const struct spoor_listing *listing, struct block *block,
                              uint64_t limit)
{
    const bool counts = listing_counts_records(listing);
    block->row_count = 0;
    for (size_t n = 0; n < block->count; n++) {
        const struct spoor_batch *batch = &block->shown[n];
        const bool varies = batch->stream->length || listing_format(listing)->record_size == 0;
        const char *at = batch->text, *end = batch->text + batch->text_size;
        size_t last = SIZE_MAX;
        for (size_t i = 0; i < batch->count; i++) {
            const size_t place = spoor_batch_place(batch, i);
            if (place == last) continue;
            if (varies && !counts) /* the length of each row is known where it begins only */
                for (; last != SIZE_MAX && last < place && at < end; last++)
                    at = listing_after_row(batch, at, end);
            last = place;
            const uint64_t offset = counts   ? batch->first + i
                                    : varies ? batch->offset + (uint64_t)(at - batch->text)
                                             : spoor_batch_offset(batch, i);
            if (offset >= limit) break;
            if (!array_reserve(&block->rows, &block->row_capacity, block->row_count + 1))
                return false;
            block->rows[block->row_count++] = (struct row_begin){(uint32_t)n, (uint32_t)i, offset};
        }
    }
    return true;
}

/* ---- loading ---- */

/* Keeps the next batch of the reader in the block; the reader gets the memory that this has. */
static enum spoor_status listing_read_batch(struct spoor_listing *listing, struct block *block,
                                            struct spoor_error *error)
{
    const struct spoor_batch *next;
    const enum spoor_status status = spoor_reader_next(listing->reader, &next, error);
    if (status != SPOOR_OK) return status;
    struct spoor_batch *batch = &listing->reader->batch;
    if (!array_reserve_zeroed(&block->batches, &block->capacity, block->count + 1))
        return listing_no_memory(listing, error);
    struct spoor_batch *kept = &block->batches[block->count++], empty = *kept;
    *kept = *batch;
    *batch = empty;
    batch->stream = kept->stream;
    block->shown = block->batches;
    return SPOOR_OK;
}

/* Remembers where a block begins. */
static bool listing_note_place(struct spoor_listing *listing, size_t number,
                               const struct reader_place *place)
{
    if (!array_reserve_zeroed(&listing->places, &listing->place_capacity, number + 1)) return false;
    for (size_t i = listing->place_count; i <= number; i++) listing->places[i].known = false;
    if (listing->place_count < number + 1) listing->place_count = number + 1;
    listing->places[number] = (struct block_place){true, *place};
    return true;
}

/* Finds where the first row at `offset` or after it begins: after the next line end. */
static uint64_t listing_row_from(const struct spoor_listing *listing, uint64_t offset)
{
    const struct spoor_format *format = listing_format(listing);
    char bytes[4096];
    if (offset == 0) return 0;
    if (format->record_size) {
        const uint64_t header = format->header_size, size = format->record_size;
        return offset <= header ? header : header + (offset - header + size - 1) / size * size;
    }
    for (uint64_t at = offset - 1; at < offset + MAX_LINE;) {
        const size_t got =
            source_read_at(&listing->reader->cutter.bytes.source, at, bytes, sizeof bytes);
        const char *newline = memchr(bytes, '\n', got);
        if (newline) return at + (uint64_t)(newline - bytes) + 1;
        if (got < sizeof bytes) return at + got;
        at += got;
    }
    return offset; /* a line without end */
}

static enum spoor_status listing_load_bytes(struct spoor_listing *listing, struct block *block,
                                            struct spoor_error *error)
{
    const uint64_t from = (uint64_t)block->number * BLOCK_BYTES, limit = from + BLOCK_BYTES;
    const bool known = block->number == 0 || (block->number < listing->place_count &&
                                              listing->places[block->number].known);
    const bool is_text = listing_format(listing)->record_size == 0;
    struct reader_place place = {.line = is_text};
    if (known && block->number) place = listing->places[block->number].place;
    place.offset = listing_row_from(listing, from);
    enum spoor_status status = reader_enter(listing->reader, &place, NULL, error);
    block->offset = block->end = place.offset;
    while (status == SPOOR_OK && block->end < limit) {
        status = listing_read_batch(listing, block, error);
        if (status != SPOOR_OK) break;
        const struct spoor_batch *last = &block->batches[block->count - 1];
        block->end = last->offset + last->text_size;
    }
    if (status < SPOOR_OK && block->count == 0) return status;
    listing_note_failure(listing, status, error);
    block->line = known ? place.line : 0;
    block->exact = block->number == 0 || !listing_format(listing)->resolve;
    if (!listing_find_rows(listing, block, limit)) return listing_no_memory(listing, error);
    if (block->end > limit) block->end = listing_row_from(listing, limit);
    for (size_t i = 0; i < block->count && !known; i++) block->batches[i].first = SPOOR_ROW_UNKNOWN;
    if (!known || block->end < limit || !block->row_count) return SPOOR_OK;
    /* the place of the next block */
    const struct spoor_batch *last = &block->shown[block->count - 1];
    const struct row_begin *row = &block->rows[block->row_count - 1];
    size_t records = 0; /* of the last batch: the later ones belong to the next block */
    if (row->batch + 1u == block->count) {
        const size_t line = spoor_batch_place(last, row->record);
        records = row->record;
        while (records < last->count && spoor_batch_place(last, records) == line) records++;
    }
    place.record = last->first + records;
    if (place.line) place.line += block->row_count;
    place.offset = block->end;
    place.carry = (struct carry){0};
    return listing_note_place(listing, block->number + 1, &place)
               ? SPOOR_OK
               : listing_no_memory(listing, error);
}

/* Reads one block in order, and notes where the next begins. */
static enum spoor_status listing_load_next(struct spoor_listing *listing, struct block *block,
                                           struct spoor_error *error)
{
    struct reader_place place, next;
    const bool is_text = listing_format(listing)->record_size == 0;
    if (block->number < listing->place_count)
        place = listing->places[block->number].place;
    else if (block->number == 0)
        place = (struct reader_place){.line = is_text};
    else
        return SPOOR_END;
    enum spoor_status status = SPOOR_OK;
    place.tables = listing->tables.bytes;
    if (place.offset != listing->reader->offset || listing->reader->over != SPOOR_OK)
        status = reader_enter(listing->reader, &place, NULL, error);
    block->offset = block->end = listing_begin_of(listing, &place);
    /* The first time the place after the block is noted. */
    const bool is_new = block->number + 1 >= listing->place_count;
    bool enterable = false;
    while (status == SPOOR_OK && !enterable) {
        status = listing_read_batch(listing, block, error);
        if (status != SPOOR_OK) break;
        enterable = reader_where(listing->reader, &next, is_new ? &listing->tables : NULL);
        if (!is_new) enterable = next.offset >= listing->places[block->number + 1].place.offset;
        const struct spoor_batch *last = &block->batches[block->count - 1];
        block->end =
            listing_counts_records(listing) ? last->first + last->count : listing->reader->offset;
    }
    if (status != SPOOR_OK && block->count == 0) {
        listing->complete |= block->number >= listing->place_count || status == SPOOR_END;
        if (listing->size < block->end) listing->size = block->end;
        return status;
    }
    listing_note_failure(listing, status, error);
    block->line = is_text ? place.line : 0;
    block->exact = true;
    if (!listing_find_rows(listing, block, UINT64_MAX)) return listing_no_memory(listing, error);
    if (enterable && is_new && !listing_note_place(listing, block->number + 1, &next))
        return listing_no_memory(listing, error);
    return SPOOR_OK;
}

static enum spoor_status listing_load_segment(struct spoor_listing *listing, struct block *block,
                                              struct spoor_error *error)
{
    const struct index *index = listing->explorer->index;
    const struct segment *segment = &index->segments[block->number];
    const enum spoor_status status =
        explorer_segment(listing->explorer, block->number, &block->shown, &block->count, error);
    if (status != SPOOR_OK) return status;
    block->offset = listing_begin_of(listing, &segment->place);
    block->end =
        block->offset + (listing_counts_records(listing) ? segment->records : segment->bytes);
    block->line = spoor_format_record_size(index->format) ? 0 : segment->place.line;
    block->exact = true;
    if (block->row_count) return SPOOR_OK;
    return listing_find_rows(listing, block, UINT64_MAX) ? SPOOR_OK
                                                         : listing_no_memory(listing, error);
}

/* Returns a block; NULL: with the error, or SPOOR_END in *status. */
static struct block *listing_load(struct spoor_listing *listing, size_t number,
                                  enum spoor_status *status, struct spoor_error *error)
{

    const enum block_kind kind = listing_kind(listing);
    const size_t blocks = listing->explorer ? listing->explorer->index->count
                          : kind == BLOCKS_BY_BYTES
                              ? (size_t)((listing->file_size + BLOCK_BYTES - 1) / BLOCK_BYTES)
                          : listing->complete ? listing->place_count
                                              : SIZE_MAX;
    struct block *block = NULL;
    *status = SPOOR_END;
    if (number >= blocks) return NULL;
    listing->clock++;
    for (size_t i = 0; i < BLOCKS && !block; i++)
        if (listing->blocks[i].used && listing->blocks[i].number == number)
            block = &listing->blocks[i];
    const bool found = block != NULL;
    if (!found) {
        block = &listing->blocks[0]; /* the one that was not used for the longest time */
        for (size_t i = 1; i < BLOCKS; i++)
            if (listing->blocks[i].used < block->used) block = &listing->blocks[i];
        *block = (struct block){.batches = block->batches,
                                .capacity = block->capacity,
                                .rows = block->rows,
                                .row_capacity = block->row_capacity,
                                .number = number};
    }
    if (listing->explorer)
        *status = listing_load_segment(listing, block, error);
    else if (found)
        *status = SPOOR_OK;
    else if (kind == BLOCKS_BY_BYTES)
        *status = listing_load_bytes(listing, block, error);
    else
        *status = listing_load_next(listing, block, error);
    block->used = *status == SPOOR_OK ? listing->clock : 0;
    listing_note_failure(listing, *status, error);
    return *status == SPOOR_OK ? block : NULL;
}

const struct spoor_error *spoor_listing_failure(const struct spoor_listing *listing)
{
    return &listing->failure;
}

/* ---- finding ---- */

static size_t listing_block_at(struct spoor_listing *listing, uint64_t offset,
                               enum spoor_status *status, struct spoor_error *error)
{
    const enum block_kind kind = listing_kind(listing);
    const bool counts = listing_counts_records(listing);
    *status = SPOOR_OK;
    if (kind == BLOCKS_BY_BYTES) return (size_t)(offset / BLOCK_BYTES);
    if (listing->explorer) {
        const struct index *index = listing->explorer->index;
        if (counts) return index_segment_of(index, offset);
        const size_t before = SORTED_UP_TO(index->segments, index->count, place.offset, offset);
        return before ? before - 1 : 0;
    }
    /* reads up to the block that has the byte, or to the last one */
    if (listing->place_count == 0 && !listing_load(listing, 0, status, error)) return 0;
    while (!listing->complete && listing->place_count > 0 && listing->places &&
           listing_begin_of(listing, &listing->places[listing->place_count - 1].place) <= offset) {
        if (listing->progress && !listing->progress(listing->context, listing->reader->offset, 0)) {
            *status = SPOOR_END;
            return 0;
        }
        if (!listing_load(listing, listing->place_count - 1, status, error)) break;
    }
    if (*status < SPOOR_OK) return 0;
    *status = SPOOR_OK;
    const size_t count = listing->places ? listing->place_count : 0;
    const size_t found = counts ? SORTED_UP_TO(listing->places, count, place.record, offset)
                                : SORTED_UP_TO(listing->places, count, place.offset, offset);
    return found ? found - 1 : 0;
}

static struct spoor_listing_row listing_row(const struct spoor_listing *listing,
                                            const struct block *block, size_t number)
{
    const struct row_begin *begin = &block->rows[number];
    const struct spoor_batch *batch = &block->shown[begin->batch];
    const bool last = number + 1 == block->row_count;
    struct spoor_listing_row row = {.offset = begin->offset,
                                    .end = last ? block->end : block->rows[number + 1].offset,
                                    .line = block->line ? block->line + number : 0,
                                    .exact = block->exact,
                                    .batch = batch,
                                    .index = begin->record};
    const size_t place = spoor_batch_place(batch, row.index);
    while (row.index + row.count < batch->count &&
           spoor_batch_place(batch, row.index + row.count) == place)
        row.count++;
    row.record = batch->first == SPOOR_ROW_UNKNOWN ? SPOOR_ROW_UNKNOWN : batch->first + row.index;
    /* the bytes of a .spoor file are no lines */
    if (listing_format(listing)->record_size || batch->stream->container) return row;
    row.text = batch->text + (begin->offset - batch->offset);
    const uint64_t left = batch->offset + batch->text_size - begin->offset;
    row.size = (size_t)(row.end - row.offset < left ? row.end - row.offset : left);
    const char *newline = memchr(row.text, '\n', row.size);
    if (newline) row.size = (size_t)(newline - row.text);
    if (row.size && row.text[row.size - 1] == '\r') row.size--;
    return row;
}

enum spoor_status spoor_listing_at(struct spoor_listing *listing, uint64_t offset,
                                   struct spoor_listing_row *row, struct spoor_error *error)
{
    enum spoor_status status;
    if (!error) error = &listing->unread;
    size_t number = listing_block_at(listing, offset, &status, error);
    if (status != SPOOR_OK) return status;
    struct block *block = listing_load(listing, number, &status, error);
    if (!block) return status;
    /* the last row that begins at `offset` or before it; SIZE_MAX: none */
    size_t found = SORTED_UP_TO(block->rows, block->row_count, offset, offset) - 1;
    while (found == SIZE_MAX && number-- > 0) { /* a row that begins before the block */
        block = listing_load(listing, number, &status, error);
        if (!block) return status;
        found = SORTED_UP_TO(block->rows, block->row_count, offset, offset) - 1;
    }
    if (found == SIZE_MAX) return SPOOR_END;
    const struct spoor_listing_row made = listing_row(listing, block, found);
    struct_fill(row, &made, sizeof made);
    if (offset < row->end || (offset == row->offset && row->size == 0)) return SPOOR_OK;
    return SPOOR_END;
}

enum spoor_status spoor_listing_before(struct spoor_listing *listing, uint64_t offset,
                                       struct spoor_listing_row *row, struct spoor_error *error)
{
    if (offset == 0) return SPOOR_END;
    if (listing->size && offset > listing->size) offset = listing->size;
    return spoor_listing_at(listing, offset - 1, row, error);
}

/* ---- by number ---- */

static enum spoor_status listing_row_of_number(struct spoor_listing *listing, bool by_line,
                                               uint64_t number, struct spoor_listing_row *row,
                                               struct spoor_error *error)
{
    enum spoor_status status;
    if (!error) error = &listing->unread;
    size_t first = 0;
    if (listing->explorer) {
        const struct index *index = listing->explorer->index;
        if (!by_line && index->count) first = index_segment_of(index, number);
        while (by_line && first + 1 < index->count &&
               index->segments[first + 1].place.line <= number)
            first++;
    } else {
        const struct block_place *places = listing->places;
        while (first + 1 < listing->place_count && places[first + 1].known &&
               (by_line ? places[first + 1].place.line : places[first + 1].place.record) <= number)
            first++;
    }
    for (size_t i = first;; i++) {
        const struct block *block = listing_load(listing, i, &status, error);
        if (!block) return status;
        if (listing->progress && i % 16 == 15 &&
            !listing->progress(listing->context, block->offset, listing->size))
            return SPOOR_END;
        if (block->row_count == 0) continue;
        const struct spoor_listing_row last = listing_row(listing, block, block->row_count - 1);
        if (last.record == SPOOR_ROW_UNKNOWN || (by_line && !last.line)) return SPOOR_END;
        if (by_line ? number > last.line : number >= last.record + last.count) continue;
        /* the last row of the block that begins at or before the number */
        size_t low = 0, high = block->row_count;
        while (low + 1 < high) {
            const size_t middle = low + (high - low) / 2;
            const struct spoor_listing_row made = listing_row(listing, block, middle);
            struct_fill(row, &made, sizeof made);
            if ((by_line ? row->line : row->record) <= number)
                low = middle;
            else
                high = middle;
        }
        const struct spoor_listing_row made = listing_row(listing, block, low);
        struct_fill(row, &made, sizeof made);
        return SPOOR_OK;
    }
}

enum spoor_status spoor_listing_of_record(struct spoor_listing *listing, uint64_t record,
                                          struct spoor_listing_row *row, struct spoor_error *error)
{
    return listing_row_of_number(listing, false, record, row, error);
}

enum spoor_status spoor_listing_of_line(struct spoor_listing *listing, uint64_t line,
                                        struct spoor_listing_row *row, struct spoor_error *error)
{
    if (listing_format(listing)->record_size || line == 0) return SPOOR_END;
    return listing_row_of_number(listing, true, line, row, error);
}

/* ---- text ---- */

const char *spoor_listing_fields(struct spoor_listing *listing, const struct spoor_listing_row *row,
                                 size_t *size)
{
    struct text *text = &listing->text;
    text->size = 0;
    text->failed = false;
    for (size_t i = 0; i < row->count; i++) {
        if (i) text_puts(text, "; ");
        const struct spoor_batch *batch = row->batch;
        const size_t index = row->index + i;
        const struct spoor_value kind = spoor_field_get(batch, index, SPOOR_FIELD_KIND);
        value_put_column(text, &kind);
        for (int field = 0; field < SPOOR_FIELDS; field++) {
            const struct spoor_value value = spoor_field_get(batch, index, (enum spoor_field)field);
            const bool absent = value.type == SPOOR_VALUE_ABSENT ||
                                (value.type == SPOOR_VALUE_BOOL && !value.number) ||
                                (value.type == SPOOR_VALUE_TEXT && !value.text.size) ||
                                (value.type == SPOOR_VALUE_SIGNED && value.signed_number == -1);
            if (absent) continue;
            text_printf(text, " %s=", spoor_field_name((enum spoor_field)field));
            value_put_column(text, &value);
        }
    }
    *size = text->failed ? 0 : text->size;
    return text->failed ? NULL : text->size ? text->bytes : "";
}

const char *spoor_listing_text(struct spoor_listing *listing, const struct spoor_listing_row *row,
                               size_t *size)
{
    const struct spoor_format *format = listing_format(listing);
    struct text *text = &listing->text;
    text->size = 0;
    text->failed = false;
    *size = row->size;
    if (row->text) return row->text;
    const bool is_line = !format->record_size && !format->print;
    if (!format->print && !is_line) return spoor_listing_fields(listing, row, size);
    listing->encoder.seam = true;
    (is_line ? format->write : format->print)(&listing->encoder, row->batch, row->index,
                                              row->index + row->count, text);
    while (text->size > 0 && text->bytes[text->size - 1] == '\n') text->size--;
    if (is_line && text->size > 0 && text->bytes[text->size - 1] == '\r') text->size--;
    for (size_t i = 0; i < text->size; i++)
        if (text->bytes[i] == '\n') text->bytes[i] = ' ';
    const struct spoor_record *record = &row->batch->records[row->index];
    const bool is_blank = record->kind == SPOOR_NOTE && record->op == SPOOR_NOTE_BLANK;
    if (!text->size && !text->failed && is_blank) {
        *size = 0;
        return "";
    }
    if (!text->size && !text->failed) return spoor_listing_fields(listing, row, size);
    *size = text->failed ? 0 : text->size;
    return text->failed ? NULL : text->bytes;
}
