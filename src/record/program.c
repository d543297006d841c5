/* SPDX-License-Identifier: MIT */
/* record/program.c: examine a program's segments. */
#include "record/program.h"

#include <fcntl.h>
#include <unistd.h>

#include "image/elf_format.h"

static void read_segments(struct program *program)
{
    struct elf_segment segment;
    program->code_start = UINT64_MAX;
    for (size_t i = 0; elf_segment_at(&program->elf, i, &segment); i++) {
        if (segment.type == PT_INTERP)
            program->interpreter = elf_string(&program->elf, segment.offset);
        if (segment.type == PT_LOAD && (segment.flags & PF_X) && segment.file_size &&
            segment.address < program->code_start)
            program->code_start = segment.address;
    }
}

static bool is_script(const char *path)
{
    char begin[2];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = file >= 0 && read(file, begin, sizeof begin) == (ssize_t)sizeof begin &&
                    begin[0] == '#' && begin[1] == '!';
    if (file >= 0) close(file);
    return is;
}

enum spoor_status program_open(struct program *program, const char *path, struct spoor_error *error)
{
    *program = (struct program){0};
    const enum spoor_status status = elf_open(&program->elf, path, error);
    if (status != SPOOR_OK && is_script(path))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s is a script: name its interpreter as the program to record",
                               path);
    if (status != SPOOR_OK) return status;
    if (program->elf.big_endian) {
        program_close(program);
        return spoor_error_set(error, SPOOR_EINPUT, "%s is not a little-endian ELF program", path);
    }
    program->moves = program->elf.type == ET_DYN;
    read_segments(program);
    return SPOOR_OK;
}

void program_close(struct program *program)
{
    elf_close(&program->elf);
    *program = (struct program){0};
}
