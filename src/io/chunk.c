/* SPDX-License-Identifier: MIT */
/* chunk.c: split decompressed bytes at record boundaries. */
#include "io/chunk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/portable.h"
#include "formats/format.h"
#include "model/batch_own.h"
#include "model/error.h"

enum { FIRST_BLOCKS = 64 << 10 /* bytes of blocks read at first */ };

enum spoor_status cutter_open(struct cutter *cutter, const char *path,
                              const struct spoor_reader_options *options, struct spoor_error *error)
{
    *cutter = (struct cutter){0};
    enum spoor_status status = bytes_open(&cutter->bytes, path, options, error);
    const struct source *source = &cutter->bytes.source;
    if (status == SPOOR_OK && options->samples)
        cutter->sample_plan = sample_plan_of(source->file, source->size, options->samples);
    return status;
}

enum spoor_status cutter_open_at(struct cutter *cutter, const char *path,
                                 const struct spoor_reader_options *options,
                                 const struct checkpoint *checkpoint, uint64_t offset,
                                 struct spoor_error *error)
{
    *cutter = (struct cutter){.offset = offset};
    return bytes_open_at(&cutter->bytes, path, options, checkpoint, offset, error);
}

void cutter_close(struct cutter *cutter)
{
    bytes_close(&cutter->bytes);
    text_free(&cutter->pending);
}

static enum spoor_status chunk_why_ended(const struct cutter *cutter, struct spoor_error *error)
{
    if (cutter->ended < SPOOR_OK) {
        *error = cutter->error;
        error->offset = cutter->offset;
    }
    return cutter->ended;
}

/* True if the last bytes read are the last of the trace, in a whole record or not. */
static bool chunk_is_whole(const struct cutter *cutter)
{
    return cutter->ended != SPOOR_OK && !cutter->bytes.source.stopped;
}

/* Reads up to `capacity` bytes; the reason for the end is stored for later. */
static size_t chunk_read_bytes(struct cutter *cutter, char *to, size_t capacity, bool hurried)
{
    size_t size = 0;
    if (cutter->ended == SPOOR_OK)
        cutter->ended = bytes_read(&cutter->bytes, to, capacity, hurried, &size, &cutter->error);
    return size;
}

/* Reads up to `capacity` bytes after those that are pending. */
static bool chunk_read_pending(struct cutter *cutter, size_t capacity)
{
    char *at = text_reserve(&cutter->pending, capacity);
    if (at) cutter->pending.size += chunk_read_bytes(cutter, at, capacity, false);
    return at != NULL;
}

bool cutter_head_is_full(const struct cutter *cutter)
{
    return cutter->ended != SPOOR_OK || cutter->pending.size >= CHUNK_HEAD;
}

enum spoor_status cutter_head(struct cutter *cutter, struct spoor_head *head,
                              struct spoor_error *error)
{
    const struct text *pending = &cutter->pending;
    bool sure;
    do {
        if (!chunk_read_pending(cutter, CHUNK_HEAD - pending->size))
            return error_no_memory_while(error, cutter->bytes.source.path, "reading");
        /* a line of text, or enough bytes for a binary trace */
        size_t printable = 0;
        while (printable < pending->size && (unsigned char)pending->bytes[printable] >= '\t')
            printable++;
        sure = cutter_head_is_full(cutter) || pending->size >= CHUNK_SURE ||
               (pending->size > 0 && printable == pending->size &&
                memchr(pending->bytes, '\n', pending->size));
    } while (!sure);
    bool gone = cutter->ended < SPOOR_OK || cutter->bytes.source.stopped;
    if (gone && pending->size == 0) return chunk_why_ended(cutter, error);
    *head = (struct spoor_head){(const uint8_t *)pending->bytes, pending->size,
                                cutter->ended == SPOOR_END};
    return SPOOR_OK;
}

/* Ensures capacity for `size` bytes and the padding in the batch's text.  Within a cache line, its
 * address equals its offset in the trace: if it lies a few bytes further in its page than in the
 * kernel's page, each load of a copy appears to depend on the previous store, and copying takes
 * three times as long. */
static bool chunk_reserve(struct spoor_batch *batch, size_t size)
{
    struct batch_own *own = batch_own(batch);
    const size_t shift = batch->offset % CHUNK_ALIGNMENT;
    if (own->text_capacity < size + CHUNK_PADDING) {
        const size_t capacity =
            (size + CHUNK_PADDING + CHUNK_ALIGNMENT - 1) & ~(size_t)(CHUNK_ALIGNMENT - 1);
        char *block = aligned_alloc(CHUNK_ALIGNMENT, capacity + CHUNK_ALIGNMENT);
        if (!block) return false;
        if (batch->text_size) memcpy(block + shift, batch->text, batch->text_size);
        free(own->text_block);
        own->text_block = block;
        own->text_capacity = capacity;
    }
    batch->text = (char *)own->text_block + shift;
    return true;
}

