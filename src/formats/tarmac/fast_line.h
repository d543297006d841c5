/* SPDX-License-Identifier: MIT */
/*
 * fast_line.h: what the ways through common lines share, word by word (fast.c) and many bytes at a
 * time (fast_simd_decode.h): the forms of such lines, and all that the spelling of one depends on.
 */
#ifndef SPOOR_FORMATS_TARMAC_FAST_LINE_H
#define SPOOR_FORMATS_TARMAC_FAST_LINE_H

#include <stddef.h>

#include "base/inline.h"
#include "formats/tarmac/fast.h"

enum form { FORM_INSN, FORM_REG, FORM_MEM };

enum { WHOLE_DIGITS = 16 /* a decimal number has fewer digits */ };

/* Bit positions of the parts of a spelling's key. */
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

/* Functions for both decoders, one of which is compiled for other instructions. */
#define FAST_INLINE static FORCE_INLINE

_Static_assert(FAST_SETS == 256, "the top eight bits of a product");

FAST_INLINE size_t spelling_set(uint64_t key)
{
    return key * UINT64_C(0x9e3779b97f4a7c15) >> 56;
}

FAST_INLINE size_t register_set(const uint64_t name[2])
{
    const uint64_t low = name[0] * UINT64_C(0x9e3779b97f4a7c15);
    return (low ^ name[1] * UINT64_C(0xbf58476d1ce4e5b9)) >> 56;
}

/* Returns the entry of a key, and of a name; NULL if it is not stored. */
FAST_INLINE const struct seen_spelling *find_spelling(const struct fast *fast, uint64_t key)
{
    const struct seen_spelling *set = fast->spellings[spelling_set(key)];
    if (set[0].key == key) return &set[0];
    return set[1].key == key ? &set[1] : NULL;
}

FAST_INLINE bool is_register(const struct seen_register *seen, const uint64_t name[2])
{
    return ((seen->bytes[0] ^ name[0]) | (seen->bytes[1] ^ name[1])) == 0;
}

FAST_INLINE const struct seen_register *find_register(const struct fast *fast,
                                                      const uint64_t name[2])
{
    const struct seen_register *set = fast->registers_seen[register_set(name)];
    if (is_register(&set[0], name)) return &set[0];
    return is_register(&set[1], name) ? &set[1] : NULL;
}

#endif
