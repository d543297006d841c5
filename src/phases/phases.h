/* SPDX-License-Identifier: MIT */
/* phases/phases.h: the state of the fold that finds phases. */
#ifndef SPOOR_PHASES_PHASES_H
#define SPOOR_PHASES_PHASES_H

#include "base/hash_map.h"
#include "base/text.h"
#include "phases/kmeans.h"
#include "spoor/phases.h"
#include "spoor/view.h"

/* A basic block, by the address at which it begins. */
struct phase_block {
    uint64_t pc;
    uint64_t count; /* instructions in the open interval */
};
struct phase_block_id {
    uint64_t pc; /* the key */
    uint32_t id;
};
/* The last instruction of a processor. */
struct phase_cpu {
    bool known, ended; /* ended: it was marked as a branch */
    uint32_t size;     /* bytes; 0: not stated */
    uint32_t block;    /* the open one */
    uint64_t pc;
};
struct phase_interval {
    uint64_t first, last; /* records */
    uint64_t instruction, instructions;
};
/* What was found for a number of groups. */
struct phase_try {
    size_t groups;
    double score, distortion;
};

struct spoor_phases {
    struct spoor_phases_options options;
    struct hash_map ids; /* of blocks: struct phase_block_id */
    struct phase_block *blocks;
    size_t block_count, block_capacity;
    uint32_t *touched; /* blocks of the open interval, in order of first use */
    size_t touched_count, touched_capacity;
    struct phase_cpu *cpus; /* by name of the processor */
    size_t cpu_capacity;
    bool instructed;                    /* the trace has instructions, so fetches are not counted */
    struct spoor_references references; /* of one record */
    uint64_t instructions;
    uint64_t next_record; /* after the last batch */
    struct phase_interval open;
    struct phase_interval *intervals;
    size_t interval_count, interval_capacity;
    double *vectors; /* projected, one after another */
    size_t vector_capacity;
    struct text bbv;
    bool failed; /* memory ran out */
    /* after the end */
    struct grouping grouping;
    struct phase_try *tries;
    size_t try_count, try_capacity;
    size_t *points; /* the interval nearest to the centre of each group */
    double *weights;
};

/* Groups the vectors; false if memory runs out. */
bool phases_group(struct spoor_phases *phases);

#endif
