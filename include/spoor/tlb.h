/* SPDX-License-Identifier: MIT */
/*
 * tlb.h: translation lookaside buffers, simulated on the memory references of a trace.
 *
 * A TLB is a cache whose blocks are pages and which is never written.  So a system of levels as in
 * cache.h simulates it; the levels are described by entries instead of bytes.  A miss in the last
 * level is a walk of the page table; paging.h simulates the table itself.
 */
#ifndef SPOOR_TLB_H
#define SPOOR_TLB_H

#include "cache.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Fills `level` from "NAME:ENTRIES,WAYS,PAGE[,key=value...]", such as "dtlb:64,4,4K,policy=plru".
 * PAGE accepts K, M and G; WAYS may be "full"; keys: parent, policy, takes, cpus, prefetch, degree,
 * victim, incl, split.  Names such as itlb and dtlb imply the kinds of references that a level
 * accepts.  A reference that lies in two pages looks both up.  SPOOR_EUSAGE with a message if
 * `words` is invalid. */
enum spoor_status spoor_tlb_level_parse(struct spoor_cache_level *level, const char *words,
                                        struct spoor_error *error);

/* Fills an object: `tlbs`, an array in the order of the levels (lookups and misses by kind, and the
 * reach in bytes), and `walks`.  Of several cpus these are sums, and an array `cpus` has a row for
 * each TLB of each. */
enum spoor_status spoor_tlb_report(const struct spoor_cache_system *system,
                                   struct spoor_result *result);

/* Fills a row with the counts of one TLB of the system, as in `tlbs`. */
void spoor_tlb_report_row(const struct spoor_cache_system *system, size_t index,
                          struct spoor_result *row);
/* Likewise of one of its cpus, from 0, in the order in which they came. */
void spoor_tlb_report_cpu(const struct spoor_cache_system *system, size_t index, size_t cpu,
                          struct spoor_result *row);

#ifdef __cplusplus
}
#endif

#endif
