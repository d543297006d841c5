/* SPDX-License-Identifier: MIT */
/*
 * dram.h: DRAM: channels, ranks, bank groups, banks, rows; each request reserves what it needs.
 *
 * A request of a block of 64 bytes opens its row where another or none is open, reads or writes a
 * column, and takes the bus of its channel.  Its times follow from those of the requests that were
 * asked for before it: no request overtakes another one in its bank, but banks work at once.  A
 * call may ask for an earlier cycle than those before it: it is served there if its bank is idle
 * for long enough, and the others keep their times. Reads are served as they come; writes wait in a
 * queue until it is seven eighths full, and then are served until it is six eighths full, as in
 * ChampSim.
 *
 * Address bits, from the lowest: block, channel, bank group, bank, column, rank, row (ChampSim's
 * order).
 */
#ifndef SPOOR_SIMULATE_DRAM_H
#define SPOOR_SIMULATE_DRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dram_setup {
    size_t device;
    uint32_t channels, ranks; /* powers of two */
    uint32_t queue;           /* writes that wait in a channel; 0: none do */
    uint32_t megahertz;       /* of the processor, whose cycles are counted */
    bool closes;              /* a row is closed after each access (closed page) */
};

struct dram_counts {
    uint64_t reads, writes;                       /* that reached a bank */
    uint64_t row_hits, row_misses, row_conflicts; /* of both: its row was open, none, another one */
    uint64_t read_cycles; /* of the processor, from arrival to the last data */
};

struct dram;
/* NULL: memory ran out. */
struct dram *dram_new(const struct dram_setup *setup);
/* A request that arrives in cycle `at`: the cycle in which the data have been transferred.  Of a
 * write nothing waits: it is `at`.  Adds to *counts. */
uint64_t dram_access(const struct dram *dram, uint64_t at, uint64_t address, bool write,
                     struct dram_counts *counts);
/* Time begins anew, with all rows closed. */
void dram_restart(struct dram *dram);
void dram_free(struct dram *dram);

#endif
