/* SPDX-License-Identifier: MIT */
/* phases/phases.h: the state of the fold that finds phases. */
#ifndef SPOOR_PHASES_PHASES_H
#define SPOOR_PHASES_PHASES_H

#include "base/hash_map.h"
#include "base/text.h"
#include "spoor/phases.h"
#include "spoor/view.h"

/* ---- kmeans.c ---- */

struct vectors {
    const double *items; /* `count` vectors of `dimensions` numbers */
    size_t count;
    unsigned dimensions;
};

struct partition {
    size_t groups;
    uint32_t *of;      /* the group of each vector */
    double *centres;   /* `groups` vectors */
    size_t *sizes;     /* vectors in each group */
    double distortion; /* sum of the squared distances to the centres */
    double score;      /* Bayesian information criterion: the higher the better */
};

struct kmeans_options {
    unsigned starts, iterations;
    uint64_t seed;
};

/* Groups the vectors, the best of some random starts; false if memory runs out.  1 <= groups <=
 * vectors.  Call partition_free() even then. */
bool kmeans(struct partition *partition, const struct vectors *vectors, size_t groups,
            const struct kmeans_options *options);
void partition_free(struct partition *partition);

/* The squared distance of two vectors. */
double vector_distance(const double *a, const double *b, unsigned dimensions);

/* ---- phases.c ---- */

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
    uint64_t next_record; /* after the last one that was not left out; 0: there is none yet */
    uint64_t before;      /* the last one before that, of those */
    struct phase_interval open;
    struct phase_interval *intervals;
    size_t interval_count, interval_capacity;
    double *vectors; /* projected, one after another */
    size_t vector_capacity;
    struct text bbv;
    bool failed; /* memory ran out */
    /* after the end */
    struct partition partition;
    struct phase_try *tries;
    size_t try_count, try_capacity;
    size_t *points; /* the interval nearest to the centre of each group */
    double *weights;
};

/* group.c: groups the vectors; false if memory runs out. */
bool phases_group(struct spoor_phases *phases);

#endif
