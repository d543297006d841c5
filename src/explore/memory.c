/* SPDX-License-Identifier: MIT */
/*
 * memory.c: what is in memory at a moment: the newest segments that touch its lines, backwards
 * until each byte is resolved; where nothing before the moment tells, the first access after it
 * does, if it is a read.
 *
 * Semihosting calls write, too, without an access in the trace.  The index lists the calls; what
 * each writes is in a block of memory, as the trace tells it at the call.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sorted.h"
#include "explore/internal.h"
#include "index/line_set.h"

/* ---- places ---- */

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

/* ---- semihosting calls ---- */

enum spoor_status explorer_find_hosted(struct explorer *explorer, struct spoor_error *error)
{
    const struct index *index = explorer->index;
    if (explorer->hosted || index->hosted_count == 0) return SPOOR_OK;
    explorer->hosted = calloc(index->hosted_count, sizeof *explorer->hosted);
    if (!explorer->hosted) return explorer_no_memory(explorer, error);
    for (size_t i = 0; i < index->hosted_count; i++) {
        const struct hosted_call *call = &index->hosted[i];
        uint64_t words[HOSTED_WORDS], address, size;
        for (unsigned word = 0; word < HOSTED_WORDS; word++) {
            bool known = true; /* all bytes of the word of the block, at the call */
            words[word] = 0;
            for (unsigned at = 0; at < call->word; at++) {
                struct spoor_byte byte;
                const uint64_t from = call->block + word * call->word + at;
                const struct memory_place place =
                    explorer_place(explorer, from, 1, false, 0, call->record);
                const enum spoor_status status =
                    explorer_memory(explorer, &place, call->record, &byte, error);
                if (status != SPOOR_OK) return status;
                const unsigned shift = explorer->machine.big ? call->word - 1 - at : at;
                known &= byte.known != SPOOR_BYTE_UNKNOWN;
                words[word] |= (uint64_t)byte.value << 8 * shift;
            }
            if (!known)
                words[word] = 0; /* a range of size 0, or at 0, which no program reads into */
        }
        if (hosted_range(call, words, &address, &size) && address)
            explorer->hosted[explorer->hosted_count++] =
                (struct hosted_write){call->record,
                                      {.va = address,
                                       .size = (uint32_t)size,
                                       .does = ACCESS_WRITES,
                                       .has_va = true,
                                       .sized = true}};
    }
    return SPOOR_OK;
}

bool explorer_access(const struct explorer *explorer, const struct explorer_visit *visited,
                     struct access *access)
{
    if (machine_access(&explorer->machine, visited->batch, visited->index, access)) return true;
    if (explorer->hosted_count == 0) return false;
    const size_t at =
        SORTED_BELOW(explorer->hosted, explorer->hosted_count, record, visited->record);
    if (at == explorer->hosted_count || explorer->hosted[at].record != visited->record)
        return false;
    *access = explorer->hosted[at].access;
    return true;
}

static bool memory_segment_has(const struct index *index, size_t segment,
                               const struct memory_place *place, enum index_set by_va,
                               enum index_set by_pa)
{
    return (place->has_va &&
            index_touches(index, segment, by_va, place->va, place->va + place->size - 1)) ||
           (place->has_pa &&
            index_touches(index, segment, by_pa, place->pa, place->pa + place->size - 1));
}

bool explorer_segment_writes(const struct explorer *explorer, size_t number,
                             const struct memory_place *place)
{
    const struct segment *segment = &explorer->index->segments[number];
    const uint64_t end = segment->place.record + segment->records;
    uint64_t from, to;
    if (memory_segment_has(explorer->index, number, place, SET_WRITTEN, SET_WRITTEN_PHYSICAL))
        return true;
    for (size_t i =
             SORTED_BELOW(explorer->hosted, explorer->hosted_count, record, segment->place.record);
         i < explorer->hosted_count && explorer->hosted[i].record < end; i++)
        if (place_touched(place, &explorer->hosted[i].access, &from, &to)) return true;
    return false;
}

/* ---- bytes ---- */

bool segment_reads(const struct index *index, size_t segment, const struct memory_place *place)
{
    return memory_segment_has(index, segment, place, SET_READ, SET_READ_PHYSICAL);
}

/* The values of each byte that the records of a segment state. */
struct memory_search {
    const struct explorer *explorer;
    const struct memory_place *place;
    struct stated_byte {
        struct spoor_byte byte;
        bool stated, written; /* its value, known or not; by a write */
    } * bytes;
    bool first;        /* keep what is stated first; else last */
    uint64_t from, to; /* the records between the gaps around the moment: those beyond them state
                        * nothing of it */
};