/* Reads until the batch's text has `size` bytes or the trace ends; for a followed trace, waits only
 * if nothing is pending. */
static bool chunk_fill(struct cutter *cutter, struct spoor_batch *batch, size_t size)
{
    if (!chunk_reserve(batch, size)) return false;
    struct text *pending = &cutter->pending;
    size_t taken =
        pending->size < size - batch->text_size ? pending->size : size - batch->text_size;
    if (taken) {
        memcpy(batch->text + batch->text_size, pending->bytes, taken);
        batch->text_size += taken;
        pending->size -= taken;
        memmove(pending->bytes, pending->bytes + taken, pending->size);
    }
    batch->text_size += chunk_read_bytes(cutter, batch->text + batch->text_size,
                                         size - batch->text_size, taken > 0);
    return true;
}

/* Bytes of a chunk of binary records; the header is at the beginning of the first one. */
static size_t chunk_of_records(const struct cutter *cutter)
{
    size_t records = CHUNK_SIZE / cutter->record_size;
    if (records > CHUNK_RECORDS) records = CHUNK_RECORDS;
    return (cutter->offset ? 0 : cutter->header_size) +
           (records ? records : 1) * cutter->record_size;
}

/* True if a chunk begins with lines so short that all of it would make too many records. */
static bool chunk_begins_dense(const char *text)
{
    size_t lines = 0;
    for (size_t i = 0; i < DENSE_SAMPLE; i++) lines += text[i] == '\n';
    return lines > DENSE_SAMPLE / DENSE_LINE;
}

/* The newline before the last block that begins in these bytes; else the last newline, or NULL. */
static const char *chunk_last_newline(const struct cutter *cutter, const char *bytes, size_t size)
{
    const char *last = bytes_last(bytes, '\n', size), *newline = last;
    const size_t block = cutter->block ? strlen(cutter->block) : 0;
    while (newline && block) {
        const size_t after = size - (size_t)(newline + 1 - bytes);
        if (after >= block && memcmp(newline + 1, cutter->block, block) == 0) return newline;
        newline = bytes_last(bytes, '\n', (size_t)(newline - bytes));
    }
    return last;
}

/* Fills the batch up to where the next chunk begins, and keeps the bytes after that. */
static bool chunk_cut(struct cutter *cutter, struct spoor_batch *batch)
{
    size_t cut = 0;
    if (cutter->container) { /* the end of its blocks */
        size_t size = FIRST_BLOCKS;
        for (bool ended = false; !cut && !ended;) {
            if (!chunk_fill(cutter, batch, size)) return false;
            ended = cutter->ended != SPOOR_OK && cutter->pending.size == 0;
            cut = cutter->container->chunk(batch->text, batch->text_size, ended, &size);
        }
    } else if (cutter->record_size == 0) { /* of the last line, or MAX_LINE if none ends */
        size_t seen = 0, size = CHUNK_SIZE;
        for (bool ends = false; !ends;) {
            if (!chunk_fill(cutter, batch, size)) return false;
            cut = batch->text_size;
            const bool full = batch->text_size == size;
            const bool dense =
                batch->text_size > CHUNK_SIZE / DENSE_LINE && chunk_begins_dense(batch->text);
            if (chunk_is_whole(cutter) && !full && !dense) break; /* in a whole line or not */
            const size_t end = dense ? CHUNK_SIZE / DENSE_LINE : batch->text_size;
            /* cutter_reserve() splits at the newline that these bytes show */
            const size_t look = end - seen > RESERVE_LOOK ? end - RESERVE_LOOK : seen;
            const char *newline = chunk_last_newline(cutter, batch->text + look, end - look);
            if (!newline) newline = chunk_last_newline(cutter, batch->text + seen, end - seen);
            batch->unfinished = !newline && size == MAX_LINE && full;
            cut = newline ? (size_t)(newline + 1 - batch->text) : batch->unfinished ? size : 0;
            ends = newline || batch->unfinished || (cutter->ended != SPOOR_OK && !full);
            seen = end;
            if (full) size *= 2;
        }
    } else { /* of the last whole record */
        const size_t header = cutter->offset ? 0 : cutter->header_size;
        /* one more byte shows whether this chunk is the last */
        const size_t size = chunk_of_records(cutter) + 1;
        do {
            if (!chunk_fill(cutter, batch, size)) return false;
        } while (cutter->ended == SPOOR_OK && batch->text_size < header + cutter->record_size);
        cut = batch->text_size < size ? batch->text_size : size - 1;
        const bool whole = chunk_is_whole(cutter) && (!cutter->length || batch->text_size < size);
        if (!whole && !cutter->length) {
            cut -= cut < header ? cut : (cut - header) % cutter->record_size;
        } else if (!whole) {
            const char *bytes = batch->text;
            size_t end = cutter->last_known ? cutter->last_known(bytes, cut) : 0, length;
            while (end < cut &&
                   (length = cutter->length(cutter->stream, bytes + end, cut - end)) != 0)
                end += length;
            if (end) cut = end; /* else not even one is whole */
        }
    }
    /* The bytes after the split begin the next chunk. */
    struct text *pending = &cutter->pending;
    const size_t after = batch->text_size - cut;
    if (after) {
        if (!text_reserve(pending, after)) return false;
        memmove(pending->bytes + after, pending->bytes, pending->size);
        memcpy(pending->bytes, batch->text + cut, after);
        pending->size += after;
        batch->text_size = cut;
    }
    /* do not wait to know whether it is the last */
    return cutter->bytes.source.follow.on || pending->size || chunk_read_pending(cutter, 1);
}

