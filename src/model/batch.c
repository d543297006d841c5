/* SPDX-License-Identifier: MIT */
/* batch.c: filling batches, and access to the content of a record outside its 64 bytes. */
#include "spoor/batch.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_CAPACITY = 1024 };

/* Ensure capacity in `*items` for one more item of `size` bytes. */
static bool room_for_one(void **items, size_t count, size_t *capacity, size_t size)
{
    if (count < *capacity) return true;
    size_t wanted = *capacity ? *capacity * 2 : FIRST_CAPACITY;
    void *grown = realloc(*items, wanted * size);
    if (!grown) return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

void spoor_batch_clear(struct spoor_batch *batch)
{
    batch->count = batch->spill_count = batch->fault_count = 0;
    batch->text_size = batch->arena_size = 0;
    batch->first = batch->line = batch->offset = 0;
    batch->place_count = 0;
    batch->continues = batch->unfinished = batch->last = batch->gap = false;
    batch->out_of_memory = batch->projected = false;
    free(batch->lines);
    batch->lines = NULL;
}

void spoor_batch_free(struct spoor_batch *batch)
{
    free(batch->records);
    free(batch->text_block ? batch->text_block : batch->text);
    free(batch->arena);
    free(batch->spills);
    free(batch->faults);
    free(batch->view);
    free(batch->lines);
    free(batch->places);
    *batch = (struct spoor_batch){0};
}

struct spoor_record *spoor_batch_push_slow(struct spoor_batch *batch)
{
    void *records = batch->records;
    if (!room_for_one(&records, batch->count, &batch->capacity, sizeof *batch->records)) {
        static _Thread_local struct spoor_record scratch;
        batch->out_of_memory = true;
        scratch = (struct spoor_record){0};
        return &scratch;
    }
    batch->records = records;
    struct spoor_record *record = &batch->records[batch->count++];
    *record = (struct spoor_record){0};
    return record;
}

struct spoor_record *spoor_batch_reserve(struct spoor_batch *batch, size_t more)
{
    size_t capacity = batch->capacity ? batch->capacity : FIRST_CAPACITY;
    while (capacity - batch->count < more) capacity *= 2;
    if (capacity > batch->capacity) {
        struct spoor_record *records = realloc(batch->records, capacity * sizeof *records);
        if (!records) {
            batch->out_of_memory = true;
            return NULL;
        }
        batch->records = records;
        batch->capacity = capacity;
    }
    return batch->records + batch->count;
}

struct spoor_ref spoor_batch_keep(struct spoor_batch *batch, const void *bytes, size_t size)
{
    if (size == 0) return (struct spoor_ref){0, 0};
    if (batch->arena_capacity - batch->arena_size < size) {
        size_t capacity = batch->arena_capacity ? batch->arena_capacity : 4096;
        while (capacity - batch->arena_size < size) capacity *= 2;
        char *arena = capacity < SPOOR_REF_ARENA ? realloc(batch->arena, capacity) : NULL;
        if (!arena) {
            batch->out_of_memory = true;
            return (struct spoor_ref){0, 0};
        }
        batch->arena = arena;
        batch->arena_capacity = capacity;
    }
    struct spoor_ref ref = {(uint32_t)batch->arena_size | SPOOR_REF_ARENA, (uint32_t)size};
    memcpy(batch->arena + batch->arena_size, bytes, size);
    /* align offsets, so that a struct in the arena can be copied in words */
    batch->arena_size += (size + 7) & ~(size_t)7;
    if (batch->arena_size > batch->arena_capacity) batch->arena_size = batch->arena_capacity;
    return ref;
}

void spoor_batch_spill(struct spoor_batch *batch, enum spoor_spill_what what, struct spoor_ref ref)
{
    void *spills = batch->spills;
    if (batch->count == 0 ||
        !room_for_one(&spills, batch->spill_count, &batch->spill_capacity, sizeof *batch->spills)) {
        batch->out_of_memory = true;
        return;
    }
    batch->spills = spills;
    uint32_t record = (uint32_t)(batch->count - 1);
    batch->spills[batch->spill_count++] = (struct spoor_spill){record, what, ref};
    batch->records[record].has |= what == SPOOR_SPILL_LINE ? SPOOR_IS_VERBATIM : SPOOR_IS_SPILLED;
}

bool spoor_batch_find_spill(const struct spoor_batch *batch, size_t index,
                            enum spoor_spill_what what, struct spoor_ref *ref)
{
    size_t low = 0, high = batch->spill_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (batch->spills[middle].record < index)
            low = middle + 1;
        else
            high = middle;
    }
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
    void *faults = batch->faults;
    if (batch->count == 0 ||
        !room_for_one(&faults, batch->fault_count, &batch->fault_capacity, sizeof *batch->faults)) {
        batch->out_of_memory = true;
        return;
    }
    batch->faults = faults;
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
