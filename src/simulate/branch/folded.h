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

enum {
    HISTORY_CAPACITY = 4096, /* bits of history: more than any length */
    FOLD_LENGTHS = 16,       /* maximum number of lengths, a multiple of 4 */
    FOLD_WIDTHS = 3,         /* folds of one length, of different widths */
};

struct folded {
    uint32_t at; /* position of the newest bit; older ones follow it */
    uint32_t length[FOLD_LENGTHS];
    uint32_t value[FOLD_WIDTHS][FOLD_LENGTHS];
    uint32_t top[FOLD_WIDTHS][FOLD_LENGTHS]; /* 1 << width */
    uint32_t out[FOLD_WIDTHS][FOLD_LENGTHS]; /* 1 << position of the oldest bit */
    uint8_t bits[HISTORY_CAPACITY];
};

/* Define fold `index` of a zeroed history: the newest `length` bits (under HISTORY_CAPACITY),
 * folded to `width` bits (1 to 30), in value[which][index]. */
static inline void folded_set(struct folded *self, unsigned which, unsigned index, unsigned length,
                              unsigned width)
{
    self->length[index] = length;
    self->top[which][index] = UINT32_C(1) << width;
    self->out[which][index] = UINT32_C(1) << length % width;
}

static FORCE_INLINE void folded_push(struct folded *self, unsigned bit)
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

#endif
