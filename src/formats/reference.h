/* SPDX-License-Identifier: MIT */
/*
 * formats/reference.h: the memory references of a record.
 *
 * The single definition for all formats with references: an instruction is fetched; a micro-op
 * loads or stores (and the first of a macro-op is its fetch); an access and a bus transaction are
 * references themselves.  Decided by kind and presence bits, never by the format that produced the
 * record.
 */
#ifndef SPOOR_FORMATS_REFERENCE_H
#define SPOOR_FORMATS_REFERENCE_H

#include "spoor/batch.h"

struct reference {
    uint64_t va, pa; /* SPOOR_HAS_VA, SPOOR_HAS_PA in `has` */
    uint16_t size;   /* bytes; 0: not stated */
    uint8_t op;      /* SPOOR_MEM_READ, _WRITE, _FETCH or _MODIFY (reads and writes the bytes) */
    uint8_t has;
};

enum {
    MAX_REFERENCES = 2, /* a micro-op: its macro-op's fetch and its own load or store */
};

/* The references of record `index`, in the order they are made; returns how many, 0 .. 2.
 *
 * UOP    a fetch where it is the first of its macro-op, a read or write where it loads or stores.
 *        The fetch is fall-through minus pc bytes where that is a length an instruction can have.
 * INSN   a fetch, executed or skipped.
 * MEM    itself: atomic updates modify, an access of no particular kind reads.  None where the
 *        access was aborted, and none for cache requests (copy back, invalidate).
 * BUS    the selection `memory`: code and data; not I/O, acknowledge, deferred and special packets.
 *        A 6-byte record's address is that of its lowest enabled lane. */
size_t references_of(const struct spoor_batch *batch, size_t index,
                     struct reference references[MAX_REFERENCES]);

/* The address for a format with only one kind of address. */
static inline uint64_t reference_virtual(const struct reference *reference)
{
    return (reference->has & SPOOR_HAS_VA) ? reference->va : reference->pa;
}
static inline uint64_t reference_physical(const struct reference *reference)
{
    return (reference->has & SPOOR_HAS_PA) ? reference->pa : reference->va;
}

#endif
