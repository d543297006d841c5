/* SPDX-License-Identifier: MIT */
/*
 * record/crack.h: crack an x86-64 instruction into the micro-ops of the CIS501 traces.
 *
 * Cracking depends on the bytes only; the recorder fills in the values of each execution
 * (addresses, whether a branch is taken, indirect targets).  docs/record.md explains every choice.
 */
#ifndef SPOOR_RECORD_CRACK_H
#define SPOOR_RECORD_CRACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/events.h"
#include "spoor/error.h"

/* Register numbers of the traces. */
enum {
    NO_REGISTER = -1,
    RAX = 0,
    RCX = 1,
    RDX = 2,
    RBX = 3,
    RSP = 4,
    RBP = 5,
    RSI = 6,
    RDI = 7,
    R11 = 11,
    XMM0 = 16,        /* 16-31: vector registers */
    ST0 = 32,         /* 32-39: x87 stack by distance from its top, or MMX */
    TEMP_FLAGS = 40,  /* flags as data */
    TEMP_CHAIN = 41,  /* between the micro-ops of an operation with many operands */
    TEMP_VECTOR = 42, /* loaded for a vector or x87 operation */
    TEMP_RESULT = 43, /* result of one, to be stored */
    TEMP = 44,        /* also receives results of comparisons */
    TEMP_LOAD = 45,
};

enum { MAX_CRACKED = 32, MICRO_SIZE = 24, MACRO_SIZE = 24 };

enum branch {
    BRANCH_NONE,
    BRANCH_CONDITIONAL, /* target known, outcome unknown */
    BRANCH_DIRECT,      /* always to the target */
    BRANCH_INDIRECT,    /* always taken, to a target in a register or memory */
};

struct micro_op {
    int16_t src1, src2, dest;
    uint8_t op;    /* enum spoor_uop_op, without the outcome of a branch */
    uint16_t size; /* LOAD, STORE: bytes; 0: any number */
    int64_t immediate;
    char micro[MICRO_SIZE];
};

struct cracked {
    struct micro_op ops[MAX_CRACKED]; /* a branch is the last */
    size_t count;
    enum branch branch;
    uint64_t target;
    bool skips; /* may have no effect: a repeated instruction with a count of zero, a masked
                 * access */
    char macro[MACRO_SIZE];
};

struct cracker;
/* SPOOR_EUSAGE if this build has no disassembler: the message names the package. */
enum spoor_status cracker_open(struct cracker **cracker, struct spoor_error *error);
void cracker_close(struct cracker *cracker);
/* Always produces at least one micro-op: bytes that are not a known instruction become one
 * UNKNOWN. */
void crack(struct cracker *cracker, const struct instruction *instruction, struct cracked *cracked);

#endif
