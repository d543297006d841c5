/* SPDX-License-Identifier: MIT */
/*
 * record/program.h: the properties of a program that are needed to run it under QEMU: its
 * processor, its dynamic linker, the address of its code.
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

/* SPOOR_EINPUT if the file is not a little-endian ELF program; the error states what it is. */
enum spoor_status program_open(struct program *program, const char *path,
                               struct spoor_error *error);
void program_close(struct program *program);

#endif
