/* SPDX-License-Identifier: MIT */
/*
 * hosted.h: semihosting: calls of the debugger or simulator, which write to the program's memory
 * without an access in the trace.
 *
 * They are instructions that Arm's "Semihosting for AArch32 and AArch64" defines: HLT #0xF000 of
 * A64 and A32, SVC #0x123456 of A32, SVC and BKPT #0xAB and HLT #0x3C of T32 (0x3F, too, as some
 * tools have it).  The operation is in r0 or w0, the address of a block of words in r1 or x1.
 */
#ifndef SPOOR_EFFECTS_HOSTED_H
#define SPOOR_EFFECTS_HOSTED_H

#include "spoor/record.h"

/* Operations that write to memory. */
enum hosted_operation {
    HOSTED_READ = 0x06,        /* handle, buffer, length */
    HOSTED_TMPNAM = 0x0D,      /* buffer, id, length */
    HOSTED_GET_CMDLINE = 0x15, /* buffer, length */
    HOSTED_HEAPINFO = 0x16,    /* buffer, of four words */
    HOSTED_ELAPSED = 0x30,     /* the block itself, of 8 bytes */
};

struct hosted_call {
    uint64_t record; /* of the instruction */
    uint64_t block;  /* address */
    uint8_t operation;
    uint8_t word; /* bytes: 4 or 8 */
};

/* True if the instruction, which was executed, is such a call; *word: bytes of the block's words.
 */
bool hosted_is_call(const struct spoor_record *record, uint8_t *word);
/* True if the operation writes to memory. */
bool hosted_writes(uint64_t operation);
enum { HOSTED_WORDS = 3 };
/* The range that the call writes, by the words of its block; false: they do not say. */
bool hosted_range(const struct hosted_call *call, const uint64_t words[HOSTED_WORDS],
                  uint64_t *address, uint64_t *size);

#endif
