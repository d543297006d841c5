/* SPDX-License-Identifier: MIT */
/*
 * digest.h: what a batch contributes to its segment, made by the thread that decoded it, while the
 * records are in its cache.
 *
 * A digest depends on the records of its batch alone, before what they inherit from earlier batches
 * is resolved.  It lists the pages that they touch, the writes of registers that no later write of
 * the batch covers, and the records that may open or close a call.  The ordered stage adds digests
 * to the segment, with the same result as if it added each record.  A batch with records that
 * cannot be digested has no digest and is added record by record.
 */
#ifndef SPOOR_INDEX_DIGEST_H
#define SPOOR_INDEX_DIGEST_H

#include "effects/activity.h"
#include "spoor/batch.h"

enum {
    DIGEST_REGISTERS = 256,
    DIGEST_FLAGS = DIGEST_REGISTERS, /* number of the flags of micro-ops */
    DIGEST_CPUS = 32,                /* a batch with more has no digest */
};

/* Lines of a page that are in a set; a page may come several times. */
struct digest_page {
    uint64_t page; /* number plus 1; the set is in the high byte */
    uint64_t lines;
};
#define DIGEST_SET_SHIFT 56

/* A virtual page and its physical page, as an address of each. */
struct digest_tie {
    uint64_t va, pa;
    uint8_t space;
};

struct digest_write {
    uint32_t record; /* index in the batch; NO_RECORD: another write covers it */
    uint32_t cpu;    /* number in `cpus` */
};

/* A record to be added to the calls. */
struct digest_event {
    uint32_t record;
    uint32_t passed; /* CONTINUES: instructions before it that are not listed, one after another */
    uint8_t cpu;     /* number in `cpus` */
    bool continues;  /* an instruction that the last one of its processor leads to */
    bool halves;     /* it, or one that is not listed, has two bytes and no stated set */
};

/* A micro-op that begins an instruction or is a conditional branch.  Its executions differ in
 * nothing but the address; it may come several times in the list. */
struct digest_uop {
    uint64_t pc;
    uint32_t last; /* index of the record of its last execution in the batch */
    uint32_t count;
    uint8_t size; /* bytes of the instruction that it begins; 0: not stated */
    bool begins, branch, taken;
};

/* In batch->view. */
struct digest {
    bool whole;     /* all records are in it; else it has nothing */
    bool micro_ops; /* they are micro-ops, without times and processors */
    bool addresses; /* some name an address that is in no set */
    bool agents;
    uint64_t pc_low, pc_high; /* low > high: there are no instructions */
    struct digest_page *pages;
    struct digest_tie *ties;
    struct digest_event *events;
    size_t page_count, tie_count, event_count;
    /* Micro-ops: registers in the order of their first writes, and their last writers. */
    uint16_t registers[DIGEST_REGISTERS + 1];
    uint32_t writers[DIGEST_REGISTERS + 1]; /* by number: index of the record, plus 1; 0: none */
    uint32_t register_count;
    /* Micro-ops: how often those ran that count; and what ran before each event, and before the
     * end. */
    struct digest_uop *uops;
    struct activity_sum *sums;
    size_t uop_count, sum_count;
    /* Other records: the first write of each register, for its name, and the writes that count. */
    uint32_t *names;
    struct digest_write *writes;
    size_t name_count, write_count;
    /* The processors: index of the first record that names each.  Number 0 is the processor named
     * last before the batch, whose records come before cpus[1]. */
    uint32_t cpus[DIGEST_CPUS];
    unsigned cpu_count;
};
#define NO_RECORD UINT32_MAX

/* Makes the batch's digest; batch->out_of_memory is set if memory runs out.  `names`: those that
 * the records refer to. */
void digest_batch(struct spoor_batch *batch, const struct spoor_names *names);

/* The digest that the decoding thread made of a batch; NULL: it could not. */
const struct digest *digest_of(const struct spoor_batch *batch);

#endif
