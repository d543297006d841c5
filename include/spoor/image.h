/* SPDX-License-Identifier: MIT */
/*
 * image.h: finds the function, the file and the line of an address, in the programs that a trace
 * recorded.
 *
 *     struct spoor_images *images;
 *     if (spoor_images_new(&images, &error) != SPOOR_OK ||
 *         spoor_images_add(images, "prog.elf@0x4000", &error) != SPOOR_OK)
 *         die(error.text);
 *     struct spoor_place place = {.struct_size = sizeof place};
 *     if (spoor_images_resolve(images, pc, &place))
 *         printf("%s+0x%" PRIx64 " %s:%u\n", place.function, place.offset, place.file, place.line);
 *     spoor_images_close(images);
 *
 * An image is an ELF file (32-bit or 64-bit, either byte order, any processor) or a list of symbols
 * as text.  A set may contain several images; the first that covers an address is used.
 *
 * Symbols are read at the first lookup in an image, DWARF only at the first lookup of a line, and
 * of DWARF only the compilation units that cover the addresses.  Results are cached.
 *
 * The functions from spoor_images_resolve() on may be called from several threads on one set of
 * images; adding images may not.  Every returned string and array belongs to the set and lives
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

#ifdef __cplusplus
extern "C" {
#endif

struct spoor_images;
struct spoor_reader_options;

/* ---- the set of images ---- */

/* An empty set.  On SPOOR_OK the caller owns *images; else it is NULL. */
enum spoor_status spoor_images_new(struct spoor_images **images, struct spoor_error *error);
/* True if memory ran out while the images were read: then some names and lines are missing. */
bool spoor_images_out_of_memory(const struct spoor_images *images);
void spoor_images_close(struct spoor_images *images);

/* Adds "FILE" or "FILE@OFFSET".  OFFSET, a decimal or 0x hexadecimal number that may be negative,
 * is the address in the trace minus the address in the file.  A file at an OFFSET
 * that is neither ELF nor text is memory: option `images` of a reader takes code from it, and it
 * names nothing.  SPOOR_EINPUT: the file cannot be read, or is neither ELF nor a list of symbols.
 */
enum spoor_status spoor_images_add(struct spoor_images *images, const char *image,
                                   struct spoor_error *error);

/* A part of a file that the recorded program had in memory. */
struct spoor_mapping {
    uint64_t start, end;  /* addresses in the trace; `end` is the address after the last */
    uint64_t file_offset; /* offset of `start` in the file */
    const char *build_id; /* build id of the file as hexadecimal digits; "" if it has none */
    const char *path;
};
/* Adds all files of a load map (docs/images.md), which `spoor record` writes beside a trace.  A
 * file that is gone or has changed is skipped; `*missing` counts such files, and the error states
 * the reason for the first.  SPOOR_EINPUT only if the map itself cannot be read. */
enum spoor_status spoor_images_add_map(struct spoor_images *images, const char *path,
                                       size_t *missing, struct spoor_error *error);
/* The same for the lines "map=..." in the description of a .spoor file
 * (spoor_reader_description()); SPOOR_OK, too, if it has none. */
enum spoor_status spoor_images_add_description(struct spoor_images *images, const char *description,
                                               const char *trace, size_t *missing,
                                               struct spoor_error *error);
/* Adds the files that a perf.data states were in memory as code, as far as all its processes agree
 * about an address.  They are looked for as for the decoding of the trace
 * (docs/formats/perf-data.md): among `own`, which is option `images` of a reader, by path, and in
 * the cache of build ids.
 * `*missing` counts those that are not there, and the error states the first.  SPOOR_OK, too, if
 * the trace is no perf.data in a plain file. */
enum spoor_status spoor_images_add_recording(struct spoor_images *images, const char *trace,
                                             const char *const *own, size_t *missing,
                                             struct spoor_error *error);
/* True if records of the format may name functions. */
bool spoor_format_names_functions(const struct spoor_format *format);
/* Adds the functions that the records of a trace name, as perf script, gem5 and QEMU do, as a list
 * of symbols.  A function reaches from its first address, by the offsets that are stated, to the
 * last address that was seen in it.  Reads the whole trace.  The set stays as it is if the format
 * has no such records, and if the trace cannot be opened. */
