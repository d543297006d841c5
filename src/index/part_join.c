/* SPDX-License-Identifier: MIT */
/* part_join.c: the index of a trace from all its parts. */
#include <stdlib.h>

#include "base/array.h"
#include "index/part.h"
#include "index/part_batch.h"
#include "model/names_pack.h"
#include "model/options.h"
#include "spoor/format.h"

/* What a part states; strings and batches lie in its bytes. */
struct part_view {
    const char *dialect, *damage;
    bool implicit_thumb;
    uint64_t isa, segment_bytes;
    enum isa machine_isa;
    struct unpacker names, checkpoints, batches;
    struct carry begin, end; /* names of their processors are of the part */
    uint64_t offset, batch_count;
};

struct index_parts {
    struct part_view *items;
    size_t count, capacity;
};

/* ---- what a part states ---- */

static void pass_table(struct unpacker *from)
{
    for (size_t count = unpack_count(from); count > 0 && !from->failed; count--) {
        size_t size;
        unpack_sized(from, &size);
    }
}

static void pass_checkpoints(struct unpacker *from)
{
    enum { NUMBERS = 5 };
    for (size_t count = unpack_count(from); count > 0 && !from->failed; count--) {
        size_t size;
        for (int i = 0; i < NUMBERS; i++) unpack(from);
        unpack_sized(from, &size);
    }
}

static bool unpack_view(struct part_view *view, struct unpacker *from)
{
    *view = (struct part_view){.dialect = unpack_optional(from)};
    view->implicit_thumb = unpack(from);
    view->isa = unpack_below(from, SPOOR_ISA_AARCH32 + 1);
    view->segment_bytes = unpack(from);
    view->machine_isa = (enum isa)unpack_below(from, ISA_AARCH32 + 1);
    view->damage = unpack_optional(from);
    view->names = *from;
    pass_table(from);
    pass_table(from);
    view->offset = unpack(from);
    carry_unpack(&view->begin, from);
    carry_unpack(&view->end, from);
    view->checkpoints = *from;
    pass_checkpoints(from);
    view->batch_count = unpack_count(from);
    view->batches = *from;
    return !from->failed;
}

struct index_parts *index_parts_unpack(struct unpacker *from)
{
    struct index_parts *parts = calloc(1, sizeof *parts);
    if (!parts) return NULL;
    if (array_reserve(&parts->items, &parts->capacity, 1) && unpack_view(&parts->items[0], from)) {
        parts->count = 1;
        return parts;
    }
    index_parts_free(parts);
    return NULL;
}

void index_parts_free(struct index_parts *parts)
{
    if (!parts) return;
    free(parts->items);
    free(parts);
}

static bool same_text(const char *one, const char *other)
{
    return one && other ? strcmp(one, other) == 0 : one == other;
}

enum spoor_status index_parts_merge(struct index_parts *parts, const struct index_parts *next,
                                    struct spoor_error *error)
{
    const struct part_view *one = &parts->items[0], *other = &next->items[0];
    if (!same_text(one->dialect, other->dialect) || one->isa != other->isa ||
        one->implicit_thumb != other->implicit_thumb || one->segment_bytes != other->segment_bytes)
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "parts of an index were made with different "
                               "options");
    if (!array_reserve(&parts->items, &parts->capacity, parts->count + next->count))
        return memory_status(false, error);
    memcpy(parts->items + parts->count, next->items, next->count * sizeof *next->items);
    parts->count += next->count;
    return SPOOR_OK;
}

/* ---- joining ---- */

struct joining {
    struct builder builder;
    struct batch_unpacker unpacker;
    struct spoor_stream stream; /* of the part: its names have the ids that they had there */
    struct reader_place place;  /* of the next batch; its carry is that of the last one that ... */
    struct spoor_stream all;    /* the names and spellings of all parts */
    const struct part_view *last; /* the part before; NULL: none */
    char *cpu;                    /* name of the processor of its end */
};

