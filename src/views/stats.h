/* SPDX-License-Identifier: MIT */
/*
 * stats.h: statistics of a part of a trace: counts by kind and operation, ranges, names.
 *
 * Statistics are computed from some records at a time, and the statistics of adjacent parts can be
 * merged: so each decoding thread counts the records that it decoded while they are in its cache.
 */
#ifndef SPOOR_VIEWS_STATS_H
#define SPOOR_VIEWS_STATS_H

#include "model/bus.h"
#include "spoor/batch.h"
#include "views/flow_gap.h"

enum {
    STATS_OPS = 256,
    STATS_AGENTS = 256,
    STATS_NAMES = 1 << 16,
    STATS_NUMBERED = 64,
    STATS_ARRIVALS = 1 << 17,
    STATS_RECENT = 1 << 8
};

/* Addresses are virtual or physical, and the two are never mixed. */
enum address_space { SPACE_VIRTUAL, SPACE_PHYSICAL, SPACES };
/* The use of an address. */
enum address_use { USE_OTHER, USE_CODE, USE_DATA, USE_IO, USES };
extern const uint8_t bus_uses[SPOOR_BUS_OPS]; /* enum address_use of each operation */

struct span {
    uint64_t minimum, maximum; /* none: minimum > maximum */
};

static inline void span_reach(struct span *span, uint64_t address)
{
    if (address < span->minimum) span->minimum = address;
    if (address > span->maximum) span->maximum = address;
}

/* Extends by another range, which may be empty. */
static inline void span_join(struct span *span, const struct span *other)
{
    if (other->minimum < span->minimum) span->minimum = other->minimum;
    if (other->maximum > span->maximum) span->maximum = other->maximum;
}

static inline bool span_is_empty(const struct span *span)
{
    return span->minimum > span->maximum;
}

/* A set: a bit for each number. */
static inline void stats_include(uint64_t *set, unsigned member)
{
    set[member / 64] |= UINT64_C(1) << member % 64;
}

static inline bool stats_includes(const uint64_t *set, unsigned member)
{
    return set[member / 64] >> member % 64 & 1;
}

struct stats_time {
    bool any;
    bool relative;        /* `first` is the first delta and `last` the sum of all */
    uint64_t first, last; /* in the order of the trace */
    uint64_t backwards;   /* number of records that are earlier than the previous one */
    spoor_name spelling;  /* of the first record with a time, for its unit */
};

/* What the numbers of a part begin with. */
enum stats_begins {
    BEGINS_WITH_NOTHING,
    BEGINS_WITH_FIRST,
    BEGINS_WITH_LOSS,
    BEGINS_WITH_TRACING, /* an event, whose address `first` has */
    BEGINS_WITH_FLOW,    /* an instruction of a trace that states every branch */
};
/* The numbers of the instructions of a processor (gap.h), for the gaps between them.  In a trace
 * without numbers, the places where tracing begins and ends, or where execution goes on. */
struct stats_numbers {
    spoor_name cpu;
    bool known;     /* there is a last instruction, of which `index` and the rest are */
    uint8_t begins; /* enum stats_begins */
    bool otherwise; /* from some instruction on, the numbers do not count instructions */
    bool waits;
    struct stats_number {
        uint64_t index, pc;
        bool ran_on; /* tracing ended, and the trace states that execution did not */
    } first, last;   /* `last` has the address after it */
    uint64_t ones, ticks;
    uint64_t gaps, missing; /* missing: instructions */
    uint64_t uncounted;     /* other gaps, of an unknown number of instructions */
    struct flow_finder flow;
};

/* Where a direct branch went, `times`, in a part; 0: where it goes by its code. */
struct stats_arrival {
    uint64_t pc, target;
    uint32_t times;
};

/* Ids of names belong to the tables that it was computed with, until it is merged: then `cpu_ids`
 * and `spelling_ids` translate them. */
