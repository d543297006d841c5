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
    SPOOR_REFERENCE_HAS_PC = 1 << 0,   /* pc: the instruction that made the access */
    SPOOR_REFERENCE_HAS_CPU = 1 << 1,  /* cpu */
    SPOOR_REFERENCE_PHYSICAL = 1 << 2, /* address is physical (bus, Tarmac B and MU) */
};
/* One access, as the processor made it: not cut at block borders.  A modify and an atomic update
 * are a read followed by a write of the same bytes. */
struct spoor_reference {
    uint64_t address; /* of the lowest byte */
    uint64_t pc;      /* HAS_PC */
    uint32_t size;    /* bytes; 0: the trace does not say */
    spoor_name cpu;   /* HAS_CPU: a name of the stream */
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
};

struct spoor_references {
    struct spoor_reference *items;
    size_t count, room;
};
/* Append the references of a batch's records, in order.  A micro-op trace gives a fetch for the
 * first micro-op of each macro-op (size: fall-through minus pc) and an access for each load and
 * store; INSN records are fetches where they were executed.  False without memory. */
bool spoor_references_add(struct spoor_references *references, const struct spoor_batch *batch,
                          const struct spoor_reference_options *options);
void spoor_references_free(struct spoor_references *references);

/* ---- branches ---- */

enum spoor_branch_type {
    SPOOR_BRANCH_CONDITIONAL = 1 << 0, /* else always taken */
    SPOOR_BRANCH_INDIRECT = 1 << 1,    /* the target comes from a register or memory */
    SPOOR_BRANCH_CALL = 1 << 2,
    SPOOR_BRANCH_RETURN = 1 << 3,
};
enum spoor_branch_has {
    SPOOR_BRANCH_TAKEN = 1 << 0,
    SPOOR_BRANCH_HAS_TARGET = 1 << 1,
    SPOOR_BRANCH_HAS_FALL = 1 << 2,
    SPOOR_BRANCH_HAS_TYPE = 1 << 3, /* the trace tells calls, returns and indirect ones apart */
    SPOOR_BRANCH_HAS_CPU = 1 << 4,
};
/* One executed branch. */
struct spoor_branch {
    uint64_t pc;
    uint64_t target; /* where it goes when taken, HAS_TARGET */
    uint64_t fall;   /* the instruction behind it, HAS_FALL */
    uint32_t gap;    /* instructions of its cpu since the branch before it, this one not counted */
    spoor_name cpu;  /* HAS_CPU */
    uint8_t type;    /* enum spoor_branch_type */
    uint8_t has;     /* enum spoor_branch_has */
};

/* Branches are found by what comes after them in some formats, so the view keeps a few records
 * between batches. */
struct spoor_branches {
    struct spoor_branch *items;
    size_t count, room;
    uint64_t instructions; /* of all cpus, so far */
    struct spoor_branch_state *state;
};
/* Append the branches of a batch's records.  Micro-ops: every record whose Branch is T or N is one
 * (conditional where it reads the flags).  FLOW records are taken branches.  INSN records are
 * branches where the next instruction of the same cpu does not follow, or where their opcode is
 * known to be a branch.  False without memory. */
bool spoor_branches_add(struct spoor_branches *branches, const struct spoor_batch *batch);
/* The trace has ended: append what was waiting for its successor. */
bool spoor_branches_end(struct spoor_branches *branches);
void spoor_branches_free(struct spoor_branches *branches);

#endif
