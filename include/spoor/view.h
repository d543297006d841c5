/* SPDX-License-Identifier: MIT */
/*
 * view.h: what a simulator eats: dense arrays of memory references and of branches.
 *
 * A view leaves out everything but what its tools need.  It is made from batches of records of any
 * format; where a format can decode straight into a view (projection), the reader does so, with the
 * same result: see spoor_reader_options.
 *
 * What no record says is never made up: a size of 0 bytes and a missing bit in `has` mean "the
 * trace does not say".
 */
#ifndef SPOOR_VIEW_H
#define SPOOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"

/* ---- memory references ---- */

enum spoor_reference_op {
    SPOOR_REFERENCE_FETCH,
    SPOOR_REFERENCE_READ,
    SPOOR_REFERENCE_WRITE,
    SPOOR_REFERENCE_MISC,       /* of no particular kind (extended din 'm', undefined bus types) */
    SPOOR_REFERENCE_COPY_BACK,  /* a request to copy a dirty block back; moves no data to the cpu */
    SPOOR_REFERENCE_INVALIDATE, /* a request to drop a block */
    SPOOR_REFERENCE_OPS
};
enum spoor_reference_has {
    SPOOR_REFERENCE_HAS_PC = 1 << 0,    /* pc: the instruction that made the access */
    SPOOR_REFERENCE_HAS_CPU = 1 << 1,   /* cpu: a name of the stream */
    SPOOR_REFERENCE_PHYSICAL = 1 << 2,  /* address is physical (bus, Tarmac B and MU) */
    SPOOR_REFERENCE_HAS_AGENT = 1 << 3, /* cpu: the number of an agent of the bus (BYU 12-byte) */
};
/* One access, as the processor made it: not cut at block borders.  A modify and an atomic update
 * are a read followed by a write of the same bytes. */
struct spoor_reference {
    uint64_t address; /* of the lowest byte */
    uint64_t pc;      /* HAS_PC */
    uint32_t size;    /* bytes; 0: the trace does not say */
    uint16_t cpu;     /* HAS_CPU: a name of the stream; HAS_AGENT: a number */
    uint8_t op;       /* enum spoor_reference_op */
    uint8_t has;      /* enum spoor_reference_has */
};

/* Which records of a bus trace are references. */
enum spoor_bus_selection {
    SPOOR_BUS_ALL,    /* every record, as published paging results count */
    SPOOR_BUS_DATA,   /* memory reads and writes */
    SPOOR_BUS_MEMORY, /* code and data: without I/O, acknowledgements, deferred packets and special
                       * cycles */
};
struct spoor_reference_options {
    enum spoor_bus_selection bus;
    bool tarmac_bus; /* Tarmac: B records are references too (beside MR, MW, MU and fetches) */
    bool physical;   /* of two addresses the physical one; else the virtual one.  Where a record has
                      * one only, that is taken, and SPOOR_REFERENCE_PHYSICAL says which */
    bool pc_by_order; /* an access that does not say which instruction made it was made by the last
                       * one of the same cpu before it in the trace: so Fast Models, ES and lackey
                       * write; others promise no order */
    bool update_once; /* a modify or an atomic update is its read alone, as cachegrind counts: the
                       * write behind it finds the bytes there */
};

struct spoor_reference_state;
/* Zeroed, it is empty.  Set `count` to 0 to use the room again; `state` stays, for what one batch
 * says of the next. */
