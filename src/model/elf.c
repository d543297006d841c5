/* SPDX-License-Identifier: MIT */
/*
 * elf.c: reads the tables of an ELF file field by field.
 *
 * Each field is declared once, with its offset in the 32-bit and in the 64-bit form; the other
 * functions work on both.
 */
#include "model/elf.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "model/elf_format.h"
#include "model/options.h"

/* ---- fields ---- */

struct field_place {
    uint8_t narrow, narrow_size, wide, wide_size;
};
#define PLACE(type, member)                                                     \
    {                                                                           \
        offsetof(Elf32_##type, member), sizeof(((Elf32_##type *)0)->member),    \
            offsetof(Elf64_##type, member), sizeof(((Elf64_##type *)0)->member) \
    }
#define FIELD(type, member) static const struct field_place member = PLACE(type, member)

FIELD(Ehdr, e_type);
FIELD(Ehdr, e_machine);
FIELD(Ehdr, e_flags);
FIELD(Ehdr, e_phoff);
FIELD(Ehdr, e_phnum);
FIELD(Ehdr, e_shoff);
FIELD(Ehdr, e_shnum);
FIELD(Ehdr, e_shstrndx);
FIELD(Phdr, p_type);
FIELD(Phdr, p_flags);
FIELD(Phdr, p_offset);
FIELD(Phdr, p_vaddr);
FIELD(Phdr, p_filesz);
FIELD(Phdr, p_memsz);
FIELD(Shdr, sh_name);
FIELD(Shdr, sh_type);
FIELD(Shdr, sh_flags);
FIELD(Shdr, sh_addr);
FIELD(Shdr, sh_offset);
FIELD(Shdr, sh_size);
FIELD(Shdr, sh_link);
FIELD(Sym, st_name);
FIELD(Sym, st_info);
FIELD(Sym, st_value);
FIELD(Sym, st_size);
FIELD(Sym, st_shndx);

static uint64_t elf_number(const uint8_t *bytes, size_t size, bool big_endian)
{
    uint64_t value = 0;
    if (!big_endian) {
        memcpy(&value, bytes, size);
        return value;
    }
    for (size_t i = 0; i < size; i++) value = value << 8 | bytes[i];
    return value;
}

/* Returns the value of a field in the structure at `offset`; 0 if the file is too short. */
static uint64_t elf_field(const struct elf *elf, uint64_t offset, struct field_place place)
{
    const size_t size = elf->wide ? place.wide_size : place.narrow_size;
    const size_t within = elf->wide ? place.wide : place.narrow;
    if (offset > elf->size || elf->size - offset < within + size) return 0;
    return elf_number(elf->bytes + offset + within, size, elf->big_endian);
}

#define SIZE_OF(elf, type) ((elf)->wide ? sizeof(Elf64_##type) : sizeof(Elf32_##type))

const char *elf_string(const struct elf *elf, uint64_t offset)
{
    if (offset >= elf->size || !memchr(elf->bytes + offset, '\0', elf->size - offset)) return NULL;
    return (const char *)elf->bytes + offset;
}

/* ---- the file ---- */

bool elf_open_bytes(struct elf *elf, const void *bytes, size_t size)
{
    *elf = (struct elf){.bytes = bytes, .size = size};
    if (size < sizeof(Elf32_Ehdr) || memcmp(bytes, ELFMAG, SELFMAG) != 0) return false;
    const uint8_t class = elf->bytes[EI_CLASS], data = elf->bytes[EI_DATA];
    if (class != ELFCLASS32 && class != ELFCLASS64) return false;
    if (data != ELFDATA2LSB && data != ELFDATA2MSB) return false;
    if (class == ELFCLASS64 && size < sizeof(Elf64_Ehdr)) return false;
    elf->wide = class == ELFCLASS64;
    elf->big_endian = data == ELFDATA2MSB;
    elf->machine = (uint16_t)elf_field(elf, 0, e_machine);
    elf->type = (uint16_t)elf_field(elf, 0, e_type);
    elf->flags = (uint32_t)elf_field(elf, 0, e_flags);
    return true;
}

/* Maps the file privately: libelf, to which lines.c passes the bytes, writes to the headers of
 * compressed sections. */
enum spoor_status elf_open(struct elf *elf, const char *path, struct spoor_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat status;
    *elf = (struct elf){0};
    if (file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s", path);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return spoor_error_set(error, SPOOR_EINPUT, "%s is not a program: it is not a regular file",
                               path);
    }
    const size_t size = (size_t)status.st_size;
    void *bytes = size ? mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0) : NULL;
    close(file);
    if (bytes == MAP_FAILED)
        return spoor_error_set(error, SPOOR_EINPUT, "%s cannot be mapped into memory", path);
    if (bytes && elf_open_bytes(elf, bytes, size)) return SPOOR_OK;
    if (bytes) munmap(bytes, size);
    *elf = (struct elf){0};
    return spoor_error_set(error, SPOOR_EINPUT, "%s is not an ELF file", path);
}

