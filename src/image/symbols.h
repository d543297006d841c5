/* SPDX-License-Identifier: MIT */
/*
 * symbols.h: the symbols of an image, out of an ELF file or out of text, by address and by name.
 *
 * Two kinds of sources fill one table: symbols_read_elf() and symbols_read_text().  Then
 * symbols_build() decides which symbol covers which addresses.
 */
#ifndef SPOOR_IMAGE_SYMBOLS_H
#define SPOOR_IMAGE_SYMBOLS_H

#include "image/elf.h"
#include "image/intervals.h"
#include "spoor/image.h"

enum symbol_kind {
    SYMBOL_FUNCTION, /* the source says that it is one */
    SYMBOL_LABEL,    /* code without a type, as assemblers leave it */
    SYMBOL_DATA,
    SYMBOL_BOUNDARY, /* ends what lies before it; names nothing */
};

struct symbol {
    uint64_t start, size; /* size 0: the source gives none; symbols_build() fills it in */
    uint64_t limit;       /* the end of what surrounds it, such as its section */
    const char *name;     /* the source's; lives as long as that */
    uint8_t kind;         /* enum symbol_kind */
    uint8_t rank;         /* among symbols of one address the highest wins */
};

/* From `address` on the bytes are `code`. */
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

    struct intervals functions, data; /* ids are indices of `items` */
    uint32_t *order;                  /* functions that cover addresses, by address */
    size_t order_count;
};

void symbols_read_elf(struct symbols *symbols, const struct elf *elf);
/* `text` is changed: lines become strings.  It must live as long as the symbols. */
enum spoor_status symbols_read_text(struct symbols *symbols, char *text, size_t size,
                                    struct spoor_error *error);
void symbols_build(struct symbols *symbols);
void symbols_free(struct symbols *symbols);

/* NULL: none covers the address. */
const struct symbol *symbols_at(const struct symbols *symbols, uint64_t address);
const struct symbol *symbols_data_at(const struct symbols *symbols, uint64_t address);
/* What mapping symbols say of the bytes at an address; SPOOR_CODE_UNKNOWN: nothing. */
enum spoor_code symbols_code_at(const struct symbols *symbols, uint64_t address);

/* For those who read: append a symbol; note a mapping symbol ("$a", "$x.12"), false: it is none. */
void symbols_add(struct symbols *symbols, const struct symbol *symbol);
bool symbols_add_mark(struct symbols *symbols, const char *name, uint64_t address);
/* The rank of a symbol by what is known of it. */
uint8_t symbol_rank(bool function, bool sized, bool global, bool weak, const char *name);

#endif
