/* SPDX-License-Identifier: MIT */
/*
 * record/program.h: the properties of a program that are needed to run it under QEMU: its
 * processor, its dynamic linker, the address of its code.
 */
#ifndef SPOOR_RECORD_PROGRAM_H
#define SPOOR_RECORD_PROGRAM_H

#include "spoor/image.h"

/* SPOOR_EINPUT if the file is not a little-endian ELF program; the error states what it is. */
enum spoor_status program_read(struct spoor_program_file *program, const char *path,
                               struct spoor_error *error);

#endif
