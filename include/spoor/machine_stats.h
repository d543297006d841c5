/* SPDX-License-Identifier: MIT */
/*
 * machine_stats.h: statistics of the machine's own caches, TLBs, table walks and bus, as a trace
 * recorded them.
 *
 *     struct spoor_machine_stats *stats;
 *     spoor_machine_stats_new(&stats, &options, &error);
 *     for each batch, in order: spoor_machine_stats_feed(stats, batch, &error);
 *     spoor_machine_stats_end(stats, &error);
 *     spoor_machine_stats_report(stats, result);
 *     spoor_machine_stats_free(stats);
 *
 *     CACHE   lines that moved (Tarmac CACHE): for each cache the fills, refetches (fills of an
 *             address that was there before), evictions, writes to clean lines and write-backs; how
 *             long lines stayed and were away, and how long a slot was empty before its refill; the
 *             sets and lines with the most refetches.  If the identifiers of lines are
 *             set * ways + way, the geometry is inferred from them and the addresses.
 *     WALK    translation table walks (TTW, TTU): reads of each walk, results by level, sizes of
 *             pages, faults, time, the entries that were read most often.  A walk is the reads of
 *             one side and stage of a processor up to a result other than a table.
 *     TLB     translations that were filled and evicted (TLB, WALKCACHE): sizes, regimes, ASIDs and
 *             VMIDs, memory types, refetches, the greatest reach.
 *     BUS     transactions at the pins (Tarmac B, BYU): by operation and master; utilisation of a
 *             bus of a width that the caller states; gaps; locality; time from the access that
 *             caused it.
 *
 * Times are in the trace's unit.  Memory grows with the distinct lines, pages and entries, up to
 * 2^20 of each; further ones are counted only in the totals, and their number is stated.
 */
#ifndef SPOOR_MACHINE_STATS_H
#define SPOOR_MACHINE_STATS_H

#include "batch.h"
#include "result.h"
#include "select.h"

#ifdef __cplusplus
extern "C" {
#endif

enum spoor_machine_kind {
    SPOOR_MACHINE_CACHE,
    SPOOR_MACHINE_WALK,
    SPOOR_MACHINE_TLB,
    SPOOR_MACHINE_BUS,
    SPOOR_MACHINE_KINDS
};
/* Returns "cache", "walk", "tlb" or "bus"; NULL past the end. */
const char *spoor_machine_kind_name(size_t kind);

struct spoor_machine_stats_options {
    size_t struct_size; /* sizeof this struct */
    enum spoor_machine_kind kind;
    size_t top;         /* rows of sets, lines, pages, entries and blocks; 0: none */
    uint32_t bus_width; /* width of the bus: bytes in a unit of time; 0: 8 */
    bool has_address;   /* list every record of the line, page or block of `address` */
    uint64_t address;
    const char *table; /* report only this array; NULL: all.  It must outlive the statistics */
    const struct spoor_select *where; /* only these records; NULL: all */
};

struct spoor_machine_stats;

/* On SPOOR_OK the caller owns *stats, which are empty. */
enum spoor_status spoor_machine_stats_new(struct spoor_machine_stats **stats,
                                          const struct spoor_machine_stats_options *options,
                                          struct spoor_error *error);
void spoor_machine_stats_free(struct spoor_machine_stats *stats);
/* Adds a batch of the trace; batches come in order.  Then the trace ends.  The batches are of one
 * stream, which lives until the report: the statistics refer to its names.  SPOOR_EUSAGE: of
 * another one. */
enum spoor_status spoor_machine_stats_feed(struct spoor_machine_stats *stats,
                                           const struct spoor_batch *batch,
                                           struct spoor_error *error);
enum spoor_status spoor_machine_stats_end(struct spoor_machine_stats *stats,
                                          struct spoor_error *error);
/* Returns the number of records that it counted. */
uint64_t spoor_machine_stats_records(const struct spoor_machine_stats *stats);
/* Fills an object. */
enum spoor_status spoor_machine_stats_report(struct spoor_machine_stats *stats,
                                             struct spoor_result *result);

/* One cache of CACHE statistics, by number from 0; false past the end.  Call it after the report.
 */
struct spoor_machine_cache {
    const char *unit;
    uint64_t fills, evictions, writebacks;
    uint32_t line_bytes, sets, ways; /* 0: unknown */
};
bool spoor_machine_stats_cache(const struct spoor_machine_stats *stats, size_t number,
                               struct spoor_machine_cache *cache);
/* Returns the fills of one of its sets; 0 if the sets are unknown. */
uint64_t spoor_machine_stats_set_fills(const struct spoor_machine_stats *stats, size_t number,
                                       size_t set);

#ifdef __cplusplus
}
#endif

#endif
