/* SPDX-License-Identifier: MIT */
/*
 * state.c: what is in registers and memory at a moment.
 *
 * Registers: what the segments before wrote, and then the records of the segment itself.  Memory:
 * the newest segments that touch its lines, backwards until each byte is resolved; where nothing
 * before the moment tells, the first access after it does, if it is a read.
 */
#include <stdlib.h>
#include <string.h>

#include "explore/internal.h"
#include "index/lines.h"

/* ---- registers ---- */

struct filling {
    struct explorer *explorer;
    struct registers *registers;
    bool failed;
};

static void forget_register(struct filling *filling, const struct visited *visited, spoor_name name)
{
    struct cell *cell = name ? registers_cell(filling->registers, visited->cpu, name) : NULL;
    if (cell) cell_forget(cell, visited->record);
    filling->failed |= name && !cell;
}

static bool fill_registers(void *context, const struct visited *visited)
{
    struct filling *filling = context;
    struct machine *machine = &filling->explorer->machine;
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        forget_register(filling, visited, machine_uop_register(machine, uop.dest));
        if (record->op & SPOOR_UOP_WRITES_FLAGS)
            forget_register(filling, visited, machine_uop_flags(machine));
        return !filling->failed;
    }
    if (record->kind != SPOOR_REG || record->op != SPOOR_REG_WRITE) return true;
    const struct machine_register reg = machine_register(machine, record);
    if (reg.zero) return true;
    struct cell *cell = registers_cell(filling->registers, visited->cpu, reg.name);
    if (cell) cell_write(cell, visited->batch, visited->index, &reg);
    filling->failed |= !cell;
    return cell != NULL;
}

enum spoor_status explorer_registers(struct explorer *explorer, uint64_t moment,
                                     struct registers *registers, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    struct filling filling = {explorer, registers, false};
    *registers = (struct registers){0};
    if (index->count == 0) return SPOOR_OK;
    const size_t segment = index_segment_of(index, moment);
    if (!index_registers(index, segment, registers)) return explorer_no_memory(explorer, error);
    if (moment == index->segments[segment].place.record) return SPOOR_OK;
    const enum spoor_status status =
        explorer_visit_segment(explorer, segment, 0, moment, fill_registers, &filling, error);
    if (filling.failed) return explorer_no_memory(explorer, error);
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* ---- calls ---- */

struct calling {
    struct explorer *explorer;
    struct calls *calls;
    bool failed;
};

static bool follow_calls(void *context, const struct visited *visited)
{
    struct calling *calling = context;
    calling->failed = !calls_add(calling->calls, &calling->explorer->machine, visited->batch,
                                 visited->index, visited->cpu);
    return !calling->failed;
}

enum spoor_status explorer_calls(struct explorer *explorer, uint64_t moment, struct calls **calls,
                                 struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const size_t segment = index_segment_of(index, moment);
    struct calling calling = {explorer, index_calls(index, segment), false};
    if (!calling.calls) return explorer_no_memory(explorer, error);
    enum spoor_status status = SPOOR_OK;
    if (index->count && moment > index->segments[segment].place.record)
        status =
            explorer_visit_segment(explorer, segment, 0, moment, follow_calls, &calling, error);
    if (calling.failed) status = explorer_no_memory(explorer, error);
    if (status < SPOOR_OK)
        calls_free(calling.calls);
    else
        *calls = calling.calls;
    return status < SPOOR_OK ? status : SPOOR_OK;
}

/* ---- memory ---- */

struct memory_place explorer_place(struct explorer *explorer, uint64_t address, uint64_t size,
                                   bool physical, uint8_t space, uint64_t moment)
{
    const uint64_t page = UINT64_C(1) << LINES_PAGE_SHIFT, left = page - address % page;
    struct memory_place place = {.size = size < left ? size : left};
    struct index_tie tie;
    const struct index *index = explorer->index;
    if (physical) {
        place.pa = address;
        place.space = space;
        place.has_pa = true;
        return place;
    }
    place.va = address;
    place.has_va = true;
    if (index->count && index_tie(index, index_segment_of(index, moment), address / page, &tie)) {
        place.pa = tie.page * page + address % page;
        place.space = tie.space;
        place.has_pa = true;
    }
    return place;
}

bool place_touched(const struct memory_place *place, const struct access *access, uint64_t *from,
                   uint64_t *to)
{
    uint64_t at, begin;
    if (place->has_pa && access->has_pa) {
        if (place->space != access->space) return false;
        at = access->pa;
        begin = place->pa;
    } else if (place->has_va && access->has_va) {
        at = access->va;
        begin = place->va;
    } else {
        return false;
    }
    if (at >= begin) {
        if (at - begin >= place->size) return false;
        *from = at - begin;
        *to = *from + access->size;
    } else {
        if (begin - at >= access->size) return false;
        *from = 0;
        *to = access->size - (begin - at);
    }
    if (*to > place->size) *to = place->size;
    return true;
}

/* How far into the access byte `at` of the place is. */
static uint32_t offset_in(const struct memory_place *place, const struct access *access,
                          uint64_t at)
{
    const bool physical = place->has_pa && access->has_pa;
    return (uint32_t)((physical ? place->pa : place->va) + at -
                      (physical ? access->pa : access->va));
}

static bool segment_has(const struct index *index, size_t segment, const struct memory_place *place,
                        enum index_set by_va, enum index_set by_pa)
{
    return (place->has_va &&
            index_touches(index, segment, by_va, place->va, place->va + place->size - 1)) ||
           (place->has_pa &&
            index_touches(index, segment, by_pa, place->pa, place->pa + place->size - 1));
}

bool segment_writes(const struct index *index, size_t segment, const struct memory_place *place)
{
    return segment_has(index, segment, place, SET_WRITTEN, SET_WRITTEN_PHYSICAL);
}

bool segment_reads(const struct index *index, size_t segment, const struct memory_place *place)
{
    return segment_has(index, segment, place, SET_READ, SET_READ_PHYSICAL);
}

/* What the records of a segment say of each byte. */
struct telling {
    const struct explorer *explorer;
    const struct memory_place *place;
    struct told_byte {
        struct memory_byte byte;
        bool told, written; /* its value, known or not; by a write */
    } * bytes;
    bool first; /* keep what is told first; else last */
};

static void tell_byte(struct telling *telling, const struct visited *visited,
                      const struct access *access, uint64_t at)
{
    struct told_byte *told = &telling->bytes[at];
    uint8_t value = 0;
    const enum byte_known known = access_byte(visited->batch, visited->index, access,
                                              offset_in(telling->place, access, at), &value);
    if (known == BYTE_UNTOUCHED || (telling->first && told->told)) return;
    if (access->does & ACCESS_WRITES) {
        told->told = told->written = true;
        told->byte = (struct memory_byte){
            .value = value,
            .known = known == BYTE_KNOWN ? MEMORY_WRITTEN : MEMORY_UNKNOWN,
            .has_writer = true,
            .writer = visited->record,
        };
    } else if (known == BYTE_KNOWN) {
        told->told = true;
        if (told->byte.known != MEMORY_WRITTEN || told->byte.value != value)
            told->byte.known = MEMORY_READ;
        told->byte.value = value;
    }
}

static bool tell_memory(void *context, const struct visited *visited)
{
    struct telling *telling = context;
    struct access access;
    uint64_t from, to;
    if (machine_access(&telling->explorer->machine, visited->batch, visited->index, &access) &&
        place_touched(telling->place, &access, &from, &to))
        for (uint64_t at = from; at < to; at++) tell_byte(telling, visited, &access, at);
    return true;
}

static bool all_resolved(const struct memory_byte *bytes, uint64_t size, bool values)
{
    for (uint64_t i = 0; i < size; i++)
        if (values ? bytes[i].known == MEMORY_UNKNOWN && !bytes[i].has_writer
                   : !bytes[i].has_writer)
            return false;
    return true;
}

/* Older segments say what newer ones do not. */
static void resolve(struct memory_byte *bytes, const struct told_byte *told, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        if (bytes[i].has_writer || !told[i].told) continue;
        const bool known = bytes[i].known != MEMORY_UNKNOWN;
        if (!known) {
            bytes[i].known = told[i].byte.known;
            bytes[i].value = told[i].byte.value;
        }
        bytes[i].has_writer = told[i].written;
        bytes[i].writer = told[i].byte.writer;
        if (known && told[i].byte.known == MEMORY_WRITTEN && told[i].byte.value == bytes[i].value)
            bytes[i].known = MEMORY_WRITTEN;
    }
}

