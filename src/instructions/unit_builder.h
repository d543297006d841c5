/* SPDX-License-Identifier: MIT */
/* unit_builder.h: build units from batches of records. */
#ifndef SPOOR_INSTRUCTIONS_UNIT_BUILDER_H
#define SPOOR_INSTRUCTIONS_UNIT_BUILDER_H

#include "instructions/unit_queue.h"
#include "isa/register.h"

enum { UNIT_MAX_EFFECTS = 4096 }; /* of a unit; the next one begins another */

/* What a trace may state of instructions and their effects. */
enum unit_part {
    UNIT_PART_PC,
    UNIT_PART_OPCODE,
    UNIT_PART_FAILED, /* that a condition failed */
    UNIT_PART_ISET,
    UNIT_PART_MODE,
    UNIT_PART_PHYSICAL,
    UNIT_PART_REGISTERS, /* other than those of the next parts */
    UNIT_PART_NAMES,     /* of registers */
    UNIT_PART_CSRS,      /* control registers of RISC-V */
    UNIT_PART_VECTORS,   /* vector registers of RISC-V */
    UNIT_PART_FLAGS,     /* of Arm */
    UNIT_PART_READS,
    UNIT_PART_WRITES,
    UNIT_PART_DATA,              /* of accesses */
    UNIT_PART_SIZES,             /* of accesses */
    UNIT_PART_PHYSICAL_ACCESSES, /* physical addresses of accesses */
    UNIT_PART_EVENTS,
    UNIT_PART_TIME,
    UNIT_PART_EFFECT_TIMES, /* of effects, apart from that of their instruction */
    UNIT_PARTS
};
static inline uint32_t unit_part_bit(enum unit_part part)
{
    return UINT32_C(1) << part;
}

struct unit_builder_options {
    bool by_record;  /* each record is a unit */
    bool join_steps; /* the micro-ops of a macro-op are one unit */
    bool duplicates; /* skip a unit that differs from the previous one only in time */
    bool dumps;      /* registers that are read are dumps: struct spoor_format.dumps_registers */
    /* dumps: that of the format; NULL: no record is a block */
    unsigned (*block_limit)(const struct spoor_batch *batch, size_t index);
    bool branches;   /* FLOW records are units: the trace states nothing else */
    bool transfers;  /* BUS records are units, though the format has instructions, too */
    bool no_fetches; /* leave out the fetches of a bus */
    bool privileges; /* modes are named by their privilege: see isa/privilege.h */
    enum isa isa;    /* UNKNOWN: by the first batch */
};

struct unit_builder {
    struct unit_builder_options options;
    struct spoor_names *names; /* of registers, cpus, modes and events; shared by both sides */
    const struct spoor_stream *stream;
    struct unit_scope scope;
    /* The queue of a processor; NULL if memory runs out. */
    struct unit_queue *(*queue_of)(void *context, spoor_name cpu);
    void *context;

    struct unit_queue *queue; /* the queue of the last record */
    uint32_t cpu_last;        /* stream's name of its processor, or none */
    spoor_name cpu;
    struct register_dump *dumps; /* of each processor, if the options say so */
    size_t dump_count, dump_capacity;
    struct name_map *registers, *cpus, *modes, *events;
    uint64_t left_out[SPOOR_KINDS]; /* records that are not part of a unit */
    uint64_t fetches;               /* and fetches that the options leave out */
    uint64_t record, line;          /* of the current record */
    bool has_instructions;
    uint32_t states; /* what records so far state: bit N: enum unit_part N */
    bool begun;
    bool out_of_memory;
};

/* Begins with `stream`; false if memory runs out. */
bool unit_builder_start(struct unit_builder *builder, const struct spoor_stream *stream);
/* Appends the units of a batch to their queues; false if memory runs out. */
bool unit_builder_feed(struct unit_builder *builder, const struct spoor_batch *batch);
/* The trace has ended: the open unit of `queue` is whole. */
void unit_builder_end(struct unit_builder *builder, struct unit_queue *queue);
void unit_builder_free(struct unit_builder *builder);

/* The part that a register belongs to: CSRS, VECTORS or, any other, REGISTERS. */
enum unit_part unit_register_part(enum isa isa, const char *name);

/* The one name of a processor: "0" for cpu0, core0, hart 0 and where none is named. */
spoor_name unit_cpu_name(struct spoor_names *names, const char *text, size_t size);

#endif
