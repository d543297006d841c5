/* SPDX-License-Identifier: MIT */
/*
 * history_file.h: the layout of a packed history, shared by what writes it (history.c) and what
 * reads it (replay.c); docs/formats/history.md describes it.
 */
#ifndef SPOOR_SAMPLING_HISTORY_FILE_H
#define SPOOR_SAMPLING_HISTORY_FILE_H

#include "base/varint.h"
#include "spoor/view.h"

#define HISTORY_MAGIC "spoorhis"
enum { HISTORY_LAYOUT = 3, HISTORY_LINE_BITS = 6, HISTORY_HASH_SIZE = 8 };

/* The sizes of blocks whose accesses are counted, 2^N bytes from this N on. */
enum { HISTORY_TOTAL_BITS = HISTORY_LINE_BITS };

/* The bits of a number among the successors of a step. */
static inline unsigned history_rank_bits(uint32_t successors)
{
    unsigned bits = 0;
    while (bits < 32 && (uint64_t)1 << bits < successors) bits++;
    return bits;
}

/* A use of a line. */
struct history_use {
    uint64_t time, line;
    enum spoor_reference_op op; /* SPOOR_REFERENCE_FETCH, READ or WRITE */
};

/* For qsort(). */
static inline int history_by_time(const void *one, const void *other)
{
    const struct history_use *a = one, *b = other;
    return (a->time > b->time) - (a->time < b->time);
}

/* The lines of data and of code that were used last. */
struct history_lines {
    uint64_t last[2];
};

/* A use as a number: the distance of its line from the one before, of data or of code, and the
 * operation in the two lowest bits. */
static inline uint64_t history_pack_use(struct history_lines *lines, const struct history_use *use)
{
    uint64_t *last = &lines->last[use->op == SPOOR_REFERENCE_FETCH];
    const int64_t distance = (int64_t)(use->line - *last);
    *last = use->line;
    return zigzag(distance) << 2 | (uint64_t)use->op;
}

/* Of a gap that is kept whole: the last addresses of data and of code, and the last pc. */
struct history_access {
    uint64_t last[2], pc;
};
/* After the distance of an address: the operation in the two lowest bits, the size in the next, and
 * whether the distance of the pc from the one before follows. */
enum { HISTORY_SIZE_SHIFT = 2, HISTORY_SIZE_MASK = 15, HISTORY_HAS_PC = 1 << 6 };

/* The line and the operation that the number stands for. */
static inline struct history_use history_unpack_use(struct history_lines *lines, uint64_t packed)
{
    const enum spoor_reference_op op = (enum spoor_reference_op)(packed & 3);
    uint64_t *last = &lines->last[op == SPOOR_REFERENCE_FETCH];
    *last += (uint64_t)unzigzag(packed >> 2);
    return (struct history_use){.line = *last, .op = op};
}

#endif