static enum spoor_status look_back(struct explorer *explorer, struct telling *telling,
                                   uint64_t moment, struct memory_byte *bytes,
                                   struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const struct memory_place *place = telling->place;
    for (size_t i = index_segment_of(index, moment) + 1; i-- > 0;) {
        const bool values = all_resolved(bytes, place->size, true);
        if (values && all_resolved(bytes, place->size, false)) break;
        if (!segment_writes(index, i, place) && (values || !segment_reads(index, i, place)))
            continue;
        memset(telling->bytes, 0, place->size * sizeof *telling->bytes);
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, 0, moment, tell_memory, telling, error);
        if (status < SPOOR_OK) return status;
        resolve(bytes, telling->bytes, place->size);
    }
    return SPOOR_OK;
}

/* A byte that is not known yet is what is read there before it is written. */
static enum spoor_status look_ahead(struct explorer *explorer, struct telling *telling,
                                    uint64_t moment, struct memory_byte *bytes,
                                    struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const struct memory_place *place = telling->place;
    memset(telling->bytes, 0, place->size * sizeof *telling->bytes);
    telling->first = true;
    for (size_t i = index_segment_of(index, moment); i < index->count; i++) {
        bool open = false;
        for (uint64_t at = 0; at < place->size; at++)
            open |= bytes[at].known == MEMORY_UNKNOWN && !telling->bytes[at].told;
        if (!open) break;
        if (!segment_writes(index, i, place) && !segment_reads(index, i, place)) continue;
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, moment, UINT64_MAX, tell_memory, telling, error);
        if (status < SPOOR_OK) return status;
    }
    for (uint64_t at = 0; at < place->size; at++)
        if (bytes[at].known == MEMORY_UNKNOWN && telling->bytes[at].byte.known == MEMORY_READ) {
            bytes[at].known = MEMORY_READ;
            bytes[at].value = telling->bytes[at].byte.value;
        }
    return SPOOR_OK;
}

enum spoor_status explorer_memory(struct explorer *explorer, const struct memory_place *place,
                                  uint64_t moment, struct memory_byte *bytes,
                                  struct spoor_error *error)
{
    struct telling telling = {.explorer = explorer, .place = place};
    memset(bytes, 0, place->size * sizeof *bytes);
    if (explorer->index->count == 0) return SPOOR_OK;
    telling.bytes = calloc(place->size, sizeof *telling.bytes);
    if (!telling.bytes) return explorer_no_memory(explorer, error);
    enum spoor_status status = look_back(explorer, &telling, moment, bytes, error);
    if (status == SPOOR_OK) status = look_ahead(explorer, &telling, moment, bytes, error);
    free(telling.bytes);
    return status;
}