void cutter_enter(const struct cutter *cutter)
{
    if (!cutter->container || cutter->offset == 0) return;
    cutter->container->enter(cutter->stream->container_state, cutter->bytes.source.file,
                             cutter->offset);
}

enum spoor_status cutter_next(struct cutter *cutter, struct spoor_batch *batch,
                              struct spoor_error *error)
{
    if (cutter->sample_plan.count) {
        /* The next sample instead of a chunk. */
        if (!chunk_reserve(batch, SPOOR_SAMPLE_SIZE + cutter->record_size))
            return error_no_memory_while(error, cutter->bytes.source.path, "reading");
        const struct sample_shape shape = {cutter->record_size, cutter->header_size};
        enum spoor_status status =
            sample_next(&cutter->sample_plan, cutter->bytes.source.file, shape, batch, error);
        memset(batch->text + batch->text_size, 0, CHUNK_PADDING);
        return status;
    }
    if (cutter->reserved) {
        cutter->reserved = false;
        enum spoor_status status = source_seek(&cutter->bytes.source, cutter->offset, error);
        if (status != SPOOR_OK) return status;
        cutter_enter(cutter);
    }
    batch->offset = cutter->offset;
    if (cutter->ended != SPOOR_OK && cutter->pending.size == 0)
        return chunk_why_ended(cutter, error);
    batch->continues = cutter->continues;
    if (!chunk_cut(cutter, batch))
        return error_no_memory_while(error, cutter->bytes.source.path, "reading");
    if (batch->text_size == 0) return chunk_why_ended(cutter, error); /* the trace is empty */
    batch->last = chunk_is_whole(cutter) && cutter->pending.size == 0;
    if (batch->last) batch->unfinished = false;
    memset(batch->text + batch->text_size, 0, CHUNK_PADDING);
    if (cutter->container)
        cutter->container->pass(cutter->stream->container_state, batch->text, batch->text_size,
                                batch->offset);
    cutter->offset += batch->text_size;
    cutter->continues = batch->unfinished;
    return SPOOR_OK;
}

/* ---- checking ---- */

enum spoor_status cutter_trailers(struct cutter *cutter, struct gzip_trailers *trailers,
                                  struct spoor_error *error)
{
    struct gzip_trailers *from = &cutter->bytes.trailers;
    size_t moved = 0;
    trailers->count = 0;
    while (moved < from->count && from->items[moved].end <= cutter->offset)
        if (!gzip_trailers_add(trailers, &from->items[moved++]))
            return error_no_memory_while(error, cutter->bytes.source.path, "reading");
    from->count -= moved;
    if (moved) memmove(from->items, from->items + moved, from->count * sizeof *from->items);
    return SPOOR_OK;
}

