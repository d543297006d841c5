/* SPDX-License-Identifier: MIT */
/*
 * reader_enter.c: reading a trace from any place where a batch begins.
 *
 * The split positions of chunks depend only on the bytes from the place on, and the state of the
 * format is part of the place: so the batches equal those of a reader from the start.
 */
#include <string.h>

#include "io/decode_ring.h"
#include "io/reader.h"
#include "model/error.h"
#include "views/effect_order.h"

bool reader_where(struct spoor_reader *reader, struct reader_place *place, struct text *tables)
{
    const struct spoor_format *format = stream_file_format(&reader->stream);
    const bool packed = tables && format->pack_tables && reader->carry.tables &&
                        format->pack_tables(&reader->carry, tables);
    *place = (struct reader_place){
        .offset = reader->offset,
        .line = reader->line,
        .record = reader->records,
        .carry = reader->carry,
        .tables_size = packed ? tables->size : 0,
    };
    place->carry.tables = NULL;
    const bool clean =
        !reader->order || reader->records == 0 || effect_order_is_clean(reader->order);
    return clean && (packed || !reader->carry.tables) && !reader->gap && !reader->unfinished;
}

enum spoor_status reader_enter(struct spoor_reader *reader, const struct reader_place *place,
                               const struct checkpoints *checkpoints, struct spoor_error *error)
{
    struct cutter *cutter = &reader->cutter;
    if (cutter->bytes.compression) {
        /* From where the reader is, if that is not after; else from the last checkpoint. */
        if (reader->stream.container) checkpoints = NULL; /* segments need the pages before them */
        const uint64_t offset = place->offset;
        const struct checkpoint *checkpoint =
            checkpoints ? checkpoints_before(checkpoints, offset) : NULL;
        const bool after = reader->offset > offset || reader->over != SPOOR_OK;
        enum spoor_status status = SPOOR_OK;
        if (after || (checkpoint && checkpoint->offset > reader->offset)) {
            /* Restarts the file there or at its start; format, names and spellings stay. */
            const struct spoor_reader_options options = {
                .format = stream_file_format(&reader->stream), .memory = reader->memory};
            cutter_close(cutter);
            status = checkpoint
                         ? cutter_open_at(cutter, reader->path, &options, checkpoint, offset, error)
                         : cutter_open(cutter, reader->path, &options, error);
            if (status != SPOOR_OK) {
                *cutter = (struct cutter){.bytes.source.file = -1};
            } else {
                reader_set_cutter(reader);
                reader->offset = checkpoint ? offset : 0;
            }
        }
        while (status == SPOOR_OK && reader->offset < offset) {
            /* Skips a chunk without decoding it, and without reading it where that is possible. */
            struct spoor_batch *batch = &reader->batch;
            struct reserved_range range;
            bool again;
            spoor_batch_clear(batch);
            status = cutter_reserve(cutter, batch, &range, error);
            if (cutter_trailers(cutter, &reader->trailers, error) != SPOOR_OK) return SPOOR_ENOMEM;
            status = cutter_check(cutter, status, &reader->trailers, batch, &again, error);
            if (status == SPOOR_OK)
                reader->offset = batch->offset + (range.size ? range.size : batch->text_size);
        }
        if (status < SPOOR_OK) return status;
        if (status != SPOOR_OK || reader->offset != offset)
            return spoor_error_set(error, SPOOR_EINPUT,
                                   "%s: has no chunk that begins at offset %llu", reader->path,
                                   (unsigned long long)offset);
    } else {
        cutter->offset = place->offset;
        cutter->pending.size = 0;
        cutter->continues = false;
        cutter->ended = SPOOR_OK;
        cutter->reserved = true; /* so the next chunk is sought first */
    }
    if (reader->hands_out == HANDS_OUT_NOTHING) reader->hands_out = HANDS_OUT_BATCHES;
    reader->begun = true;
    reader->over = reader->ended = SPOOR_OK;
    if (reader->order) effect_order_enter(reader->order, place->record == 0);
    reader->unfinished = false;
    reader->offset = place->offset;
    reader->line = place->line;
    reader->records = place->record;
    const struct spoor_format *format = stream_file_format(&reader->stream);
    if (format->unpack_tables && reader->carry.tables) format->forget(&reader->carry);
    void *tables = reader->carry.tables;
    reader->carry = place->carry;
    reader->carry.tables = tables;
    /* an index may say what it likes: a format without tables has none */
    if (!place->tables_size || !format->unpack_tables) return SPOOR_OK;
    switch (format->unpack_tables(&reader->carry, place->tables, place->tables_size)) {
    case SPOOR_OK: return SPOOR_OK;
    case SPOOR_EINPUT:
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s: found damage in the places of its index, expected those of an "
                               "index of this version: delete it",
                               reader->path);
    default: return error_no_memory_while(error, reader->path, "entering it");
    }
}

bool reader_locate(const struct spoor_reader *reader, uint64_t record, struct reader_place *place)
{
    const struct spoor_format *format = reader->stream.container;
    const int file = reader_plain_file(reader);
    struct container_segment segment;
    if (!format || file < 0 || !format->container->locate(file, record, &segment)) return false;
    *place = (struct reader_place){
        .offset = segment.offset, .line = segment.line, .record = segment.record};
    return true;
}

void reader_limit(const struct spoor_reader *reader, uint64_t first, uint64_t last)
{
    const struct spoor_format *format = reader->stream.container;
    if (format) format->container->limit(reader->stream.container_state, first, last);
}

enum spoor_status reader_jump(struct spoor_reader *reader, const struct reader_place *place,
                              const struct checkpoints *checkpoints, bool threaded,
                              struct spoor_error *error)
{
    if (reader->ring) {
        decode_ring_stop(reader->ring);
        reader->ring = NULL;
        reader->offset = UINT64_MAX; /* it has read ahead by an unknown distance */
    }
    const enum spoor_status status = reader_enter(reader, place, checkpoints, error);
    if (status == SPOOR_OK) reader->begun = !threaded;
    return status;
}
