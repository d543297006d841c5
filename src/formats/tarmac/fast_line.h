/* SPDX-License-Identifier: MIT */
/*
 * fast_line.h: what the two ways through common lines share, word by word (fast.c) and with AVX2
 * (fast_avx2.c): the forms of such lines, and all that the spelling of one depends on.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_LINE_H
#define SPOOR_FORMATS_TARMAC_FAST_LINE_H

#include <stddef.h>

#include "formats/tarmac/fast.h"

enum form { FORM_INSN, FORM_REG, FORM_MEM };

enum {
    WHOLE_DIGITS = 16, /* a decimal number has fewer */
    MOST_DATA = 32,    /* digits */
    GAP_MOST = 7,      /* blanks before a disassembly */
};

/* Where the parts of a spelling's key lie. */
enum {
    KEY_HEAD = 0, /* its serial number */
    KEY_FORM = 8,
    KEY_WIDTH = 10, /* of three numbers */
    KEY_WIDTHS = 5,
    KEY_UPPER = 25, /* of three numbers and the data */
    KEY_UPPER_DATA = 28,
    KEY_DIGITS = 29,
    KEY_GROUP = 35,
    KEY_SEPARATORS = 41,
    KEY_COLON = 46,
    KEY_INDEX = 47,
    KEY_GAP = 48,
};

/* Functions for either way, of which one is compiled for other instructions. */
#define FAST_INLINE static inline __attribute__((always_inline))

FAST_INLINE size_t spelling_slot(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

FAST_INLINE size_t register_slot(const uint64_t name[2])
{
    return (name[0] * UINT64_C(0x9e3779b97f4a7c15) ^ name[1] * UINT64_C(0xbf58476d1ce4e5b9)) >> 56;
}

#endif