struct stats {
    uint32_t kinds; /* bit k: there are records of kind k; the ops of other kinds are all 0 */
    uint32_t names; /* upper bound of the ids counted below */
    uint64_t ops[SPOOR_KINDS][STATS_OPS];
    struct span addresses[SPACES][USES];
    uint64_t macro_ops, verbatim, trailing_bytes;
    uint64_t agents[STATS_AGENTS / 64];              /* a set */
    uint64_t cacheabilities[BUS_CACHEABILITIES + 1]; /* BUS records by enum bus_cacheability */
    struct stats_numbers numbers[STATS_NUMBERED];    /* of the first processors that have them */
    uint32_t numbered;
    bool flows;          /* the trace states every branch: to be set before records are added */
    spoor_name last_cpu; /* of those `flows` has */
    struct stats_arrival arrivals[STATS_ARRIVALS];
    uint32_t arrived;
    uint32_t recent[STATS_RECENT]; /* arrivals by pc, 1 + index */
    struct stats_time time;
    const spoor_name *cpu_ids, *spelling_ids; /* translations of ids; NULL: unchanged */
    uint64_t cpus[STATS_NAMES / 64];          /* a set */
    uint64_t timed[STATS_NAMES / 64];         /* a set: spellings of records with a time */
    uint64_t spelled[STATS_NAMES];            /* records by spelling */
};

/* Empty statistics, released by free(); NULL if memory runs out. */
struct stats *stats_new(void);

/* The batch's view as empty statistics; NULL if memory runs out: the batch is then marked
 * out_of_memory. */
struct stats *stats_reserve(struct spoor_batch *batch);

/* Adds records from .. to - 1, whose ids belong to these tables. */
void stats_add(struct stats *stats, const struct spoor_batch *batch, size_t from, size_t to,
               const struct spoor_names *names, const struct spoor_names *spellings);

/* ---- a trace that states every branch, without records ---- */

/* Returns the numbers of a processor, NULL beyond the first STATS_NUMBERED. */
struct stats_numbers *stats_numbers_of(struct stats *stats, spoor_name cpu);
/* The processor executes the instruction at `pc`, after one that does not go on there. */
void stats_arrive(struct stats *stats, struct stats_numbers *numbers, uint64_t pc);
/* Execution does not go on after its last instruction. */
void stats_interrupt(struct stats_numbers *numbers);
/* Forgets where branches went. */
void stats_forget_arrivals(struct stats *stats);
/* The code of its last instruction, if that is a direct branch. */
void stats_code(struct stats *stats, const struct stats_numbers *numbers, uint8_t iset,
                uint64_t opcode);

static inline void stats_execute(struct stats *stats, struct stats_numbers *numbers, uint64_t pc,
                                 uint64_t size, enum flow_next where)
{
    struct flow_finder *flow = &numbers->flow;
    if (flow->where != FLOW_NEXT || pc != flow->next) stats_arrive(stats, numbers, pc);
    flow->pc = pc;
    flow->next = pc + size;
    flow->where = (uint8_t)where;
}

/* ---- ordinary micro-ops without a time, counted one by one ---- */

struct uop_tally {
    uint64_t *ops; /* by operation: those of the statistics */
    uint64_t count, macro_ops;
    struct span code, data[2]; /* data[0]: of micro-ops other than loads and stores */
};

static inline void uop_tally_add(struct uop_tally *tally, uint8_t op, bool begins, uint64_t pc,
                                 uint64_t address)
{
    tally->count++;
    tally->ops[op]++;
    tally->macro_ops += begins;
    span_reach(&tally->code, pc);
    /* selected without a branch, because loads and stores are unpredictable */
    const bool refers = op & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    span_reach(&tally->data[refers], address);
}

/* Finds the gaps of all processors, those of an unknown length, and the instructions in the others.
 */
void stats_gaps(const struct stats *stats, uint64_t *gaps, uint64_t *uncounted, uint64_t *missing);

/* Merges the statistics of the following part. */
void stats_join(struct stats *stats, const struct stats *next);

#endif
