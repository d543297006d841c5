/* SPDX-License-Identifier: MIT */
/* hot_sites.h: what each address of a program ran: for profiles by line, file, address and opcode.
 */
#ifndef SPOOR_EXPLORE_HOT_SITES_H
#define SPOOR_EXPLORE_HOT_SITES_H

#include "base/hash_map.h"
#include "explore/contexts.h"

struct site {
    uint64_t key; /* pc, or the number of an opcode */
    struct amount amount;
};
struct hot_sites {
    struct hash_map map; /* of struct site */
    struct site_cpu {
        uint64_t key; /* of its last instruction */
        uint64_t time;
        bool started;
    } * cpus;
    size_t cpu_count;
    struct spoor_names *opcodes; /* NULL: keys are addresses */
    bool failed;                 /* memory ran out */
};
void hot_sites_free(struct hot_sites *sites);
/* An instruction at `pc`; the time since the last one of its processor is the last one's. */
void hot_sites_run(struct hot_sites *sites, unsigned cpu, const struct spoor_batch *batch,
                   size_t index, uint64_t pc);
/* Accesses or events of the last instruction. */
void hot_sites_add(struct hot_sites *sites, unsigned cpu, uint64_t accesses, uint64_t events);

#endif
