/* SPDX-License-Identifier: MIT */
/*
 * lines_function.c: the functions of a unit, and the functions inlined into them.
 *
 * The list of functions is made at the first lookup in the unit.  The blocks of a function are read
 * at the first lookup in it.  Entries are only followed forwards, and their number is limited, so a
 * damaged file cannot cause an endless loop.
 */
#include <stdlib.h>

#include "base/array.h"
#include "image/lines_unit.h"

enum { DEPTH_MAXIMUM = 256 };

/* ---- iterating over entries ---- */

static bool first_child(struct lines_context *context, Dwarf_Die *die, Dwarf_Die *child)
{
    return context->budget && dwarf_child(die, child) == 0;
}

/* Moves to the next sibling; false at the end, or if the sibling does not lie after this entry. */
static bool next_sibling(struct lines_context *context, Dwarf_Die *die)
{
    Dwarf_Die next;
    if (!context->budget || dwarf_siblingof(die, &next) != 0) return false;
    context->budget--;
    const bool forwards = dwarf_dieoffset(&next) > dwarf_dieoffset(die);
    *die = next;
    return forwards;
}

static const char *string_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    if (!dwarf_attr_integrate(die, name, &attribute)) return NULL;
    return dwarf_formstring(&attribute);
}

/* Returns the linkage name if there is one, which distinguishes overloaded functions; else the
 * name. */
static const char *lines_function_name_of(struct lines_context *context, Dwarf_Die *die)
{
    const char *name = string_attribute(die, DW_AT_linkage_name);
    if (!name) name = string_attribute(die, DW_AT_MIPS_linkage_name);
    if (!name) name = string_attribute(die, DW_AT_name);
    return name ? strings_demangled(context->strings, name) : NULL;
}

static uint64_t number_attribute(Dwarf_Die *die, unsigned name)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number = 0;
    if (dwarf_attr(die, name, &attribute)) dwarf_formudata(&attribute, &number);
    return number;
}

/* ---- inlined functions ---- */

static uint32_t lines_function_add_frame(struct lines_context *context, struct unit *unit,
                                         struct function *function, Dwarf_Die *die, uint32_t parent)
{
    if (!array_reserve(&function->frames, &function->frame_capacity, function->frame_count + 1)) {
        context->strings->failed = true;
        return parent;
    }
    Dwarf_Files *files;
    size_t count = 0;
    const uint64_t file = number_attribute(die, DW_AT_call_file),
                   line = number_attribute(die, DW_AT_call_line);
    const bool known = dwarf_getsrcfiles(&unit->contents, &files, &count) == 0 && file < count;
    function->frames[function->frame_count] =
        (struct frame){.parent = parent,
                       .inlined = {.function = lines_function_name_of(context, die),
                                   .file = known ? dwarf_filesrc(files, file, NULL, NULL) : NULL,
                                   .line = line <= UINT32_MAX ? (uint32_t)line : 0}};
    return (uint32_t)function->frame_count++;
}

static void read_blocks(struct lines_context *context, struct unit *unit, struct function *function,
                        Dwarf_Die *parent, uint32_t frame, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH_MAXIMUM || !first_child(context, parent, &die)) return;
    do {
        switch (dwarf_tag(&die)) {
        case DW_TAG_inlined_subroutine: {
            const uint32_t inner = lines_function_add_frame(context, unit, function, &die, frame);
            add_entry_ranges(context, &die, &function->blocks, inner);
            read_blocks(context, unit, function, &die, inner, depth + 1);
            break;
        }
        case DW_TAG_lexical_block:
        case DW_TAG_try_block:
        case DW_TAG_catch_block:
        case DW_TAG_with_stmt: read_blocks(context, unit, function, &die, frame, depth + 1); break;
        default: break;
        }
    } while (next_sibling(context, &die));
}

static void read_function(struct lines_context *context, struct unit *unit,
                          struct function *function)
{
    if (function->read) return;
    function->read = true;
    function->name = lines_function_name_of(context, &function->die);
    read_blocks(context, unit, function, &function->die, INTERVAL_NONE, 0);
    intervals_build(&function->blocks);
    context->strings->failed |= function->blocks.failed;
}

static void put_inlined(struct lines_context *context, const struct function *function,
                        uint32_t frame, struct spoor_place *place)
{
    size_t count = 0;
    for (uint32_t at = frame; at != INTERVAL_NONE; at = function->frames[at].parent) count++;
    struct spoor_inlined *inlined =
        count ? strings_allocate(context->strings, count * sizeof *inlined) : NULL;
    if (!inlined) return;
    place->inlined = inlined;
    place->inlined_count = count;
    for (uint32_t at = frame; at != INTERVAL_NONE; at = function->frames[at].parent)
        *inlined++ = function->frames[at].inlined;
}

/* ---- functions ---- */

static void add_function(struct lines_context *context, struct unit *unit, Dwarf_Die *die)
{
    if (!add_entry_ranges(context, die, &unit->ranges, (uint32_t)unit->function_count)) return;
    if (!array_reserve(&unit->functions, &unit->function_capacity, unit->function_count + 1)) {
        context->strings->failed = true;
        context->budget = 0;
        return;
    }
    unit->functions[unit->function_count++] = (struct function){.die = *die};
}

/* Reads the functions in namespaces and modules, and those nested in functions, which few languages
 * have. */
static void read_functions(struct lines_context *context, struct unit *unit, Dwarf_Die *parent,
                           bool nested, unsigned depth)
{
    Dwarf_Die die;
    if (depth == DEPTH_MAXIMUM || !first_child(context, parent, &die)) return;
    do {
        const int tag = dwarf_tag(&die);
        if (tag == DW_TAG_subprogram) add_function(context, unit, &die);
        if (tag == DW_TAG_namespace || tag == DW_TAG_module ||
            (nested && (tag == DW_TAG_subprogram || tag == DW_TAG_lexical_block)))
            read_functions(context, unit, &die, nested, depth + 1);
    } while (next_sibling(context, &die));
}

static void read_all_functions(struct lines_context *context, struct unit *unit, bool nested)
{
    for (size_t i = 0; i < unit->function_count; i++) {
        free(unit->functions[i].frames);
        intervals_free(&unit->functions[i].blocks);
    }
    unit->function_count = 0;
    intervals_free(&unit->ranges);
    read_functions(context, unit, &unit->contents, nested, 0);
    intervals_build(&unit->ranges);
    context->strings->failed |= unit->ranges.failed;
}

static uint32_t function_at(struct lines_context *context, struct unit *unit, uint64_t address)
{
    if (!unit->functions_read) read_all_functions(context, unit, false);
    unit->functions_read = true;
    const uint32_t id = intervals_find(&unit->ranges, address);
    if (id != INTERVAL_NONE || unit->nested_read) return id;
    unit->nested_read = true;
    read_all_functions(context, unit, true);
    return intervals_find(&unit->ranges, address);
}

void unit_find_function(struct lines_context *context, struct unit *unit, uint64_t address,
                        struct spoor_place *place)
{
    const uint32_t id = function_at(context, unit, address);
    if (id >= unit->function_count) return;
    struct function *function = &unit->functions[id];
    read_function(context, unit, function);
    place->subprogram = function->name;
    const uint32_t frame = intervals_find(&function->blocks, address);
    if (frame < function->frame_count) put_inlined(context, function, frame, place);
}
