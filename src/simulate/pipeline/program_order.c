/* SPDX-License-Identifier: MIT */
/*
 * program_order.c: the out-of-order machine, timed operation by operation in program order.
 *
 * The oldest ready operation issues first, and fetch and commit are in order.  As long as nothing
 * is squashed, a younger operation therefore never delays an older one: at fetch, the issue, result
 * and commit of an operation follow from those of older ones.  No cycle-by-cycle simulation is
 * needed.  The machine stores only the cycle in which each register's value is available, the
 * number of operations that issue in each later cycle, and the cycle in which each operation in
 * flight commits.
 *
 * Its results equal those of outorder.c, which simulates cycle by cycle; a test compares them.
 * outorder.c is used for what this model cannot do: squashes, and events for a watcher.  On
 * recorded programs this one takes two thirds of its time, half of it where several machines run.
 * The loop is compiled for each memory order, with and without bounds on anything but the reorder
 * buffer.
 */
#include <stdlib.h>

#include "base/memory_need.h"
#include "simulate/pipeline/outorder_shared.h"

/* An operation in flight, or one that left recently. */
struct flight {
    uint64_t done, commit;  /* cycles */
    uint32_t held;          /* load: number of cycles by which a store delayed it */
    uint16_t loads, stores; /* number of them before it in the trace, modulo 2^16 */
    uint16_t latency;
    uint8_t is, noted, dests;
};

/* A store.  Stores whose addresses share a bucket are linked. */
struct program_order_store {
    uint64_t address;
    uint64_t done; /* cycle in which it and all older stores to its address are done */
    uint64_t same; /* 1 + number of the next older in the bucket; 0: none */
};

/* The number of operations of one class that issue in each later cycle, indexed by cycle, masked.
 */
struct issues {
    uint8_t *count;
    uint64_t *full; /* one bit for each cycle: no more can issue */
    uint8_t maximum;
};

struct program_order {
    struct machine machine;
    struct outorder_setup setup;

    uint64_t cycle;
    uint64_t head, tail; /* ordinals: the oldest in flight, and the next to fetch */

    struct front_end front;

    /* rename */
    /* by architectural register: the cycle in which its result is available */
    uint64_t value[SPOOR_NO_REGISTER + 1];
    uint32_t registers; /* number of free physical registers */

    /* issue */
    struct issues all, by_class[SPOOR_CLASSES]; /* by_class: count is NULL where unlimited */
    uint64_t horizon_mask;
    uint64_t passed;       /* cycles before this one are closed */
    uint64_t issued;       /* operations that issued in them */
    bool bounded, classed; /* a structure besides the reorder buffer can be full; the units of a
                            * class can be busy */

    /* commit */
    /* operations that commit in a cycle are still present after its fetches */
    struct flight *flights;
    uint64_t mask;
    uint64_t over; /* the cycle after the last commit; 0: none */

    /* counts: sums over operations */
    uint64_t lives[4]; /* cycles from fetch to commit: neither, loads, stores, both */
    uint64_t waits;    /* cycles from fetch to issue */

    /* memory */
    uint64_t stores_done; /* conservative: cycle in which all stores are done */
    struct program_order_store *queue;
    uint64_t *bucket;       /* perfect: by address, 1 + number of the youngest store */
    uint64_t loads, stores; /* number fetched so far */
};

static inline struct flight *program_order_flight(const struct program_order *machine,
                                                  uint64_t ordinal)
{
    return &machine->flights[ordinal & machine->mask];
}

/* ---- issues ---- */

static inline void issues_book(struct issues *issues, uint64_t at)
{
    if (++issues->count[at] == issues->maximum) issues->full[at >> 6] |= UINT64_C(1) << (at & 63);
}

/* Closes the cycle; returns the number of operations that issued in it. */
static inline uint8_t issues_pass(struct issues *issues, uint64_t at)
{
    const uint8_t count = issues->count[at];
    issues->count[at] = 0;
    if (count == issues->maximum) issues->full[at >> 6] &= ~(UINT64_C(1) << (at & 63));
    return count;
}

/* ---- construction ---- */

