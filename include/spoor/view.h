/* SPDX-License-Identifier: MIT */
/*
 * view.h: views, the input of simulators: dense arrays of memory references and of branches.
 *
 * A view holds only what its tools need.  It is built from batches of records of any format.  Where
 * a format can decode directly into a view (a projection), the reader does so, with the same
 * result: see spoor_reader_next_references().
 *
 * A value that the trace does not state is never invented: a size of 0 bytes and a clear bit in
 * `has` mean "not stated".
 */
#ifndef SPOOR_VIEW_H
#define SPOOR_VIEW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "batch.h"
#include "branch.h"
#include "error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- memory references ---- */

enum spoor_reference_op {
    SPOOR_REFERENCE_FETCH,
    SPOOR_REFERENCE_READ,
    SPOOR_REFERENCE_WRITE,
    SPOOR_REFERENCE_MISC,       /* of unspecified kind (extended din 'm', undefined bus types) */
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
/* One access, as the processor made it: not split at block boundaries.  A modify and an atomic
 * update are a read followed by a write of the same bytes. */
struct spoor_reference {
    uint64_t address; /* of the lowest byte */
    uint64_t pc;      /* HAS_PC */
    uint32_t size;    /* bytes; 0: not stated */
    uint16_t cpu;     /* HAS_CPU: a name of the stream; HAS_AGENT: a number */
    uint8_t op;       /* enum spoor_reference_op */
    uint8_t has;      /* enum spoor_reference_has */
};

/* The records of a bus trace that are references. */
enum spoor_bus_selection {
    SPOOR_BUS_ALL,    /* every record, as the published paging results count */
    SPOOR_BUS_DATA,   /* memory reads and writes */
    SPOOR_BUS_MEMORY, /* code and data: without I/O, acknowledgements, deferred packets and special
                       * cycles */
};
struct spoor_reference_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_bus_selection bus;
    bool tarmac_bus;  /* Tarmac: B records are references too (beside MR, MW, MU and fetches) */
    bool physical;    /* use the physical address; else the virtual one.  Where a record has only
                       * one, that one is used.  SPOOR_REFERENCE_PHYSICAL states which it is */
    bool pc_by_order; /* an access that does not state its instruction belongs to the last
                       * instruction of the same cpu before it in the trace.  Fast Models, ES and
                       * lackey write this order; others do not guarantee it */
    bool update_once; /* a modify or an atomic update is one read, as cachegrind counts: the write
                       * after it always hits */
};

struct spoor_reference_state;
/* Zeroed, it is empty.  Set `count` to 0 to reuse the memory; `state` carries over from batch to
 * batch. */
struct spoor_references {
    struct spoor_reference *items;
    size_t count, capacity;
    struct spoor_reference_state *state; /* pc_by_order: the last instruction of each cpu */
};
/* Appends the references of a batch's records, in order; call it with the batches in order.
 * `options` NULL: all zero.  SPOOR_ENOMEM: `items` and `count` have the references up to there.
 * SPOOR_EUSAGE: the options are of a later version.
 *
 * UOP    a fetch for the first micro-op of a macro-op (its size is fall-through minus pc, if that
 *        is 1 to 15 bytes, as x86 instructions are), then a read or write if the micro-op loads or
 *        stores.  The pc of both is known; the size of the second is not.
 * INSN   a fetch, executed or skipped: an instruction whose condition fails was fetched too.
 * MEM    the access itself; two references for an atomic update or a modify.  None if the access
 *        was aborted, and for transfers to and from coprocessors.  The pc if the record states it
 *        (`origin_pc`).
 * BUS    by the selection.  With `all`, I/O reads and writes are reads and writes; the other
 *        operations that do not access memory are MISC.  A 6-byte record's address is that of its
 *        lowest enabled lane, its size the number of enabled lanes. */
enum spoor_status spoor_references_add(struct spoor_references *references,
                                       const struct spoor_batch *batch,
                                       const struct spoor_reference_options *options,
                                       struct spoor_error *error);
