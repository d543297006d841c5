/* SPDX-License-Identifier: MIT */
/*
 * registers.h: what is in the registers of each processor, as far as a trace tells.
 *
 * A cell has a value of any width, which of its hexadecimal digits are known, and which record
 * wrote it last.  Writes of a part leave the rest as it was; those of a narrower name clear it
 * where the architecture says so.
 */
#ifndef SPOOR_EFFECTS_REGISTERS_H
#define SPOOR_EFFECTS_REGISTERS_H

#include "base/varint.h"
#include "effects/machine.h"

enum { REGISTER_BYTES = 256 };

struct cell {
    uint64_t writer;               /* record that wrote it last */
    uint64_t mark;                 /* for who keeps registers: 0 at first */
    uint16_t bits;                 /* widest that was written; 0: nothing is known */
    bool written;                  /* by a record; else it has only been read */
    uint8_t bytes[REGISTER_BYTES]; /* lowest first */
    uint8_t known[REGISTER_BYTES]; /* the same: a mask of the bits that are known */
};

/* Cells by processor and name.  Zeroed, it is empty. */
struct registers {
    struct cell **cells; /* of processor c: c * names + name */
    size_t cpus, names;
};

/* NULL if memory runs out. */
struct cell *registers_cell(struct registers *registers, unsigned cpu, spoor_name name);
/* NULL where nothing is known. */
const struct cell *registers_find(const struct registers *registers, unsigned cpu, spoor_name name);
void registers_free(struct registers *registers);

/* A write of the register that a REG record tells of. */
void cell_write(struct cell *cell, const struct spoor_batch *batch, size_t index,
                const struct machine_register *reg);
/* It was written, but nobody says with what. */
void cell_forget(struct cell *cell, uint64_t writer);
/* Whether all, or any, of bits low .. low + bits - 1 are known. */
bool cell_knows(const struct cell *cell, unsigned low, unsigned bits);
/* The lowest 64 bits of it from `low` on. */
uint64_t cell_number(const struct cell *cell, unsigned low);
/* "0x..." with "?" for digits that are unknown, all of the `bits` from `low`. */
void cell_text(const struct cell *cell, unsigned low, unsigned bits, struct text *text);

/* For an index: its content but for `mark`; `base` is a record not after its writer. */
void cell_pack(const struct cell *cell, uint64_t base, struct text *text);
void cell_unpack(struct cell *cell, uint64_t base, struct unpacker *from);

#endif
