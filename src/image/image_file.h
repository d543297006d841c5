/* SPDX-License-Identifier: MIT */
/*
 * image_file.h: one image: an ELF file, with the file of its debug information where that lies
 * apart, or a list of symbols.  Addresses are the file's own.
 */
#ifndef SPOOR_IMAGE_IMAGE_FILE_H
#define SPOOR_IMAGE_IMAGE_FILE_H

#include "image/elf.h"
#include "image/lines.h"
#include "image/strings.h"
#include "image/symbols.h"

struct image {
    char *path;
    struct elf elf;   /* bytes NULL: a list of symbols */
    struct elf debug; /* bytes NULL: not apart, or not sought yet */
    char *text;       /* the list */
    uint64_t offset;  /* address in the trace less address in the file */
    struct symbols symbols;
    const char **names; /* of symbols, demangled, as they are asked for; NULL: not yet */
    struct lines *lines;
    bool symbols_read, lines_sought, debug_sought;
};

enum spoor_status image_open(struct image *image, const char *path, struct spoor_error *error);
void image_close(struct image *image);

/* Whether a segment of the file covers the address (a list: whether a symbol does). */
bool image_covers(struct image *image, uint64_t address);
/* Fill all of a place that symbols say; the address is the file's.  False: no function. */
bool image_find_function(struct image *image, struct strings *strings, uint64_t address,
                         struct spoor_place *place);
/* The symbols, read where they were not; the demangled name of one. */
struct symbols *image_symbols(struct image *image);
const char *image_symbol_name(struct image *image, struct strings *strings, size_t index);
/* The lines, or NULL. */
struct lines *image_lines(struct image *image, struct strings *strings);
/* Bytes of the file at an address. */
size_t image_bytes(const struct image *image, uint64_t address, void *bytes, size_t size);
/* The name of the processor, for people. */
const char *image_machine(const struct image *image);

/* The file of the debug information of `elf`, which lies at `path`; false: there is none that
 * belongs to it. */
bool debug_file_open(struct elf *debug, const struct elf *elf, const char *path);

#endif
