/* SPDX-License-Identifier: MIT */
/* record/program.c: examine a program. */
#include "record/program.h"

#include <fcntl.h>
#include <unistd.h>

static bool is_script(const char *path)
{
    char begin[2];
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    const bool is = file >= 0 && read(file, begin, sizeof begin) == (ssize_t)sizeof begin &&
                    begin[0] == '#' && begin[1] == '!';
    if (file >= 0) close(file);
    return is;
}

enum spoor_status program_read(struct spoor_program_file *program, const char *path,
                               struct spoor_error *error)
{
    const enum spoor_status status = spoor_program_file_read(program, path, error);
    if (status != SPOOR_OK && is_script(path))
        return spoor_error_set(error, SPOOR_EINPUT,
                               "%s is a script: name its interpreter as the program to record",
                               path);
    if (status == SPOOR_OK && program->big_endian)
        return spoor_error_set(error, SPOOR_EINPUT, "%s is not a little-endian ELF program", path);
    return status;
}
