/* SPDX-License-Identifier: MIT */
/* part.c: reads a part of a trace, and packs what an index needs of it. */
#include "index/part.h"

#include <stdlib.h>

#include "index/part_batch.h"
#include "model/names_pack.h"
#include "model/options.h"

enum { WARM_BYTES = 512 << 10 /* at least a batch, in all traces but those with huge lines */ };

struct spoor_index_part {
    struct spoor_reader *reader;
    struct index_options options;
    struct machine machine; /* for the instruction set */
    struct checkpoints checkpoints;
    bool digests; /* batches come with them */
    struct batch_packer packer;
    struct text batches;
    struct reader_place begin, end; /* of the part */
    bool begun, ended;              /* ended: with the trace */
    bool faults;
    size_t batch_count;
    char *dialect, *damage;
};

void index_part_close(struct spoor_index_part *part)
{
    if (!part) return;
    spoor_reader_close(part->reader);
    machine_free(&part->machine);
    checkpoints_free(&part->checkpoints);
    batch_packer_free(&part->packer);
    text_free(&part->batches);
    free(part->dialect);
    free(part->damage);
    free(part);
}

static enum spoor_status open_trace(struct spoor_reader **reader, const char *path,
                                    const struct index_options *options, struct spoor_error *error)
{
    const struct spoor_reader_options reading = {
        .format = options->format,
        .threads = options->threads,
        .memory = options->memory,
        .decode = options->decode,
    };
    struct fingerprint trace;
    const enum spoor_status status = fingerprint_of(&trace, path, error); /* it is a file */
    return status == SPOOR_OK ? spoor_reader_open(reader, path, &reading, error) : status;
}

static enum spoor_status start(struct spoor_index_part *part, const char *path, struct spoor_error *error)
{
    const enum spoor_status status = open_trace(&part->reader, path, &part->options, error);
    if (status != SPOOR_OK) return status;
    if (part->reader->stream.container)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found a .spoor file, which has its index in itself, expected "
                               "another trace",
                               path);
    part->checkpoints.spacing = CHECKPOINT_SPACING;
    reader_collect(part->reader, &part->checkpoints);
    part->digests = reader_digest(part->reader, digest_batch);
    const char *dialect = part->options.decode.dialect;
    if (dialect) part->dialect = strdup(dialect);
    if ((dialect && !part->dialect) || !machine_start(&part->machine))
        return memory_status(false, error);
    machine_enter(&part->machine, &part->reader->stream);
    return SPOOR_OK;
}

enum spoor_status index_part_open(struct spoor_index_part **part, const char *path,
                                  const struct index_options *options, struct spoor_error *error)
{
    struct spoor_index_part *opened = calloc(1, sizeof *opened);
    if (!opened) return memory_status(false, error);
    opened->options = *options;
    const enum spoor_status status = start(opened, path, error);
    if (status == SPOOR_OK)
        *part = opened;
    else
        index_part_close(opened);
    return status;
}

enum spoor_status index_part_measure(uint64_t *size, const char *path,
                                     const struct index_options *options, struct spoor_error *error)
{
    struct spoor_reader *reader;
    enum spoor_status status = open_trace(&reader, path, options, error);
    if (status != SPOOR_OK) return status;
    status = reader_skip(reader, UINT64_MAX, error);
    *size = reader->offset;
    spoor_reader_close(reader);
    return status;
}

/* ---- reading ---- */

/* Passes over what need not be decoded before the byte. */
static enum spoor_status skip_to(struct spoor_index_part *part, uint64_t first, struct spoor_error *error)
{
    const struct spoor_format *format = part->reader->stream.format;
    uint64_t offset = first;
    if (format->resolve && !format->resolves_near)
        offset = 0;
    else if (format->resolve)
        offset = first > WARM_BYTES ? first - WARM_BYTES : 0;
    return reader_skip(part->reader, offset, error);
}