static bool stream_begin(struct spoor_stream *stream, const struct spoor_format *format,
                         const struct part_view *view)
{
    *stream = (struct spoor_stream){.names = spoor_names_new(),
                                    .spellings = spoor_names_new(),
                                    .isa = (enum spoor_isa)view->isa};
    spoor_stream_set_format(stream, format);
    return stream->names && stream->spellings;
}

static void stream_free(struct spoor_stream *stream)
{
    spoor_names_free(stream->names);
    spoor_names_free(stream->spellings);
    *stream = (struct spoor_stream){0};
}

static enum spoor_status damaged(struct spoor_error *error)
{
    return spoor_error_set(error, SPOOR_EINPUT,
                           "its content is damaged, or memory ran out while it was read");
}

static void add_all(struct spoor_names *to, const struct spoor_names *names)
{
    for (size_t id = 1; id < spoor_names_count(names); id++) {
        size_t size;
        const char *text = spoor_names_text(names, (spoor_name)id, &size);
        spoor_names_intern(to, text, size);
    }
}

/* True if the part begins with what the one before it ended with. */
static bool goes_on(const struct joining *joining, const struct part_view *view)
{
    const struct carry *one = &joining->last->end, *other = &view->begin;
    return one->time == other->time && one->has_time == other->has_time &&
           memcmp(one->word, other->word, sizeof one->word) == 0 &&
           strcmp(joining->cpu, spoor_names_text(joining->stream.names, other->cpu, NULL)) == 0;
}

/* Enters the stream of a part, which must go on where the last one ended. */
static enum spoor_status enter_part(struct joining *joining, const struct part_view *view,
                                    struct spoor_error *error)
{
    struct machine *machine = &joining->builder.index->machine;
    const struct spoor_format *format = joining->builder.index->format;
    struct unpacker from = view->names;
    stream_free(&joining->stream);
    if (!stream_begin(&joining->stream, format, view)) return memory_status(false, error);
    if (!names_unpack(&from, &joining->stream)) return damaged(error);
    add_all(joining->all.names, joining->stream.names);
    add_all(joining->all.spellings, joining->stream.spellings);
    machine_enter(machine, &joining->stream);
    if (!joining->last) {
        if (view->offset) return damaged(error);
        return SPOOR_OK;
    }
    if (view->offset != joining->place.offset) return damaged(error);
    if (goes_on(joining, view)) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EUSAGE,
                           "its records inherit what the part did not find: make it and the part "
                           "before it by one process (--shard K-L/N)");
}

static enum spoor_status add_batches(struct joining *joining, const struct part_view *view,
                                     struct spoor_error *error)
{
    struct builder *builder = &joining->builder;
    struct batch_unpacker *unpacker = &joining->unpacker;
    struct unpacker from = view->batches;
    struct machine *machine = &builder->index->machine;
    unpacker->log = (struct record_log){0};
    unpacker->place.carry = view->begin;
    for (uint64_t i = 0; i < view->batch_count; i++) {
        if (!batch_unpacker_place(unpacker, &from)) return damaged(error);
        struct reader_place place = joining->place;
        place.carry = unpacker->place.carry;
        builder_keep_cpu(builder, &joining->stream, &place);
        builder_enter(builder, &place, unpacker->place.enterable);
        if (unpacker->place.faults) builder->segment.flags |= SEGMENT_FAULTS;
        if (!machine->isa_known) machine->isa = view->machine_isa;
        machine->isa_known = true;
        if (!batch_unpacker_add(unpacker, &from, &joining->stream, place.record, builder))
            return damaged(error);
        joining->place.record += unpacker->place.records;
        joining->place.line += unpacker->place.lines;
        joining->place.offset += unpacker->place.bytes;
        if (builder_has_failed(builder)) return memory_status(false, error);
    }
    return from.at == from.end ? SPOOR_OK : damaged(error);
}

/* Remembers where the part ended. */
static bool end_part(struct joining *joining, const struct part_view *view)
{
    joining->last = view;
    free(joining->cpu);
    joining->cpu = strdup(spoor_names_text(joining->stream.names, view->end.cpu, NULL));
    return joining->cpu != NULL;
}

