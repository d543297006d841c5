/* SPDX-License-Identifier: MIT */
/*
 * direct.c: the out-of-order machine, operation by operation; see direct.h.
 *
 * It gives what outorder.c gives cycle by cycle, which is tested; that one is for what this cannot
 * do: squashes, and being watched.  The loop is compiled for each order of memory, with and without
 * bounds on anything but the reorder buffer.
 */
#include "simulate/pipeline/direct.h"

/* How the loop is compiled. */
struct mode {
    enum spoor_memory_order order;
    bool general; /* queues, registers or units may be full, branches mispredicted, accesses miss */
};

INLINE uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* ---- time goes on ---- */

/* Those that commit by this cycle leave. */
INLINE void leave(struct direct *machine, struct mode mode)
{
    uint64_t head = machine->head;
    for (; head < machine->tail; head++) {
        const struct flight *flight = flight_of(machine, head);
        if (flight->commit > machine->cycle) break;
        if (mode.general) machine->registers += flight->dests;
    }
    machine->head = head;
}

/* No operation issues in cycles up to this one any more. */
INLINE void pass(struct direct *machine, struct mode mode)
{
    uint64_t passed = machine->passed;
    for (; passed <= machine->cycle; passed++) {
        const uint64_t at = passed & machine->horizon_mask;
        machine->issued += issues_pass(&machine->all, at);
        for (int i = 0; mode.general && machine->classed && i < SPOOR_CLASSES; i++)
            if (machine->by_class[i].count) issues_pass(&machine->by_class[i], at);
    }
    machine->passed = passed;
}

/* Loads in flight: those met less those before the oldest. */
INLINE uint16_t loads_in_flight(const struct direct *machine)
{
    if (machine->head == machine->tail) return 0;
    return (uint16_t)(machine->loads - flight_of(machine, machine->head)->loads);
}

INLINE uint16_t stores_in_flight(const struct direct *machine)
{
    if (machine->head == machine->tail) return 0;
    return (uint16_t)(machine->stores - flight_of(machine, machine->head)->stores);
}

/* In a cycle after its fetches everything is fullest until the next fetch. */
INLINE void note_most(struct direct *machine)
{
    uint64_t *most = machine->machine.account.most;
    most[ROB] = later(most[ROB], machine->tail - machine->head);
    most[ISSUE_QUEUE] = later(most[ISSUE_QUEUE], machine->tail - machine->issued);
    most[LOAD_QUEUE] = later(most[LOAD_QUEUE], loads_in_flight(machine));
    most[STORE_QUEUE] = later(most[STORE_QUEUE], stores_in_flight(machine));
}

/* ---- issue ---- */

/* The first cycle from `from` on in which less than `most` issue, of all and of a class. */
static uint64_t next_free(const struct direct *machine, const struct issues *class, uint64_t from)
{
    for (uint64_t cycle = from;; cycle = (cycle | 63) + 1) {
        const uint64_t word = (cycle & machine->horizon_mask) >> 6;
        const uint64_t full = machine->all.full[word] | (class ? class->full[word] : 0);
        const uint64_t free = ~full >> (cycle & 63);
        if (free) return cycle + (uint64_t)__builtin_ctzll(free);
    }
}

INLINE uint64_t find_issue(const struct direct *machine, uint64_t from)
{
    const uint8_t count = machine->all.count[from & machine->horizon_mask];
    return count < machine->all.most ? from : next_free(machine, NULL, from);
}

/* The same, where there is a unit of its class as well. */
INLINE uint64_t find_unit(const struct direct *machine, uint64_t from, uint8_t kind,
                          struct mode mode)
{
    const struct issues *class = &machine->by_class[kind];
    if (!mode.general || !class->count) return find_issue(machine, from);
    return next_free(machine, class, from);
}

INLINE void book(struct direct *machine, uint64_t cycle, uint8_t kind, struct mode mode)
{
    const uint64_t at = cycle & machine->horizon_mask;
    issues_book(&machine->all, at);
    if (mode.general && machine->by_class[kind].count) issues_book(&machine->by_class[kind], at);
}

/* ---- memory ---- */

/* The cycle in which all older stores to an address are done.  Those that are no longer in the
 * queue have committed. */
INLINE uint64_t stores_to(const struct direct *machine, uint64_t address)
{
    const uint64_t begin = machine->stores > machine->mask ? machine->stores - machine->mask : 0;
    uint64_t link = machine->bucket[bucket_of(address)];
    while (link > begin) {
        const struct direct_store *store = &machine->queue[(link - 1) & machine->mask];
        if (store->address == address) return store->done;
        link = store->same;
    }
    return 0;
}

