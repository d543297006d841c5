/* SPDX-License-Identifier: MIT */
/*
 * registers.h: the values of each processor's registers, where the trace states them.
 *
 * A cell holds a value of any width, a mask of its known bits, and the record that last wrote it.
 * A write of a part leaves the other bits unchanged.  A write under a narrower name clears them
 * where the architecture defines that.
 */
#ifndef SPOOR_EFFECTS_REGISTERS_H
#define SPOOR_EFFECTS_REGISTERS_H

#include "base/varint.h"
#include "effects/machine.h"

enum { REGISTER_BYTES = 256 };

struct cell {
    uint64_t writer;               /* record that last wrote it */
    uint64_t mark;                 /* for the user of the registers; initially 0 */
    uint16_t bits;                 /* widest value so far; 0: nothing is known */
    bool written;                  /* a record wrote it; else it was only read */
    uint8_t bytes[REGISTER_BYTES]; /* lowest first */
    uint8_t known[REGISTER_BYTES]; /* likewise: a mask of the known bits */
};

/* Cells by processor and name.  Initialise it with zeros. */
struct registers {
    struct cell **cells; /* processor c, register name: index c * names + name */
    size_t cpus, names;
};

/* Returns a cell, created if necessary; NULL if memory runs out. */
struct cell *registers_cell(struct registers *registers, unsigned cpu, spoor_name name);
/* Returns a cell; NULL if nothing is known. */
const struct cell *registers_find(const struct registers *registers, unsigned cpu, spoor_name name);
/* Removes the cells of a processor that were written last before this record. */
void registers_forget(struct registers *registers, unsigned cpu, uint64_t record);
void registers_free(struct registers *registers);

/* Applies the write of a REG record. */
void cell_write(struct cell *cell, const struct spoor_batch *batch, size_t index,
                const struct machine_register *reg);
/* Applies a write whose value is unknown. */
void cell_forget(struct cell *cell, uint64_t writer);
/* True if all, or any, of bits low .. low + bits - 1 are known. */
bool cell_knows(const struct cell *cell, unsigned low, unsigned bits);
/* Returns 64 bits of it, from bit `low` on. */
uint64_t cell_number(const struct cell *cell, unsigned low);
/* Prints `bits` bits from `low` on: "0x...", with "?" for unknown digits. */
void cell_text(const struct cell *cell, unsigned low, unsigned bits, struct text *text);

/* Packs the content, except `mark`, for an index; `base` is a record not after its writer. */
void cell_pack(const struct cell *cell, uint64_t base, struct text *text);
void cell_unpack(struct cell *cell, uint64_t base, struct unpacker *from);

#endif
