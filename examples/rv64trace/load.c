/* SPDX-License-Identifier: MIT */
/*
 * load.c: load static RISC-V ELF programs into the machine's memory.
 */
#include "machine.h"

#include <elf.h>
#include <string.h>

static bool read_at(FILE *file, uint64_t offset, void *bytes, size_t size)
{
    return offset <= INT32_MAX && fseek(file, (long)offset, SEEK_SET) == 0 &&
           fread(bytes, 1, size, file) == size;
}

static bool is_program(const Elf64_Ehdr *header)
{
    return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
           header->e_ident[EI_CLASS] == ELFCLASS64 && header->e_ident[EI_DATA] == ELFDATA2LSB &&
           header->e_machine == EM_RISCV && header->e_type == ET_EXEC &&
           header->e_phentsize == sizeof(Elf64_Phdr);
}

static const char *load_segment(struct machine *machine, FILE *program, const Elf64_Phdr *segment)
{
    if (segment->p_filesz > segment->p_memsz || segment->p_memsz > MACHINE_MEMORY ||
        segment->p_vaddr > MACHINE_MEMORY - segment->p_memsz)
        return "a segment does not fit into the machine's memory";
    if (!read_at(program, segment->p_offset, machine->memory + segment->p_vaddr, segment->p_filesz))
        return "a segment cannot be read";
    return NULL;
}

const char *machine_load(struct machine *machine, FILE *program)
{
    Elf64_Ehdr header;
    if (!read_at(program, 0, &header, sizeof header) || !is_program(&header))
        return "not a static 64-bit RISC-V ELF program";
    for (unsigned i = 0; i < header.e_phnum; i++) {
        Elf64_Phdr segment;
        if (!read_at(program, header.e_phoff + i * sizeof segment, &segment, sizeof segment))
            return "the program headers cannot be read";
        if (segment.p_type != PT_LOAD) continue;
        const char *wrong = load_segment(machine, program, &segment);
        if (wrong) return wrong;
    }
    machine->pc = header.e_entry;
    return NULL;
}
