/* SPDX-License-Identifier: MIT */
/*
 * record/program.h: what must be known of a program before it can run under QEMU: for which
 * processor it is, whether it needs a dynamic linker, where a symbol lies.
 */
#ifndef SPOOR_RECORD_PROGRAM_H
#define SPOOR_RECORD_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "spoor/error.h"

struct elf {
    const uint8_t *bytes; /* the whole file, mapped */
    size_t size;
    bool wide;               /* 64-bit */
    uint16_t machine;        /* EM_X86_64, ... */
    bool moves;              /* position-independent: loaded anywhere */
    uint64_t code_start;     /* lowest address of executable bytes in the file's own terms */
    const char *interpreter; /* path of the dynamic linker, or NULL for a static program */
};

/* SPOOR_EINPUT where the file is no little-endian ELF program; the error says what it is. */
enum spoor_status elf_open(struct elf *elf, const char *path, struct spoor_error *error);
void elf_close(struct elf *elf);

/* The address of a symbol in the file's own terms; false where it has none of that name. */
bool elf_find_symbol(const struct elf *elf, const char *name, uint64_t *address);

#endif