/* Returns the horizon: at worst an operation issues after all others in flight are done, so no
 * issue is farther ahead. */
static uint64_t program_order_horizon(const struct outorder_setup *setup)
{
    return (uint64_t)(setup->rob + 1) * (setup->longest + 1);
}

/* False for divides that occupy their unit, because they can delay an older one that is ready
 * later; and if the table of later cycles would be too large. */
bool program_order_suits(const struct spoor_pipeline_config *config, uint32_t longest)
{
    enum { HORIZON = 1 << 20 };
    const struct outorder_setup setup = outorder_setup_of(config, longest);
    const bool ordered =
        config->memory == SPOOR_MEMORY_CONSERVATIVE || config->memory == SPOOR_MEMORY_PERFECT;
    return ordered && setup.divide_pipelined && program_order_horizon(&setup) < HORIZON;
}

static bool issues_make(struct issues *issues, uint32_t maximum, uint64_t horizon)
{
    issues->maximum = (uint8_t)maximum;
    issues->count = calloc(horizon, sizeof *issues->count);
    issues->full = calloc(horizon / 64, sizeof *issues->full);
    return issues->count && issues->full;
}

static uint64_t program_order_memory(const struct spoor_pipeline_config *config, uint32_t longest)
{
    const struct program_order *machine = NULL;
    const struct outorder_setup setup = outorder_setup_of(config, longest);
    uint64_t needed = sizeof *machine;
    memory_need(&needed, power_of_two_over(setup.rob + setup.commit_width),
                sizeof *machine->flights + sizeof *machine->queue);
    memory_need(&needed, power_of_two_over(program_order_horizon(&setup) | 63),
                2 * (SPOOR_CLASSES + 1));
    return needed;
}

static bool program_order_start(struct machine *head, uint32_t longest)
{
    struct program_order *machine = (struct program_order *)head;
    machine->setup = outorder_setup_of(&head->config, longest);
    const struct outorder_setup *setup = &machine->setup;
    const uint32_t size = power_of_two_over(setup->rob + setup->commit_width);
    machine->mask = size - 1;
    machine->flights = calloc(size, sizeof *machine->flights);
    machine->queue = calloc(size, sizeof *machine->queue);
    machine->bucket = calloc(BUCKETS, sizeof *machine->bucket);
    machine->registers = head->config.registers - SPOOR_ARCHITECTURAL;
    machine->bounded = setup->bounds_queues || setup->capacity[ISSUE_QUEUE] < setup->rob ||
                       machine->registers < 2 * setup->rob;
    const uint32_t horizon = power_of_two_over(program_order_horizon(setup) | 63);
    machine->horizon_mask = horizon - 1;
    bool good = issues_make(&machine->all, setup->issue_width, horizon);
    for (int i = 0; i < SPOOR_CLASSES; i++) {
        if (setup->units[i] >= setup->issue_width) continue;
        machine->classed = true;
        good = good && issues_make(&machine->by_class[i], setup->units[i], horizon);
    }
    return good && machine->flights && machine->queue && machine->bucket;
}

static void program_order_finish(struct machine *head)
{
    struct program_order *machine = (struct program_order *)head;
    for (int i = 0; i < SPOOR_CLASSES; i++) {
        free(machine->by_class[i].count);
        free(machine->by_class[i].full);
    }
    free(machine->all.count);
    free(machine->all.full);
    free(machine->flights);
    free(machine->queue);
    free(machine->bucket);
}

/* The constants for which the loop is compiled. */
struct program_order_mode {
    enum spoor_memory_order order;
    bool general; /* queues, registers or units may be full, branches mispredicted, accesses miss */
};

/* Returns the number of loads in flight: loads fetched so far minus those before the oldest
 * operation. */
INLINE uint16_t program_order_loads(const struct program_order *machine)
{
    if (machine->head == machine->tail) return 0;
    return (uint16_t)(machine->loads - program_order_flight(machine, machine->head)->loads);
}

INLINE uint16_t program_order_stores(const struct program_order *machine)
{
    if (machine->head == machine->tail) return 0;
    return (uint16_t)(machine->stores - program_order_flight(machine, machine->head)->stores);
}

