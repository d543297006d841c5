/* SPDX-License-Identifier: MIT */
/*
 * lines_unit.h: a compilation unit of DWARF: its line table (lines_unit.c) and its functions
 * (lines_function.c).
 */
#ifndef SPOOR_IMAGE_LINES_UNIT_H
#define SPOOR_IMAGE_LINES_UNIT_H

#include "image/elfutils.h"
#include "image/intervals.h"
#include "image/strings.h"
#include "spoor/image.h"

/* A row of the line table. */
struct row {
    uint64_t address;
    uint32_t line;
    uint16_t column;
    bool is_statement, is_end; /* the end of a sequence: no code here */
    const char *file;
};

/* What is inlined into a function. */
struct frame {
    uint32_t parent; /* another frame, or INTERVAL_NONE: the function itself */
    struct spoor_inlined inlined;
};

struct function {
    Dwarf_Die die;
    const char *name;
    bool read; /* what follows is there */
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct intervals blocks; /* ids are frames */
};

struct unit {
    Dwarf_Die die;      /* of the unit, with its line table */
    Dwarf_Die contents; /* of what has its functions: another with split DWARF */
    bool rows_read, functions_read, nested_read;
    struct row *rows;
    size_t row_count;
    struct function *functions;
    size_t function_count, function_capacity;
    struct intervals ranges; /* ids are functions */
};

/* What all units share. */
struct lines_context {
    struct elfutils elfutils;
    struct strings *strings;
    /* Entries and ranges that may still be read: a file has no more than bytes, unless it was made
     * to keep its reader busy. */
    uint64_t budget;
};

/* The row that an address belongs to, or NULL. */
const struct row *unit_row(struct lines_context *context, struct unit *unit, uint64_t address);
void unit_read_rows(struct lines_context *context, struct unit *unit);
/* Fill inlined and subprogram. */
void unit_find_function(struct lines_context *context, struct unit *unit, uint64_t address,
                        struct spoor_place *place);
/* Add the ranges of an entry under `id`; false: it has none. */
bool add_entry_ranges(struct lines_context *context, Dwarf_Die *die, struct intervals *intervals,
                      uint32_t id);
void unit_free(struct unit *unit);

#endif
