/* SPDX-License-Identifier: MIT */
/*
 * elf_format.h: the tables and numbers of ELF files that spoor reads, which not every system has a
 * header for.
 *
 * Names and layouts are those of the System V ABI (gABI 4.1, chapters 4 and 5) and its registry of
 * machines.
 */
#ifndef SPOOR_MODEL_ELF_FORMAT_H
#define SPOOR_MODEL_ELF_FORMAT_H

#include <stdint.h>

/* ---- the file's header ---- */

#define ELFMAG "\177ELF"
enum { SELFMAG = 4, EI_CLASS = 4, EI_DATA = 5, EI_NIDENT = 16 };
enum { ELFCLASS32 = 1, ELFCLASS64 = 2 };
enum { ELFDATA2LSB = 1, ELFDATA2MSB = 2 };
enum { ET_REL = 1, ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4 };
enum {
    EM_NONE = 0,
    EM_386 = 3,
    EM_MIPS = 8,
    EM_PPC = 20,
    EM_PPC64 = 21,
    EM_ARM = 40,
    EM_X86_64 = 62,
    EM_AARCH64 = 183,
    EM_RISCV = 243,
    EM_LOONGARCH = 258,
};
#define EF_ARM_BE8 UINT32_C(0x00800000) /* ELF for the Arm Architecture, 5.2 */

typedef struct {
    uint8_t e_ident[EI_NIDENT];
    uint16_t e_type, e_machine;
    uint32_t e_version, e_entry, e_phoff, e_shoff, e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf32_Ehdr;
typedef struct {
    uint8_t e_ident[EI_NIDENT];
    uint16_t e_type, e_machine;
    uint32_t e_version;
    uint64_t e_entry, e_phoff, e_shoff;
    uint32_t e_flags;
    uint16_t e_ehsize, e_phentsize, e_phnum, e_shentsize, e_shnum, e_shstrndx;
} Elf64_Ehdr;

/* ---- segments ---- */

enum { PT_LOAD = 1, PT_INTERP = 3, PT_NOTE = 4 };
enum { PF_X = 1 };
enum { NT_GNU_BUILD_ID = 3 };

typedef struct {
    uint32_t p_type, p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_flags, p_align;
} Elf32_Phdr;
typedef struct {
    uint32_t p_type, p_flags;
    uint64_t p_offset, p_vaddr, p_paddr, p_filesz, p_memsz, p_align;
} Elf64_Phdr;

/* ---- sections ---- */

enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00, SHN_XINDEX = 0xffff };
enum { SHT_SYMTAB = 2, SHT_NOTE = 7, SHT_DYNSYM = 11 };
enum { SHF_ALLOC = 2, SHF_EXECINSTR = 4 };

typedef struct {
    uint32_t sh_name, sh_type, sh_flags, sh_addr, sh_offset, sh_size, sh_link, sh_info,
        sh_addralign, sh_entsize;
} Elf32_Shdr;
typedef struct {
    uint32_t sh_name, sh_type;
    uint64_t sh_flags, sh_addr, sh_offset, sh_size;
    uint32_t sh_link, sh_info;
    uint64_t sh_addralign, sh_entsize;
} Elf64_Shdr;

/* ---- symbols ---- */

enum { STB_GLOBAL = 1, STB_WEAK = 2 };
enum {
    STT_NOTYPE = 0,
    STT_OBJECT = 1,
    STT_FUNC = 2,
    STT_SECTION = 3,
    STT_FILE = 4,
    STT_COMMON = 5,
    STT_TLS = 6,
    STT_GNU_IFUNC = 10,
};
#define ELF64_ST_BIND(info) ((info) >> 4)
#define ELF64_ST_TYPE(info) ((info)&0xf)

typedef struct {
    uint32_t st_name, st_value, st_size;
    uint8_t st_info, st_other;
    uint16_t st_shndx;
} Elf32_Sym;
typedef struct {
    uint32_t st_name;
    uint8_t st_info, st_other;
    uint16_t st_shndx;
    uint64_t st_value, st_size;
} Elf64_Sym;

#endif
