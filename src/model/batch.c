/* SPDX-License-Identifier: MIT */
/* batch.c: filling batches, and access to the content of a record outside its 64 bytes. */
#include "spoor/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "base/sorted.h"
#include "model/batch_own.h"
#include "model/error.h"
#include "model/kept_texts.h"
#include "model/layout.h"

enum { FIRST_CAPACITY = 1024, FIRST_ARENA = 4096 };

void spoor_batch_clear(struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = 0;
    batch->text_size = batch->arena_size = 0;
    batch->first = batch->line = batch->offset = 0;
    batch->place_count = 0;
    batch->continues = batch->unfinished = batch->last = batch->gap = false;
    batch->out_of_memory = batch->projected = false;
    free(batch_own(batch)->lines);
    batch_own(batch)->lines = NULL;
}

void spoor_batch_quote(struct spoor_batch *to, const struct spoor_batch *from)
{
    *to = *from;
    to->records = NULL;
    to->spills = NULL;
    to->faults = NULL;
    to->count = to->capacity = to->spill_count = to->fault_count = 0;
    to->place_count = to->text_size = 0;
    batch_own(to)->lines = NULL;
    batch_own(to)->view = NULL;
    batch_own(to)->view_capacity = 0;
}

void spoor_batch_quote_lists(struct spoor_batch *to, const struct spoor_batch *from, size_t begin,
                             size_t end)
{
    size_t i = SORTED_BELOW(from->spills, from->spill_count, record, begin);
    for (; i < from->spill_count && from->spills[i].record < end; i++) {
        struct spoor_spill *copy = &to->spills[to->spill_count++];
        *copy = from->spills[i];
        copy->record = (uint32_t)(copy->record - begin + to->count);
    }
    i = SORTED_BELOW(from->faults, from->fault_count, record, begin);
    for (; i < from->fault_count && from->faults[i].record < end; i++) {
        struct spoor_fault *copy = &to->faults[to->fault_count++];
        *copy = from->faults[i];
        copy->record = (uint32_t)(copy->record - begin + to->count);
    }
}

void spoor_batch_free(struct spoor_batch *batch)
{
    free(batch->records);
    free(batch_own(batch)->text_block ? batch_own(batch)->text_block : batch->text);
    free(batch->arena);
    free(batch->spills);
    free(batch->faults);
    free(batch_own(batch)->view);
    free(batch_own(batch)->lines);
    free(batch->places);
    *batch = (struct spoor_batch){0};
}

struct spoor_record *spoor_batch_push_slow(struct spoor_batch *batch)
{
    if (!spoor_batch_reserve(batch, 1)) {
        static _Thread_local struct spoor_record scratch;
        scratch = (struct spoor_record){0};
        return &scratch;
    }
    struct spoor_record *record = &batch->records[batch->count++];
    *record = (struct spoor_record){0};
    return record;
}

struct spoor_record *spoor_batch_reserve(struct spoor_batch *batch, size_t more)
{
    const size_t wanted = batch->count + more;
    if (array_reserve(&batch->records, &batch->capacity,
                      wanted < FIRST_CAPACITY ? FIRST_CAPACITY : wanted))
        return batch->records + batch->count;
    batch->out_of_memory = true;
    return NULL;
}

struct spoor_ref spoor_batch_keep(struct spoor_batch *batch, const void *bytes, size_t size)
{
    if (size == 0) return (struct spoor_ref){0, 0};
    const size_t wanted = batch->arena_size + size;
    if (size > SPOOR_REF_ARENA / 2 - batch->arena_size ||
        !array_reserve(&batch->arena, &batch_own(batch)->arena_capacity,
                       wanted < FIRST_ARENA ? FIRST_ARENA : wanted)) {
        batch->out_of_memory = true;
        return (struct spoor_ref){0, 0};
    }
    struct spoor_ref ref = {(uint32_t)batch->arena_size | SPOOR_REF_ARENA, (uint32_t)size};
    memcpy(batch->arena + batch->arena_size, bytes, size);
    /* align offsets, so that a struct in the arena can be copied in words */
    batch->arena_size += (size + 7) & ~(size_t)7;
    if (batch->arena_size > batch_own(batch)->arena_capacity)
        batch->arena_size = batch_own(batch)->arena_capacity;
    return ref;
}

