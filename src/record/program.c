/* SPDX-License-Identifier: MIT */
/* record/program.c: the few fields of an ELF file that recording needs, of either word size, with
 * every offset checked against the file's size. */
#include "record/program.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* A field that lies elsewhere in 32-bit and 64-bit files: its offset and size in each. */
struct place {
    uint8_t narrow, narrow_size, wide, wide_size;
};
#define PLACE(type, field)                                                    \
    {                                                                         \
        offsetof(Elf32_##type, field), sizeof(((Elf32_##type *)0)->field),    \
            offsetof(Elf64_##type, field), sizeof(((Elf64_##type *)0)->field) \
    }

static const struct place e_phoff = PLACE(Ehdr, e_phoff), e_phnum = PLACE(Ehdr, e_phnum),
                          e_shoff = PLACE(Ehdr, e_shoff), e_shnum = PLACE(Ehdr, e_shnum),
                          e_type = PLACE(Ehdr, e_type), e_machine = PLACE(Ehdr, e_machine),
                          p_type = PLACE(Phdr, p_type), p_flags = PLACE(Phdr, p_flags),
                          p_offset = PLACE(Phdr, p_offset), p_vaddr = PLACE(Phdr, p_vaddr),
                          p_filesz = PLACE(Phdr, p_filesz), sh_type = PLACE(Shdr, sh_type),
                          sh_offset = PLACE(Shdr, sh_offset), sh_size = PLACE(Shdr, sh_size),
                          sh_link = PLACE(Shdr, sh_link), st_name = PLACE(Sym, st_name),
                          st_value = PLACE(Sym, st_value), st_shndx = PLACE(Sym, st_shndx);

/* The field's value in the structure at `offset`; 0 where the file is too short. */
static uint64_t field(const struct elf *elf, uint64_t offset, struct place place)
{
    const size_t size = elf->wide ? place.wide_size : place.narrow_size;
    const size_t within = elf->wide ? place.wide : place.narrow;
    if (offset > elf->size || elf->size - offset < within + size) return 0;
    uint64_t value = 0;
    memcpy(&value, elf->bytes + offset + within, size);
    return value;
}

static size_t size_of(const struct elf *elf, size_t narrow, size_t wide)
{
    return elf->wide ? wide : narrow;
}

/* A NUL-terminated string at `offset`, or NULL. */
static const char *string_at(const struct elf *elf, uint64_t offset)
{
    if (offset >= elf->size || !memchr(elf->bytes + offset, '\0', elf->size - offset)) return NULL;
    return (const char *)elf->bytes + offset;
}

static void read_segments(struct elf *elf)
{
    const uint64_t table = field(elf, 0, e_phoff), count = field(elf, 0, e_phnum);
    const size_t step = size_of(elf, sizeof(Elf32_Phdr), sizeof(Elf64_Phdr));
    elf->code_start = UINT64_MAX;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t segment = table + i * step;
        const uint64_t address = field(elf, segment, p_vaddr);
        switch (field(elf, segment, p_type)) {
        case PT_INTERP: elf->interpreter = string_at(elf, field(elf, segment, p_offset)); break;
        case PT_LOAD:
            if ((field(elf, segment, p_flags) & PF_X) && field(elf, segment, p_filesz) &&
                address < elf->code_start)
                elf->code_start = address;
            break;
        default: break;
        }
    }
}

static enum spoor_status map_file(struct elf *elf, const char *path, struct spoor_error *error)
{
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    struct stat status;
    if (file < 0) return spoor_error_system(error, SPOOR_EINPUT, "%s", path);
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return spoor_error_set(error, SPOOR_EINPUT, "%s is no program: not a regular file", path);
    }
    elf->size = (size_t)status.st_size;
    void *bytes = elf->size ? mmap(NULL, elf->size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED)
        return spoor_error_set(error, SPOOR_EINPUT, "%s is no program: it cannot be mapped", path);
    elf->bytes = bytes;
    return SPOOR_OK;
}

enum spoor_status elf_open(struct elf *elf, const char *path, struct spoor_error *error)
{
    *elf = (struct elf){0};
    const enum spoor_status status = map_file(elf, path, error);
    if (status != SPOOR_OK) return status;
    if (elf->size > 2 && memcmp(elf->bytes, "#!", 2) == 0) {
        elf_close(elf);
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s is a script: name its interpreter as the program to record",
                               path);
    }
    if (elf->size < sizeof(Elf32_Ehdr) || memcmp(elf->bytes, ELFMAG, SELFMAG) != 0 ||
        elf->bytes[EI_DATA] != ELFDATA2LSB) {
        elf_close(elf);
        return spoor_error_set(error, SPOOR_EINPUT, "%s is not a little-endian ELF program", path);
    }
    elf->wide = elf->bytes[EI_CLASS] == ELFCLASS64;
    elf->machine = (uint16_t)field(elf, 0, e_machine);
    elf->moves = field(elf, 0, e_type) == ET_DYN;
    read_segments(elf);
    return SPOOR_OK;
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

/* Look in one symbol table, whose section header is at `section`. */
static bool find_in_table(const struct elf *elf, uint64_t section, const char *name,
                          uint64_t *address)
{
    const uint64_t sections = field(elf, 0, e_shoff);
    const uint64_t link = field(elf, section, sh_link);
    const uint64_t strings = field(
        elf, sections + link * size_of(elf, sizeof(Elf32_Shdr), sizeof(Elf64_Shdr)), sh_offset);
    const size_t step = size_of(elf, sizeof(Elf32_Sym), sizeof(Elf64_Sym));
    const uint64_t begin = field(elf, section, sh_offset), size = field(elf, section, sh_size);
    for (uint64_t at = 0; at + step <= size && begin + at < elf->size; at += step) {
        const uint64_t symbol = begin + at;
        if (field(elf, symbol, st_shndx) == SHN_UNDEF) continue;
        const char *found = string_at(elf, strings + field(elf, symbol, st_name));
        if (!found || strcmp(found, name) != 0) continue;
        *address = field(elf, symbol, st_value);
        if (elf->machine == EM_ARM) *address &= ~UINT64_C(1); /* the bit that says Thumb */
        return true;
    }
    return false;
}

bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *address)
{
    const uint64_t table = field(elf, 0, e_shoff), count = field(elf, 0, e_shnum);
    const size_t step = size_of(elf, sizeof(Elf32_Shdr), sizeof(Elf64_Shdr));
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t section = table + i * step, type = field(elf, section, sh_type);
        if ((type == SHT_SYMTAB || type == SHT_DYNSYM) &&
            find_in_table(elf, section, name, address))
            return true;
    }
    return false;
}