/* ---- issue ---- */

/* Returns the first cycle from `from` on in which fewer operations than the maximum issue, in total
 * and of a class. */
static uint64_t program_order_next_free(const struct program_order *machine,
                                        const struct issues *class, uint64_t from)
{
    for (uint64_t cycle = from;; cycle = (cycle | 63) + 1) {
        const uint64_t word = (cycle & machine->horizon_mask) >> 6;
        const uint64_t full = machine->all.full[word] | (class ? class->full[word] : 0);
        const uint64_t free = ~full >> (cycle & 63);
        if (free) return cycle + (uint64_t)__builtin_ctzll(free);
    }
}

INLINE uint64_t program_order_find_issue(const struct program_order *machine, uint64_t from)
{
    const uint8_t count = machine->all.count[from & machine->horizon_mask];
    return count < machine->all.maximum ? from : program_order_next_free(machine, NULL, from);
}

/* Returns the first cycle from `from` on in which an operation and a unit of its class can issue.
 */
INLINE uint64_t program_order_find_unit(const struct program_order *machine, uint64_t from,
                                        uint8_t kind, struct program_order_mode mode)
{
    const struct issues *class = &machine->by_class[kind];
    if (!mode.general || !class->count) return program_order_find_issue(machine, from);
    return program_order_next_free(machine, class, from);
}

/* ---- memory ---- */

/* Returns the cycle in which all older stores to an address are done.  Stores that have left the
 * queue have committed. */
INLINE uint64_t program_order_stores_to(const struct program_order *machine, uint64_t address)
{
    const uint64_t begin = machine->stores > machine->mask ? machine->stores - machine->mask : 0;
    uint64_t link = machine->bucket[address_bucket(address)];
    while (link > begin) {
        const struct program_order_store *store = &machine->queue[(link - 1) & machine->mask];
        if (store->address == address) return store->done;
        link = store->same;
    }
    return 0;
}

/* The cycle in which an operation issues, and the cycles of its wait that a store causes. */
struct issue {
    uint64_t cycle;
    uint32_t held;
};

/* Finds the issue of an operation.  A load checks the stores in the first cycle in which it could
 * issue otherwise. */
INLINE struct issue program_order_issue(struct program_order *machine,
                                        const struct spoor_operation *operation,
                                        struct program_order_mode mode)
{
    const uint64_t first =
        later_cycle(machine->value[operation->source[0]], machine->value[operation->source[1]]);
    const uint64_t ready = later_cycle(later_cycle(first, machine->value[operation->source[2]]),
                                       machine->cycle + machine->setup.issue_delay);
    const uint8_t kind = operation->kind;
    if (!(operation->is & SPOOR_UOP_LOAD))
        return (struct issue){program_order_find_unit(machine, ready, kind, mode), 0};
    const uint64_t turn = program_order_find_issue(machine, ready);
    const uint64_t stores = mode.order == SPOOR_MEMORY_PERFECT
                                ? program_order_stores_to(machine, operation->address)
                                : machine->stores_done;
    const uint64_t cycle = program_order_find_unit(machine, later_cycle(turn, stores), kind, mode);
    return (struct issue){cycle, stores > turn ? (uint32_t)(cycle - turn) : 0};
}

/* Fetches an operation, computes its timing, and counts it.  Returns the cycle in which it is done.
 */