static bool memory_state(void *context, const struct explorer_visit *visited)
{
    struct memory_search *search = context;
    const struct memory_place *place = search->place;
    struct access access;
    uint64_t from, to;
    if (!explorer_access(search->explorer, visited, &access) ||
        !place_touched(place, &access, &from, &to))
        return true;
    const bool physical = place->has_pa && access.has_pa;
    const uint64_t begin = physical ? place->pa - access.pa : place->va - access.va;
    for (uint64_t at = from; at < to; at++) {
        struct stated_byte *stated = &search->bytes[at];
        uint8_t value = 0;
        const enum byte_known known =
            access_byte(visited->batch, visited->index, &access, (uint32_t)(begin + at), &value);
        if (known == BYTE_UNTOUCHED || (search->first && stated->stated)) continue;
        if (access.does & ACCESS_WRITES) {
            stated->stated = stated->written = true;
            stated->byte = (struct spoor_byte){
                .value = value,
                .known = known == BYTE_KNOWN ? SPOOR_BYTE_WRITTEN : SPOOR_BYTE_UNKNOWN,
                .has_writer = true,
                .writer = visited->record,
            };
        } else if (known == BYTE_KNOWN) {
            stated->stated = true;
            if (stated->byte.known != SPOOR_BYTE_WRITTEN || stated->byte.value != value)
                stated->byte.known = SPOOR_BYTE_READ;
            stated->byte.value = value;
        }
    }
    return true;
}

static bool memory_all_resolved(const struct spoor_byte *bytes, uint64_t size, bool values)
{
    for (uint64_t i = 0; i < size; i++)
        if (values ? bytes[i].known == SPOOR_BYTE_UNKNOWN && !bytes[i].has_writer
                   : !bytes[i].has_writer)
            return false;
    return true;
}

static enum spoor_status memory_look_back(struct explorer *explorer, struct memory_search *search,
                                          uint64_t moment, struct spoor_byte *bytes,
                                          struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const struct memory_place *place = search->place;
    for (size_t i = index_segment_of(index, moment) + 1; i-- > 0;) {
        if (index->segments[i].place.record + index->segments[i].records <= search->from) break;
        const bool values = memory_all_resolved(bytes, place->size, true);
        if (values && memory_all_resolved(bytes, place->size, false)) break;
        if (!explorer_segment_writes(explorer, i, place) &&
            (values || !segment_reads(index, i, place)))
            continue;
        memset(search->bytes, 0, place->size * sizeof *search->bytes);
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, search->from, moment, memory_state, search, error);
        if (status < SPOOR_OK) return status;
        /* older segments say what newer ones do not */
        const struct stated_byte *stated = search->bytes;
        for (uint64_t j = 0; j < place->size; j++) {
            if (bytes[j].has_writer || !stated[j].stated) continue;
            const bool known = bytes[j].known != SPOOR_BYTE_UNKNOWN;
            if (!known) {
                bytes[j].known = stated[j].byte.known;
                bytes[j].value = stated[j].byte.value;
            }
            bytes[j].has_writer = stated[j].written;
            bytes[j].writer = stated[j].byte.writer;
            if (known && stated[j].byte.known == SPOOR_BYTE_WRITTEN &&
                stated[j].byte.value == bytes[j].value)
                bytes[j].known = SPOOR_BYTE_WRITTEN;
        }
    }
    return SPOOR_OK;
}

/* A byte that is not known yet is what is read there before it is written. */
static enum spoor_status memory_look_ahead(struct explorer *explorer, struct memory_search *search,
                                           uint64_t moment, struct spoor_byte *bytes,
                                           struct spoor_error *error)
{
    const struct index *index = explorer->index;
    const struct memory_place *place = search->place;
    memset(search->bytes, 0, place->size * sizeof *search->bytes);
    search->first = true;
    for (size_t i = index_segment_of(index, moment); i < index->count; i++) {
        bool open = false;
        if (index->segments[i].place.record >= search->to) break;
        for (uint64_t at = 0; at < place->size; at++)
            open |= bytes[at].known == SPOOR_BYTE_UNKNOWN && !search->bytes[at].stated;
        if (!open) break;
        if (!explorer_segment_writes(explorer, i, place) && !segment_reads(index, i, place))
            continue;
        const enum spoor_status status =
            explorer_visit_segment(explorer, i, moment, search->to, memory_state, search, error);
        if (status < SPOOR_OK) return status;
    }
    for (uint64_t at = 0; at < place->size; at++)
        if (bytes[at].known == SPOOR_BYTE_UNKNOWN &&
            search->bytes[at].byte.known == SPOOR_BYTE_READ) {
            bytes[at].known = SPOOR_BYTE_READ;
            bytes[at].value = search->bytes[at].byte.value;
        }
    return SPOOR_OK;
}

enum spoor_status explorer_memory(struct explorer *explorer, const struct memory_place *place,
                                  uint64_t moment, struct spoor_byte *bytes,
                                  struct spoor_error *error)
{
    struct memory_search search = {.explorer = explorer, .place = place, .to = UINT64_MAX};
    memset(bytes, 0, place->size * sizeof *bytes);
    if (explorer->index->count == 0) return SPOOR_OK;
    search.bytes = calloc(place->size, sizeof *search.bytes);
    if (!search.bytes) return explorer_no_memory(explorer, error);
    enum spoor_status status = explorer_find_hosted(explorer, error);
    if (status == SPOOR_OK && explorer_has_gaps(explorer)) {
        struct call_gap gap;
        status = explorer_gap_before(explorer, GAP_OF_ANY, moment, &gap, error);
        search.from = gap.record == UINT64_MAX ? 0 : gap.record;
        if (status == SPOOR_OK) status = explorer_gap_after(explorer, moment, &search.to, error);
    }
    if (status == SPOOR_OK) status = memory_look_back(explorer, &search, moment, bytes, error);
    if (status == SPOOR_OK) status = memory_look_ahead(explorer, &search, moment, bytes, error);
    free(search.bytes);
    return status;
}
