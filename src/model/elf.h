/* SPDX-License-Identifier: MIT */
/*
 * elf.h: reads the tables of an ELF file of either word size and byte order.
 *
 * The file is mapped privately: writes to the bytes stay in this process.  Every offset is checked
 * against the file's size; a field outside the file reads as 0, an entry outside is absent.
 */
#ifndef SPOOR_MODEL_ELF_H
#define SPOOR_MODEL_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"
#include "spoor/image.h"

struct elf {
    const uint8_t *bytes; /* the whole file, mapped */
    size_t size;
    bool wide, big_endian;
    uint16_t machine; /* EM_X86_64, ... */
    uint16_t type;    /* ET_EXEC, ... */
    uint32_t flags;
};

struct elf_segment {
    uint32_t type, flags;
    uint64_t offset, address, file_size, memory_size;
};

struct elf_section {
    const char *name;
    uint32_t type, link;
    uint64_t flags, address, offset, size;
};

struct elf_symbol {
    const char *name; /* never NULL */
    uint64_t value, size;
    uint16_t section;
    uint8_t type, binding;
};

/* Maps and checks a file.  SPOOR_EINPUT if it is not an ELF file; the error states what it is. */
enum spoor_status elf_open(struct elf *elf, const char *path, struct spoor_error *error);
/* As elf_open(), for bytes that the caller owns; false if they are not an ELF file. */
bool elf_open_bytes(struct elf *elf, const void *bytes, size_t size);
void elf_close(struct elf *elf);

/* Reads a segment; false after the last. */
bool elf_segment_at(const struct elf *elf, size_t index, struct elf_segment *segment);
bool elf_section_at(const struct elf *elf, size_t index, struct elf_section *section);
bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *section);

/* Finds the first symbol table of that type (SHT_SYMTAB, SHT_DYNSYM). */
bool elf_symbol_table(const struct elf *elf, uint32_t type, struct elf_section *table);
size_t elf_symbol_count(const struct elf *elf, const struct elf_section *table);
void elf_symbol_at(const struct elf *elf, const struct elf_section *table, size_t index,
                   struct elf_symbol *symbol);

/* Returns the NUL-terminated string at `offset`, or NULL. */
const char *elf_string(const struct elf *elf, uint64_t offset);

/* Writes the build id as hexadecimal digits; "" if there is none. */
void elf_build_id(const struct elf *elf, char digits[SPOOR_BUILD_ID_DIGITS + 1]);

#endif