INLINE uint64_t program_order_enter(struct program_order *machine,
                                    const struct spoor_operation *operation,
                                    const struct note *note, struct program_order_mode mode)
{
    struct flight *flight = program_order_flight(machine, machine->tail);
    const uint8_t is = operation->is;
    const bool loads = is & SPOOR_UOP_LOAD, stores = is & SPOOR_UOP_STORE;
    const uint32_t delay = mode.general && loads ? note->data_delay : 0;
    const uint32_t latency = machine->setup.latency[operation->kind] + delay;
    const struct issue issue = program_order_issue(machine, operation, mode);
    const uint64_t done = issue.cycle + latency;
    const uint8_t kind = operation->kind;
    const uint64_t at = issue.cycle & machine->horizon_mask;
    issues_book(&machine->all, at);
    if (mode.general && machine->by_class[kind].count) issues_book(&machine->by_class[kind], at);
    /* The cycle of commit: in order, not before the result, at most the commit width in a
     * cycle. */
    const uint64_t before = machine->tail - machine->setup.commit_width;
    flight->commit = later_cycle(later_cycle(done + 1, machine->over),
                                 program_order_flight(machine, before)->commit + 2) -
                     1;
    flight->done = done;
    flight->held = issue.held;
    flight->latency = (uint16_t)latency;
    flight->loads = (uint16_t)machine->loads;
    flight->stores = (uint16_t)machine->stores;
    flight->is = is;
    flight->noted = mode.general ? note_kinds(note) : 0;
    flight->dests = 0;
    if (mode.general)
        flight->dests = (uint8_t)((operation->dest[0] != SPOOR_NO_REGISTER) +
                                  (operation->dest[1] != SPOOR_NO_REGISTER));
    machine->over = flight->commit + 1;
    machine->registers -= flight->dests;
    machine->value[operation->dest[0]] = done;
    machine->value[operation->dest[1]] = done;
    machine->value[SPOOR_NO_REGISTER] = 0;
    if (stores && mode.order == SPOOR_MEMORY_CONSERVATIVE)
        machine->stores_done = later_cycle(machine->stores_done, done);
    if (stores && mode.order != SPOOR_MEMORY_CONSERVATIVE) {
        const uint64_t address = operation->address;
        uint64_t *bucket = &machine->bucket[address_bucket(address)];
        machine->queue[machine->stores & machine->mask] = (struct program_order_store){
            address, later_cycle(done, program_order_stores_to(machine, address)), *bucket};
        *bucket = machine->stores + 1;
    }
    struct tally *stats = &machine->machine.stats;
    stats->retired[is & 127]++;
    if (mode.general) stats->noted[flight->noted]++;
    machine->lives[is / SPOOR_UOP_LOAD % 4] += flight->commit - machine->cycle;
    machine->waits += issue.cycle - machine->cycle;
    machine->loads += loads;
    machine->stores += stores;
    machine->tail++;
    return done;
}

/* ---- fetch ---- */

/* The reason for the empty slots of a cycle, and the cycle until which it does not change. */
struct stall {
    enum reason reason;
    uint64_t until;
};

/* Returns the stall for a full structure: the reason is the oldest operation's wait, else the
 * structure itself. */
static struct stall program_order_stall(const struct program_order *machine, enum reason structure)
{
    struct stall stall = {.reason = structure, .until = machine->cycle + 1};
    if (machine->head == machine->tail) return stall;
    const struct flight *flight = program_order_flight(machine, machine->head);
    const uint64_t cycle = machine->cycle, issue = flight->done - flight->latency;
    const uint64_t unheld = flight->done - flight->held;
    stall.until = flight->commit;
    if (flight->is & SPOOR_UOP_LOAD && flight->done > cycle) {
        stall.until = cycle < issue ? issue : cycle < unheld ? unheld : flight->done;
        if (cycle >= issue)
            stall.reason = cycle >= unheld                   ? REASON_STORE_FORWARDING
                           : flight->noted & NOTED_DATA_MISS ? REASON_DATA_MISS
                                                             : REASON_LOAD;
    }
    if (machine->bounded) stall.until = machine->cycle + 1;
    return stall;
}

/* Fetches the next operation; false if no more can be fetched in this cycle, for stall->reason. */
INLINE bool program_order_fetch_one(struct program_order *machine, const struct block *block,
                                    struct stall *stall, struct program_order_mode mode)
{
    const struct spoor_operation *operation = &block->operations[machine->tail - block->first];
    const struct note *note = &block->notes[machine->tail - block->first];
    enum reason full;
    const bool queues = operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    if (mode.general && queues && machine->setup.bounds_queues &&
        !outorder_queue_has_room(&machine->setup, operation->is, program_order_loads(machine),
                                 program_order_stores(machine), &full)) {
        *stall = program_order_stall(machine, full);
        return false;
    }
    if (mode.general && front_end_misses(&machine->front, note, machine->tail, 0, machine->cycle)) {
        *stall = (struct stall){REASON_FRONT_END, machine->front.resume};
        return false;
    }
    const uint64_t done = program_order_enter(machine, operation, note, mode);
    if (mode.general && note->wrong) {
        machine->front.resume = done + machine->setup.penalty;
        machine->front.stalled = stall->reason = REASON_BRANCH;
        return false;
    }
    stall->reason = REASON_TAKEN_BRANCH;
    return !(machine->setup.taken_ends_group && operation->is & SPOOR_UOP_TAKEN);
}

