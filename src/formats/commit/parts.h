/* SPDX-License-Identifier: MIT */
/*
 * parts.h: parts of lines that several commit logs share: numbers with 0x, names that the line
 * does not state as a record has them, RISC-V's registers by kind and number, lines that are notes.
 */
#ifndef SPOOR_FORMATS_COMMIT_PARTS_H
#define SPOOR_FORMATS_COMMIT_PARTS_H

#include "formats/commit/commit.h"

/* True if the text at the reading's place begins with `word`, which is not consumed. */
static inline bool commit_stands(const struct commit_reader *reading, const char *word)
{
    struct scan scan = reading->scan;
    return scan_word(&scan, word, strlen(word));
}
/* True if the user asked for no dialect or for this one, of a format that has several. */
static inline bool commit_is_asked_for(const struct commit_reader *reading, const char *dialect)
{
    const struct spoor_decode_options *options = reading->decoder->options;
    return !options || !options->dialect || strcmp(options->dialect, dialect) == 0;
}
/* Parses a comma, or fails. */
static inline bool commit_comma(struct commit_reader *reading, const char *expected)
{
    return commit_literal(reading, ",") || commit_fail(reading, expected);
}
/* Parses "0x" and a number, or fails. */
bool commit_prefixed(struct commit_reader *reading, enum commit_code code, uint64_t *value,
                     const char *expected);
/* Parses the opcode of a RISC-V instruction, and sets its size.  `decides`: its digits decide more
 * than a number, so that all of them belong to the layout of the line. */
bool commit_riscv_opcode(struct commit_reader *reading, struct spoor_record *record, bool decides);
/* Parses a decimal number of a record, which may be learnt: COMMIT_INDEX or COMMIT_TICK. */
bool commit_count(struct commit_reader *reading, enum commit_code code, uint64_t *value);
/* Appends the bytes up to `to` as the disassembly of the line's first record. */
void commit_disassembly(struct commit_reader *reading, struct spoor_record *record, const char *to);
/* After COMMIT_HEAD: the codes that follow belong to the record pushed last again. */
void commit_resume(struct commit_reader *reading);
/* The line is a note. */
bool commit_note(struct commit_reader *reading, enum spoor_note_op op);
/* The rest of the line, from `at` on, is the text of an event, the line's first record. */
bool commit_event_text(struct commit_reader *reading, enum spoor_event_op op);

/* Parses the time of a simulation, its unit and the cycle, after a record that is the line's first.
 * The cycle is the time of that record; the other time is an event, pushed here.  The codes that
 * follow belong to the first record. */
bool commit_cycle(struct commit_reader *reading, const char *unit);
/* The `resolve` function of formats in which the first record of a line has a time. */
void commit_carry_times(struct carry *carry, struct spoor_batch *batch);

/* The name of register x, f or v, by its number, and of control register c. */
spoor_name commit_riscv_register(struct commit_reader *reading, char kind, unsigned number);
/* The kind and number of a register by its canonical name: 'x', 'f', 'v', 'c'; '\0': it is none of
 * RISC-V's. */
char commit_riscv_number(const struct spoor_batch *batch, spoor_name name, unsigned *number);
/* True for the control registers that state why a trap was taken: mcause, scause, vscause. */
bool commit_is_riscv_cause(unsigned csr);
/* Names and numbers an event by the cause that a register of these values states. */
void commit_riscv_cause(struct commit_reader *reading, struct spoor_record *event,
                        const struct spoor_reg *cause);
/* What the opcode of a RISC-V instruction says of its effects. */
struct commit_opcode {
    uint64_t opcode;
    uint8_t opcode_size; /* 0: none */
    uint8_t access_size; /* bytes; 0: it accesses no memory, or words of XLEN, or is not known */
    bool stores, loads;
    bool no_registers; /* it reads and writes none */
    int16_t written;   /* number of the first register that it writes; -1: none */
};
/* The last opcode of each hash: what one says is found in tables, which takes longer than a line.
 * All zero at first. */
struct commit_opcodes {
    struct commit_opcode known[1 << 13];
};
/* `opcode` may have the bits of riscv_zc_decide().  What is returned is valid until the next call.
 */
const struct commit_opcode *commit_find_opcode(struct commit_opcodes *opcodes, uint64_t opcode,
                                               unsigned size);
/* The size in bytes of the access that a RISC-V instruction makes, and whether it stores; 0: not
 * known. */
unsigned commit_riscv_access(uint64_t opcode, bool *stores);

#endif