INLINE uint64_t stores_before(const struct direct *machine, uint64_t address, struct mode mode)
{
    return mode.order == SPOOR_MEMORY_PERFECT ? stores_to(machine, address) : machine->stores_done;
}

INLINE void enter_store(struct direct *machine, uint64_t address, uint64_t done, struct mode mode)
{
    if (mode.order == SPOOR_MEMORY_CONSERVATIVE) {
        machine->stores_done = later(machine->stores_done, done);
        return;
    }
    uint64_t *bucket = &machine->bucket[bucket_of(address)];
    machine->queue[machine->stores & machine->mask] =
        (struct direct_store){address, later(done, stores_to(machine, address)), *bucket};
    *bucket = machine->stores + 1;
}

/* ---- an operation ---- */

INLINE uint64_t sources_of(const struct direct *machine, const struct spoor_operation *operation)
{
    const uint64_t first =
        later(machine->value[operation->source[0]], machine->value[operation->source[1]]);
    return later(later(first, machine->value[operation->source[2]]),
                 machine->cycle + machine->setup.issue_delay);
}

/* When an operation issues, and how many cycles of the wait are a store's. */
struct issue {
    uint64_t cycle;
    uint32_t held;
};

/* A load looks at the stores when it could issue but for them. */
INLINE struct issue issue_of(struct direct *machine, const struct spoor_operation *operation,
                             struct mode mode)
{
    const uint64_t ready = sources_of(machine, operation);
    const uint8_t kind = operation->kind;
    if (!(operation->is & SPOOR_UOP_LOAD))
        return (struct issue){find_unit(machine, ready, kind, mode), 0};
    const uint64_t turn = find_issue(machine, ready);
    const uint64_t stores = stores_before(machine, operation->address, mode);
    const uint64_t cycle = find_unit(machine, later(turn, stores), kind, mode);
    return (struct issue){cycle, stores > turn ? (uint32_t)(cycle - turn) : 0};
}

INLINE void write_registers(struct direct *machine, const struct spoor_operation *operation,
                            uint64_t done)
{
    machine->value[operation->dest[0]] = done;
    machine->value[operation->dest[1]] = done;
    machine->value[SPOOR_NO_REGISTER] = 0;
}

INLINE uint8_t dests_of(const struct spoor_operation *operation)
{
    return (uint8_t)((operation->dest[0] != SPOOR_NO_REGISTER) +
                     (operation->dest[1] != SPOOR_NO_REGISTER));
}

/* In order, not before its result, and so many in a cycle. */
INLINE uint64_t commit_of(const struct direct *machine, uint64_t done)
{
    const uint64_t before = machine->tail - machine->setup.commit_width;
    return later(later(done + 1, machine->over), flight_of(machine, before)->commit + 2) - 1;
}

/* Account for what is known of an operation that is fetched now: all. */
INLINE void count(struct direct *machine, const struct flight *flight, uint64_t issue,
                  struct mode mode)
{
    struct tally *account = &machine->machine.account;
    account->retired[flight->is & 127]++;
    if (mode.general) account->noted[flight->noted]++;
    machine->lives[flight->is / SPOOR_UOP_LOAD % 4] += flight->commit - machine->cycle;
    machine->waits += issue - machine->cycle;
}

/* Fetch an operation: all that becomes of it.  Gives the cycle in which it is done. */
INLINE uint64_t enter(struct direct *machine, const struct spoor_operation *operation,
                      const struct note *note, struct mode mode)
{
    struct flight *flight = flight_of(machine, machine->tail);
    const uint8_t is = operation->is;
    const bool loads = is & SPOOR_UOP_LOAD, stores = is & SPOOR_UOP_STORE;
    const uint32_t delay = mode.general && loads ? note->data_delay : 0;
    const uint32_t latency = machine->setup.latency[operation->kind] + delay;
    const struct issue issue = issue_of(machine, operation, mode);
    const uint64_t done = issue.cycle + latency;
    book(machine, issue.cycle, operation->kind, mode);
    flight->commit = commit_of(machine, done);
    flight->done = done;
    flight->held = issue.held;
    flight->latency = (uint16_t)latency;
    flight->loads = (uint16_t)machine->loads;
    flight->stores = (uint16_t)machine->stores;
    flight->is = is;
    flight->noted = mode.general ? noted_of(note) : 0;
    flight->dests = mode.general ? dests_of(operation) : 0;
    machine->over = flight->commit + 1;
    machine->registers -= flight->dests;
    write_registers(machine, operation, done);
    if (stores) enter_store(machine, operation->address, done, mode);
    count(machine, flight, issue.cycle, mode);
    machine->loads += loads;
    machine->stores += stores;
    machine->tail++;
    return done;
}

