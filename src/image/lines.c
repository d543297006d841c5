/* SPDX-License-Identifier: MIT */
/*
 * lines.c: the compilation units of an image with their line tables, their functions, and the
 * functions inlined into these; where spoor is built without elfutils, no line is known.
 *
 * The list of the functions of a unit is made at the first lookup in it.  The blocks of a function
 * are read at the first lookup in it.  Entries are only followed forwards, and their number is
 * limited, so a damaged file cannot cause an endless loop.
 */
#include "image/images.h"

#ifdef SPOOR_WITH_ELFUTILS

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/sorted.h"
#include "image/intervals.h"

enum { DEPTH_MAXIMUM = 256 };

/* A row of the line table. */
struct row {
    uint64_t address;
    uint32_t line;
    uint16_t column;
    bool is_statement, is_end; /* is_end: a sequence ends, and no code is here */
    const char *file;
};

/* A function inlined into another. */
struct frame {
    uint32_t parent; /* index of another frame, or INTERVAL_NONE: the function itself */
    struct spoor_inline_call inlined;
};

struct function {
    Dwarf_Die die;
    const char *name;
    bool read; /* the fields below are filled */
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct intervals blocks; /* ids are indices of frames */
};

/* A compilation unit. */
struct unit {
    Dwarf_Die die;      /* the unit's entry, with its line table */
    Dwarf_Die contents; /* the entry that contains its functions: another one with split DWARF */
    bool rows_read, functions_read, nested_read;
    struct row *rows;
    size_t row_count;
    struct function *functions;
    size_t function_count, function_capacity;
    struct intervals ranges; /* ids are indices of functions */
};

struct lines {
    struct strings *strings;
    /* Number of entries and ranges that may still be read.  A valid file has no more than it has
     * bytes; a malicious file could claim more to keep its reader busy. */
    uint64_t budget;
    Elf *elf;
    Dwarf *dwarf;
    struct unit *units;
    size_t unit_count, unit_capacity;
    struct intervals ranges; /* ids are indices of units */
};

/* ---- the line table of a unit, sorted by address ---- */

static void unit_read_rows(struct lines *lines, struct unit *unit)
{
    Dwarf_Lines *table;
    size_t count = 0;
    if (unit->rows_read) return;
    unit->rows_read = true;
    if (dwarf_getsrclines(&unit->die, &table, &count) != 0 || count == 0) return;
    unit->rows = calloc(count, sizeof *unit->rows);
    lines->strings->failed |= !unit->rows;
    for (size_t i = 0; unit->rows && i < count; i++) {
        Dwarf_Line *line = dwarf_onesrcline(table, i);
        if (!line) continue;
        struct row *row = &unit->rows[unit->row_count++];
        Dwarf_Addr address = 0;
        int number = 0, column = 0;
        dwarf_lineaddr(line, &address);
        dwarf_lineno(line, &number);
        dwarf_linecol(line, &column);
        dwarf_linebeginstatement(line, &row->is_statement);
        dwarf_lineendsequence(line, &row->is_end);
        row->address = address;
        row->line = number > 0 ? (uint32_t)number : 0;
        row->column = column > 0 && column <= UINT16_MAX ? (uint16_t)column : 0;
        row->file = dwarf_linesrc(line, NULL, NULL);
    }
}

/* Adds the ranges of an entry under `id`; false if it has none. */
static bool lines_add_ranges(struct lines *lines, Dwarf_Die *die, struct intervals *intervals,
                             uint32_t id)
{
    Dwarf_Addr base, start, end;
    ptrdiff_t at = 0;
    bool any = false;
    while (lines->budget && (at = dwarf_ranges(die, at, &base, &start, &end)) > 0) {
        lines->budget--;
        intervals_add(intervals, start, end, id);
        any |= start < end;
    }
    return any;
}

/* ---- entries, and functions inlined into others ---- */

/* Moves to the next sibling; false at the end, or if the sibling does not lie after this entry. */
static bool lines_next_sibling(struct lines *lines, Dwarf_Die *die)
{
    Dwarf_Die next;
    if (!lines->budget || dwarf_siblingof(die, &next) != 0) return false;
    lines->budget--;
    const bool forwards = dwarf_dieoffset(&next) > dwarf_dieoffset(die);
    *die = next;
    return forwards;
}

static const char *lines_string_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(die, name, &attribute)) return NULL;
    return dwarf_formstring(&attribute);
}

/* Returns the linkage name if there is one, which distinguishes overloaded functions; else the
 * name. */
static const char *lines_function_name(struct lines *lines, Dwarf_Die *die)
{
    const char *name = lines_string_attribute(die, DW_AT_linkage_name);
    if (!name) name = lines_string_attribute(die, DW_AT_MIPS_linkage_name);
    if (!name) name = lines_string_attribute(die, DW_AT_name);
    return name ? strings_demangled(lines->strings, name) : NULL;
}