enum spoor_status cutter_check(struct cutter *cutter, enum spoor_status status,
                               const struct gzip_trailers *trailers, struct spoor_batch *batch,
                               bool *again, struct spoor_error *error)
{
    struct member_check *check = &cutter->check;
    const struct inflater *inflater = cutter->bytes.kind;
    *again = false;
    if (!inflater || !inflater->trailer) return status;
    if (!check->failed) {
        if (status != SPOOR_OK) batch->text_size = 0;
        size_t size = 0; /* bytes in valid members, or in one that has not ended */
        for (size_t i = 0; i <= trailers->count && !check->failed; i++) {
            const struct gzip_trailer *trailer = i < trailers->count ? &trailers->items[i] : NULL;
            const size_t end = trailer ? (size_t)(trailer->end - batch->offset) : batch->text_size;
            if (end > size) check->sum = inflater->sum(check->sum, batch->text + size, end - size);
            check->size += (uint32_t)(end - size);
            size = end;
            if (!trailer) break;
            check->failed =
                !trailer->entered && (check->sum != trailer->sum || check->size != trailer->size);
            check->sum = check->size = 0;
            if (!check->failed) continue;
            bytes_trailer_mismatch(&cutter->bytes, trailer, &check->error);
            check->error.offset = trailer->end;
        }
        if (!check->failed) return status;
        if (size > 0) {
            *again = size < batch->text_size || !batch->last;
            batch->text_size = size;
            batch->last = true;
            batch->unfinished = false;
            memset(batch->text + size, 0, CHUNK_PADDING);
            return status;
        }
    }
    *error = check->error;
    return SPOOR_EINPUT;
}

/* ---- cutting without reading ---- */

/* `size` bytes of the trace, which the lookahead holds or reads; NULL if there are fewer.  The
 * bytes at the end of a range serve as the sample of the next one, too. */
static const char *chunk_see(struct cutter *cutter, uint64_t offset, size_t size)
{
    struct lookahead *lookahead = &cutter->lookahead;
    if (offset < lookahead->offset || offset + size > lookahead->offset + lookahead->size) {
        lookahead->offset = offset;
        lookahead->size = source_read_at(&cutter->bytes.source, offset, lookahead->bytes,
                                         sizeof lookahead->bytes);
        if (lookahead->size < size) return NULL;
    }
    return lookahead->bytes + (offset - lookahead->offset);
}

enum spoor_status cutter_reserve(struct cutter *cutter, struct spoor_batch *batch,
                                 struct reserved_range *range, struct spoor_error *error)
{
    struct source *source = &cutter->bytes.source;
    /* an uncompressed file can be read at any position at any time */
    const bool anywhere = !cutter->bytes.compression && !source->waits && !source->follow.on;
    range->size = 0;
    if (anywhere && !cutter->length && !cutter->container && cutter->sample_plan.count == 0 &&
        cutter->ended == SPOOR_OK && !cutter->continues) {
        if (cutter->record_size) {
            char after;
            const size_t size = chunk_of_records(cutter);
            if (source_read_at(source, cutter->offset + size, &after, 1)) range->size = size;
        } else {
            /* The bytes of the next chunk if it is full and not the last. */
            const char *sample = chunk_see(cutter, cutter->offset, DENSE_SAMPLE), *look = NULL;
            const bool dense = sample && chunk_begins_dense(sample);
            const size_t end =
                (dense ? CHUNK_SIZE / DENSE_LINE : CHUNK_SIZE) - (size_t)RESERVE_LOOK;
            if (sample) look = chunk_see(cutter, cutter->offset + end, RESERVE_LOOK + 1);
            const char *newline = look ? chunk_last_newline(cutter, look, RESERVE_LOOK) : NULL;
            if (newline) range->size = end + (size_t)(newline + 1 - look);
        }
    }
    if (range->size == 0) return cutter_next(cutter, batch, error);
    batch->offset = cutter->offset;
    cutter->offset += range->size;
    cutter->reserved = true;
    cutter->pending.size = 0;
    atomic_store_explicit(&source->taken, cutter->offset, memory_order_relaxed);
    return SPOOR_OK;
}

enum spoor_status cutter_load(const struct cutter *cutter, const struct reserved_range *range,
                              struct spoor_batch *batch, struct spoor_error *error)
{
    const struct source *source = &cutter->bytes.source;
    if (range->size == 0) return SPOOR_OK;
    batch->text_size = 0;
    if (!chunk_reserve(batch, range->size))
        return error_no_memory_while(error, cutter->bytes.source.path, "reading");
    batch->text_size = source_read_at(source, batch->offset, batch->text, range->size);
    const int reason = errno;
    memset(batch->text + batch->text_size, 0, CHUNK_PADDING);
    if (batch->text_size == range->size) return SPOOR_OK;
    errno = reason;
    const unsigned long long end = (unsigned long long)batch->offset + batch->text_size;
    if (errno)
        return spoor_error_system(error, SPOOR_EINPUT, "%s: cannot be read at offset %llu",
                                  source->path, end);
    return spoor_error_set(error, SPOOR_EINPUT,
                           "%s: offset %llu: found the end of the file, expected the %llu bytes "
                           "that it had: it was truncated while it was read",
                           source->path, end, (unsigned long long)source->size);
}
