/* SPDX-License-Identifier: MIT */
/*
 * record/program.h: what must be known of a program before it can run under QEMU: for which
 * processor it is, whether it needs a dynamic linker, where its code begins.
 */
#ifndef SPOOR_RECORD_PROGRAM_H
#define SPOOR_RECORD_PROGRAM_H

#include "image/elf.h"

struct program {
    struct elf elf;
    bool moves;              /* position-independent: loaded anywhere */
    uint64_t code_start;     /* lowest address of executable bytes in the file's own terms */
    const char *interpreter; /* path of the dynamic linker, or NULL for a static program */
};

/* SPOOR_EINPUT where the file is no little-endian ELF program; the error says what it is. */
enum spoor_status program_open(struct program *program, const char *path,
                               struct spoor_error *error);
void program_close(struct program *program);

#endif