void elf_close(struct elf *elf)
{
    union {
        const uint8_t *bytes;
        void *memory;
    } mapped = {elf->bytes};
    if (elf->bytes) munmap(mapped.memory, elf->size);
    *elf = (struct elf){0};
}

/* ---- segments and sections ---- */

/* Finds structure `index` of a table; false if it is not completely in the file. */
static bool elf_table_entry(const struct elf *elf, uint64_t table, size_t index, size_t step,
                            uint64_t *at)
{
    if (table == 0 || table > elf->size || (elf->size - table) / step <= index) return false;
    *at = table + index * step;
    return true;
}

bool elf_segment_at(const struct elf *elf, size_t index, struct elf_segment *segment)
{
    uint64_t at;
    if (index >= elf_field(elf, 0, e_phnum)) return false;
    if (!elf_table_entry(elf, elf_field(elf, 0, e_phoff), index, SIZE_OF(elf, Phdr), &at))
        return false;
    *segment = (struct elf_segment){
        .type = (uint32_t)elf_field(elf, at, p_type),
        .flags = (uint32_t)elf_field(elf, at, p_flags),
        .offset = elf_field(elf, at, p_offset),
        .address = elf_field(elf, at, p_vaddr),
        .file_size = elf_field(elf, at, p_filesz),
        .memory_size = elf_field(elf, at, p_memsz),
    };
    return true;
}

bool elf_section_at(const struct elf *elf, size_t index, struct elf_section *section)
{
    const uint64_t table = elf_field(elf, 0, e_shoff);
    uint64_t count = elf_field(elf, 0, e_shnum), names = elf_field(elf, 0, e_shstrndx), at;
    /* files with very many sections store their number, and the index of the names, in section 0 */
    if (!count) count = elf_field(elf, table, sh_size);
    if (names == SHN_XINDEX) names = elf_field(elf, table, sh_link);
    if (index >= count || !elf_table_entry(elf, table, index, SIZE_OF(elf, Shdr), &at))
        return false;
    const char *name = NULL;
    if (elf_table_entry(elf, table, names, SIZE_OF(elf, Shdr), &names) &&
        elf_field(elf, names, sh_offset) < elf->size)
        name = elf_string(elf, elf_field(elf, names, sh_offset) + elf_field(elf, at, sh_name));
    *section = (struct elf_section){
        .name = name ? name : "",
        .type = (uint32_t)elf_field(elf, at, sh_type),
        .link = (uint32_t)elf_field(elf, at, sh_link),
        .flags = elf_field(elf, at, sh_flags),
        .address = elf_field(elf, at, sh_addr),
        .offset = elf_field(elf, at, sh_offset),
        .size = elf_field(elf, at, sh_size),
    };
    if (section->offset > elf->size) section->offset = elf->size;
    return true;
}

bool elf_section_named(const struct elf *elf, const char *name, struct elf_section *section)
{
    for (size_t i = 0; elf_section_at(elf, i, section); i++)
        if (strcmp(section->name, name) == 0) return true;
    return false;
}

/* ---- symbols ---- */

bool elf_symbol_table(const struct elf *elf, uint32_t type, struct elf_section *table)
{
    for (size_t i = 0; elf_section_at(elf, i, table); i++)
        if (table->type == type) return true;
    return false;
}

size_t elf_symbol_count(const struct elf *elf, const struct elf_section *table)
{
    const uint64_t left = elf->size - table->offset;
    return (size_t)((table->size < left ? table->size : left) / SIZE_OF(elf, Sym));
}

void elf_symbol_at(const struct elf *elf, const struct elf_section *table, size_t index,
                   struct elf_symbol *symbol)
{
    const uint64_t at = table->offset + index * SIZE_OF(elf, Sym);
    const uint8_t info = (uint8_t)elf_field(elf, at, st_info);
    uint64_t link;
    const char *name = NULL;
    if (elf_table_entry(elf, elf_field(elf, 0, e_shoff), table->link, SIZE_OF(elf, Shdr), &link))
        name = elf_string(elf, elf_field(elf, link, sh_offset) + elf_field(elf, at, st_name));
    *symbol = (struct elf_symbol){
        .name = name ? name : "",
        .value = elf_field(elf, at, st_value),
        .size = elf_field(elf, at, st_size),
        .section = (uint16_t)elf_field(elf, at, st_shndx),
        .type = ELF64_ST_TYPE(info),
        .binding = ELF64_ST_BIND(info),
    };
}

