/* SPDX-License-Identifier: MIT */
/*
 * block_run.h: the blocks of a range of bytes, one after another.  Addresses wrap around after the
 * last byte, as in cache_request().
 */
#ifndef SPOOR_SIMULATE_BLOCK_RUN_H
#define SPOOR_SIMULATE_BLOCK_RUN_H

#include <stdbool.h>
#include <stdint.h>

struct block_run {
    uint64_t block, last; /* the current block, and the last one */
    uint64_t mask;        /* mask of block numbers */
};

/* The blocks, of 2^bits bytes, of `size` bytes from `address` on, at most 2^32; size 0 counts as
 * one byte. */
static inline struct block_run block_run_of(uint64_t address, uint64_t size, unsigned bits)
{
    return (struct block_run){.block = address >> bits,
                              .last = (address + (size ? size - 1 : 0)) >> bits,
                              .mask = UINT64_MAX >> bits};
}

/* Advances to the next block; false if the current one was the last. */
static inline bool block_run_next(struct block_run *run)
{
    if (run->block == run->last) return false;
    run->block = (run->block + 1) & run->mask;
    return true;
}

#endif
