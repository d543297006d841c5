/* SPDX-License-Identifier: MIT */
/*
 * image_file.h: one image: an ELF file, with its debug information in a separate file if it has
 * one, or a list of symbols.  Addresses are those of the file.
 */
#ifndef SPOOR_IMAGE_IMAGE_FILE_H
#define SPOOR_IMAGE_IMAGE_FILE_H

#include "image/elf.h"
#include "image/lines.h"
#include "image/strings.h"
#include "image/symbols.h"

struct image {
    char *path;
    struct elf elf; /* bytes is NULL for a list of symbols */
    struct elf
        debug;       /* bytes is NULL if there is no separate file, or if it was not searched yet */
    char *text;      /* text of the list */
    uint64_t offset; /* address in the trace minus address in the file */
    struct symbols symbols;
    const char **names; /* demangled names of symbols, each NULL until requested */
    struct lines *lines;
    bool symbols_read, lines_sought, debug_sought;
};

enum spoor_status image_open(struct image *image, const char *path, struct spoor_error *error);
/* Opens a list of symbols in memory, whose bytes it then owns; they end in a newline. */
enum spoor_status image_open_list(struct image *image, const char *path, char *text, size_t size,
                                  struct spoor_error *error);
void image_close(struct image *image);

/* True if a segment of the file covers the address (list: if a symbol does). */
bool image_covers(struct image *image, uint64_t address);
/* Fills the fields of a place that symbols determine; the address is the file's.  False: no
 * function. */
bool image_find_function(struct image *image, struct strings *strings, uint64_t address,
                         struct spoor_place *place);
/* Returns the symbols, which it reads on the first call, and the demangled name of one. */
struct symbols *image_symbols(struct image *image);
const char *image_symbol_name(struct image *image, struct strings *strings, size_t index);
/* Returns the lines, or NULL. */
struct lines *image_lines(struct image *image, struct strings *strings);
/* True if an executable segment of the file has the address. */
bool image_executes(const struct image *image, uint64_t address);
/* Copies bytes of the file at an address; returns how many. */
size_t image_bytes(const struct image *image, uint64_t address, void *bytes, size_t size);

#endif
