/* SPDX-License-Identifier: MIT */
/* taint.h: the set of bytes of memory that hold a wrong or a volatile value. */
#ifndef SPOOR_COMPARE_TAINT_H
#define SPOOR_COMPARE_TAINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hash_map.h"

enum taint { TAINT_NONE, TAINT_VOLATILE, TAINT_WRONG };

/* An 8-byte word that has tainted bytes. */
struct taint_word {
    uint64_t word;    /* address / 8 */
    uint8_t bytes[2]; /* one mask for volatile and one for wrong; bit I is byte I */
};
struct taint_memory {
    struct hash_map words; /* of struct taint_word */
    uint64_t forgotten;    /* words beyond the maximum */
};

/* The maximum of words: 16 bytes each. */
enum { MAX_TAINT_WORDS = 1 << 20 };

void taint_set(struct taint_memory *memory, uint64_t address, unsigned size, enum taint taint);
/* Returns the worst taint among the bytes. */
enum taint taint_get(const struct taint_memory *memory, uint64_t address, unsigned size);
void taint_free(struct taint_memory *memory);

#endif
