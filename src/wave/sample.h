/* SPDX-License-Identifier: MIT */
/* wave/sample.h: the values of the mapped signals, and what a scope of them has seen so far. */
#ifndef SPOOR_WAVE_SAMPLE_H
#define SPOOR_WAVE_SAMPLE_H

#include "base/text.h"
#include "wave/history.h"
#include "wave/mapping.h"

/* A value that a mapping uses. */
struct wave_signal {
    uint64_t handle;
    uint32_t width, words;
    size_t at; /* of its words in `values`: the bits, then which of them are unknown (x, z) */
};

/* A reference of the mapping in an instance; signal -1: the waveform has none. */
struct wave_bound {
    int signal;
    uint32_t low, bits;
};

/* A field of a port that is bits of one signal, as nearly all are: where they are in `values`. */
enum wave_direct_kind { WAVE_DIRECT_ABSENT, WAVE_DIRECT_BITS, WAVE_DIRECT_NOT };
struct wave_direct {
    uint64_t mask;
    size_t at;
    uint32_t words, shift, size;
    uint8_t kind;
};

struct wave_write { /* of a register, in a cycle before the instruction's */
    char bank;
    uint8_t bits;
    unsigned number;
    uint64_t value, unknown;
};

/* An instruction in a stage of the pipeline. */
struct wave_flight {
    uint64_t number, id;
    uint32_t id_bits;
    bool any;     /* the stage holds one */
    bool retired; /* and it has retired at an edge before */
    bool claimed; /* it is seen at this edge */
};

/* Edges at which nothing retires, for one cause. */
struct wave_stall_run {
    bool begun;     /* an instruction has been in a stage */
    unsigned cause; /* of the mapping; after the last: none of them, then: unknown */
    uint64_t count, from, to;
};

/* A register whose value comes after its instruction; places count from the text's beginning. */
struct wave_wait {
    uint64_t rd, line, place;
    uint32_t bits;
};

/* A scope whose signals the mapping names. */
struct wave_instance {
    int scope;
    unsigned port_count;
    struct wave_bound clock;    /* of a signal of one bit */
    struct wave_bound *bound;   /* for each port, for each reference */
    struct wave_direct *direct; /* for each port, for each field */
    int *deciding;              /* signals that say whether something happens at an edge, */
    size_t deciding_count;
    int *others; /* and those that say what */
    size_t other_count;
    bool late; /* a register may be written before its instruction retires */
    struct wave_write writes[32];
    unsigned write_count;
    uint64_t lost; /* writes that had no room */
    struct wave_wait waits[64];
    unsigned wait_count;
    uint64_t unclaimed, unclaimed_time; /* late writes for which nothing waits, and the first */
    uint64_t doubtful, doubtful_time;   /* registers whose late write may have been one that is not
                                           known, and the first */
    struct wave_flight *flights, *before; /* of each stage: now, and before the last edge */
    struct wave_flight left[64];          /* they have left the last stage, and not retired */
    unsigned left_count;
    uint64_t unseen, unseen_time;   /* instructions that retired out of no stage, and the first */
    uint64_t unclear, unclear_time; /* those of which it is not known what became of them */
    struct wave_stall_run stall;
    uint64_t edge_time; /* of the last edge */
    /* what the waveform does not say about `when` */
    uint64_t edges, instructions;
    uint64_t known;     /* bit for each port: its `when` has been known at an edge */
    uint64_t undecided; /* edges at which the `when` of such a port is unknown, and the first */
    uint64_t undecided_time;
    bool undecided_now; /* the last edge is one of them */
};

struct wave_sampler {
    const struct wave_mapping *mapping;
    struct wave_signal *signals;
    size_t signal_count, signal_capacity;
    uint64_t *values; /* of all signals */
    size_t value_words;
    struct wave_instance *instances;
    size_t instance_count, instance_capacity;
    struct wave_history *history; /* of `watched`; NULL: instances are sampled */
    struct wave_bound watched;
    /* of wave_sampler_tap(): called at each edge instead, with its number from 1, unless nothing
     * changed since the one before; NULL: none */
    void (*tap)(void *context, uint64_t edge);
    void *tap_context;
    struct text cpu_names; /* one after the other, NUL-terminated */
    struct text out;
    uint64_t given;       /* bytes of the text before those of `out` */
    uint64_t next_number; /* of an instruction in the stages */
    uint64_t factor;      /* of times */
    char unit[4];         /* "_": none */
    bool failed;          /* memory ran out */
};

/* 0, 1, or 2: unknown. */
static inline unsigned wave_bit(const struct wave_signal *signal, const uint64_t *words,
                                uint32_t bit)
{
    const uint64_t *at = words + signal->at;
    if (at[signal->words + bit / 64] >> bit % 64 & 1) return 2;
    return at[bit / 64] >> bit % 64 & 1;
}

#endif
