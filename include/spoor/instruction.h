/* SPDX-License-Identifier: MIT */
/*
 * instruction.h: a view of a trace as instructions with their effects.
 *
 * A trace scatters one instruction over several records: the instruction, the registers that it
 * wrote, its accesses, the exception that it took.  This view gathers them, in names that do not
 * depend on the dialect.
 *
 *     struct spoor_instructions *view;
 *     spoor_instructions_new(&view, &options, &error);
 *     struct spoor_instruction instruction = {.struct_size = sizeof instruction};
 *     while (spoor_reader_next(reader, &batch, &error) == SPOOR_OK) {
 *         spoor_instructions_feed(view, batch, &error);
 *         while (spoor_instructions_next(view, &instruction))
 *             use(&instruction);
 *     }
 *     spoor_instructions_end(view, &error);
 *     while (spoor_instructions_next(view, &instruction))
 *         use(&instruction);
 *     spoor_instructions_free(view);
 */
#ifndef SPOOR_INSTRUCTION_H
#define SPOOR_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_effect_kind {
    SPOOR_EFFECT_REGISTER, /* a register was written */
    SPOOR_EFFECT_READ,     /* memory was read */
    SPOOR_EFFECT_WRITE,    /* memory was written */
    SPOOR_EFFECT_UPDATE,   /* an atomic update, or a request to a cache; `op` states which */
    SPOOR_EFFECT_EVENT,    /* an exception or interrupt */
};
enum spoor_effect_has {
    SPOOR_EFFECT_HAS_ADDRESS = 1 << 0,  /* `address` is virtual */
    SPOOR_EFFECT_HAS_PHYSICAL = 1 << 1, /* `physical` */
    SPOOR_EFFECT_HAS_VALUE = 1 << 2,    /* `value` */
};
/* One effect of an instruction. */
struct spoor_effect {
    uint64_t address, physical; /* of memory */
    uint64_t value[2];          /* low half first; wider than 16 bytes: value[0] is a hash */
    uint64_t unknown; /* register: bit i: hexadecimal digit i is unknown; memory: byte i */
    const char *name; /* register or event, lower case; else "" */
    uint16_t size;    /* memory: bytes, 0 unknown; register: bits */
    uint16_t low;     /* register: lowest bit written */
    uint8_t kind;     /* enum spoor_effect_kind */
    uint8_t op;       /* memory: enum spoor_mem_op; event: enum spoor_event_op */
    uint8_t attr;     /* memory: enum spoor_mem_attr */
    uint8_t has;      /* enum spoor_effect_has */
};

enum spoor_instruction_kind {
    SPOOR_INSTRUCTION_PLAIN,    /* an instruction, or a micro-op */
    SPOOR_INSTRUCTION_PREAMBLE, /* effects before the first instruction: the state at the start */
    SPOOR_INSTRUCTION_ACCESS,   /* one access of a trace without instructions */
};
enum spoor_instruction_has {
    SPOOR_INSTRUCTION_HAS_PC = 1 << 0,
    SPOOR_INSTRUCTION_HAS_OPCODE = 1 << 1, /* not of a micro-op, whose opcode is a name */
    SPOOR_INSTRUCTION_HAS_MODE = 1 << 2,
    SPOOR_INSTRUCTION_HAS_PHYSICAL = 1 << 3,
    SPOOR_INSTRUCTION_HAS_EXECUTED = 1 << 4, /* `executed` */
    SPOOR_INSTRUCTION_HAS_TIME = 1 << 5,
};
/* An instruction with its effects.  Its pointers are valid until the next call for the view. */
struct spoor_instruction {
    size_t struct_size; /* sizeof this struct; 0: as in version 0.1 */
    uint64_t pc, physical, opcode, time;
    uint64_t record;  /* its first record, from 0 */
    uint64_t line;    /* text: the same from 1; binary: 0 */
    const char *cpu;  /* as the trace names it; "" where it names none */
    const char *mode; /* lower case, or "" */
    const char *text; /* disassembly, not NUL-terminated */
    size_t text_size;
    const struct spoor_effect *effects; /* in the order of the trace */
    size_t effect_count;
    uint8_t kind;        /* enum spoor_instruction_kind */
    uint8_t has;         /* enum spoor_instruction_has */
    uint8_t opcode_size; /* bytes */
    uint8_t iset;        /* as struct spoor_insn */
    bool executed;       /* false: its condition failed */
};

struct spoor_instructions;

struct spoor_instructions_options {
    size_t struct_size;                /* sizeof this struct */
    const struct spoor_stream *stream; /* of the trace: spoor_reader_stream() */
};

/* On SPOOR_OK the caller owns *view: a view of one trace. */
enum spoor_status spoor_instructions_new(struct spoor_instructions **view,
                                         const struct spoor_instructions_options *options,
                                         struct spoor_error *error);
void spoor_instructions_free(struct spoor_instructions *view);
/* Adds a batch; batches come in order. */
enum spoor_status spoor_instructions_feed(struct spoor_instructions *view,
                                          const struct spoor_batch *batch,
                                          struct spoor_error *error);
/* The trace has ended: the last instruction of every processor is whole. */
enum spoor_status spoor_instructions_end(struct spoor_instructions *view,
                                         struct spoor_error *error);
/* The next whole instruction; false: there is none yet.  Those of one processor come in order; an
 * instruction is whole when the next one of its processor begins. */
bool spoor_instructions_next(struct spoor_instructions *view,
                             struct spoor_instruction *instruction);

enum { SPOOR_OPCODE_FLAGS = 32 /* the bit of the condition flags, or cpsr */ };
/* What an opcode of `size` bytes writes, by the instruction set's manual: bit N of *registers is
 * integer register N (A64: 31 is the stack pointer; A32 and T32: 15 is the pc), bit
 * SPOOR_OPCODE_FLAGS the flags.  `thumb` selects T32.  False: no table knows the opcode, or
 * it is one of several instructions (c.fsdsp and Zcmp or Zcmt of RISC-V). */
bool spoor_opcode_writes(enum spoor_isa isa, bool thumb, uint64_t opcode, unsigned size,
                         uint64_t *registers);
/* What it writes, in whole or in part, of the registers of vectors and floating point.  A64: bit N
 * of *vectors is register VN.  A32 and T32: bit N is word N of four bytes, so that bits 2 N and
 * 2 N + 1 are register DN and, below 32, bit N is register SN.  Otherwise as spoor_opcode_writes().
 */
bool spoor_opcode_writes_vectors(enum spoor_isa isa, bool thumb, uint64_t opcode, unsigned size,
                                 uint64_t *vectors);

#ifdef __cplusplus
}
#endif

#endif
