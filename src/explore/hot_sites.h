/* SPDX-License-Identifier: MIT */
/*
 * hot_sites.h: what each instruction of a program ran in each calling context: for profiles by
 * line, file, address and opcode.
 *
 * A site is an address, or the name of an opcode.  Memory grows with the program: when there are
 * too many pairs of a context and a site, further ones are counted in the root of the processor.
 */
#ifndef SPOOR_EXPLORE_HOT_SITES_H
#define SPOOR_EXPLORE_HOT_SITES_H

#include "base/hash_map.h"
#include "explore/contexts.h"

enum { SITES_LIMIT = 1 << 19 };

/* A site in a context. */
struct site {
    uint64_t key; /* the context's number in the high half, the site's in the low half */
    struct site_amount {
        uint64_t executed, time, accesses, events;
    } amount;
};
struct site_cpu {
    uint64_t key; /* of struct site: of its last counted instruction */
    uint64_t time, instructions;
    uint64_t last; /* of the last instruction, counted or not: its address, or opcode */
    bool started;
};
struct hot_sites {
    struct hash_map map;     /* of struct site */
    struct hash_map numbers; /* address or opcode to number + 1 */
    uint64_t *keys;          /* of each number: the address or opcode */
    size_t key_count, key_capacity;
    struct site_cpu *cpus;
    size_t cpu_count;
    struct spoor_names *opcodes; /* NULL: sites are addresses */
    uint64_t lost;               /* instructions that were counted in the root */
    bool failed;                 /* memory ran out */
};
/* Memory ran out: the counts are not whole. */
bool hot_sites_failed(const struct hot_sites *sites);
void hot_sites_free(struct hot_sites *sites);

/* The address or opcode of a record that is an instruction at `pc`. */
uint64_t hot_sites_key(struct hot_sites *sites, const struct spoor_batch *batch, size_t index,
                       uint64_t pc);
/* The address or opcode of the last instruction of a processor. */
uint64_t hot_sites_last(const struct hot_sites *sites, unsigned cpu);
/* Remember it. */
void hot_sites_note(struct hot_sites *sites, unsigned cpu, uint64_t key);

/* A counted instruction in a context; the processor has run `instructions` with it.  The time
 * since the last one of its processor is the last one's.  `root` is the processor's. */
void hot_sites_run(struct hot_sites *sites, unsigned cpu, uint32_t context, uint32_t root,
                   uint64_t time, uint64_t instructions);
/* Accesses or events of the last counted instruction. */
void hot_sites_add(struct hot_sites *sites, unsigned cpu, uint64_t accesses, uint64_t events);

/* The number of an address or opcode, which is given one if it has none; NO_CONTEXT if memory runs
 * out. */
uint32_t hot_sites_number(struct hot_sites *sites, uint64_t key);

#endif