/* ---- fetch ---- */

/* How many more there is room for; where for none, *full is the structure without. */
INLINE uint64_t room_for(const struct direct *machine, enum reason *full, struct mode mode)
{
    const uint64_t in_flight = machine->tail - machine->head;
    if (mode.general)
        return room_behind(&machine->setup, in_flight, machine->tail - machine->issued,
                           machine->registers, full);
    *full = REASON_ROB_FULL;
    return machine->setup.rob - in_flight;
}

/* What the oldest operation waits for makes the structures after it full; *until: the cycle in
 * which it waits no longer, or for something else. */
static enum reason reason_of_head(const struct direct *machine, enum reason structure,
                                  uint64_t *until)
{
    const struct flight *flight = flight_of(machine, machine->head);
    const uint64_t cycle = machine->cycle, issue = flight->done - flight->latency;
    *until = flight->commit;
    if (!(flight->is & SPOOR_UOP_LOAD) || flight->done <= cycle) return structure;
    *until = issue;
    if (cycle < issue) return structure;
    *until = flight->done;
    if (cycle >= flight->done - flight->held) return REASON_STORE_FORWARDING;
    *until = flight->done - flight->held;
    return flight->noted & NOTED_DATA_MISS ? REASON_DATA_MISS : REASON_LOAD;
}

/* Where the slots that a cycle leaves empty go, and until which cycle nothing changes. */
struct stall {
    enum reason reason;
    uint64_t until;
};

/* A structure is full. */
static struct stall stall_by(const struct direct *machine, enum reason structure)
{
    struct stall stall = {.reason = structure, .until = machine->cycle + 1};
    if (machine->head == machine->tail) return stall;
    stall.reason = reason_of_head(machine, structure, &stall.until);
    if (machine->bounded) stall.until = machine->cycle + 1;
    return stall;
}

/* Fetch the next operation; false: nothing more in this cycle, for stall->reason. */
INLINE bool fetch_one(struct direct *machine, const struct block *block, struct stall *stall,
                      struct mode mode)
{
    const struct spoor_operation *operation = &block->operations[machine->tail - block->first];
    const struct note *note = &block->notes[machine->tail - block->first];
    enum reason full;
    const bool queues = operation->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE);
    if (mode.general && queues && machine->setup.bounds_queues &&
        !queue_has_room(&machine->setup, operation->is, loads_in_flight(machine),
                        stores_in_flight(machine), &full)) {
        *stall = stall_by(machine, full);
        return false;
    }
    if (mode.general && misses(&machine->front, note, machine->tail, 0, machine->cycle)) {
        *stall = (struct stall){REASON_FRONT_END, machine->front.resume};
        return false;
    }
    const uint64_t done = enter(machine, operation, note, mode);
    if (mode.general && note->wrong) {
        machine->front.resume = done + machine->setup.penalty;
        machine->front.stalled = stall->reason = REASON_BRANCH;
        return false;
    }
    stall->reason = REASON_TAKEN_BRANCH;
    return !(machine->setup.taken_ends_group && operation->is & SPOOR_UOP_TAKEN);
}

/* Fetch what can be; gives how many, and why not more. */
INLINE uint64_t fetch(struct direct *machine, const struct block *block, struct stall *stall,
                      struct mode mode)
{
    const uint64_t before = machine->tail, width = machine->setup.fetch_width;
    enum reason full;
    const uint64_t room = room_for(machine, &full, mode);
    const uint64_t left = block->end - before;
    const uint64_t most = room < width ? room : width;
    uint64_t count = 0;
    while (count < most && count < left && fetch_one(machine, block, stall, mode)) count++;
    if (count == left)
        stall->reason = REASON_END;
    else if (count == room && count < width)
        *stall = stall_by(machine, full);
    return machine->tail - before;
}

/* ---- running ---- */

/* The account up to this cycle, as if everything fetched had left. */
static void settle(struct direct *machine)
{
    enum { NEITHER, LOADS, STORES, BOTH };
    struct tally *account = &machine->machine.account;
    const uint64_t *lives = machine->lives;
    account->cycles = machine->cycle;
    account->noted[0] = machine->tail;
    for (int i = 1; i < NOTED; i++) account->noted[0] -= account->noted[i];
    account->occupied[ROB] = lives[NEITHER] + lives[LOADS] + lives[STORES] + lives[BOTH];
    account->occupied[ISSUE_QUEUE] = machine->waits;
    account->occupied[LOAD_QUEUE] = lives[LOADS] + lives[BOTH];
    account->occupied[STORE_QUEUE] = lives[STORES] + lives[BOTH];
}

