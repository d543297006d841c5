/* SPDX-License-Identifier: MIT */
/*
 * lines_unit.h: a compilation unit of DWARF: its line table (lines_unit.c) and its functions
 * (lines_function.c).
 */
#ifndef SPOOR_IMAGE_LINES_UNIT_H
#define SPOOR_IMAGE_LINES_UNIT_H

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <libelf.h>
#include <stdbool.h>

#include "image/intervals.h"
#include "image/strings.h"
#include "spoor/image.h"

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
    struct spoor_inlined inlined;
};

struct function {
    Dwarf_Die die;
    const char *name;
    bool read; /* the fields below are filled */
    struct frame *frames;
    size_t frame_count, frame_capacity;
    struct intervals blocks; /* ids are indices of frames */
};

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

/* State that all units share. */
struct lines_context {
    struct strings *strings;
    /* Number of entries and ranges that may still be read.  A valid file has no more than it has
     * bytes; a malicious file could claim more to keep its reader busy. */
    uint64_t budget;
};

/* Returns the row that an address belongs to, or NULL. */
const struct row *unit_row(struct lines_context *context, struct unit *unit, uint64_t address);
void unit_read_rows(struct lines_context *context, struct unit *unit);
/* Fills the fields inlined and subprogram. */
void unit_find_function(struct lines_context *context, struct unit *unit, uint64_t address,
                        struct spoor_place *place);
/* Adds the ranges of an entry under `id`; false if it has none. */
bool add_entry_ranges(struct lines_context *context, Dwarf_Die *die, struct intervals *intervals,
                      uint32_t id);
void unit_free(struct unit *unit);

#endif