static bool unpack_checkpoints(struct checkpoints *list, struct unpacker from)
{
    for (size_t count = unpack_count(&from); count > 0; count--) {
        size_t size;
        struct checkpoint item = {.offset = unpack(&from), .place = unpack(&from)};
        item.kind = (enum checkpoint_kind)unpack_below(&from, CHECKPOINT_XZ_BLOCK + 1);
        item.detail = (uint32_t)unpack(&from);
        item.header = unpack(&from);
        item.window = (const uint8_t *)unpack_sized(&from, &size);
        item.window_size = (uint32_t)size;
        if (from.failed || size > CHECKPOINT_WINDOW_MAX) return false;
        checkpoints_add(list, &item);
    }
    return !list->failed;
}

/* All batches were added. */
static enum spoor_status end_index(struct joining *joining, struct spoor_error *error)
{
    struct builder *builder = &joining->builder;
    struct index *index = builder->index;
    struct reader_place place = joining->place;
    const char *damage = joining->last->damage;
    if (damage && place.record == 0) return spoor_error_set(error, SPOOR_EINPUT, "%s", damage);
    place.carry = joining->last->end;
    builder_keep_cpu(builder, &joining->stream, &place);
    builder_end_segment(builder, &place);
    index->records = place.record;
    index->bytes = place.offset;
    index->crowded = spoor_names_count(joining->all.names) > NAMES_MANY ||
                     spoor_names_count(joining->all.spellings) > NAMES_MANY ||
                     machine_cpu_count(&index->machine) >= MACHINE_CPUS;
    if (damage) index->damage = strdup(damage);
    if (damage && !index->damage) return memory_status(false, error);
    if (!unpack_checkpoints(&index->checkpoints, joining->last->checkpoints)) return damaged(error);
    calls_end(builder->calls);
    return memory_status(
        !builder_has_failed(builder) &&
            folds_end(&builder->folds, builder->calls, index, NULL, &builder->content) &&
            index_finish(index, &builder->content),
        error);
}

static enum spoor_status join(struct joining *joining, const struct index_parts *parts,
                              size_t *number, struct spoor_error *error)
{
    struct index *index = joining->builder.index;
    const struct part_view *first = &parts->items[0];
    if (!builder_begin(&joining->builder, NULL) ||
        !stream_begin(&joining->all, index->format, first))
        return memory_status(false, error);
    joining->builder.segment_bytes = first->segment_bytes ? first->segment_bytes : SEGMENT_BYTES;
    joining->place.line = 1;
    index->checkpoints.spacing = CHECKPOINT_SPACING;
    index->implicit_thumb = first->implicit_thumb;
    index->isa = (enum spoor_isa)first->isa;
    if (first->dialect) index->dialect = strdup(first->dialect);
    if (first->dialect && !index->dialect) return memory_status(false, error);
    enum spoor_status status = SPOOR_OK;
    for (size_t i = 0; i < parts->count && status == SPOOR_OK; i++) {
        const struct part_view *view = &parts->items[i];
        if (joining->last && joining->last->damage) break; /* the trace ends there */
        *number = i;
        status = enter_part(joining, view, error);
        if (status == SPOOR_OK) status = add_batches(joining, view, error);
        if (status == SPOOR_OK) status = memory_status(end_part(joining, view), error);
    }
    return status == SPOOR_OK ? end_index(joining, error) : status;
}

enum spoor_status index_parts_join(const struct index_parts *parts, struct index **index,
                                   const struct spoor_format *format,
                                   const struct fingerprint *trace, size_t *number,
                                   struct spoor_error *error)
{
    struct joining *joining = calloc(1, sizeof *joining);
    struct index *made = joining ? index_new() : NULL;
    enum spoor_status status = memory_status(made != NULL, error);
    if (made) {
        made->format = format;
        made->trace = *trace;
        joining->builder.index = made;
        *number = 0;
        status = join(joining, parts, number, error);
    }
    if (joining) {
        builder_free(&joining->builder);
        batch_unpacker_free(&joining->unpacker);
        stream_free(&joining->stream);
        stream_free(&joining->all);
        free(joining->cpu);
        free(joining);
    }
    if (status == SPOOR_OK)
        *index = made;
    else
        index_free(made);
    return status;
}
