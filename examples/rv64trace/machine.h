/* SPDX-License-Identifier: MIT */
/*
 * machine.h: a RISC-V machine: 32 registers, a pc and one mebibyte of memory from address 0.
 *
 * It runs user-level RV64IM programs.  There is no address translation (virtual and physical
 * addresses are the same), no interrupt, and loads and stores must be aligned.  ecall asks the
 * environment: 64 writes to standard output, 93 ends the program, as on RISC-V Linux.
 */
#ifndef MACHINE_H
#define MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "operation.h"

enum { MACHINE_MEMORY = 1 << 20, MACHINE_REGISTERS = 32 };

struct machine {
    uint64_t registers[MACHINE_REGISTERS];
    uint64_t pc;
    uint64_t steps;    /* instructions executed */
    uint8_t *memory;   /* MACHINE_MEMORY bytes, owned by the caller */
    FILE *output;      /* where the program writes */
    bool ended;        /* the program asked to end ... */
    int status;        /* ... with this status */
    const char *fault; /* why the machine stopped otherwise, or NULL */
};

/* One executed instruction and everything that it did. */
struct step {
    struct instruction instruction;
    uint32_t opcode;
    uint64_t index;    /* counts from 0 */
    uint64_t pc, next; /* of this instruction and of the one executed after it */
    uint64_t target;   /* branches and jumps: where they lead when taken */
    bool taken;        /* the branch or jump was taken */
    uint8_t written;   /* the register written; 0: none (x0 cannot be) */
    uint64_t value;    /* its new value */
    uint64_t address;  /* loads and stores */
    uint64_t data;     /* what was read or written, operation->size bytes */
};

/* Puts a static RISC-V ELF program into zeroed memory, ready to run.  NULL, or what is wrong. */
const char *machine_load(struct machine *machine, FILE *program);

/* Executes one instruction.  False, with fault set, if it could not be executed: then nothing in
 * the machine has changed. */
bool machine_step(struct machine *machine, struct step *step);

#endif
