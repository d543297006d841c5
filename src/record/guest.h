/* SPDX-License-Identifier: MIT */
/*
 * record/guest.h: the program to record, and the QEMU that runs it.
 */
#ifndef SPOOR_RECORD_GUEST_H
#define SPOOR_RECORD_GUEST_H

#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "spoor/image.h"

enum machine_id { MACHINE_X86_64, MACHINE_I386, MACHINE_ARM64, MACHINE_ARM, MACHINE_RISCV };

/* A processor whose programs can be recorded. */
struct machine {
    enum machine_id id;
    uint16_t elf; /* e_machine of its programs */
    bool wide;
    const char *name;    /* name for messages */
    const char *qemu;    /* the program that runs it */
    const char *cpu;     /* the model that it runs it as, or NULL: QEMU's choice */
    const char *sysroot; /* Debian's directory of its shared libraries, or NULL: in / */
    const char *library; /* the package of these libraries */
};

struct guest {
    const struct machine *machine;
    struct spoor_program_file program;
    char path[PATH_MAX]; /* of the program */
    char qemu[PATH_MAX];
    char plugin[PATH_MAX];
    char sysroot[PATH_MAX]; /* or "" */
    const char *single;     /* the option for one instruction per block, as this QEMU calls it */
};

struct guest_options {
    const char *qemu;    /* path of the QEMU to use, or NULL: by the program's processor */
    const char *sysroot; /* -L, or NULL: Debian's */
    bool want_single;    /* one instruction per block */
    uint64_t base;       /* position of guest address 0 in QEMU's memory, if has_base */
    bool has_base;
    bool quiet; /* what it and QEMU print is thrown away */
};

/* Examine the program and find the requirements to run it.  If one is missing, the error names it
 * and the command that installs it. */
enum spoor_status guest_find(struct guest *guest, const char *program,
                             const struct guest_options *options, struct spoor_error *error);

/* Starts it with the plugin, which finds its memory at `descriptor`.  `words` is the program's own
 * argv; `mask` its signal mask.  Returns its process id, or -1. */
pid_t guest_start(const struct guest *guest, const struct guest_options *options, char **words,
                  int descriptor, const sigset_t *mask, struct spoor_error *error);

/* Address in the running program of a symbol or a hexadecimal address with 0x.  `code_start`:
 * address of its lowest code in memory, needed for position-independent programs. */
enum spoor_status guest_address(const struct guest *guest, const char *word, uint64_t code_start,
                                uint64_t *address, struct spoor_error *error);

#endif
