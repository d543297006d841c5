/* SPDX-License-Identifier: MIT */
/* unit_builder.h: build units from batches of records. */
#ifndef SPOOR_INSTRUCTIONS_UNIT_BUILDER_H
#define SPOOR_INSTRUCTIONS_UNIT_BUILDER_H

#include "instructions/unit_queue.h"
#include "isa/register.h"

enum { UNIT_MAX_EFFECTS = 4096 }; /* of a unit; the next one begins another */

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
    bool states_csr; /* a record so far names a control register of RISC-V */
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

/* The one name of a processor: "0" for cpu0, core0, hart 0 and where none is named. */
spoor_name unit_cpu_name(struct spoor_names *names, const char *text, size_t size);

#endif
