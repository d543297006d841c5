/* SPDX-License-Identifier: MIT */
/*
 * machine.h: the interface of a machine model: its input, its counts, and the constant struct that
 * describes a model.
 */
#ifndef SPOOR_PIPELINE_MACHINE_H
#define SPOOR_PIPELINE_MACHINE_H

#include "simulate/pipeline/memory_time.h"
#include "spoor/pipeline.h"

/* The results of predictor and caches for one operation. */
struct note {
    uint16_t fetch_delay, data_delay; /* cycles in addition to a hit */
    uint8_t wrong;                    /* a branch is mispredicted: enum wrong */
};
/* Of a direct branch, the target alone is known when it is decoded. */
enum wrong { WRONG = 1, WRONG_DIRECT_TARGET = 2 };

/* A run of operations.  A machine may leave some for the next block, which begins with those,
 * unless the trace has ended. */
enum { MAX_WIDTH = 64 };
struct block {
    const struct spoor_operation *operations;
    const struct note *notes;
    uint64_t first; /* ordinal of operations[0] */
    uint64_t end;   /* ordinal after the last */
    bool ended;     /* no operations follow */
    bool noted;     /* some notes may differ from zero; else all are zero */
};

/* The reasons under which slots of the machine's width are counted.  Every slot of every cycle
 * counts under one. */
enum reason {
    REASON_BASE,             /* a micro-op */
    REASON_FRONT_END,        /* an instruction miss, or the pipeline is filling */
    REASON_TAKEN_BRANCH,     /* the fetch group ended */
    REASON_BRANCH,           /* a misprediction */
    REASON_DEPENDENCY,       /* in order: a source that is not a load; out of order: see ROB */
    REASON_LOAD,             /* the oldest operation waits for its load */
    REASON_DATA_MISS,        /* ... and the load misses */
    REASON_STORE_FORWARDING, /* ... and an older store delayed the load */
    REASON_MEMORY_ORDER,     /* squashed: a load issued too early */
    REASON_ROB_FULL,
    REASON_ISSUE_QUEUE_FULL,
    REASON_LOAD_QUEUE_FULL,
    REASON_STORE_QUEUE_FULL,
    REASON_REGISTERS_FULL,
    REASON_END, /* the trace has ended and the pipeline drains */
    REASONS
};
extern const char *const reason_names[REASONS];

enum structure { ROB, ISSUE_QUEUE, LOAD_QUEUE, STORE_QUEUE, STRUCTURES };
enum noted { NOTED_WRONG = 1, NOTED_FETCH_MISS = 2, NOTED_DATA_MISS = 4, NOTED = 8 };
struct tally {
    uint64_t cycles;
    uint64_t retired[128]; /* micro-ops by their properties: spoor_operation.is */
    uint64_t noted[NOTED]; /* micro-ops by their notes: enum noted */
    uint64_t squashes, squashed;
    uint64_t slots[REASONS];
    uint64_t occupied[STRUCTURES]; /* sum over cycles */
    uint64_t maximum[STRUCTURES];
};

struct machine_kind;
/* The common beginning of every machine's struct. */
struct machine {
    const struct machine_kind *kind;
    struct spoor_pipeline_config config;
    struct tally stats;
    struct tally before;        /* the counts at the end of the warm-up */
    uint64_t warm_up;           /* micro-ops of the warm-up, which are not counted; 0 after it */
    uint64_t position;          /* ordinal of the next operation */
    bool failed;                /* memory ran out while it ran */
    struct memory_time *memory; /* the caller's; NULL: accesses take what their notes say */
    uint32_t cpu;               /* number, of its accesses */
    uint64_t until;             /* with `memory`: it stops in this cycle; 0: never */
    bool paused;                /* it has stopped for that reason */
    spoor_pipeline_watch *watch;
    void *watch_context;
};
struct machine_kind {
    const char *name;
    size_t struct_size; /* of its struct, which begins as zeros, but for `kind` and `config` */
    /* Prepares the rest; false if memory runs out.  `longest`: the longest data delay.  NULL:
     * nothing to do. */
    bool (*start)(struct machine *machine, uint32_t longest);
    void (*finish)(struct machine *machine); /* frees what start() allocated; NULL: nothing */
    /* The bytes that start() allocates; NULL: few. */
    uint64_t (*memory)(const struct spoor_pipeline_config *config, uint32_t longest);
    void (*run)(struct machine *machine, const struct block *block);
    /* Exchanges what both, of one kind and one configuration, have learnt of the program; NULL:
     * such a machine learns nothing. */
    void (*exchange)(struct machine *machine, struct machine *other);
    uint32_t structures; /* number of enum structure that it has */
    bool blind;          /* it cannot report events to a watcher */
};
extern const struct machine_kind machine_out_of_order, machine_program_order, machine_in_order,
    machine_five_stage;
/* program_order.c: true if an out-of-order machine can be timed in program order. */
bool program_order_suits(const struct spoor_pipeline_config *config, uint32_t longest);

static inline uint8_t note_kinds(const struct note *note)
{
    return (uint8_t)((note->wrong ? NOTED_WRONG : 0) | (note->fetch_delay ? NOTED_FETCH_MISS : 0) |
                     (note->data_delay ? NOTED_DATA_MISS : 0));
}

/* The notes as enum spoor_pipeline_why. */
static inline uint8_t note_why(const struct note *note)
{
    return (uint8_t)((note->wrong ? SPOOR_WHY_MISPREDICTED : 0) |
                     (note->fetch_delay ? SPOOR_WHY_FETCH_MISS : 0) |
                     (note->data_delay ? SPOOR_WHY_DATA_MISS : 0));
}

static inline uint64_t later_cycle(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Returns a width, or the common width where it is 0. */
static inline uint32_t config_width(uint32_t own, const struct spoor_pipeline_config *config)
{
    return own ? own : config->width;
}

#endif
