/* SPDX-License-Identifier: MIT */
/* profile/profile.h: what the files of the profile share. */
#ifndef SPOOR_PROFILE_PROFILE_H
#define SPOOR_PROFILE_PROFILE_H

#include "base/hash_map.h"
#include "effects/activity.h"
#include "explore/activity_section.h"
#include "formats/time_unit.h"
#include "spoor/profile.h"

/* ---- contexts ----
 *
 * A tree of calling contexts: each function once for each chain of callers, with what
 * it ran there.  A fold over activity (effects/activity.h); profiles and flame graphs are made of
 * it.
 *
 * Memory grows with the contexts, not with the trace, and is bounded.  When there are too many, or
 * calls are too deep, a further context is counted in the nearest caller of the same function, or
 * as a context without callers; when there are too many of those, as CONTEXTS_OTHERS. */

enum { CONTEXTS_LIMIT = 1 << 18, CONTEXTS_DEEPEST = 512, CONTEXTS_OPEN = 1 << 17 };
#define CONTEXTS_OTHERS UINT64_MAX       /* as a function: those that are not kept apart */
#define CONTEXTS_UNSEEN (UINT64_MAX - 1) /* handlers of which no instruction is in the trace */
#define NO_CONTEXT UINT32_MAX

enum context_kind {
    CONTEXT_CALL,
    CONTEXT_EXCEPTION,
    CONTEXT_CPU, /* the root of a processor: `function` is its number */
};
/* The amounts that were run. */
struct amount {
    uint64_t instructions, accesses, time;
    uint64_t events; /* what contexts_add() counts, as misses */
};
struct context {
    uint64_t function;
    uint64_t site;                      /* with `by_site`: the place of the call; else 0 */
    uint64_t entry;                     /* for the caller: the place of its first instruction */
    uint32_t parent;                    /* NO_CONTEXT for CPU; else less than its own number */
    uint32_t first_child, next_sibling; /* NO_CONTEXT: none */
    uint32_t same_hash;                 /* another context with the same hash */
    uint16_t depth;                     /* callers */
    uint8_t kind;                       /* enum context_kind */
    uint64_t calls, returned;
    struct amount own; /* without what it called */
};

struct contexts {
    struct context *nodes;
    size_t count, capacity, limit;
    struct hash_map map; /* by a hash of parent, function and kind: the last context that has it */
    struct context_cpu *cpus;
    size_t cpu_count;
    bool by_site;  /* calls from different places are different contexts */
    uint64_t site; /* the place that the next event calls from, as the caller numbers places */
    uint64_t lost; /* calls whose context was not kept apart */
    bool failed;   /* memory ran out */
};

/* Zeroed with `limit` set, it is empty. */
void contexts_free(struct contexts *contexts);
void contexts_event(struct contexts *contexts, const struct activity_event *event);
/* The context that runs now; NO_CONTEXT: none of this processor. */
uint32_t contexts_now(const struct contexts *contexts, unsigned cpu);

/* ---- sites ---- */

/*
 * What each instruction of a program ran in each calling context: for profiles by line, file,
 * address and opcode.  A site is an address, or the name of an opcode.  Memory grows with the
 * program: when there are too many pairs of a context and a site, further ones are counted in the
 * root of the processor.
 */
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

void hot_sites_free(struct hot_sites *sites);

/* The address or opcode of a record that is an instruction at `pc`, and is now the last one of its
 * processor. */
uint64_t hot_sites_arrive(struct hot_sites *sites, unsigned cpu, const struct spoor_batch *batch,
                          size_t index, uint64_t pc);

/* A counted instruction in a context; the processor has run `instructions` with it.  The time
 * since the last one of its processor is the last one's.  `root` is the processor's. */
void hot_sites_run(struct hot_sites *sites, unsigned cpu, uint32_t context, uint32_t root,
                   uint64_t time, uint64_t instructions);
/* Accesses or events of the last counted instruction. */
void hot_sites_add(struct hot_sites *sites, unsigned cpu, uint64_t accesses, uint64_t events);

/* The number of an address or opcode, which is given one if it has none; NO_CONTEXT if memory runs
 * out. */
uint32_t hot_sites_number(struct hot_sites *sites, uint64_t key);

/* One row calls another; both are numbers of rows. */
struct profile_edge {
    size_t caller, callee;
    uint64_t calls, inclusive; /* of the callee when this caller calls it */
};

struct spoor_profile {
    struct spoor_profile_options options;
    struct machine machine;
    struct activity *activity;
    struct contexts contexts;
    struct functions functions;
    struct hot_sites sites; /* where the profile is not by function */
    char time_unit[TIME_UNIT_SIZE];
    /* after the end */
    uint64_t *totals; /* of contexts, with what they called */
    uint32_t *row_of; /* of contexts: number of the row, or NO_ROW.  By function: of the function;
                       * else of the place that calls it */
    struct spoor_profile_row *rows;
    size_t row_count;
    struct profile_edge *edges; /* highest `inclusive` first */
    size_t edge_count;
    bool failed; /* memory ran out */
};
#define NO_ROW UINT32_MAX
#define DEEPER_CALLS "(deeper calls)" /* the frame of calls beyond the depth that is written */

/* The part of it that the profile counts. */
static inline uint64_t profile_amount(const struct spoor_profile *profile,
                                      const struct amount *amount)
{
    switch (profile->options.unit) {
    case SPOOR_PROFILE_TIME: return amount->time;
    case SPOOR_PROFILE_ACCESSES: return amount->accesses;
    case SPOOR_PROFILE_MISSES:
    case SPOOR_PROFILE_MISPREDICTIONS: return amount->events;
    default: return amount->instructions;
    }
}

/* Makes rows and edges of the contexts, by function, or by line, file, address or opcode; false if
 * memory runs out. */
bool profile_make_functions(struct spoor_profile *profile);
bool profile_make_sites(struct spoor_profile *profile);

/* Declarations that the files of rows share.  A walk over all contexts, each entered before and
 * left after those that it calls; a row, or an edge, that is open already is not counted again. */
struct descent {
    struct spoor_profile *profile;
    uint32_t *edge_of; /* of contexts: number of the edge, or NO_ROW */
    uint32_t *open_rows, *open_edges;
    /* Counts what ran in a context itself, after it was entered; NULL: nothing more to count. */
    void (*inside)(struct descent *descent, uint32_t node, void *context);
    void *context;
};
/* The edge from one row to another, which is added if there is none; NO_ROW if memory runs out. */
uint32_t profile_edge(struct spoor_profile *profile, struct hash_map *map, uint32_t caller,
                      uint32_t callee);
void profile_descend(struct descent *descent);
bool profile_descent_new(struct descent *descent, struct spoor_profile *profile);
void profile_descent_free(struct descent *descent);
/* Sorts the rows, drops those without an amount, and gives the edges their new numbers. */
bool profile_sort(struct spoor_profile *profile);
/* Adds the amounts of contexts to those that called them. */
void profile_sum_up(const struct contexts *contexts, uint64_t *totals);
/* The name of a row as a frame of a stack; the text is appended to. */
void profile_put_frame(const struct spoor_profile *profile, uint32_t row, struct text *text);
/* The contexts from the outermost function to this one; returns how many. */
size_t profile_path(const struct spoor_profile *profile, uint32_t node,
                    uint32_t path[CONTEXTS_DEEPEST + 1]);
/* True if a context is a function that ran something itself. */
bool profile_is_shown(const struct spoor_profile *profile, size_t node);
/* Appends the name of the processor of a context without callers: "cpu0". */
void profile_put_cpu(const struct spoor_profile *profile, uint32_t first, struct text *text);

#endif
