/* SPDX-License-Identifier: MIT */
/*
 * flag_letters.h: letters that encode two adjacent bits.
 *
 * A micro-op's line and its fields use the same three pairs of bits of its op.
 */
#ifndef SPOOR_MODEL_FLAG_LETTERS_H
#define SPOOR_MODEL_FLAG_LETTERS_H

#include "spoor/record.h"

enum {
    UOP_FLAGS_BITS = SPOOR_UOP_READS_FLAGS | SPOOR_UOP_WRITES_FLAGS,
    UOP_BRANCH_BITS = SPOOR_UOP_TAKEN | SPOOR_UOP_NOT_TAKEN,
    UOP_LDST_BITS = SPOOR_UOP_LOAD | SPOOR_UOP_STORE,
};

/* Letters for none of the bits, the lower, the higher, both. */
#define UOP_FLAGS_LETTERS "-RWR"
#define UOP_BRANCH_LETTERS "-TNT"
#define UOP_LDST_LETTERS "-LSL"

/* The letter for the bits `mask` of a member. */
static inline const char *pick_letter(const char *letters, unsigned mask, uint64_t member)
{
    return letters + ((unsigned)(member & mask) >> __builtin_ctz(mask));
}

#endif