enum spoor_status spoor_images_add_trace(struct spoor_images *images, const char *trace,
                                         const struct spoor_reader_options *options,
                                         struct spoor_error *error);
/* Writes the name of a trace's load map, TRACE.spoor-map; false if it exceeds the capacity. */
bool spoor_images_map_name(const char *trace, char *name, size_t capacity);

/* Writes a load map; looks up the build id where `build_id` is NULL. */
enum spoor_status spoor_images_write_map(const char *path, const struct spoor_mapping *mappings,
                                         size_t count, struct spoor_error *error);

/* Writes the line "map=..." of a mapping, with its newline and NUL-terminated, which
 * spoor_writer_describe() stores in a .spoor file and spoor_images_add_description() reads; looks
 * up the build id where `build_id` is NULL.  False: the line exceeds the capacity, or the path has
 * a line end; memory ran out. */
bool spoor_images_mapping_line(const struct spoor_mapping *mapping, char *line, size_t capacity);

/* SPOOR_EOUTPUT: the file at `path` is no load map, so none may replace it.  SPOOR_OK: it is one,
 * or there is no file. */
enum spoor_status spoor_images_check_map(const char *path, struct spoor_error *error);

/* Writes the build id of an ELF file as hexadecimal digits, NUL-terminated.  False: it has none, or
 * is no ELF file that can be read; `digits` is empty then. */
enum { SPOOR_BUILD_ID_DIGITS = 128 };
bool spoor_image_build_id(const char *path, char digits[SPOOR_BUILD_ID_DIGITS + 1]);

/* What an ELF file states of a program. */
enum { SPOOR_INTERPRETER_SIZE = 1024 };
struct spoor_program_file {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint16_t machine;   /* e_machine of the System V ABI: 62 is x86-64, 183 AArch64 ... */
    bool wide;          /* 64-bit */
    bool big_endian;
    bool moves;          /* position-independent: loaded anywhere */
    uint64_t code_start; /* lowest address of executable bytes, in the file's own terms; UINT64_MAX:
                          * it has none */
    char interpreter[SPOOR_INTERPRETER_SIZE]; /* path of the dynamic linker; "": a static program,
                                               * or one with a longer path */
};
/* Reads the header and the segments of an ELF file.  SPOOR_EINPUT: it is none; the error states
 * what it is. */
enum spoor_status spoor_program_file_read(struct spoor_program_file *program, const char *path,
                                          struct spoor_error *error);
/* Finds the address of a symbol of an ELF file, by its exact name, as the file states it.  False:
 * none has the name, or the file cannot be read. */
bool spoor_program_file_symbol(const char *path, const char *name, uint64_t *address);

size_t spoor_images_count(const struct spoor_images *images);
/* The path of the n-th image, which belongs to the set, and its OFFSET; NULL after the last. */
const char *spoor_images_path(const struct spoor_images *images, size_t n, int64_t *offset);

/* ---- from an address to a place ---- */

/* The kind of bytes at an address, if the image states it. */
enum spoor_code {
    SPOOR_CODE_UNKNOWN,
    SPOOR_CODE_A64,
    SPOOR_CODE_A32,
    SPOOR_CODE_T32,
    SPOOR_CODE_RISCV,
    SPOOR_CODE_X86,
    SPOOR_CODE_X86_64,
    SPOOR_CODE_OTHER,
    SPOOR_CODE_DATA, /* data between code, such as literals (mapping symbol $d) */
    SPOOR_CODE_MIPS,
    SPOOR_CODE_LOONGARCH,
};

/* An inlined function, and its position. */
struct spoor_inline_call {
    const char *function;
    const char *file; /* position of the inlined call; NULL: unknown */
    uint32_t line;    /* 0: unknown */
};

struct spoor_place {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    /* The function, from the symbol table; NULL if the address is in none (`offset` is 0 then). */
    const char *function; /* demangled */
    const char *symbol;   /* the name in the table */
    uint64_t offset;      /* offset of the address in the function */
    uint64_t start, size; /* of the function in the trace's addresses; if the table states no size,
                           * it extends to the next symbol */
    /* The line, from DWARF; NULL and 0: unknown. */
    const char *file;
    uint32_t line, column;
    /* Functions inlined at the address, the innermost first.  file:line above is in inlined[0], the
     * call of inlined[0] is in inlined[1], and so on; the call of the last is in `subprogram`. */
    const struct spoor_inline_call *inlined;
    size_t inlined_count;
    const char *subprogram; /* the function as DWARF names it, demangled; NULL: unknown */
    const char *source;     /* "file:line", or NULL */
    const char *image;      /* path of the image */
    enum spoor_code code;
    bool big_endian; /* instructions are stored with the highest byte first */
};

