/* SPDX-License-Identifier: MIT */
/* hash.h: 64-bit hashes of numbers and bytes, for tables and for comparing; not for secrets. */
#ifndef SPOOR_BASE_HASH_H
#define SPOOR_BASE_HASH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* A hash of `hash` followed by `word`: both halves of their 128-bit product, folded. */
static inline uint64_t hash_mix(uint64_t hash, uint64_t word)
{
    __extension__ typedef unsigned __int128 wide;
    wide product =
        (wide)(hash ^ UINT64_C(0x9E3779B97F4A7C15)) * (word ^ UINT64_C(0xD1B54A32D192ED03));
    return (uint64_t)product ^ (uint64_t)(product >> 64) ^ word;
}

static inline uint64_t hash_of_bytes(const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    const bool is_long = size >= 8;
    uint64_t hash = size, rest = 0;
    for (; size >= 8; at += 8, size -= 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = hash_mix(hash, word);
    }
    if (is_long && size > 0) { /* a load of the last eight bytes: cheaper than a copy of `size` */
        memcpy(&rest, at + size - 8, 8);
        rest >>= 8 * (8 - size);
    } else {
        memcpy(&rest, at, size);
    }
    return hash_mix(hash, rest);
}

#endif
