/* SPDX-License-Identifier: MIT */
/*
 * memory_time.h: the time in memory of machines that have it: TLBs whose misses walk through the
 * caches, caches with ports and MSHRs, DRAM.  Cores of one pipeline share it; what they share in it
 * is theirs to state by levels.
 *
 * An access is made in the cycle in which its operation issues, and its result is known at once: it
 * reserves what it needs.  So accesses of one core come in the order of their cycles, and those of
 * several cores nearly so.
 */
#ifndef SPOOR_PIPELINE_MEMORY_TIME_H
#define SPOOR_PIPELINE_MEMORY_TIME_H

#include "spoor/pipeline.h"

struct memory_time;

/* True if a configuration has anything that takes time in memory. */
bool memory_time_is_on(const struct spoor_pipeline_config *config);
/* Adds the bytes that it takes. */
enum spoor_status memory_time_memory(const struct spoor_pipeline_config *config, uint64_t *needed,
                                     struct spoor_error *error);
/* NULL with a message in `error`.  `apart`: cpus share no memory. */
struct memory_time *memory_time_new(const struct spoor_pipeline_config *config, bool apart,
                                    struct spoor_error *error);
struct memory_reply {
    uint64_t ready; /* the cycle in which the data arrive; of a fetch that hits in the first level,
                     * that of the access */
    bool missed;    /* the first level lacked them, or they were under way to it */
};
/* An access of the cpu with this number, from 0, in a cycle. */
struct memory_reply memory_time_access(struct memory_time *memory, uint32_t cpu, uint64_t cycle,
                                       uint64_t pc, uint64_t address, enum spoor_reference_op op);
/* A load of the cpu had its data from a store in flight. */
void memory_time_forward(struct memory_time *memory, uint32_t cpu);
/* Fills the TLBs and caches with what operations of a warm-up access, without any time. */
void memory_time_warm(struct memory_time *memory, uint32_t cpu,
                      const struct spoor_operation *operations, size_t count);
/* The block of an instruction: fetches of one block are one access. */
unsigned memory_time_block_bits(const struct memory_time *memory);
/* The warm-up of a cpu has ended: what it has accessed so far is not counted. */
void memory_time_begin_counting(struct memory_time *memory, uint32_t cpu);
/* The trace of a cpu has ended: what it accesses from here on is not counted. */
void memory_time_end_counting(struct memory_time *memory, uint32_t cpu);
/* Cycles are counted from 0 again, with TLBs and caches as they are, and nothing under way; what
 * came before is not counted. */
void memory_time_restart(struct memory_time *memory);
enum spoor_status memory_time_status(const struct memory_time *memory, struct spoor_error *error);
/* Adds `caches`, `tlbs`, `dram` and what belongs to them: sums over all cpus. */
void memory_time_report(const struct memory_time *memory, struct spoor_result *result);
void memory_time_free(struct memory_time *memory);

#endif
