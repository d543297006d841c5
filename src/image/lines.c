/* SPDX-License-Identifier: MIT */
/* lines.c: the compilation units of an image, and the lookup of the unit that covers an address. */
#include "image/lines.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "image/lines_unit.h"

struct lines {
    struct lines_context context;
    Elf *elf;
    Dwarf *dwarf;
    struct unit *units;
    size_t unit_count, unit_capacity;
    struct intervals ranges; /* ids are indices of units */
};

/* ---- units ---- */

static struct unit *new_unit(struct lines *lines)
{
    if (!array_reserve(&lines->units, &lines->unit_capacity, lines->unit_count + 1)) {
        lines->context.strings->failed = true;
        return NULL;
    }
    lines->units[lines->unit_count] = (struct unit){0};
    return &lines->units[lines->unit_count];
}

static void add_unit(struct lines *lines, Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) return;
    struct unit *unit = new_unit(lines);
    if (!unit) return;
    const uint32_t id = (uint32_t)lines->unit_count++;
    uint8_t type = 0;
    Dwarf_Die split = {0};
    unit->die = unit->contents = *die;
    if (dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        unit->contents = split;
    if (!add_entry_ranges(&lines->context, die, &lines->ranges, id)) {
        /* Adds the ranges of a unit without ranges, as assemblers produce it, from its line table.
         */
        unit_read_rows(&lines->context, unit);
        for (size_t i = 0; i + 1 < unit->row_count; i++)
            if (!unit->rows[i].is_end)
                intervals_add(&lines->ranges, unit->rows[i].address, unit->rows[i + 1].address, id);
    }
}

/* The libraries state no reason why an entry was not found, but a failed allocation sets errno. */
static int begin_heeding_memory(void)
{
    const int before = errno;
    errno = 0;
    return before;
}

static void end_heeding_memory(struct strings *strings, int before)
{
    strings->failed |= errno == ENOMEM;
    errno = before;
}

static struct lines *open_lines(const void *bytes, size_t size, struct strings *strings)
{
    struct lines *lines = calloc(1, sizeof *lines);
    if (!lines || elf_version(EV_CURRENT) == EV_NONE) {
        free(lines);
        return NULL;
    }
    const union {
        const void *given;
        char *wanted; /* libelf only reads through this pointer */
    } image = {bytes};
    lines->context.strings = strings;
    lines->context.budget = 4 * (uint64_t)size;
    lines->elf = elf_memory(image.wanted, size);
    if (lines->elf) lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    if (lines->dwarf) {
        Dwarf_Off offset = 0, next;
        size_t header;
        while (dwarf_nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
            Dwarf_Die die;
            if (next <= offset) break;
            if (dwarf_offdie(lines->dwarf, offset + header, &die)) add_unit(lines, &die);
            offset = next;
        }
        intervals_build(&lines->ranges);
    }
    strings->failed |= lines->ranges.failed;
    if (lines->unit_count) return lines;
    lines_close(lines);
    return NULL;
}

struct lines *lines_open(const void *bytes, size_t size, struct strings *strings)
{
    const int before = begin_heeding_memory();
    struct lines *lines = open_lines(bytes, size, strings);
    end_heeding_memory(strings, before);
    return lines;
}

void lines_close(struct lines *lines)
{
    if (!lines) return;
    for (size_t i = 0; i < lines->unit_count; i++) unit_free(&lines->units[i]);
    free(lines->units);
    intervals_free(&lines->ranges);
    if (lines->dwarf) dwarf_end(lines->dwarf);
    if (lines->elf) elf_end(lines->elf);
    free(lines);
}

/* ---- lookups ---- */

static bool image_lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place)
{
    const uint32_t id = intervals_find(&lines->ranges, address);
    if (id >= lines->unit_count) return false;
    struct unit *unit = &lines->units[id];
    const struct row *row = unit_row(&lines->context, unit, address);
    if (row) {
        place->file = row->file;
        place->line = row->line;
        place->column = row->column;
        if (row->file && row->line)
            place->source = strings_source(lines->context.strings, row->file, row->line);
    }
    unit_find_function(&lines->context, unit, address, place);
    return true;
}

bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place)
{
    const int before = begin_heeding_memory();
    const bool known = image_lines_resolve(lines, address, place);
    end_heeding_memory(lines->context.strings, before);
    return known;
}

bool lines_each(struct lines *lines, uint64_t offset, spoor_line_visitor *visit, void *context)
{
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct unit *unit = &lines->units[i];
        /* Reads the line table of a unit. */
        const int before = begin_heeding_memory();
        unit_read_rows(&lines->context, unit);
        end_heeding_memory(lines->context.strings, before);
        for (size_t at = 0; at + 1 < unit->row_count; at++) {
            const struct row *row = &unit->rows[at], *next = row + 1;
            if (row->is_end || !row->file || !row->line || next->address <= row->address) continue;
            const struct spoor_line line = {row->address + offset, next->address + offset,
                                            row->file, row->line, row->is_statement};
            if (!visit(context, &line)) return false;
        }
    }
    return true;
}