struct spoor_references {
    struct spoor_reference *items;
    size_t count, room;
    struct spoor_reference_state *state; /* pc_by_order: the last instruction of each cpu */
};
/* Append the references of a batch's records, in order; batches come in order.  `options` NULL: as
 * its zeros say.  False without memory: then `items` has what came before, `count` says how much.
 *
 * UOP    a fetch for the first micro-op of a macro-op (its size is fall-through minus pc, where an
 *        x86 instruction can have that: 1 to 15 bytes), then a read or write where it loads or
 *        stores.  The pc of both is known, the size of the second never.
 * INSN   a fetch, executed or skipped: an instruction whose condition fails was fetched too.
 * MEM    itself.  Atomic updates and modifications are two.  None where the access was aborted, and
 *        for transfers to and from coprocessors.  The pc where the record says it (`origin_pc`).
 * BUS    by the selection.  The operations of `all` beyond memory: I/O reads and writes are reads
 *        and writes, the rest MISC.  A 6-byte record's address is that of its lowest enabled lane,
 *        its size the number of enabled lanes. */
bool spoor_references_add(struct spoor_references *references, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options);
void spoor_references_free(struct spoor_references *references);

/* ---- branches ---- */

enum spoor_branch_type {
    SPOOR_BRANCH_CONDITIONAL = 1 << 0, /* else always taken */
    SPOOR_BRANCH_INDIRECT = 1 << 1,    /* the target comes from a register or memory */
    SPOOR_BRANCH_CALL = 1 << 2,        /* leaves a return address behind */
    SPOOR_BRANCH_RETURN = 1 << 3,      /* goes where a call left an address */
};
enum spoor_branch_has {
    SPOOR_BRANCH_TAKEN = 1 << 0,
    SPOOR_BRANCH_HAS_TARGET = 1 << 1,
    SPOOR_BRANCH_HAS_FALL = 1 << 2,
    SPOOR_BRANCH_HAS_TYPE = 1 << 3, /* `type` is all of it; else bits may be missing */
    SPOOR_BRANCH_HAS_CPU = 1 << 4,
};
/* One executed branch. */
struct spoor_branch {
    uint64_t pc;
    uint64_t target; /* where it goes when taken, HAS_TARGET */
    uint64_t fall;   /* the instruction behind it, HAS_FALL */
    uint32_t gap;    /* instructions of its cpu since the branch before it, this one not counted */
    spoor_name cpu;  /* HAS_CPU: a name of the stream */
    uint8_t type;    /* enum spoor_branch_type */
    uint8_t has;     /* enum spoor_branch_has */
};

struct spoor_branch_state;
/* Zeroed, it is empty.  Set `count` to 0 to use the room again.  What comes after a branch tells in
 * some formats what it did, so `state` keeps the last instruction of each cpu between batches. */
struct spoor_branches {
    struct spoor_branch *items;
    size_t count, room;
    uint64_t instructions; /* of all cpus, so far: macro-ops of a micro-op trace */
    uint64_t unresolved;   /* conditional branches left out, because an exception or the end of the
                            * trace hides whether they were taken */
    struct spoor_branch_state *state;
};
/* Append the branches of a batch's records, in the order in which it is known what they did;
 * batches come in order.  False without memory.
 *
 * UOP    every record whose Branch field is T or N, conditional where it reads the flags.  The
 *        names of x86 (CALL, RET, JMP_REG ...) tell calls, returns and indirect ones apart.
 * INSN   where the opcode is one of A64, A32, T32 or RISC-V, as it says; what the next instruction
 *        of the same cpu is tells whether it was taken.  Other opcodes, and records without one:
 *        taken branches where the next instruction is not the one behind.  The instruction set is
 *        the stream's, where that was stated, else what letters and opcodes say.
 * MEM    fetches: taken branches, likewise, where the size is known.
 * FLOW   as it says: in branch traces all; in others that it was taken, and whether it is indirect.
 *        One that belongs to an INSN record is not counted twice; where it does not say where the
 *        branch goes (ChampSim), the next instruction does: its target, or what lies behind it. */
bool spoor_branches_add(struct spoor_branches *branches, const struct spoor_batch *batch);
/* The trace has ended: append what was waiting for its successor. */
bool spoor_branches_end(struct spoor_branches *branches);
void spoor_branches_free(struct spoor_branches *branches);

#endif