/* ---- notes ---- */

enum { NOTE_HEADER = 12 };

/* Finds the build id among notes. */
static bool elf_find_build_id(const struct elf *elf, uint64_t at, uint64_t notes, char *digits)
{
    if (at > elf->size || elf->size - at < notes) return false;
    const uint64_t end = at + notes;
    while (at + NOTE_HEADER <= end) {
        const uint64_t name = elf_number(elf->bytes + at, 4, elf->big_endian),
                       size = elf_number(elf->bytes + at + 4, 4, elf->big_endian),
                       type = elf_number(elf->bytes + at + 8, 4, elf->big_endian),
                       data = at + NOTE_HEADER + (name + 3) / 4 * 4;
        if (data > end || end - data < size) return false;
        if (type == NT_GNU_BUILD_ID && name == 4 && size <= SPOOR_BUILD_ID_DIGITS / 2 &&
            memcmp(elf->bytes + at + NOTE_HEADER, "GNU", 4) == 0) {
            for (uint64_t i = 0; i < size; i++) {
                *digits++ = "0123456789abcdef"[elf->bytes[data + i] >> 4];
                *digits++ = "0123456789abcdef"[elf->bytes[data + i] & 15];
            }
            *digits = '\0';
            return true;
        }
        at = data + (size + 3) / 4 * 4;
    }
    return false;
}

void elf_build_id(const struct elf *elf, char digits[SPOOR_BUILD_ID_DIGITS + 1])
{
    struct elf_section section;
    struct elf_segment segment;
    digits[0] = '\0';
    for (size_t i = 0; elf_section_at(elf, i, &section); i++)
        if (section.type == SHT_NOTE &&
            elf_find_build_id(elf, section.offset, section.size, digits))
            return;
    for (size_t i = 0; elf_segment_at(elf, i, &segment); i++)
        if (segment.type == PT_NOTE &&
            elf_find_build_id(elf, segment.offset, segment.file_size, digits))
            return;
}

bool spoor_image_build_id(const char *path, char digits[SPOOR_BUILD_ID_DIGITS + 1])
{
    struct elf elf;
    digits[0] = '\0';
    if (elf_open(&elf, path, NULL) != SPOOR_OK) return false;
    elf_build_id(&elf, digits);
    elf_close(&elf);
    return digits[0];
}

/* ---- what the file states of a program ---- */

enum spoor_status spoor_program_file_read(struct spoor_program_file *program, const char *path,
                                          struct spoor_error *error)
{
    struct elf elf;
    struct spoor_program_file made = {.machine = 0};
    const enum spoor_status status = elf_open(&elf, path, error);
    if (status != SPOOR_OK) {
        struct_fill(program, &made, sizeof made);
        return status;
    }
    made.machine = elf.machine;
    made.wide = elf.wide;
    made.big_endian = elf.big_endian;
    made.moves = elf.type == ET_DYN;
    made.code_start = UINT64_MAX;
    struct elf_segment segment;
    for (size_t i = 0; elf_segment_at(&elf, i, &segment); i++) {
        const char *interpreter =
            segment.type == PT_INTERP ? elf_string(&elf, segment.offset) : NULL;
        if (interpreter && snprintf(made.interpreter, sizeof made.interpreter, "%s", interpreter) >=
                               (int)sizeof made.interpreter)
            made.interpreter[0] = '\0';
        if (segment.type == PT_LOAD && (segment.flags & PF_X) && segment.file_size &&
            segment.address < made.code_start)
            made.code_start = segment.address;
    }
    elf_close(&elf);
    struct_fill(program, &made, sizeof made);
    return SPOOR_OK;
}

bool spoor_program_file_symbol(const char *path, const char *name, uint64_t *address)
{
    static const uint32_t types[] = {SHT_SYMTAB, SHT_DYNSYM};
    struct elf elf;
    if (elf_open(&elf, path, NULL) != SPOOR_OK) return false;
    bool found = false;
    for (size_t type = 0; type < sizeof types / sizeof *types && !found; type++) {
        struct elf_section table;
        const bool there = elf_symbol_table(&elf, types[type], &table);
        const size_t count = there ? elf_symbol_count(&elf, &table) : 0;
        for (size_t i = 0; i < count && !found; i++) {
            struct elf_symbol symbol;
            elf_symbol_at(&elf, &table, i, &symbol);
            found = symbol.section != SHN_UNDEF && strcmp(symbol.name, name) == 0;
            if (!found) continue;
            *address = symbol.value;
            if (elf.machine == EM_ARM) *address &= ~UINT64_C(1); /* marks a Thumb function */
        }
    }
    elf_close(&elf);
    return found;
}
