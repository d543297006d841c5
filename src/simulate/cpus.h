/* SPDX-License-Identifier: MIT */
/*
 * cpus.h: the cpus (or threads) of a trace, each of which has a machine of its own.
 *
 * Machines are numbered in the order in which their cpus appear.  A cpu is a name of the stream;
 * SPOOR_NO_NAME is one, too: that of records that state none.
 */
#ifndef SPOOR_SIMULATE_CPUS_H
#define SPOOR_SIMULATE_CPUS_H

#include "spoor/batch.h"
#include "spoor/result.h"
#include "spoor/view.h"

/* Zeroed, it is empty. */
struct cpus {
    spoor_name *names; /* by number of the machine */
    size_t count, capacity;
    uint32_t *numbers; /* by name: 1 + number of the machine; 0: it has none */
    size_t number_capacity;
    const struct spoor_names
        *texts; /* of the names; NULL: unknown, a cpu is called by its number */
};

/* The number of the machine of a cpu, which may be new: then it is the count before the call.
 * SIZE_MAX: memory ran out. */
size_t cpus_number(struct cpus *cpus, spoor_name cpu);
/* Adds `cpu`, the name of a machine's cpu, to a row. */
void cpus_put_name(const struct cpus *cpus, size_t number, struct spoor_result *row);
void cpus_free(struct cpus *cpus);

static inline spoor_name cpu_of_reference(const struct spoor_reference *reference)
{
    return reference->has & SPOOR_REFERENCE_HAS_CPU ? reference->cpu : SPOOR_NO_NAME;
}

/* True if a reference makes an instruction known: a fetch of the bus does not. */
static inline bool reference_is_instruction(const struct spoor_reference *reference)
{
    return reference->op == SPOOR_REFERENCE_FETCH && reference->has & SPOOR_REFERENCE_HAS_PC;
}

/* Of the references that one machine got: whether they are of several cpus, and how many
 * instructions they make known.  Zeroed, it has seen none. */
struct cpus_seen {
    bool any, several;
    spoor_name cpu; /* of the first */
    uint64_t instructions;
};
void cpus_see(struct cpus_seen *seen, const struct spoor_reference *references, size_t count);
/* Adds the number of instructions, if any are known, and, if there are several cpus and the machine
 * is not meant to be shared, `missing`: what the result does not have. */
void cpus_put_seen(const struct cpus_seen *seen, bool shared, const char *missing,
                   struct spoor_result *result);

#endif
