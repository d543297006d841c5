/* SPDX-License-Identifier: MIT */
/*
 * block_run.h: the blocks that some bytes lie in, one behind the other.  Behind the last byte that
 * there is comes the first one, as in cache_request().
 */
#ifndef SPOOR_SIMULATE_BLOCK_RUN_H
#define SPOOR_SIMULATE_BLOCK_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct block_run {
    uint64_t block, last; /* the one at hand, and the last one */
    uint64_t mask;        /* of the numbers of blocks */
};

/* Of `size` bytes from `address` on, at most 2^32, in blocks of 2^bits; 0 bytes: of one. */
static inline struct block_run block_run_of(uint64_t address, uint64_t size, unsigned bits)
{
    return (struct block_run){.block = address >> bits,
                              .last = (address + (size ? size - 1 : 0)) >> bits,
                              .mask = UINT64_MAX >> bits};
}

/* Go to the next block; false where the one at hand was the last. */
static inline bool block_run_next(struct block_run *run)
{
    if (run->block == run->last) return false;
    run->block = (run->block + 1) & run->mask;
    return true;
}

#endif