/* Finds only the function; it never reads DWARF.  False if no image covers the address; `place` is
 * then all 0. */
bool spoor_images_function(struct spoor_images *images, uint64_t pc, struct spoor_place *place);
/* Finds the function and the line.  For Arm, bit 0 of the address is ignored. */
bool spoor_images_resolve(struct spoor_images *images, uint64_t pc, struct spoor_place *place);

/* Returns a locator for the fields of records: option `locator` of a reader. */
struct spoor_locator spoor_images_locator(struct spoor_images *images);

/* Adds `function`, `offset` (of the pc in it) and `source` after every hexadecimal member `pc` of a
 * result, or only in its objects with the key `within`; null where they are unknown. */
void spoor_images_name_result(struct spoor_images *images, struct spoor_result *result,
                              const char *within);

/* Finds the address of a symbol by its name in the table, by its demangled name, or by the part of
 * the demangled name before "(".  `n` selects among symbols of that name at different addresses,
 * from 0, in the order of images and addresses.  False if there is none. */
bool spoor_images_find(struct spoor_images *images, const char *name, size_t n, uint64_t *address);

/* A variable of the program that lies at a fixed address, or an array of such values (of several
 * dimensions: all elements in the order of memory). */
struct spoor_variable {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint64_t address;
    uint64_t count;           /* elements; 1: it is no array */
    uint32_t size;            /* bytes of an element */
    bool is_signed, is_float; /* of an element; else a number without a sign, or an address */
    const char *type;         /* of an element, as long as the set; NULL: it has no name */
};
/* Finds a variable by its name (C++: without namespaces, or the linkage name) in the images'
 * DWARF, outside functions.  False: there is none, or it is no number, such as a structure. */
bool spoor_images_variable(struct spoor_images *images, const char *name,
                           struct spoor_variable *variable);

/* Copies up to `size` bytes of the image at an address, as the file stores them; returns how many
 * it copied. */
size_t spoor_images_bytes(struct spoor_images *images, uint64_t address, void *bytes, size_t size);

/* Returns the code of the images, for option `program` of a reader: of x86-64, A64, A32, T32 and
 * RISC-V.  The set must live as long as the reader.  Its `find` is NULL if no image has code. */
struct spoor_program spoor_images_program(struct spoor_images *images);

/* ---- iterating over an image, for reports on code that never ran ---- */

/* Finds the n-th function of all images, in the order of images and addresses: the place of its
 * first address, without lines.  False after the last. */
bool spoor_images_nth_function(struct spoor_images *images, size_t n, struct spoor_place *place);

/* ---- source text ---- */

/* Also searches source files in `directory`: for FILE, first directory/FILE, then with the leading
 * folders of FILE removed one by one. */
enum spoor_status spoor_images_add_source(struct spoor_images *images, const char *directory,
                                          struct spoor_error *error);
/* Returns the text of a line without its newline; NULL if the file or the line does not exist. */
const char *spoor_images_source_line(struct spoor_images *images, const char *file, uint32_t line);

/* ---- code ---- */

/* An instruction to be disassembled. */
struct spoor_code_bytes {
    uint64_t pc;
    const uint8_t *bytes; /* as they lie in memory */
    size_t size;          /* those that are known; an instruction may be shorter */
    enum spoor_code code;
};
/* Writes the text of the instruction, NUL-terminated; gives its size in bytes, 0 where it cannot.
 */
typedef size_t spoor_disassemble(void *context, const struct spoor_code_bytes *code, char *text,
                                 size_t capacity);

/* Decodes an instruction that lies in memory with its lowest byte first, as the images' program
 * does: its size, where it branches to, and its text where the library knows it: all of it for
 * RISC-V, of other instruction sets the mnemonic alone.  False: the bytes are no instruction, or
 * the code is none of A64, A32, T32, RISC-V and x86-64. */
bool spoor_code_decode(const struct spoor_code_bytes *code, struct spoor_program_insn *insn);

#ifdef __cplusplus
}
#endif

#endif
