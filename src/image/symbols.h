/* SPDX-License-Identifier: MIT */
/*
 * symbols.h: the symbols of an image, from an ELF file or from text, by address and by name.
 *
 * Two sources fill the same table: symbols_read_elf() and symbols_read_text().  symbols_build()
 * then decides which symbol covers which addresses.
 */
#ifndef SPOOR_IMAGE_SYMBOLS_H
#define SPOOR_IMAGE_SYMBOLS_H

#include "image/intervals.h"
#include "model/elf.h"
#include "spoor/image.h"

enum symbol_kind {
    SYMBOL_FUNCTION, /* the source states that it is a function */
    SYMBOL_LABEL,    /* code without a type, as assemblers produce it */
    SYMBOL_DATA,
    SYMBOL_BOUNDARY, /* ends the range before it; it is not a name itself */
};

struct symbol {
    uint64_t start, size; /* size 0: the source states none; symbols_build() fills it in */
    uint64_t limit;       /* the end of the enclosing range, such as its section */
    const char *name;     /* belongs to the source and lives as long */
    uint8_t kind;         /* enum symbol_kind */
    uint8_t rank;         /* of several symbols at one address the highest wins */
};

/* The bytes from `address` on are `code`. */
struct code_mark {
    uint64_t address;
    uint8_t code; /* enum spoor_code */
};

struct symbols {
    struct symbol *items;
    size_t count, capacity;
    struct code_mark *marks;
    size_t mark_count, mark_capacity;
    bool failed; /* memory ran out */

    struct intervals functions; /* ids are indices into `items` */
    uint32_t *order;            /* functions that cover addresses, sorted by address */
    size_t order_count;
};

void symbols_read_elf(struct symbols *symbols, const struct elf *elf);
/* Reads a list.  It modifies `text`: lines become strings.  The text must live as long as the
 * symbols. */
enum spoor_status symbols_read_text(struct symbols *symbols, char *text, size_t size,
                                    struct spoor_error *error);
void symbols_build(struct symbols *symbols);
void symbols_free(struct symbols *symbols);

/* Returns the symbol that covers the address; NULL if none does. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address);
/* Returns what mapping symbols state about the bytes at an address; SPOOR_CODE_UNKNOWN: nothing. */
enum spoor_code symbols_code_at(const struct symbols *symbols, uint64_t address);

/* For the readers: the first appends a symbol; the second records a mapping symbol ("$a", "$x.12")
 * and returns false for another name. */
void symbols_add(struct symbols *symbols, const struct symbol *symbol);
bool symbols_add_mark(struct symbols *symbols, const char *name, uint64_t address);
/* Returns the rank of a symbol from its properties. */
uint8_t symbol_rank(bool function, bool sized, bool global, bool weak, const char *name);

#endif