/* The account without what of the operations in flight is still to come. */
static struct tally account_so_far(struct direct *machine)
{
    settle(machine);
    struct tally account = machine->machine.account;
    for (uint64_t ordinal = machine->head; ordinal < machine->tail; ordinal++) {
        const struct flight *flight = flight_of(machine, ordinal);
        const uint64_t issue = flight->done - flight->latency;
        if (flight->commit < machine->cycle) continue;
        const uint64_t rest = flight->commit - machine->cycle;
        account.retired[flight->is & 127]--;
        account.noted[flight->noted]--;
        account.occupied[ROB] -= rest;
        account.occupied[ISSUE_QUEUE] -= issue > machine->cycle ? issue - machine->cycle : 0;
        if (flight->is & SPOOR_UOP_LOAD) account.occupied[LOAD_QUEUE] -= rest;
        if (flight->is & SPOOR_UOP_STORE) account.occupied[STORE_QUEUE] -= rest;
    }
    return account;
}

/* The warm-up ends with the cycle in which its last operation commits: time goes on to `until`, or
 * to the end of that cycle where it comes before. */
static uint64_t warm_up(struct direct *machine, uint64_t until)
{
    struct machine *head = &machine->machine;
    if (machine->tail < head->warm_up) return until;
    const uint64_t end = flight_of(machine, head->warm_up - 1)->commit + 1;
    return end < until ? end : until;
}

static void end_warm_up(struct direct *machine)
{
    struct machine *head = &machine->machine;
    if (machine->tail < head->warm_up ||
        machine->cycle <= flight_of(machine, head->warm_up - 1)->commit)
        return;
    head->before = account_so_far(machine);
    __builtin_memset(head->account.most, 0, sizeof head->account.most);
    head->warm_up = 0;
}

/* A cycle, and those after it in which nothing is fetched for the same reason. */
INLINE void step(struct direct *machine, const struct block *block, struct mode mode)
{
    struct tally *account = &machine->machine.account;
    struct stall stall = {REASON_END, machine->over};
    uint64_t fetched = 0;
    leave(machine, mode);
    pass(machine, mode);
    if (machine->tail < block->end && machine->cycle < machine->front.resume)
        stall = (struct stall){machine->front.stalled, machine->front.resume};
    else if (machine->tail < block->end)
        fetched = fetch(machine, block, &stall, mode);
    if (fetched) stall.until = machine->cycle + 1;
    if (machine->machine.warm_up) stall.until = warm_up(machine, stall.until);
    note_most(machine);
    account->slots[REASON_BASE] += fetched;
    account->slots[stall.reason] +=
        machine->setup.fetch_width * (stall.until - machine->cycle) - fetched;
    machine->cycle = stall.until;
    if (machine->machine.warm_up) end_warm_up(machine);
}

INLINE void run_mode(struct direct *machine, const struct block *block, struct mode mode)
{
    while (block->ended ? machine->tail < block->end || machine->cycle < machine->over
                        : machine->tail + machine->setup.fetch_width <= block->end)
        step(machine, block, mode);
    settle(machine);
    machine->machine.position = machine->tail;
}

#define RUN(name, order, general)                                             \
    static void run_##name(struct direct *machine, const struct block *block) \
    {                                                                         \
        run_mode(machine, block, (struct mode){order, general});              \
    }
RUN(conservative, SPOOR_MEMORY_CONSERVATIVE, false)
RUN(perfect, SPOOR_MEMORY_PERFECT, false)
RUN(conservative_bounded, SPOOR_MEMORY_CONSERVATIVE, true)
RUN(perfect_bounded, SPOOR_MEMORY_PERFECT, true)

static void run(struct machine *head, const struct block *block)
{
    struct direct *machine = (struct direct *)head;
    const bool general = machine->bounded || machine->classed || block->noted;
    if (head->config.memory == SPOOR_MEMORY_PERFECT)
        (general ? run_perfect_bounded : run_perfect)(machine, block);
    else
        (general ? run_conservative_bounded : run_conservative)(machine, block);
}

const struct machine_kind machine_direct = {
    .name = "out-of-order",
    .make = direct_make,
    .run = run,
    .free = direct_free,
    .structures = STRUCTURES,
    .blind = true,
};
