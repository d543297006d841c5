/* SPDX-License-Identifier: MIT */
/* images.h: the structure of a set of images, for the files that implement it. */
#ifndef SPOOR_IMAGE_IMAGES_H
#define SPOOR_IMAGE_IMAGES_H

#include <pthread.h>

#include "base/text.h"
#include "image/strings.h"
#include "image/symbols.h"
#include "model/elf.h"
#include "spoor/image.h"

/* ---- lines.c: the information of DWARF about an address: file, line, inlined functions ----
 *
 * Compilation units are located once.  The contents of a unit are read at the first lookup in it,
 * and only those functions of it that cover looked-up addresses.  Not safe for threads: the set of
 * images holds a lock. */

struct lines;

/* Opens the lines of an ELF file in memory, which must outlive them.  NULL if it has none, or if
 * elfutils is missing.  The strings are allocated in `strings`. */
struct lines *lines_open(const void *bytes, size_t size, struct strings *strings);
void lines_close(struct lines *lines);
/* Fills file, line, column, inlined, subprogram and source of a place.  False if nothing is known.
 */
bool lines_resolve(struct lines *lines, uint64_t address, struct spoor_place *place);
/* A variable by its name; the address is the file's.  False: none of a type that is known. */
bool lines_variable(struct lines *lines, const char *name, struct spoor_variable *variable);
/* A row of the line table: the code of a line begins at the address. */
struct line_row {
    uint64_t address, end; /* the row's code ends before `end` */
    const char *file;
    uint32_t line;
    bool is_statement;
};
typedef bool line_row_visitor(void *context, const struct line_row *row);
/* Visits all rows, with `offset` added to their addresses; false if the visitor stopped. */
bool lines_each(struct lines *lines, uint64_t offset, line_row_visitor *visit, void *context);

/* ---- image_file.c: one image ----
 *
 * An ELF file, with its debug information in a separate file if it has one, or a list of symbols.
 * Addresses are those of the file. */

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

/* Opens a file or, unless it is NULL, a list of symbols in memory, whose bytes the image then owns;
 * they end in a newline.  A file of other bytes than text may be the memory of a program, which
 * names nothing. */
enum spoor_status image_open(struct image *image, const char *path, struct text *list,
                             bool may_be_memory, struct spoor_error *error);
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
/* Copies bytes of the file at an address, with `code` only of its executable segments; returns how
 * many. */
size_t image_bytes(const struct image *image, uint64_t address, bool code, void *bytes,
                   size_t size);

/* ---- source_text.c: lines of source files, by the names that DWARF has for the files ---- */

struct source_file;

struct sources {
    char **directories;
    size_t directory_count, directory_capacity;
    struct source_file *files; /* a list in order of last use, newest first */
    uint64_t bytes;            /* size of all texts */
};

bool sources_add_directory(struct sources *sources, const char *directory);
/* Returns the text of a line, counted from 1; NULL if it does not exist. */
const char *sources_line(struct sources *sources, const char *file, uint32_t line);
void sources_free(struct sources *sources);

/* ---- the set ---- */

/* A cached lookup. */
struct cached_place {
    uint64_t pc;
    enum { CACHED_NOTHING, CACHED_FUNCTION, CACHED_ALL } state;
    bool covered;
    struct spoor_place place;
};
enum { CACHE_ENTRIES = 8192 };

struct spoor_images {
    struct image *items;
    size_t count, capacity;
    struct strings strings;
    struct sources sources;
    struct cached_place *cache; /* CACHE_ENTRIES entries; NULL: no image */
    bool is_cached;             /* one of them is used */
    pthread_mutex_t lock;
};

/* Adds a file whose addresses are moved by `offset`, unless the set already contains it; or, unless
 * it is NULL, a list of symbols in memory, which is empty afterwards. */
enum spoor_status images_add(struct spoor_images *images, const char *path, uint64_t offset,
                             struct text *list, bool may_be_memory, struct spoor_error *error);
/* An image as a part of memory: its addresses in the trace. */
struct image_module {
    const char *path;
    uint64_t begin, end; /* from its lowest segment, or symbol, to the end of its highest */
};
/* The image that covers an address; false: none does. */
bool images_find_module(struct spoor_images *images, uint64_t address, struct image_module *module);
/* A number that another set has, too, if all its functions have the same addresses and sizes. */
uint64_t images_fingerprint(struct spoor_images *images);

/* Visits all rows of all line tables; stops if the visitor returns false.  Reads all DWARF. */
void images_each_line(struct spoor_images *images, line_row_visitor *visit, void *context);

#endif