static uint64_t lines_number_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(die, name, &attribute)) dwarf_formudata(&attribute, &number);
    return number;
}

static uint32_t function_add_frame(struct lines *lines, struct unit *unit,
                                   struct function *function, Dwarf_Die *die, uint32_t parent)
{
    if (!array_reserve(&function->frames, &function->frame_capacity, function->frame_count + 1)) {
        lines->strings->failed = true;
        return parent;
    }
    Dwarf_Files *files;
    size_t count = 0;
    const uint64_t file = lines_number_attribute(die, DW_AT_call_file),
                   line = lines_number_attribute(die, DW_AT_call_line);
    const bool known = dwarf_getsrcfiles(&unit->contents, &files, &count) == 0 && file < count;
    function->frames[function->frame_count] =
        (struct frame){.parent = parent,
                       .inlined = {.function = lines_function_name(lines, die),
                                   .file = known ? dwarf_filesrc(files, file, NULL, NULL) : NULL,
                                   .line = line <= UINT32_MAX ? (uint32_t)line : 0}};
    return (uint32_t)function->frame_count++;
}

static void function_read_blocks(struct lines *lines, struct unit *unit, struct function *function,
                                 Dwarf_Die *parent, uint32_t frame, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH_MAXIMUM || !lines->budget || dwarf_child(parent, &die) != 0) return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_inlined_subroutine: {
            const uint32_t inner = function_add_frame(lines, unit, function, &die, frame);
            lines_add_ranges(lines, &die, &function->blocks, inner);
            function_read_blocks(lines, unit, function, &die, inner, depth + 1);
            break;
        }
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_with_stmt:
            function_read_blocks(lines, unit, function, &die, frame, depth + 1);
            break;
        default: break;
        }
    } while (lines_next_sibling(lines, &die));
}

/* ---- the functions of a unit ---- */

/* Reads the functions in namespaces and modules, and those nested in functions, which few languages
 * have. */
static void unit_read_functions(struct lines *lines, struct unit *unit, Dwarf_Die *parent,
                                bool nested, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH_MAXIMUM || !lines->budget || dwarf_child(parent, &die) != 0) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram &&
            lines_add_ranges(lines, &die, &unit->ranges, (uint32_t)unit->function_count)) {
            if (!array_reserve(&unit->functions, &unit->function_capacity,
                               unit->function_count + 1)) {
                lines->strings->failed = true;
                lines->budget = 0;
                return;
            }
            unit->functions[unit->function_count++] = (struct function){.die = die};
        }
        if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
            (nested && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)))
            unit_read_functions(lines, unit, &die, nested, depth + 1);
    } while (lines_next_sibling(lines, &die));
}

static void unit_free_functions(struct unit *unit)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        free(unit->functions[i].frames);
        intervals_free(&unit->functions[i].blocks);
    }
    unit->function_count = 0;
    intervals_free(&unit->ranges);
}

static void unit_read_all_functions(struct lines *lines, struct unit *unit, bool nested)
{
    unit_free_functions(unit);
    unit_read_functions(lines, unit, &unit->contents, nested, 0);
    intervals_build(&unit->ranges);
    lines->strings->failed |= unit->ranges.failed;
}

/* Fills the fields inlined and subprogram. */
static void unit_find_function(struct lines *lines, struct unit *unit, uint64_t address,
                               struct spoor_place *place)
{
    if (!unit->functions_read) unit_read_all_functions(lines, unit, false);
    unit->functions_read = true;
    uint32_t id = intervals_find(&unit->ranges, address);
    if (id == INTERVAL_NONE && !unit->nested_read) {
        unit->nested_read = true;
        unit_read_all_functions(lines, unit, true);
        id = intervals_find(&unit->ranges, address);
    }
    if (id >= unit->function_count) return;
    struct function *function = &unit->functions[id];
    if (!function->read) {
        function->read = true;
        function->name = lines_function_name(lines, &function->die);
        function_read_blocks(lines, unit, function, &function->die, INTERVAL_NONE, 0);
        intervals_build(&function->blocks);
        lines->strings->failed |= function->blocks.failed;
    }
    place->subprogram = function->name;
    const uint32_t frame = intervals_find(&function->blocks, address);
    if (frame >= function->frame_count) return;
    size_t count = 0;
    for (uint32_t at = frame; at != INTERVAL_NONE; at = function->frames[at].parent) count++;
    struct spoor_inline_call *inlined = strings_allocate(lines->strings, count * sizeof *inlined);
    if (!inlined) return;
    place->inlined = inlined;
    place->inlined_count = count;
    for (uint32_t at = frame; at != INTERVAL_NONE; at = function->frames[at].parent)
        *inlined++ = function->frames[at].inlined;
}

