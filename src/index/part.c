/* SPDX-License-Identifier: MIT */
/* part.c: reads a part of a trace, and packs what an index needs of it. */
#include "index/part.h"

#include <stdlib.h>

#include "index/part_batch.h"
#include "model/names_pack.h"
#include "model/options.h"

/* Bytes before a part that are read for what its records inherit: at least a batch, unless its
 * lines are huge; and how many times as many are tried next. */
enum { WARM_BYTES = 512 << 10, WARM_MORE = 8 };

struct spoor_index_part {
    struct spoor_reader *reader; /* NULL: it could not be opened again */
    char *path;
    struct index_options options;
    struct machine machine; /* for the instruction set */
    struct checkpoints checkpoints;
    bool digests; /* batches come with them */
    struct batch_packer packer;
    struct text batches;
    struct reader_place begin, end; /* of the part */
    bool begun, ended;              /* ended: with the trace */
    bool warm; /* a record was read from which later ones inherit all that they do */
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
    free(part->path);
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

/* Opens the trace at its beginning. */
static enum spoor_status open_again(struct spoor_index_part *part, struct spoor_error *error)
{
    spoor_reader_close(part->reader);
    part->reader = NULL;
    checkpoints_free(&part->checkpoints);
    const enum spoor_status status = open_trace(&part->reader, part->path, &part->options, error);
    if (status != SPOOR_OK) return status;
    part->checkpoints.spacing = CHECKPOINT_SPACING;
    reader_collect(part->reader, &part->checkpoints);
    part->digests = reader_digest(part->reader, digest_batch);
    return SPOOR_OK;
}

static enum spoor_status start(struct spoor_index_part *part, const char *path,
                               struct spoor_error *error)
{
    const char *dialect = part->options.decode.dialect;
    part->path = strdup(path);
    if (dialect) part->dialect = strdup(dialect);
    if (!part->path || (dialect && !part->dialect) || !machine_start(&part->machine))
        return memory_status(false, error);
    const enum spoor_status status = open_again(part, error);
    if (status != SPOOR_OK) return status;
    if (part->reader->stream.container)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "%s: found a .spoor file, which has its index in itself, expected "
                               "another trace",
                               path);
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
    const bool plain = reader_plain_file(reader) >= 0;
    if (!plain) status = reader_skip(reader, UINT64_MAX, error);
    *size = plain ? reader->cutter.bytes.source.size : reader->offset;
    spoor_reader_close(reader);
    return status;
}

/* ---- reading ---- */

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
    machine_follow(&part->machine, batch->stream);
    machine_see(&part->machine, batch);
    if (!part->digests) digest_batch(batch, part->reader->stream.names);
    batch_packer_add(&part->packer, &part->batches, batch, digest_of(batch), &kept);
    part->batch_count++;
    return !part->batches.failed && !batch->out_of_memory;
}

/* True if a record of the batch states the time that later ones inherit, or, of a format without
 * times, is an instruction. */
static bool warms(const struct spoor_batch *batch)
{
    const bool timed = batch->stream->format->time_unit[0] != '\0';
    for (size_t i = 0; i < batch->count; i++)
        if (timed ? (batch->records[i].has & SPOOR_HAS_TIME) != 0
                  : batch->records[i].kind == SPOOR_INSN)
            return true;
    return false;
}

/* Reads up to the first batch that begins at `first` or after it. */
static enum spoor_status warm_up(struct spoor_index_part *part, uint64_t first)
{
    struct spoor_batch *batch;
    enum spoor_status status = SPOOR_OK;
    while (part->reader->offset < first && status == SPOOR_OK) {
        status = reader_next(part->reader, &batch);
        if (status == SPOOR_OK && !part->warm) part->warm = warms(batch);
    }
    return status == SPOOR_ENOMEM ? status : SPOOR_OK;
}

/* Goes to the first batch that begins at `first` or after it, with what its records inherit. */
static enum spoor_status enter(struct spoor_index_part *part, uint64_t first,
                               struct spoor_error *error)
{
    const struct spoor_format *format = part->reader->stream.format;
    if (!format->resolve) return reader_skip(part->reader, first, error);
    uint64_t before = format->resolves_near ? WARM_BYTES : UINT64_MAX;
    for (;;) {
        const uint64_t from = first > before ? first - before : 0;
        enum spoor_status status = reader_skip(part->reader, from, error);
        if (status == SPOOR_OK) status = warm_up(part, first);
        if (status != SPOOR_OK || part->warm || from == 0) return status;
        status = open_again(part, error);
        if (status != SPOOR_OK) return status;
        before = before < UINT64_MAX / WARM_MORE ? before * WARM_MORE : UINT64_MAX;
    }
}

/* Reads up to the batch that begins at `end` or after it. */
static enum spoor_status read_batches(struct spoor_index_part *part, uint64_t end)
{
    const struct index_options *options = &part->options;
    struct spoor_batch *batch;
    for (;;) {
        const bool enterable = reader_where(part->reader, &part->end);
        if (part->end.offset >= end) return SPOOR_OK;
        const enum spoor_status status = reader_next(part->reader, &batch);
        if (status != SPOOR_OK) return status;
        const struct reader_place place = part->end;
        if (!keep_batch(part, batch, &place, enterable)) return SPOOR_ENOMEM;
        if (options->progress) options->progress(options->context, part->reader);
    }
}

/* Forgets the part before, from whose end this one goes on. */
static void begin_part(struct spoor_index_part *part)
{
    part->begun = true;
    part->batches.size = part->batch_count = 0;
    part->packer.log = (struct record_log){0};
    reader_where(part->reader, &part->begin);
    part->packer.carry = part->begin.carry;
}

enum spoor_status index_part_read(struct spoor_index_part *part, uint64_t first, uint64_t end,
                                  struct spoor_error *error)
{
    enum spoor_status status = part->begun ? SPOOR_OK : enter(part, first, error);
    if (status != SPOOR_OK) return status;
    begin_part(part);
    status = read_batches(part, end);
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
