/* SPDX-License-Identifier: MIT */
/*
 * formats/spoor/mixed.h: symbols as an arithmetic code, each bit predicted by several contexts.
 *
 * A context is a number that stands for what is known before the symbol.  A slot, found by its hash
 * and the bits of the symbol so far, has the probability of the next bit and how often it was seen.
 * The probabilities of all contexts are mixed, with weights that learn from each bit.  It is slow
 * (about 100 ns a bit), and smaller than what LZMA makes.  All numbers are whole numbers, so every
 * reader computes the same.  docs/formats/spoor.md is the specification.
 */
#ifndef SPOOR_FORMATS_SPOOR_MIXED_H
#define SPOOR_FORMATS_SPOOR_MIXED_H

#include "base/text.h"

enum {
    MIXED_CONTEXTS = 10,
    MIXED_SETS = 2 * (MIXED_CONTEXTS + 1), /* of weights, by the last context that was seen, */
    MIXED_SELECTED = 24,                   /* and by what the symbol selects */
    MIXED_COLUMNS = 24,
    MIXED_CURVE = 45, /* points */
    MIXED_BITS_MIN = 12,
    MIXED_BITS_MAX = 22,
    MIXED_STEPS = 4096, /* of a probability */
};

struct mixed_slot {
    uint16_t probability; /* that the bit is 1 */
    uint8_t seen, check;
};

/* A column of symbols, coded on its own. */
struct mixed_column {
    uint32_t low, high, code;
    const uint8_t *at, *end; /* decoding */
    struct text *out;        /* encoding; NULL: decoding */
    int32_t weights[MIXED_SETS][MIXED_CONTEXTS], selected[MIXED_SELECTED][MIXED_CONTEXTS];
    uint16_t corrected[MIXED_SELECTED][MIXED_CURVE]; /* what probabilities turned out to be */
};

struct mixed {
    unsigned shift; /* from a hash to the index of a line of slots */
    int16_t stretch[MIXED_STEPS];
    uint16_t rates[256];
    struct mixed_column columns[MIXED_COLUMNS];
    _Alignas(64) struct mixed_slot slots[1 << MIXED_BITS_MAX];
};

/* The contexts of a symbol. */
struct mixed_contexts {
    uint32_t of[MIXED_CONTEXTS];
    unsigned count;
    unsigned select; /* of weights */
};

/* NULL if memory runs out. */
struct mixed *mixed_new(void);
/* Forgets everything; so many bytes are to be coded, or SIZE_MAX. */
void mixed_begin(struct mixed *mixed, size_t bytes);
void mixed_begin_decoding(struct mixed *mixed, unsigned column, const void *bytes, size_t size);
void mixed_begin_encoding(struct mixed *mixed, unsigned column, struct text *out);
/* Appends what the end of an encoded column needs. */
void mixed_end(struct mixed *mixed, unsigned column);

/* Each encodes the value, or decodes and returns one. */
/* A number of this many bits. */
unsigned mixed_number(struct mixed *mixed, unsigned column, const struct mixed_contexts *contexts,
                      unsigned bits, unsigned value);
/* A number from 0 to 8 that is mostly 0. */
unsigned mixed_rare(struct mixed *mixed, unsigned column, const struct mixed_contexts *contexts,
                    unsigned value);

/* Adds a context of two numbers; `salt` distinguishes it from others. */
static inline void mixed_add(struct mixed_contexts *contexts, uint32_t salt, uint32_t one,
                             uint32_t other)
{
    const uint32_t half = (salt * UINT32_C(0x27D4EB2F) + one) * UINT32_C(0x9E3779B1);
    contexts->of[contexts->count++] = ((half ^ half >> 16) + other) * UINT32_C(0x85EBCA6B);
}

/* Bytes, predicted by those before; `width`: of rows, 0: there are none. */
bool mixed_compress(struct mixed *mixed, const struct text *bytes, unsigned width,
                    struct text *out);
bool mixed_decompress(struct mixed *mixed, const char *at, size_t stored, char *to, size_t size);

#endif