/* ---- units ---- */

static void lines_add_unit(struct lines *lines, Dwarf_Die *die)
{
    const int tag = dwarf_tag(die);
    if (tag != DW_TAG_compile_unit && tag != DW_TAG_skeleton_unit) return;
    if (!array_reserve(&lines->units, &lines->unit_capacity, lines->unit_count + 1)) {
        lines->strings->failed = true;
        return;
    }
    struct unit *unit = &lines->units[lines->unit_count];
    *unit = (struct unit){0};
    const uint32_t id = (uint32_t)lines->unit_count++;
    uint8_t type = 0;
    Dwarf_Die split = {0};
    unit->die = unit->contents = *die;
    if (dwarf_cu_info(die->cu, NULL, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && split.addr)
        unit->contents = split;
    if (!lines_add_ranges(lines, die, &lines->ranges, id)) {
        /* Adds the ranges of a unit without ranges, as assemblers produce it, from its line table.
         */
        unit_read_rows(lines, unit);
        for (size_t i = 0; i + 1 < unit->row_count; i++)
            if (!unit->rows[i].is_end)
                intervals_add(&lines->ranges, unit->rows[i].address, unit->rows[i + 1].address, id);
    }
}

/* The libraries state no reason why an entry was not found, but a failed allocation sets errno. */
static int lines_begin_heeding(void)
{
    const int before = errno;
    errno = 0;
    return before;
}

static void lines_end_heeding(struct strings *strings, int before)
{
    strings->failed |= errno == ENOMEM;
    errno = before;
}

struct lines *lines_open(const void *bytes, size_t size, struct strings *strings)
{
    const int before = lines_begin_heeding();
    struct lines *lines = calloc(1, sizeof *lines);
    const union {
        const void *given;
        char *wanted; /* libelf only reads through this pointer */
    } image = {bytes};
    if (lines && elf_version(EV_CURRENT) != EV_NONE) {
        lines->strings = strings;
        lines->budget = 4 * (uint64_t)size;
        lines->elf = elf_memory(image.wanted, size);
    }
    if (lines && lines->elf) lines->dwarf = dwarf_begin_elf(lines->elf, DWARF_C_READ, NULL);
    if (lines && lines->dwarf) {
        Dwarf_Off offset = 0, next;
        size_t header;
        while (dwarf_nextcu(lines->dwarf, offset, &next, &header, NULL, NULL, NULL) == 0) {
            Dwarf_Die die;
            if (next <= offset) break;
            if (dwarf_offdie(lines->dwarf, offset + header, &die)) lines_add_unit(lines, &die);
            offset = next;
        }
        intervals_build(&lines->ranges);
    }
    strings->failed |= lines && lines->ranges.failed;
    const bool has_units = lines && lines->unit_count;
    if (!has_units) lines_close(lines);
    lines_end_heeding(strings, before);
    return has_units ? lines : NULL;
}

void lines_close(struct lines *lines)
{
    if (!lines) return;
    for (size_t i = 0; i < lines->unit_count; i++) {
        unit_free_functions(&lines->units[i]);
        free(lines->units[i].functions);
        free(lines->units[i].rows);
    }
    free(lines->units);
    intervals_free(&lines->ranges);
    if (lines->dwarf) dwarf_end(lines->dwarf);
    if (lines->elf) elf_end(lines->elf);
    free(lines);
}

/* ---- lookups ---- */

bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place)
{
    const uint32_t id = intervals_find(&lines->ranges, address);
    if (id >= lines->unit_count) return false;
    const int before = lines_begin_heeding();
    struct unit *unit = &lines->units[id];
    unit_read_rows(lines, unit);
    /* the last row at or before the address; of several rows at one address, the last holds */
    const size_t low = SORTED_UP_TO(unit->rows, unit->row_count, address, address);
    if (low && !unit->rows[low - 1].is_end) {
        const struct row *row = &unit->rows[low - 1];
        place->file = row->file;
        place->line = row->line;
        place->column = row->column;
        char source[4096]; /* longer than any path */
        if (row->file && row->line &&
            snprintf(source, sizeof source, "%s:%u", row->file, row->line) < (int)sizeof source)
            place->source = strings_interned(lines->strings, source);
    }
    unit_find_function(lines, unit, address, place);
    lines_end_heeding(lines->strings, before);
    return true;
}

/* ---- variables ---- */

/* Follows typedefs and arrays; multiplies the count by the elements of an array.  False: the type
 * is none that is known, such as a structure. */
