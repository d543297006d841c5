/* SPDX-License-Identifier: MIT */
/* batch.c: filling batches, and access to the content of a record outside its 64 bytes. */
#include "spoor/batch.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/scan.h"
#include "base/sorted.h"
#include "model/batch_own.h"

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

void spoor_batch_fault(struct spoor_batch *batch, const char *rule, uint32_t column,
                       const char *expected, struct spoor_ref found)
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

void batch_part_free(struct spoor_batch *part)
{
    free(part->spills);
    free(part->faults);
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
