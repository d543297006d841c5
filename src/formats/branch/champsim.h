/* SPDX-License-Identifier: MIT */
/* champsim.h: a ChampSim instruction, between reading and writing. */
#ifndef SPOOR_FORMATS_BRANCH_CHAMPSIM_H
#define SPOOR_FORMATS_BRANCH_CHAMPSIM_H

#include "formats/branch/branch.h"

enum {
    CHAMPSIM_RECORD = 64,
    CHAMPSIM_LONGEST = 96,
    CHAMPSIM_WRITES = 4, /* registers and addresses written, at most in any layout */
    CHAMPSIM_READS = 4,  /* and read */
    CHAMPSIM_TAIL = 8,   /* bytes after the addresses, at most */
    CHAMPSIM_PADDING = 6,
    /* the registers by which ChampSim identifies branches */
    CHAMPSIM_STACK_POINTER = 6,
    CHAMPSIM_FLAGS = 25,
    CHAMPSIM_INSTRUCTION_POINTER = 26,
};

/* A register or address of 0 means none. */
struct champsim {
    uint64_t pc;
    uint8_t is_branch, taken;
    uint8_t written[CHAMPSIM_WRITES], read[CHAMPSIM_READS]; /* registers */
    uint64_t stores[CHAMPSIM_WRITES], loads[CHAMPSIM_READS];
    uint8_t padding[CHAMPSIM_PADDING]; /* between registers and addresses */
    uint8_t tail[CHAMPSIM_TAIL];       /* type of a load, address space */
    uint8_t write_slots;               /* of a translation: slots of `written` and `stores` */
};

/* The layout of a record in the file, little-endian: pc (8), is a branch (1), taken (1), registers
 * written and read, padding, addresses stored to and loaded from, tail. */
struct champsim_shape {
    unsigned size;   /* of the record, in bytes */
    unsigned writes; /* registers, and addresses, written */
    unsigned tail;   /* bytes after the addresses */
};
/* input_instr, without and with the type of a load, and cloudsuite_instr of
 * inc/trace_instruction.h. */
extern const struct champsim_shape champsim_shape_usual, champsim_shape_load_type,
    champsim_shape_cloudsuite;
struct champsim champsim_unpack(const struct champsim_shape *shape, const char *bytes);
/* Appends the record. */
void champsim_pack(const struct champsim_shape *shape, const struct champsim *insn,
                   struct text *out);

/* The used slots of the arrays of registers and addresses, the branch bytes, and what no field has:
 * the spelling of an INSN record.  Without a spelling the first slots are used, the bytes mark what
 * the FLOW record states, and the rest is 0. */
struct champsim_layout {
    char unit[SPELLING_UNIT_SIZE];
    uint8_t written, read, stores, loads; /* bit i: slot i is used */
    uint8_t is_branch, taken;
    uint8_t padding[CHAMPSIM_PADDING], tail[CHAMPSIM_TAIL];
};

/* True for a branch, by its registers, whatever its mark states; *op is then of its FLOW record. */
bool champsim_branch(const struct champsim *insn, uint8_t *op);
/* True if the flags are valid. */
bool champsim_flags_possible(const struct champsim *insn);
/* True if the whole record is plausible. */
bool champsim_is_plausible(const struct champsim *insn);
/* True if these records, at least CHAMPSIM_RUN, are not instructions: see champsim_layout.c. */
enum { CHAMPSIM_RUN = 16 };
bool champsim_alignment_lost(const struct champsim_shape *shape, const char *at, size_t count);
/* The length of records that begin with the address of an instruction, in bytes; 0: none. */
unsigned champsim_length(const struct spoor_head *head);

/* The registers that distinguish all layouts from other formats. */
extern const struct spoor_special_registers champsim_special;

/* ---- instructions and branches of other traces as ChampSim's ----
 *
 * The opcode of an instruction determines what it reads and writes, if it is known; else the
 * registers that the trace states beside it do.  Its branch is the one that the view of branches
 * finds, which may wait for the next instruction of the processor, so an instruction is written
 * when the next one of its processor begins.
 *
 * Registers: the link register is ChampSim's register 6, by which ChampSim identifies calls and
 * returns; the flags are 25, the instruction pointer is 26, and register n of the instruction set
 * (enum isa_register) is 64 + n.  Registers with names that no known instruction set has are 128
 * and up, in the order of the trace.  A source or a result that ChampSim needs to identify the type
 * of a branch is added; register 32 is the source of a target that has none.
 */

struct champsim_processor;

/* Zeroed, it is at the start of a trace. */
struct champsim_translation {
    const struct champsim_shape *shape; /* of the records to write */
    struct branch_finder view;
    struct champsim_processor *held; /* by name of the processor */
    size_t held_capacity;
    spoor_name last_cpu; /* processor of the last instruction that began */
    uint16_t *numbers;   /* numbers of registers, by name: 1 + number; 0: none assigned yet */
    uint8_t given;       /* numbers given to names that no known instruction set has */
    bool owes;           /* no instruction is stated at the target of the last branch: */
    uint64_t target;
};

/* Adds record `index`, and appends the instructions that this completes; false: ChampSim's record
 * cannot represent it.  Sets out->failed if memory runs out. */
bool champsim_translate(struct champsim_translation *translation, const struct spoor_batch *batch,
                        size_t index, struct text *out);
/* The trace ends: append what was held, release everything, and be as at the start of a trace. */
void champsim_translate_end(struct champsim_translation *translation, struct text *out);

/* ---- writing ---- */

/* The write and end functions of a struct spoor_format whose variant is a shape. */
void champsim_write(struct encoder *encoder, const struct spoor_batch *batch, size_t from,
                    size_t to, struct text *out);
void champsim_end(struct encoder *encoder, struct text *out);

#endif