/* Fetches up to the width; returns the number, and the reason for the rest in *stall. */
INLINE uint64_t program_order_fetch(struct program_order *machine, const struct block *block,
                                    struct stall *stall, struct program_order_mode mode)
{
    const uint64_t before = machine->tail, width = machine->setup.fetch_width;
    const uint64_t in_flight = before - machine->head;
    enum reason full = REASON_ROB_FULL;
    const uint64_t capacity =
        mode.general ? outorder_capacity_after(&machine->setup, in_flight, before - machine->issued,
                                               machine->registers, &full)
                     : machine->setup.rob - in_flight;
    const uint64_t left = block->end - before;
    const uint64_t maximum = capacity < width ? capacity : width;
    uint64_t count = 0;
    while (count < maximum && count < left && program_order_fetch_one(machine, block, stall, mode))
        count++;
    if (count == left)
        stall->reason = REASON_END;
    else if (count == capacity && count < width)
        *stall = program_order_stall(machine, full);
    return machine->tail - before;
}

/* ---- running ---- */

/* Fills the counts up to this cycle, as if every fetched operation had committed. */
static void program_order_fill_counts(struct program_order *machine)
{
    enum { NEITHER, LOADS, STORES, BOTH };
    struct tally *stats = &machine->machine.stats;
    const uint64_t *lives = machine->lives;
    stats->cycles = machine->cycle;
    stats->noted[0] = machine->tail;
    for (int i = 1; i < NOTED; i++) stats->noted[0] -= stats->noted[i];
    stats->occupied[ROB] = lives[NEITHER] + lives[LOADS] + lives[STORES] + lives[BOTH];
    stats->occupied[ISSUE_QUEUE] = machine->waits;
    stats->occupied[LOAD_QUEUE] = lives[LOADS] + lives[BOTH];
    stats->occupied[STORE_QUEUE] = lives[STORES] + lives[BOTH];
}

static void program_order_end_warm_up(struct program_order *machine)
{
    struct machine *head = &machine->machine;
    if (machine->tail < head->warm_up ||
        machine->cycle <= program_order_flight(machine, head->warm_up - 1)->commit)
        return;
    /* The counts without the future part of the operations in flight. */
    program_order_fill_counts(machine);
    struct tally stats = machine->machine.stats;
    for (uint64_t ordinal = machine->head; ordinal < machine->tail; ordinal++) {
        const struct flight *flight = program_order_flight(machine, ordinal);
        const uint64_t issue = flight->done - flight->latency;
        if (flight->commit < machine->cycle) continue;
        const uint64_t rest = flight->commit - machine->cycle;
        stats.retired[flight->is & 127]--;
        stats.noted[flight->noted]--;
        stats.occupied[ROB] -= rest;
        stats.occupied[ISSUE_QUEUE] -= issue > machine->cycle ? issue - machine->cycle : 0;
        if (flight->is & SPOOR_UOP_LOAD) stats.occupied[LOAD_QUEUE] -= rest;
        if (flight->is & SPOOR_UOP_STORE) stats.occupied[STORE_QUEUE] -= rest;
    }
    head->before = stats;
    __builtin_memset(head->stats.maximum, 0, sizeof head->stats.maximum);
    head->warm_up = 0;
}

