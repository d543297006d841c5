/* SPDX-License-Identifier: MIT */
/* ask.c: queries that the index answers without reading the trace. */
#include "base/sorted.h"
#include "index/internal.h"
#include "index/line_set.h"

static struct unpacker index_ask_section_of(const struct index *index,
                                            const struct section *section)
{
    const uint8_t *bytes = index->content + section->offset;
    return (struct unpacker){bytes, bytes + section->size, false};
}

const uint8_t *index_section(const struct index *index, uint32_t id, uint32_t version, size_t *size)
{
    for (size_t i = 0; i < index->extra_count; i++) {
        const struct extra *extra = &index->extras[i];
        if (extra->id != id || extra->version != version) continue;
        *size = (size_t)extra->section.size;
        return index->content + extra->section.offset;
    }
    return NULL;
}

uint64_t index_entry_cost(const struct index *index)
{
    const struct checkpoints *list = &index->checkpoints;
    return list->count ? checkpoints_longest_way(list, index->bytes) : 0;
}

size_t index_segment_of(const struct index *index, uint64_t record)
{
    const size_t before = SORTED_UP_TO(index->segments, index->count, place.record, record);
    return before ? before - 1 : 0;
}

bool index_touches(const struct index *index, size_t segment, enum index_set set, uint64_t first,
                   uint64_t last)
{
    struct unpacker from = index_ask_section_of(index, &index->segments[segment].sets);
    for (int i = 0; i <= (int)set; i++) {
        if (i == ACCESS_SETS) { /* the mappings of pages come before this set */
            for (uint64_t count = 3 * unpack(&from); count > 0 && !from.failed; count--)
                unpack(&from);
        }
        if (i < (int)set) lines_pass(&from);
    }
    return lines_have(&from, first, last);
}

bool index_each_range(const struct index *index,
                      bool (*function)(void *context, uint64_t address, uint64_t size),
                      void *context)
{
    struct line_set set = {0};
    for (size_t i = 0; i < index->count; i++) {
        struct unpacker from = index_ask_section_of(index, &index->segments[i].sets);
        for (int j = 0; j <= SET_WRITTEN; j++)
            if (j == SET_READ || j == SET_WRITTEN)
                lines_add(&from, &set);
            else
                lines_pass(&from);
    }
    const bool done = !set.failed && line_set_each(&set, function, context);
    line_set_free(&set);
    return done;
}

/* ---- registers ---- */

/* Skips the open calls; `state` is then at the registers. */
static struct unpacker index_ask_registers_of(const struct index *index, size_t segment,
                                              uint64_t *count)
{
    struct unpacker from = index_ask_section_of(index, &index->segments[segment].state);
    const uint64_t calls = unpack(&from);
    unpack_bytes(&from, (size_t)calls);
    *count = unpack(&from);
    return from;
}

bool index_registers(const struct index *index, size_t segment, struct registers *registers,
                     bool *damaged)
{
    const size_t names = spoor_names_count(index->machine.registers);
    *damaged = false;
    while (segment-- > 0) {
        uint64_t count;
        struct unpacker from = index_ask_registers_of(index, segment, &count);
        for (; count > 0 && !from.failed; count--) {
            const unsigned cpu = (unsigned)unpack(&from) % MACHINE_CPUS;
            const uint64_t name = unpack(&from);
            from.failed |= name >= names;
            if (from.failed) break;
            struct cell unused, *cell = registers_cell(registers, cpu, (spoor_name)name);
            if (!cell) return false;
            /* a later segment's value takes precedence */
            cell_unpack(cell->mark ? &unused : cell, index->segments[segment].place.record, &from);
            cell->mark = 1;
        }
        *damaged = from.failed || from.at != from.end;
        if (*damaged) return false;
    }
    return true;
}

bool index_writes(const struct index *index, size_t segment, unsigned cpu, spoor_name name)
{
    uint64_t count;
    struct cell cell;
    struct unpacker from = index_ask_registers_of(index, segment, &count);
    for (; count > 0 && !from.failed; count--) {
        const uint64_t one = unpack(&from), other = unpack(&from);
        cell_unpack(&cell, index->segments[segment].place.record, &from);
        if (one == cpu && other == name) return true;
    }
    return false;
}

/* ---- calls and pages ---- */

struct calls *index_calls(const struct index *index, size_t segment, bool *damaged)
{
    struct calls *calls = calls_new(NULL);
    *damaged = false;
    for (size_t i = segment / WHOLE_EVERY * WHOLE_EVERY; calls && i <= segment; i++) {
        if (i >= index->count) break;
        struct unpacker from = index_ask_section_of(index, &index->segments[i].state);
        const uint64_t size = unpack(&from);
        struct unpacker packed = {from.at, from.at, false};
        if (unpack_bytes(&from, (size_t)size)) packed.end = from.at;
        const bool unpacked = calls_unpack(calls, &packed);
        *damaged = packed.failed || (unpacked && packed.at != packed.end);
        if (!unpacked || *damaged) {
            calls_free(calls);
            return NULL;
        }
    }
    return calls;
}

bool index_tie(const struct index *index, size_t segment, uint64_t virtual_page,
               struct index_tie *tie)
{
    /* The segment and those before it, the last one first; then those after it. */
    for (size_t n = 0; n <= segment || n < index->count; n++) {
        const size_t at = n <= segment ? segment - n : n;
        if (at >= index->count) continue;
        struct unpacker from = index_ask_section_of(index, &index->segments[at].sets);
        for (int i = 0; i < ACCESS_SETS; i++) lines_pass(&from);
        for (uint64_t count = unpack(&from); count > 0 && !from.failed; count--) {
            const uint64_t one = unpack(&from), other = unpack(&from), space = unpack(&from);
            if (one != virtual_page) continue;
            *tie = (struct index_tie){other, (uint8_t)space};
            return true;
        }
    }
    return false;
}
