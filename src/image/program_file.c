/* SPDX-License-Identifier: MIT */
/* program_file.c: what an ELF file states of a program. */
#include <stdio.h>

#include "image/elf.h"
#include "image/elf_format.h"

static void read_segments(struct spoor_program_file *program, const struct elf *elf)
{
    struct elf_segment segment;
    program->code_start = UINT64_MAX;
    for (size_t i = 0; elf_segment_at(elf, i, &segment); i++) {
        const char *path = segment.type == PT_INTERP ? elf_string(elf, segment.offset) : NULL;
        if (path && snprintf(program->interpreter, sizeof program->interpreter, "%s", path) >=
                        (int)sizeof program->interpreter)
            program->interpreter[0] = '\0';
        if (segment.type == PT_LOAD && (segment.flags & PF_X) && segment.file_size &&
            segment.address < program->code_start)
            program->code_start = segment.address;
    }
}

enum spoor_status spoor_program_file_read(struct spoor_program_file *program, const char *path,
                                          struct spoor_error *error)
{
    struct elf elf;
    *program = (struct spoor_program_file){.machine = 0};
    const enum spoor_status status = elf_open(&elf, path, error);
    if (status != SPOOR_OK) return status;
    program->machine = elf.machine;
    program->wide = elf.wide;
    program->big_endian = elf.big_endian;
    program->moves = elf.type == ET_DYN;
    read_segments(program, &elf);
    elf_close(&elf);
    return SPOOR_OK;
}

bool spoor_program_file_symbol(const char *path, const char *name, uint64_t *address)
{
    struct elf elf;
    if (elf_open(&elf, path, NULL) != SPOOR_OK) return false;
    const bool found = elf_find_symbol(&elf, name, address);
    elf_close(&elf);
    return found;
}