INLINE void program_order_run_mode(struct program_order *machine, const struct block *block,
                                   struct program_order_mode mode)
{
    while (block->ended ? machine->tail < block->end || machine->cycle < machine->over
                        : machine->tail + machine->setup.fetch_width <= block->end) {
        /* A cycle, and the cycles after it in which nothing is fetched for the same reason. */
        struct tally *stats = &machine->machine.stats;
        struct stall stall = {REASON_END, machine->over};
        uint64_t fetched = 0;
        /* Removes the operations that commit by this cycle. */
        uint64_t head = machine->head;
        for (; head < machine->tail; head++) {
            const struct flight *flight = program_order_flight(machine, head);
            if (flight->commit > machine->cycle) break;
            if (mode.general) machine->registers += flight->dests;
        }
        machine->head = head;
        /* Closes the cycles up to this one: no more operations issue in them. */
        uint64_t passed = machine->passed;
        for (; passed <= machine->cycle; passed++) {
            const uint64_t at = passed & machine->horizon_mask;
            machine->issued += issues_pass(&machine->all, at);
            for (int i = 0; mode.general && machine->classed && i < SPOOR_CLASSES; i++)
                if (machine->by_class[i].count) issues_pass(&machine->by_class[i], at);
        }
        machine->passed = passed;
        if (machine->tail < block->end && machine->cycle < machine->front.resume)
            stall = (struct stall){machine->front.stalled, machine->front.resume};
        else if (machine->tail < block->end)
            fetched = program_order_fetch(machine, block, &stall, mode);
        if (fetched) stall.until = machine->cycle + 1;
        const uint64_t warm_up = machine->machine.warm_up;
        if (warm_up && machine->tail >= warm_up) {
            /* The warm-up ends with the cycle in which its last operation commits. */
            const uint64_t warmed = program_order_flight(machine, warm_up - 1)->commit + 1;
            if (warmed < stall.until) stall.until = warmed;
        }
        /* Updates the maximum of each structure, which occurs after the fetches of a cycle. */
        uint64_t *maximum = stats->maximum;
        maximum[ROB] = later_cycle(maximum[ROB], machine->tail - machine->head);
        maximum[ISSUE_QUEUE] = later_cycle(maximum[ISSUE_QUEUE], machine->tail - machine->issued);
        maximum[LOAD_QUEUE] = later_cycle(maximum[LOAD_QUEUE], program_order_loads(machine));
        maximum[STORE_QUEUE] = later_cycle(maximum[STORE_QUEUE], program_order_stores(machine));
        stats->slots[REASON_BASE] += fetched;
        stats->slots[stall.reason] +=
            machine->setup.fetch_width * (stall.until - machine->cycle) - fetched;
        machine->cycle = stall.until;
        if (machine->machine.warm_up) program_order_end_warm_up(machine);
    }
    program_order_fill_counts(machine);
    machine->machine.position = machine->tail;
}

#define PROGRAM_ORDER_RUN(NAME, ...)                                                      \
    static void NAME(struct program_order *machine, const struct block *block)            \
    {                                                                                     \
        program_order_run_mode(machine, block, (struct program_order_mode){__VA_ARGS__}); \
    }
PROGRAM_ORDER_RUN(program_order_run_conservative, SPOOR_MEMORY_CONSERVATIVE, false)
PROGRAM_ORDER_RUN(program_order_run_perfect, SPOOR_MEMORY_PERFECT, false)
PROGRAM_ORDER_RUN(program_order_run_conservative_bounded, SPOOR_MEMORY_CONSERVATIVE, true)
PROGRAM_ORDER_RUN(program_order_run_perfect_bounded, SPOOR_MEMORY_PERFECT, true)

static void program_order_run(struct machine *head, const struct block *block)
{
    struct program_order *machine = (struct program_order *)head;
    const bool general = machine->bounded || machine->classed || block->noted;
    if (head->config.memory == SPOOR_MEMORY_PERFECT)
        (general ? program_order_run_perfect_bounded : program_order_run_perfect)(machine, block);
    else
        (general ? program_order_run_conservative_bounded : program_order_run_conservative)(machine,
                                                                                            block);
}

const struct machine_kind machine_program_order = {
    .name = "out-of-order",
    .struct_size = sizeof(struct program_order),
    .start = program_order_start,
    .finish = program_order_finish,
    .memory = program_order_memory,
    .run = program_order_run,
    .structures = STRUCTURES,
    .blind = true,
};
