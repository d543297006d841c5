/* SPDX-License-Identifier: MIT */
/* formats/branch/champsim.h: a ChampSim instruction, between reading and writing. */
#ifndef SPOOR_FORMATS_BRANCH_CHAMPSIM_H
#define SPOOR_FORMATS_BRANCH_CHAMPSIM_H

#include "formats/format.h"

enum {
    CHAMPSIM_RECORD = 64,
    CHAMPSIM_WRITES = 2, /* registers and addresses written, at most */
    CHAMPSIM_READS = 4,  /* and read */
    /* the registers by which ChampSim identifies branches */
    CHAMPSIM_STACK_POINTER = 6,
    CHAMPSIM_FLAGS = 25,
    CHAMPSIM_INSTRUCTION_POINTER = 26,
};

/* The layout in the file, little-endian; a register or address of 0 means none. */
struct champsim {
    uint64_t pc;
    uint8_t is_branch, taken;
    uint8_t written[CHAMPSIM_WRITES], read[CHAMPSIM_READS]; /* registers */
    uint64_t stores[CHAMPSIM_WRITES], loads[CHAMPSIM_READS];
};
_Static_assert(sizeof(struct champsim) == CHAMPSIM_RECORD, "one record of the file");

/* The used slots of the arrays of registers and addresses, and the branch bytes: the spelling of an
 * INSN record.  Without a spelling the first slots are used, and the bytes are 0 or 1. */
struct champsim_layout {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t written, read, stores, loads; /* bit i: slot i is used */
    uint8_t is_branch, taken;
};

/* Whether the flags are valid, and whether the whole record is plausible. */
bool champsim_flags_possible(const struct champsim *insn);
bool champsim_is_plausible(const struct champsim *insn);
/* Whether these records, at least CHAMPSIM_RUN, are not instructions: see champsim_align.c. */
enum { CHAMPSIM_RUN = 16 };
bool champsim_alignment_lost(const char *at, size_t count);
/* The length of records that begin with the address of an instruction, in bytes; 0: none. */
unsigned champsim_length(const struct spoor_head *head);

void champsim_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out);
void champsim_end(struct encoder *encoder, struct text *out);

#endif