static bool lines_read_type(struct lines *lines, Dwarf_Die *type, struct spoor_variable *variable)
{
    Dwarf_Attribute attribute;
    for (unsigned depth = 0; depth < DEPTH_MAXIMUM; depth++) {
        if (dwarf_peel_type(type, type) != 0) return false;
        const int tag = dwarf_tag(type);
        if (tag != DW_TAG_array_type) {
            const int size = dwarf_bytesize(type);
            const uint64_t encoding = lines_number_attribute(type, DW_AT_encoding);
            variable->size = size > 0 ? (uint32_t)size : 0;
            variable->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
            variable->is_float = encoding == DW_ATE_float;
            variable->type = dwarf_diename(type);
            return variable->size && (tag == DW_TAG_base_type || tag == DW_TAG_pointer_type ||
                                      tag == DW_TAG_enumeration_type);
        }
        Dwarf_Die range;
        if (dwarf_child(type, &range) != 0) return false;
        do {
            uint64_t elements = lines_number_attribute(&range, DW_AT_count);
            if (dwarf_tag(&range) != DW_TAG_subrange_type) continue;
            if (!elements && dwarf_hasattr(&range, DW_AT_upper_bound))
                elements = lines_number_attribute(&range, DW_AT_upper_bound) + 1;
            if (!elements || __builtin_mul_overflow(variable->count, elements, &variable->count))
                return false; /* the size is not stated */
        } while (lines_next_sibling(lines, &range));
        if (!dwarf_attr_integrate(type, DW_AT_type, &attribute) ||
            !dwarf_formref_die(&attribute, type))
            return false;
    }
    return false;
}

/* A variable of a unit at a fixed address, also within namespaces. */
static bool unit_find_variable(struct lines *lines, Dwarf_Die *parent, const char *name,
                               struct spoor_variable *variable, unsigned depth)
{
    Dwarf_Die die, type;
    if (depth == DEPTH_MAXIMUM || !lines->budget || dwarf_child(parent, &die) != 0) return false;
    do {
        const int tag = dwarf_tag(&die);
        if ((tag == DW_TAG_namespace || tag == DW_TAG_module) &&
            unit_find_variable(lines, &die, name, variable, depth + 1))
            return true;
        if (tag != DW_TAG_variable) continue;
        const char *own = lines_string_attribute(&die, DW_AT_name);
        const char *linkage = lines_string_attribute(&die, DW_AT_linkage_name);
        if (!(own && strcmp(own, name) == 0) && !(linkage && strcmp(linkage, name) == 0)) continue;
        Dwarf_Attribute attribute;
        Dwarf_Op *operations;
        size_t count;
        *variable = (struct spoor_variable){.count = 1};
        if (!dwarf_attr_integrate(&die, DW_AT_location, &attribute) ||
            dwarf_getlocation(&attribute, &operations, &count) != 0 || count != 1 ||
            operations[0].atom != DW_OP_addr)
            continue;
        variable->address = operations[0].number;
        if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) &&
            dwarf_formref_die(&attribute, &type) && lines_read_type(lines, &type, variable))
            return true;
    } while (lines_next_sibling(lines, &die));
    return false;
}

bool lines_variable(struct lines *lines, const char *name, struct spoor_variable *variable)
{
    const int before = lines_begin_heeding();
    const uint64_t budget = lines->budget;
    bool found = false;
    for (size_t i = 0; i < lines->unit_count && !found; i++)
        found = unit_find_variable(lines, &lines->units[i].contents, name, variable, 0);
    lines->budget = budget; /* each search reads no more than the file has */
    lines_end_heeding(lines->strings, before);
    return found;
}

bool lines_each(struct lines *lines, uint64_t offset, line_row_visitor *visit, void *context)
{
    for (size_t i = 0; i < lines->unit_count; i++) {
        struct unit *unit = &lines->units[i];
        const int before = lines_begin_heeding();
        unit_read_rows(lines, unit);
        lines_end_heeding(lines->strings, before);
        for (size_t at = 0; at + 1 < unit->row_count; at++) {
            const struct row *row = &unit->rows[at], *next = row + 1;
            if (row->is_end || !row->file || !row->line || next->address <= row->address) continue;
            const struct line_row line = {row->address + offset, next->address + offset, row->file,
                                          row->line, row->is_statement};
            if (!visit(context, &line)) return false;
        }
    }
    return true;
}

#else

#include <stddef.h>

struct lines *lines_open(const void *bytes, size_t size, struct strings *strings)
{
    (void)bytes, (void)size, (void)strings;
    return NULL;
}

void lines_close(struct lines *lines)
{
    (void)lines;
}

bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place)
{
    (void)lines, (void)address, (void)place;
    return false;
}

bool lines_variable(struct lines *lines, const char *name, struct spoor_variable *variable)
{
    (void)lines, (void)name, (void)variable;
    return false;
}

bool lines_each(struct lines *lines, uint64_t offset, line_row_visitor *visit, void *context)
{
    (void)lines, (void)offset, (void)visit, (void)context;
    return true;
}

#endif