/* The same of records `from` to before `to` of the batch alone. */
enum spoor_status spoor_references_add_some(struct spoor_references *references,
                                            const struct spoor_batch *batch, size_t from, size_t to,
                                            const struct spoor_reference_options *options,
                                            struct spoor_error *error);
void spoor_references_free(struct spoor_references *references);

/* ---- instructions ---- */

/* The instructions of a trace up to some record.  Zeroed, there are none.
 *
 * Instructions are the first micro-ops of macro-ops and INSN records, executed or skipped; in a
 * trace that has neither, fetches; in a trace of branches alone, what its FLOW records count. */
struct spoor_instruction_count {
    uint64_t count;
    bool stated; /* the trace has UOP or INSN records: fetches and FLOW records add nothing */
};
/* Counts on from record `from` of the batch, up to the record that begins instruction `number`,
 * from 0, of all that were counted: returns its index, or `to` if it is none of `from` to `to` - 1.
 * What is returned is not counted yet. */
size_t spoor_instruction_count_find(struct spoor_instruction_count *so_far,
                                    const struct spoor_batch *batch, size_t from, size_t to,
                                    uint64_t number);

/* ---- branches: branch.h ---- */

struct spoor_branch_state;
/* Zeroed, it is empty.  Set `count` to 0 to reuse the memory.  In some formats only the next
 * instruction shows what a branch did, so `state` keeps the last instruction of each cpu between
 * batches. */
struct spoor_branches {
    struct spoor_branch *items;
    size_t count, capacity;
    uint64_t instructions; /* of all cpus, so far: macro-ops of a micro-op trace */
    uint64_t unresolved;   /* conditional branches left out, because an exception or the end of the
                            * trace hides their outcome */
    struct spoor_branch_state *state;
};
/* Appends the branches of a batch's records, in the order in which their outcomes become known;
 * call it with the batches in order.  SPOOR_ENOMEM if memory runs out.
 *
 * UOP    every record whose Branch field is T or N, conditional if it reads the flags.  The
 *        x86 opcode names (CALL, RET, JMP_REG ...) identify calls, returns and indirect branches.
 * INSN   an A64, A32, T32 or RISC-V opcode states the type; the next instruction of the same cpu
 *        shows whether the branch was taken.  For other opcodes, and records without one, only
 *        taken branches are found: the next instruction is not the next one in memory.  The
 *        instruction set is the stream's if that was stated, else letters and opcodes decide.
 * MEM    fetches: taken branches, likewise, if the size is known.
 * FLOW   as the record states: everything in branch traces; in others, that the branch was taken
 *        and whether it is indirect.  One that belongs to an INSN record is not counted twice.
 *        If it does not state the target (ChampSim), the next instruction gives it: the target,
 *        or the instruction after the branch. */
enum spoor_status spoor_branches_add(struct spoor_branches *branches,
                                     const struct spoor_batch *batch, struct spoor_error *error);
/* The instructions of each cpu so far, by its name; of names from *count on there are none. */
const uint64_t *spoor_branches_instructions(const struct spoor_branches *branches, size_t *count);
/* The trace has ended: appends the branches that still wait for their next instruction. */
enum spoor_status spoor_branches_end(struct spoor_branches *branches, struct spoor_error *error);
void spoor_branches_free(struct spoor_branches *branches);

/* Where a branch goes when it is taken, as its opcode states it. */
struct spoor_branch_target {
    uint64_t address;
    int reg;      /* the integer register whose value is added to it; -1: none */
    uint8_t type; /* enum spoor_branch_type */
};
/* Decodes the opcode of the instruction at `pc`, of `size` bytes; `thumb` selects T32.  False: it
 * is no branch that the tables know, or its target comes from memory or is computed. */
bool spoor_branch_target(enum spoor_isa isa, bool thumb, uint64_t pc, uint64_t opcode,
                         unsigned size, struct spoor_branch_target *target);

#ifdef __cplusplus
}
#endif

#endif
