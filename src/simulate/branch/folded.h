/* SPDX-License-Identifier: MIT */
/*
 * folded.h: a long history of bits, and folds of its newest 4, 9, 20, ... bits to a few bits each.
 *
 * A fold is the xor of consecutive pieces of the history.  It is updated by rotating it when a bit
 * enters and removing the bit that becomes too old (Michaud 2005, "A PPM-like, tag-based branch
 * predictor").  All folds are updated together, in arrays, so that a compiler vectorises the loop.
 */
#ifndef SPOOR_SIMULATE_BRANCH_FOLDED_H
#define SPOOR_SIMULATE_BRANCH_FOLDED_H

#include <stdint.h>

#include "base/inline.h"
#include "simulate/branch/counter.h"

/* ---- lengths that grow geometrically (Seznec 2005, "Analysis of the O-GEHL") ---- */

/* The index-th of `count` lengths from `shortest` to `longest`. */
static inline unsigned geometric(unsigned shortest, unsigned longest, unsigned index,
                                 unsigned count)
{
    if (count < 2) return shortest;
    /* The ratio of both to the power of index / (count - 1): with bisection and multiplication
     * only, so that the result is the same on every machine. */
    const double ratio = (double)longest / shortest;
    double low = 1, high = ratio, wanted = 1;
    for (unsigned i = 0; i < index; i++) wanted *= ratio;
    for (unsigned step = 0; step < 200; step++) {
        const double middle = (low + high) / 2;
        double power = 1;
        for (unsigned i = 0; i < count - 1; i++) power *= middle;
        *(power < wanted ? &low : &high) = middle;
    }
    return (unsigned)(shortest * low + 0.5);
}

/* ---- folds ---- */

enum {
    HISTORY_CAPACITY = 4096, /* bits of history: more than any length */
    FOLD_LENGTHS = 16,       /* maximum number of lengths, a multiple of 4 */
    FOLD_WIDTHS = 3,         /* folds of one length, of different widths */
};

struct folded_history {
    uint32_t at; /* position of the newest bit; older ones follow it */
    uint32_t length[FOLD_LENGTHS];
    uint32_t value[FOLD_WIDTHS][FOLD_LENGTHS];
    uint32_t top[FOLD_WIDTHS][FOLD_LENGTHS]; /* 1 << width */
    uint32_t out[FOLD_WIDTHS][FOLD_LENGTHS]; /* 1 << position of the oldest bit */
    uint8_t bits[HISTORY_CAPACITY];
};

/* Define fold `index` of a zeroed history: the newest `length` bits (under HISTORY_CAPACITY),
 * folded to `width` bits (1 to 30), in value[which][index]. */
static inline void folded_set(struct folded_history *self, unsigned which, unsigned index,
                              unsigned length, unsigned width)
{
    self->length[index] = length;
    self->top[which][index] = UINT32_C(1) << width;
    self->out[which][index] = UINT32_C(1) << length % width;
}

static FORCE_INLINE void folded_push(struct folded_history *self, unsigned bit)
{
    uint32_t oldest[FOLD_LENGTHS];
    self->at--;
    self->bits[self->at % HISTORY_CAPACITY] = (uint8_t)bit;
    for (unsigned i = 0; i < FOLD_LENGTHS; i++)
        oldest[i] = 0U - self->bits[(self->at + self->length[i]) % HISTORY_CAPACITY];
    for (unsigned which = 0; which < FOLD_WIDTHS; which++)
        for (unsigned i = 0; i < FOLD_LENGTHS; i++) {
            uint32_t top = self->top[which][i];
            uint32_t value = self->value[which][i] << 1 ^ bit ^ (oldest[i] & self->out[which][i]);
            uint32_t carry = value & top ? UINT32_MAX : 0;
            self->value[which][i] = value ^ (carry & (top | 1));
        }
}

/* ---- tables with tags, of the lengths 0, 1, ... ---- */

enum { FOLD_INDEX, FOLD_TAG, FOLD_TAG_TOO };

/* Defines the folds of `tables` tables of 1 << `bits` entries. */
static inline void folded_set_tables(struct folded_history *self, unsigned tables,
                                     unsigned shortest, unsigned longest, unsigned bits,
                                     unsigned tag_bits)
{
    for (unsigned i = 0; i < tables; i++) {
        const unsigned length = geometric(shortest, longest, i, tables);
        folded_set(self, FOLD_INDEX, i, length, bits);
        folded_set(self, FOLD_TAG, i, length, tag_bits);
        folded_set(self, FOLD_TAG_TOO, i, length, tag_bits - 1);
    }
}

/* Where a table, counted from 1, has its entry for `pc`: among the entries of all tables. */
static inline uint32_t folded_index(const struct folded_history *self, unsigned table, uint64_t pc,
                                    unsigned bits)
{
    const uint64_t index = pc ^ pc >> (bits > table ? bits - table : table - bits + 1) ^
                           self->value[FOLD_INDEX][table - 1];
    return (uint32_t)((index & low_bits(bits)) | (uint64_t)(table - 1) << bits);
}
static inline uint16_t folded_tag(const struct folded_history *self, unsigned table, uint64_t pc,
                                  unsigned tag_bits)
{
    const uint64_t tag =
        pc ^ self->value[FOLD_TAG][table - 1] ^ self->value[FOLD_TAG_TOO][table - 1] << 1;
    return (uint16_t)(tag & low_bits(tag_bits));
}
/* The longest history among those of a bit mask; 0 if it is empty. */
static inline unsigned highest_table(uint32_t tables)
{
    return tables ? 31U - (unsigned)__builtin_clz(tables) : 0;
}

#endif