static bool keep_batch(struct spoor_index_part *part, struct spoor_batch *batch,
                       const struct reader_place *place, bool enterable)
{
    struct reader_place after;
    reader_where(part->reader, &after);
    const struct part_place kept = {
        .carry = place->carry,
        .enterable = enterable,
        .faults = batch->fault_count > 0,
        .records = after.record - place->record,
        .lines = after.line - place->line,
        .bytes = after.offset - place->offset,
    };
    machine_see(&part->machine, batch);
    if (!part->digests) digest_batch(batch, part->reader->stream.names);
    batch_packer_add(&part->packer, &part->batches, batch, digest_of(batch), &kept);
    part->faults |= kept.faults;
    part->batch_count++;
    return !part->batches.failed && !batch->out_of_memory;
}

/* Where the batch at this place is the first of the part, or the part ends there. */
static void begin_part(struct spoor_index_part *part, const struct reader_place *place)
{
    part->begun = true;
    part->begin = *place;
    part->packer.carry = place->carry;
}

/* Reads up to the batch that begins at `end` or after it. */
static enum spoor_status read_batches(struct spoor_index_part *part, uint64_t first, uint64_t end)
{
    const struct index_options *options = &part->options;
    struct spoor_batch *batch;
    struct reader_place place;
    enum spoor_status status = SPOOR_OK;
    while (status == SPOOR_OK) {
        const bool enterable = reader_where(part->reader, &place);
        if (place.offset >= first && !part->begun) begin_part(part, &place);
        if (place.offset >= end) break;
        status = reader_next(part->reader, &batch);
        if (status != SPOOR_OK) break;
        if (part->begun && !keep_batch(part, batch, &place, enterable)) return SPOOR_ENOMEM;
        if (options->progress) options->progress(options->context, part->reader);
    }
    if (!part->begun) begin_part(part, &place);
    part->end = place;
    return status;
}

/* Forgets the part before, from whose end the next one goes on. */
static void forget_part(struct spoor_index_part *part)
{
    part->begun = part->faults = false;
    part->batches.size = part->batch_count = 0;
    part->packer.log = (struct record_log){0};
}

enum spoor_status index_part_read(struct spoor_index_part *part, uint64_t first, uint64_t end,
                                  struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    if (part->begun)
        forget_part(part);
    else
        status = skip_to(part, first, error);
    if (status != SPOOR_OK) return status;
    status = read_batches(part, first, end);
    part->ended = status != SPOOR_OK;
    if (status == SPOOR_ENOMEM || part->batches.failed || part->checkpoints.failed)
        return memory_status(false, error);
    if (status < SPOOR_OK && !part->damage) {
        part->damage = strdup(part->reader->error.text);
        if (!part->damage) return memory_status(false, error);
    }
    return SPOOR_OK;
}

const struct spoor_format *index_part_format(const struct spoor_index_part *part)
{
    return part->reader->stream.format;
}

const char *index_part_damage(const struct spoor_index_part *part)
{
    return part->damage;
}

bool index_part_has_faults(const struct spoor_index_part *part)
{
    return part->faults;
}

/* ---- packing ---- */

static void pack_checkpoints(const struct spoor_index_part *part, struct text *bytes)
{
    const size_t count = part->ended ? part->checkpoints.count : 0;
    text_varint(bytes, count);
    for (size_t i = 0; i < count; i++) {
        const struct checkpoint *item = &part->checkpoints.items[i];
        text_varint(bytes, item->offset);
        text_varint(bytes, item->place);
        text_varint(bytes, item->kind);
        text_varint(bytes, item->detail);
        text_varint(bytes, item->header);
        text_sized(bytes, item->window, item->window_size);
    }
}

void index_part_pack(const struct spoor_index_part *part, struct text *bytes)
{
    static const struct carry none;
    const struct index_options *options = &part->options;
    text_optional(bytes, part->dialect);
    text_varint(bytes, options->decode.implicit_thumb);
    text_varint(bytes, options->decode.isa);
    text_varint(bytes, options->segment_bytes);
    text_varint(bytes, part->machine.isa);
    text_optional(bytes, part->damage);
    names_pack(&part->reader->stream, bytes);
    text_varint(bytes, part->begin.offset);
    carry_pack(&part->begin.carry, &none, bytes);
    carry_pack(&part->end.carry, &none, bytes);
    pack_checkpoints(part, bytes);
    text_varint(bytes, part->batch_count);
    text_append(bytes, &part->batches);
    bytes->failed |= part->batches.failed;
}