void spoor_batch_spill(struct spoor_batch *batch, enum spoor_spill_what what, struct spoor_ref ref)
{
    if (batch->count == 0 ||
        !array_reserve(&batch->spills, &batch_own(batch)->spill_capacity, batch->spill_count + 1)) {
        batch->out_of_memory = true;
        return;
    }
    uint32_t record = (uint32_t)(batch->count - 1);
    batch->spills[batch->spill_count++] = (struct spoor_spill){record, what, ref};
    batch->records[record].has |= what == SPOOR_SPILL_LINE ? SPOOR_IS_VERBATIM : SPOOR_IS_SPILLED;
}

bool spoor_batch_find_spill(const struct spoor_batch *batch, size_t index,
                            enum spoor_spill_what what, struct spoor_ref *ref)
{
    size_t low = SORTED_BELOW(batch->spills, batch->spill_count, record, index);
    for (; low < batch->spill_count && batch->spills[low].record == index; low++)
        if (batch->spills[low].what == what) {
            *ref = batch->spills[low].ref;
            return true;
        }
    return false;
}

void batch_fault(struct spoor_batch *batch, const char *rule, uint32_t column, const char *expected,
                 struct spoor_ref found)
{
    if (batch->count == 0 ||
        !array_reserve(&batch->faults, &batch_own(batch)->fault_capacity, batch->fault_count + 1)) {
        batch->out_of_memory = true;
        return;
    }
    uint32_t record = (uint32_t)(batch->count - 1);
    batch->faults[batch->fault_count++] =
        (struct spoor_fault){record, column, rule, expected, found};
    batch->records[record].has |= SPOOR_IS_FAULTY;
}

struct spoor_uop_full spoor_uop_spilled(const struct spoor_batch *batch, size_t index)
{
    struct spoor_uop_full full = spoor_uop_held(&batch->records[index].uop);
    struct spoor_ref ref;
    if (spoor_batch_find_spill(batch, index, SPOOR_SPILL_UOP, &ref))
        memcpy(&full, spoor_batch_bytes(batch, ref), sizeof full);
    return full;
}

/* ---- a part of a batch ---- */

bool batch_part(struct spoor_batch *part, const struct spoor_batch *batch, size_t from, size_t to)
{
    const struct spoor_batch kept = *part;
    struct batch_own *own = batch_own(part);
    spoor_batch_quote(part, batch);
    part->spills = kept.spills;
    part->faults = kept.faults;
    own->spill_capacity = batch_own_of(&kept)->spill_capacity;
    own->fault_capacity = batch_own_of(&kept)->fault_capacity;
    part->text_size = batch->text_size;
    part->records = batch->records + from;
    if (!array_reserve(&part->spills, &own->spill_capacity, batch->spill_count + 1) ||
        !array_reserve(&part->faults, &own->fault_capacity, batch->fault_count + 1))
        return false;
    spoor_batch_quote_lists(part, batch, from, to);
    part->count = to - from;
    return true;
}

/* ---- lines ---- */

void batch_line_up(struct spoor_batch *batch)
{
    struct batch_own *own = batch_own(batch);
    if (!own->lines) own->lines = malloc(sizeof *own->lines);
    if (own->lines)
        *own->lines = (struct line_place){0};
    else
        batch->out_of_memory = true;
}

const char *batch_source(const struct spoor_batch *batch, size_t record)
{
    struct line_place *place = batch_own_of(batch)->lines;
    const char *end = batch->text + batch->text_size;
    if (record == batch->count) return end;
    if (record < place->record) *place = (struct line_place){0};
    const char *at = scan_lines(batch->text + place->offset, end, record - place->record);
    *place = (struct line_place){record, (size_t)(at - batch->text)};
    return at;
}

/* ---- the position of a record in its trace ---- */

size_t batch_number(struct spoor_batch *batch)
{
    if (!array_reserve(&batch->places, &batch_own(batch)->place_capacity, batch->count)) {
        batch->out_of_memory = true;
        return batch->count;
    }
    uint32_t place = 0;
    for (size_t i = 0; i < batch->count; i++) {
        place += i > 0 && !(batch->records[i].has & SPOOR_CONTINUES);
        batch->places[i] = place;
    }
    batch->place_count = batch->count;
    return batch->count ? (size_t)place + 1 : 0;
}

