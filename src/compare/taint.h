/* SPDX-License-Identifier: MIT */
/* taint.h: which bytes of memory hold a wrong or a volatile value. */
#ifndef SPOOR_COMPARE_TAINT_H
#define SPOOR_COMPARE_TAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum taint { TAINT_NONE, TAINT_VOLATILE, TAINT_WRONG };

/* A table of the 8-byte words that have tainted bytes. */
struct taint_word {
    uint64_t word;    /* address / 8, plus 1; 0: empty */
    uint8_t bytes[2]; /* volatile, wrong: bit i: byte i */
};
struct taint_memory {
    struct taint_word *words;
    size_t capacity, count; /* count: entries in use, tainted or not */
    uint64_t tainted;       /* words that have a tainted byte */
    uint64_t forgotten;     /* that found no room */
};

/* The most words kept: 16 bytes each. */
enum { MAX_TAINT_WORDS = 1 << 20 };

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, enum taint taint);
/* The worst taint among the bytes. */
enum taint taint_get(const struct taint_memory *memory, uint64_t address, unsigned size);
void taint_free(struct taint_memory *memory);

#endif
