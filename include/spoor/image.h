/* SPDX-License-Identifier: MIT */
/*
 * image.h: the programs that a trace is of: from an address to a function, a file and a line.
 *
 *     struct spoor_images *images = spoor_images_new();
 *     if (!images || spoor_images_add(images, "prog.elf@0x4000", &error) != SPOOR_OK)
 *         die(error.text);
 *     struct spoor_place place;
 *     if (spoor_images_resolve(images, pc, &place))
 *         printf("%s+0x%" PRIx64 " %s:%u\n", place.function, place.offset, place.file, place.line);
 *     spoor_images_close(images);
 *
 * An image is an ELF file (32-bit or 64-bit, either byte order, any processor) or a list of symbols
 * as text.  Several images may be open; the first that covers an address answers for it.
 *
 * Symbols are read when an image is first asked, DWARF only when a line is first asked for, and of
 * DWARF only the compilation units that cover the addresses.  Answers are cached.
 *
 * The functions from spoor_images_resolve() on are safe to call from several threads on one set of
 * images; adding images is not.  Every string and array they give belongs to the set and lives
 * until spoor_images_close().
 */
#ifndef SPOOR_IMAGE_H
#define SPOOR_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "error.h"
#include "result.h"

struct spoor_images;

/* ---- the set of images ---- */

/* An empty set; NULL if memory runs out. */
struct spoor_images *spoor_images_new(void);
void spoor_images_close(struct spoor_images *images);

/* Add "FILE" or "FILE@OFFSET".  OFFSET, decimal or 0x hexadecimal and perhaps negative, is the
 * address in the trace less the address in the file.  SPOOR_EINPUT: the file cannot be read or is
 * neither ELF nor a list of symbols. */
enum spoor_status spoor_images_add(struct spoor_images *images, const char *image,
                                   struct spoor_error *error);

/* A part of a file that the recorded program had in memory. */
struct spoor_mapping {
    uint64_t start, end;  /* addresses in the trace, `end` after the last */
    uint64_t file_offset; /* of `start` */
    const char *build_id; /* of the file, hexadecimal digits, or "" where it has none */
    const char *path;
};
/* Add the file of a mapping, if it is still the file that was recorded: the build id says so. */
enum spoor_status spoor_images_add_mapping(struct spoor_images *images,
                                           const struct spoor_mapping *mapping,
                                           struct spoor_error *error);

/* Add all files of a load map (docs/images.md), as `spoor record` keeps it beside a trace.  A file
 * that is gone or has changed is left out; `*missing` counts such files and the error says why of
 * the first.  SPOOR_EINPUT only where the map itself cannot be read. */
enum spoor_status spoor_images_add_map(struct spoor_images *images, const char *path,
                                       size_t *missing, struct spoor_error *error);
/* The name of the load map that belongs to a trace, TRACE.spoor-map; false: it does not fit. */
bool spoor_images_map_name(const char *trace, char *name, size_t capacity);

/* Write a load map; build ids are looked up where `build_id` is NULL. */
enum spoor_status spoor_images_write_map(const char *path, const struct spoor_mapping *mappings,
                                         size_t count, struct spoor_error *error);

size_t spoor_images_count(const struct spoor_images *images);
/* The path of the n-th image, which belongs to the set, and its OFFSET; NULL after the last. */
const char *spoor_images_path(const struct spoor_images *images, size_t n, int64_t *offset);

/* What is known of an image, as a member of `into`: path, kind, machine, functions, lines ... */
void spoor_images_describe(struct spoor_images *images, size_t image, struct spoor_result *into);

/* ---- from an address to a place ---- */

/* What the bytes at an address are, where the image says so. */
enum spoor_code {
    SPOOR_CODE_UNKNOWN,
    SPOOR_CODE_A64,
    SPOOR_CODE_A32,
    SPOOR_CODE_T32,
    SPOOR_CODE_RISCV,
    SPOOR_CODE_X86,
    SPOOR_CODE_X86_64,
    SPOOR_CODE_OTHER,
    SPOOR_CODE_DATA, /* between code, such as literals (mapping symbol $d) */
};

/* A function that the compiler inlined, and where. */
struct spoor_inlined {
    const char *function;
    const char *file; /* of the call that was replaced; NULL: unknown */
    uint32_t line;    /* 0: unknown */
};

struct spoor_place {
    /* The function, from the symbol table; NULL: the address is in none (`offset` is 0 then). */
    const char *function; /* demangled */
    const char *symbol;   /* as the table has it */
    uint64_t offset;      /* of the address in the function */
    uint64_t start, size; /* of the function in the trace's addresses; a size that the table does
                             not give is that up to the next symbol */
    /* The line, from DWARF; NULL and 0: unknown. */
    const char *file;
    uint32_t line, column;
    /* Functions inlined at the address, the innermost first: file:line above is in inlined[0], the
     * call of inlined[0] in inlined[1] ..., the call of the last in `subprogram`. */
    const struct spoor_inlined *inlined;
    size_t inlined_count;
    const char *subprogram; /* the function as DWARF names it, demangled; NULL: unknown */
    const char *source;     /* "file:line", or NULL */
    const char *image;      /* path of the image */
    enum spoor_code code;
    bool big_endian; /* instructions are stored with their highest byte first */
};

/* The function alone: it never reads DWARF.  False: no image covers the address; `place` is then
 * all 0. */
bool spoor_images_function(struct spoor_images *images, uint64_t pc, struct spoor_place *place);
/* The function and the line.  For Arm, bit 0 of the address is ignored. */
bool spoor_images_resolve(struct spoor_images *images, uint64_t pc, struct spoor_place *place);

/* The same for the fields of records: option `locator` of a reader. */
struct spoor_locator spoor_images_locator(struct spoor_images *images);

/* Add `function` (with the offset) and `source` after every hexadecimal member `pc` of a result, or
 * only in its objects of the key `within`; null where they are not known. */
void spoor_images_name_result(struct spoor_images *images, struct spoor_result *result,
                              const char *within);

/* The address of a symbol, by its name in the table or demangled, or by what stands before "(" of
 * the demangled name.  `n` counts symbols of that name at different addresses, from 0, in the order
 * of images and addresses.  False: there is none. */
bool spoor_images_find(struct spoor_images *images, const char *name, size_t n, uint64_t *address);

/* Up to `size` bytes of the image at an address, as the file has them; how many were there. */
size_t spoor_images_bytes(struct spoor_images *images, uint64_t address, void *bytes, size_t size);

/* ---- all of an image, for reports on what never ran ---- */

/* The n-th function of all images, in the order of images and addresses, as a place of its first
 * address without lines; false after the last. */
bool spoor_images_nth_function(struct spoor_images *images, size_t n, struct spoor_place *place);

/* A row of the line table: the address begins the code of a line. */
struct spoor_line {
    uint64_t address, end; /* the row's code ends before `end` */
    const char *file;
    uint32_t line;
    bool is_statement;
};
/* Visit all rows of all line tables; a visitor that gives false ends it.  Reads all DWARF. */
typedef bool spoor_line_visitor(void *context, const struct spoor_line *line);
void spoor_images_each_line(struct spoor_images *images, spoor_line_visitor *visit, void *context);

/* ---- source text ---- */

/* Look for source files in `directory`, too: for FILE, directory/FILE, then with ever more leading
 * folders of FILE left out. */
enum spoor_status spoor_images_add_source(struct spoor_images *images, const char *directory,
                                          struct spoor_error *error);
/* The text of a line, without its newline; NULL where the file or the line is not there. */
const char *spoor_images_source_line(struct spoor_images *images, const char *file, uint32_t line);

#endif