uint64_t spoor_batch_line(const struct spoor_batch *batch, size_t index)
{
    return batch->line ? batch->line + spoor_batch_place(batch, index) : 0;
}

uint64_t spoor_batch_offset(const struct spoor_batch *batch, size_t index)
{
    const size_t size = batch->stream->record_size;
    const size_t header = batch->offset ? 0 : batch->stream->header_size;
    size_t place = spoor_batch_place(batch, index);
    if (batch->stream->length) { /* records of various lengths */
        size_t at = 0;
        for (; place > 0 && at < batch->text_size; place--) {
            const size_t length =
                batch->stream->length(batch->stream, batch->text + at, batch->text_size - at);
            at += length ? length : batch->text_size - at;
        }
        return batch->offset + at;
    }
    if (!size || (header && !place)) return size ? batch->offset : 0;
    return batch->offset + header + (place - (header != 0)) * size;
}

/* ---- copying a record, with everything that it refers to, into another stream ---- */

/* `map`: the ids translated so far, or NULL. */
static inline enum spoor_status batch_move_name(struct spoor_names *to,
                                                const struct spoor_names *from, spoor_name *map,
                                                spoor_name *name, struct spoor_error *error)
{
    if (*name == SPOOR_NO_NAME) return SPOOR_OK;
    const spoor_name before = *name;
    if (map && (*name = map[before])) return SPOOR_OK;
    size_t size;
    const char *text = spoor_names_text(from, before, &size);
    *name = spoor_names_intern(to, text, size);
    if (map && *name != SPOOR_NAMES_FULL) map[before] = *name;
    if (*name != SPOOR_NAMES_FULL) return SPOOR_OK;
    return spoor_error_set(error, SPOOR_EINPUT,
                           "the merged traces use more than 65,534 different names");
}

enum spoor_status batch_append(struct spoor_batch *to, const struct spoor_batch *from, size_t index,
                               struct name_maps *maps, struct spoor_error *error)
{
    struct spoor_record *record = spoor_batch_push(to);
    *record = from->records[index];
    record->has &= (uint16_t)~SPOOR_IS_FAULTY;
    const struct spoor_stream *source = from->stream, *target = to->stream;
    spoor_name *names = maps ? maps->names : NULL, *spellings = maps ? maps->spellings : NULL;
    enum spoor_status status =
        batch_move_name(target->spellings, source->spellings, spellings, &record->spelling, error);
    if (status == SPOOR_OK)
        status = batch_move_name(target->names, source->names, names, &record->cpu, error);
    for (const uint8_t *at = record_layouts[record->kind].names; *at && status == SPOOR_OK; at++)
        status =
            batch_move_name(target->names, source->names, names, layout_name(record, *at), error);
    if (status != SPOOR_OK) return status;
    for (const uint8_t *at = record_layouts[record->kind].refs; *at; at++) {
        struct spoor_ref *ref = layout_ref(record, *at);
        *ref = spoor_batch_keep(to, spoor_batch_bytes(from, *ref), (*ref).size);
    }
    if (record->has & (SPOOR_IS_SPILLED | SPOOR_IS_VERBATIM)) {
        for (int what = SPOOR_SPILL_LINE; what < SPOOR_SPILLS; what++) {
            struct spoor_ref ref;
            if (spoor_batch_find_spill(from, index, (enum spoor_spill_what)what, &ref))
                spoor_batch_spill(to, (enum spoor_spill_what)what,
                                  spoor_batch_keep(to, spoor_batch_bytes(from, ref), ref.size));
        }
    }
    if (to->out_of_memory) return error_no_memory_while(error, NULL, "merging traces");
    return SPOOR_OK;
}

/* ---- texts that many records refer to ---- */

void kept_texts_begin(struct kept_texts *texts)
{
    texts->stamp++;
}

struct spoor_ref kept_texts_add(struct kept_texts *texts, struct spoor_batch *batch, size_t number,
                                const char *text, size_t size)
{
    if (!array_reserve_zeroed(&texts->items, &texts->capacity, number + 1)) {
        batch->out_of_memory = true;
        return (struct spoor_ref){0, 0};
    }
    texts->items[number] = (struct kept_text){spoor_batch_keep(batch, text, size), texts->stamp};
    return texts->items[number].ref;
}

void kept_texts_free(struct kept_texts *texts)
{
    free(texts->items);
    *texts = (struct kept_texts){0};
}
