/* SPDX-License-Identifier: MIT */
/*
 * outorder.c: the out-of-order machine, cycle by cycle.
 *
 * It follows the course's fifth homework.  In each cycle the oldest completed operations commit,
 * the oldest ready ones issue, and the next are fetched and renamed while the reorder buffer has
 * free entries.  Sources are renamed before destinations.  A physical register becomes free when
 * the operation that overwrites its architectural register commits.
 *
 * The loop is compiled for each memory order, with and without a watcher, so a feature that a
 * machine does not use costs nothing.
 */
#include "simulate/pipeline/outorder.h"

/* The constants for which the loop is compiled. */
struct mode {
    enum spoor_memory_order order;
    bool keeps; /* operations are stored, to be fetched again or shown */
    bool shows; /* a watcher gets the events */
};

/* ---- commit ---- */

static void show(const struct outorder *machine, uint64_t ordinal, bool squashed)
{
    const struct slot *slot = slot_of(machine, ordinal);
    const struct kept *kept = &machine->kept[ordinal & machine->mask];
    struct spoor_pipeline_event event = {
        .operation = &kept->operation,
        .ordinal = ordinal,
        .fetch = kept->fetch,
        .decode = kept->fetch,
        .issue = slot->done == NEVER ? SPOOR_NO_CYCLE : slot->issue,
        .complete = slot->done,
        .retire = machine->cycle,
        .store = kept->store,
        .why = (uint8_t)(why_of(&kept->note) | (squashed ? SPOOR_WHY_SQUASHED : 0)),
    };
    for (int i = 0; i < 3; i++) {
        event.source[i] = kept->source[i];
        event.producer[i] = kept->producer[i];
    }
    for (int i = 0; i < 2; i++) {
        event.dest[i] = slot->physical[i];
        event.freed[i] = slot->freed[i];
    }
    machine->machine.watch(machine->machine.watch_context, &event);
}

INLINE void release_register(struct outorder *machine, uint16_t physical)
{
    machine->free_list[(machine->free_head + machine->free_count) & machine->free_mask] = physical;
    machine->free_count++;
}

INLINE uint32_t commit(struct outorder *machine, struct mode mode)
{
    struct tally *stats = &machine->machine.stats;
    uint32_t count = 0;
    for (; count < machine->setup.commit_width && machine->head < machine->tail; count++) {
        const struct slot *slot = slot_of(machine, machine->head);
        if (slot->done > machine->cycle) break;
        for (int i = 0; i < 2; i++)
            if (slot->dest[i] != SPOOR_NO_REGISTER) release_register(machine, slot->freed[i]);
        if (slot->is & SPOOR_UOP_LOAD) {
            memory_forget(machine, slot, mode.order);
            machine->load_head++;
        }
        machine->store_head += (slot->is & SPOOR_UOP_STORE) != 0;
        stats->retired[slot->is & 127]++;
        stats->noted[slot->noted]++;
        if (mode.shows) show(machine, machine->head, false);
        machine->head++;
    }
    return count;
}

/* ---- issue ---- */

INLINE void wake(struct outorder *machine, struct slot *producer)
{
    for (uint32_t link = producer->waiters; link;) {
        const uint32_t index = (link - 1) / SOURCES;
        struct slot *slot = &machine->slots[index];
        if (slot->ready < producer->done) slot->ready = producer->done;
        if (--slot->pending == 0) schedule(machine, index, slot->ready);
        link = machine->links[link - 1];
    }
    producer->waiters = 0;
}

/* Returns the index of a divider that is free in this cycle, or a negative number. */
static int free_divider(const struct outorder *machine)
{
    for (uint32_t i = 0; i < machine->divides; i++)
        if (machine->divider_free[i] <= machine->cycle) return (int)i;
    return -1;
}

INLINE bool reserve_unit(struct outorder *machine, const struct slot *slot, uint8_t *left)
{
    if (left[slot->kind] == 0) return false;
    if (slot->kind == SPOOR_CLASS_DIVIDE && !machine->setup.divide_pipelined) {
        const int divider = free_divider(machine);
        if (divider < 0) return false;
        machine->divider_free[divider] = machine->cycle + slot->latency;
    }
    left[slot->kind]--;
    return true;
}

INLINE void issue_one(struct outorder *machine, uint32_t index, struct mode mode)
{
    struct slot *slot = &machine->slots[index];
    bit_clear(machine->ready, index);
    slot->issue = machine->cycle;
    slot->done = machine->cycle + slot->latency;
    machine->queued--;
    for (int i = 0; i < 2; i++) {
        const uint8_t dest = slot->dest[i];
        const bool last = ((machine->producer[dest] - 1) & machine->mask) == index;
        machine->value[dest] = last ? slot->done : machine->value[dest];
    }
    machine->value[SPOOR_NO_REGISTER] = 0;
    wake(machine, slot);
    if (slot->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE)) memory_issue(machine, slot, mode.order);
    if (slot->noted & NOTED_WRONG && slot_of(machine, machine->wrong - 1) == slot) {
        machine->front.resume = slot->done + machine->setup.penalty;
        machine->wrong = 0;
    }
}

/* Stores which store a load waits for. */
static void store_blocker(struct outorder *machine, uint32_t index)
{
    const uint32_t store = store_of(machine, machine->blocker)->slot;
    machine->kept[index].store = machine->head + ((store - machine->head) & machine->mask) + 1;
}

/* Issues the ready operations in one word of the bitmap, oldest first. */
INLINE uint32_t issue_word(struct outorder *machine, uint32_t word, uint64_t bits, uint32_t width,
                           uint8_t *left, struct mode mode)
{
    uint32_t count = 0;
    for (; bits && count < width; bits &= bits - 1) {
        const uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
        struct slot *slot = &machine->slots[index];
        if (mode.order != SPOOR_MEMORY_NAIVE && slot->is & SPOOR_UOP_LOAD &&
            !load_may_issue(machine, slot, mode.order)) {
            bit_clear(machine->ready, index);
            bit_set(machine->blocked, index);
            if (!slot->blocked) slot->blocked = machine->cycle + 1;
            if (mode.shows) store_blocker(machine, index);
            continue;
        }
        if (!reserve_unit(machine, slot, left)) continue;
        issue_one(machine, index, mode);
        count++;
    }
    return count;
}

/* Issues the oldest ready operations, from the head up to the ordinal `limit`. */
INLINE uint32_t issue(struct outorder *machine, uint64_t limit, struct mode mode)
{
    uint8_t left[SPOOR_CLASSES];
    __builtin_memcpy(left, machine->setup.units, sizeof left);
    const uint32_t begin = (uint32_t)(machine->head & machine->mask);
    const uint64_t below = (UINT64_C(1) << (begin & 63)) - 1;
    uint32_t word = begin >> 6, count = 0;
    const bool all = limit >= machine->tail;
    for (uint32_t i = 0; i <= machine->words && count < machine->setup.issue_width; i++) {
        uint64_t bits = machine->ready[word];
        if (i == 0) bits &= ~below;
        if (i == machine->words) bits &= below;
        if (!all) {
            uint64_t kept = bits;
            for (; kept; kept &= kept - 1) {
                const uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(kept);
                if (machine->head + ((index - begin) & machine->mask) >= limit)
                    bits &= ~(kept & -kept);
            }
        }
        if (bits)
            count +=
                issue_word(machine, word, bits, machine->setup.issue_width - count, left, mode);
        word = word + 1 == machine->words ? 0 : word + 1;
    }
    return count;
}

/* ---- fetch and rename ---- */

INLINE void rename_sources(struct outorder *machine, struct slot *slot, uint32_t index,
                           const struct spoor_operation *operation, struct mode mode)
{
    uint64_t ready = slot->ready;
    uint8_t pending = 0;
    for (uint32_t i = 0; i < 3; i++) {
        const uint8_t source = operation->source[i];
        const uint64_t value = machine->value[source];
        if (mode.shows) {
            const uint64_t producer = machine->producer[source];
            machine->kept[index].source[i] = machine->physical[source];
            machine->kept[index].producer[i] = producer > machine->head ? producer : 0;
        }
        if (value == NEVER) {
            struct slot *from = slot_of(machine, machine->producer[source] - 1);
            const uint32_t link = index * SOURCES + i;
            machine->links[link] = from->waiters;
            from->waiters = link + 1;
            pending++;
        } else {
            ready = ready < value ? value : ready;
        }
    }
    slot->ready = ready;
    slot->pending = pending;
}

INLINE void rename_destinations(struct outorder *machine, struct slot *slot,
                                const struct spoor_operation *operation, struct mode mode)
{
    for (int i = 0; i < 2; i++) {
        const uint8_t dest = operation->dest[i];
        slot->dest[i] = dest;
        if (dest == SPOOR_NO_REGISTER) continue;
        const uint16_t physical = machine->free_list[machine->free_head & machine->free_mask];
        machine->free_head++;
        machine->free_count--;
        slot->freed[i] = machine->physical[dest];
        if (mode.keeps) {
            slot->physical[i] = physical;
            slot->previous[i] = machine->producer[dest];
        }
        machine->physical[dest] = physical;
        machine->producer[dest] = machine->tail + 1;
        machine->value[dest] = NEVER;
    }
}

INLINE void rename_one(struct outorder *machine, const struct spoor_operation *operation,
                       const struct note *note, struct mode mode)
{
    const uint32_t index = (uint32_t)(machine->tail & machine->mask);
    struct slot *slot = &machine->slots[index];
    slot->done = NEVER;
    slot->ready = machine->cycle + machine->setup.issue_delay;
    slot->waiters = 0;
    slot->blocked = 0;
    slot->kind = operation->kind;
    slot->is = operation->is;
    slot->noted = noted_of(note);
    slot->address = operation->address;
    slot->latency = (uint16_t)(machine->setup.latency[operation->kind] +
                               (operation->is & SPOOR_UOP_LOAD ? note->data_delay : 0));
    if (mode.shows) {
        machine->kept[index].fetch = machine->cycle;
        machine->kept[index].store = 0;
    }
    rename_sources(machine, slot, index, operation, mode);
    rename_destinations(machine, slot, operation, mode);
    if (slot->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        memory_enter(machine, slot, index, operation->pc, mode.order);
    if (slot->pending == 0) schedule(machine, index, slot->ready);
    machine->queued++;
    machine->tail++;
}

/* Returns the cycle from which the oldest operation, an issued load, would be done if no store had
 * delayed it. */
INLINE uint64_t done_without_stores(const struct slot *load)
{
    return load->blocked ? load->done - (load->issue - (load->blocked - 1)) : load->done;
}

/* Returns the reason for a full structure: the oldest operation's wait, else the structure itself.
 */
static enum reason reason_of_head(const struct outorder *machine, enum reason structure)
{
    const struct slot *slot = slot_of(machine, machine->head);
    if (machine->head == machine->tail || !(slot->is & SPOOR_UOP_LOAD)) return structure;
    if (slot->done == NEVER || slot->done <= machine->cycle) return structure;
    if (machine->cycle >= done_without_stores(slot)) return REASON_STORE_FORWARDING;
    return slot->noted & NOTED_DATA_MISS ? REASON_DATA_MISS : REASON_LOAD;
}

/* Fetches the next operation; false if no more can be fetched in this cycle, for *reason. */
INLINE bool fetch_one(struct outorder *machine, const struct block *block, enum reason *reason,
                      struct mode mode)
{
    const struct spoor_operation *operation;
    const struct note *note;
    struct kept *kept = mode.keeps ? &machine->kept[machine->tail & machine->mask] : NULL;
    if (mode.keeps && machine->tail < machine->seen) {
        operation = &kept->operation;
        note = &kept->note;
    } else if (machine->tail < block->end) {
        operation = &block->operations[machine->tail - block->first];
        note = &block->notes[machine->tail - block->first];
    } else {
        *reason = REASON_END;
        return false;
    }
    if (machine->setup.bounds_queues &&
        !queue_has_capacity(&machine->setup, operation->is, machine->load_tail - machine->load_head,
                            machine->store_tail - machine->store_head, reason)) {
        *reason = reason_of_head(machine, *reason);
        return false;
    }
    if (misses(&machine->front, note, machine->tail, machine->seen, machine->cycle)) {
        *reason = REASON_FRONT_END;
        return false;
    }
    if (mode.keeps && machine->tail >= machine->seen) {
        kept->operation = *operation;
        kept->note = *note;
    }
    rename_one(machine, operation, note, mode);
    if (machine->seen < machine->tail) machine->seen = machine->tail;
    if (note->wrong) {
        machine->wrong = machine->tail;
        machine->front.resume = NEVER;
        machine->front.stalled = *reason = REASON_BRANCH;
        return false;
    }
    *reason = REASON_TAKEN_BRANCH;
    return !(machine->setup.taken_ends_group && operation->is & SPOOR_UOP_TAKEN);
}

/* Fetches up to the width; returns the number, and the reason for the rest in *reason. */
INLINE uint32_t fetch(struct outorder *machine, const struct block *block, enum reason *reason,
                      struct mode mode)
{
    const uint64_t before = machine->tail;
    if (machine->cycle < machine->front.resume) {
        *reason = machine->tail == block->end ? REASON_END : machine->front.stalled;
        return 0;
    }
    enum reason full;
    const uint64_t capacity = capacity_after(&machine->setup, machine->tail - machine->head,
                                             machine->queued, machine->free_count, &full);
    const uint64_t maximum =
        capacity < machine->setup.fetch_width ? capacity : machine->setup.fetch_width;
    uint64_t count = 0;
    while (count < maximum && fetch_one(machine, block, reason, mode)) count++;
    if (count == capacity && count < machine->setup.fetch_width)
        *reason = machine->tail == block->end ? REASON_END : reason_of_head(machine, full);
    return (uint32_t)(machine->tail - before);
}

/* ---- a cycle ---- */

/* Moves the operations that become ready in this cycle; true if stores complete. */
INLINE bool begin_cycle(struct outorder *machine)
{
    uint64_t *row = wheel_row(machine, machine->cycle);
    for (uint32_t i = 0; i < machine->words; i++) {
        machine->ready[i] |= row[i];
        row[i] = 0;
    }
    if (!machine->completing[machine->cycle & machine->horizon_mask]) return false;
    for (uint32_t i = 0; i < machine->words; i++) {
        machine->ready[i] |= machine->blocked[i];
        machine->blocked[i] = 0;
    }
    return true;
}

static uint64_t ordinal_of_slot(const struct outorder *machine, uint32_t slot)
{
    return machine->head + ((slot - machine->head) & machine->mask);
}

/* Returns the oldest of the stores that complete now whose number is at least `from`; NULL: none.
 */
static const struct slot *next_completing(const struct outorder *machine, uint64_t from)
{
    const struct slot *oldest = NULL;
    uint32_t link = machine->completing[machine->cycle & machine->horizon_mask];
    for (; link; link = machine->stores[link - 1].completing) {
        const struct slot *store = &machine->slots[machine->stores[link - 1].slot];
        if (store->stores >= from && (!oldest || store->stores < oldest->stores)) oldest = store;
    }
    return oldest;
}

/* Finds the oldest of the stores that complete now and conflict with a load that issued too early.
 * That store ends the issue (*limit); the load and all younger operations are to be squashed.  A
 * younger store counts unless it or its load is squashed already.  Returns the load's ordinal, or
 * NEVER. */
static uint64_t find_violation(struct outorder *machine, uint64_t *limit, struct mode mode)
{
    uint64_t squash = NEVER;
    const struct slot *store;
    uint64_t from = machine->setup.checks_in_flight ? machine->store_head : 0;
    for (; (store = next_completing(machine, from)); from = store->stores + 1) {
        const uint64_t load = outorder_violation(machine, store->stores);
        if (load == NEVER) continue;
        const uint32_t slot = machine->loads[load & machine->mask];
        const uint32_t store_slot = (uint32_t)(store - machine->slots);
        const uint64_t victim = ordinal_of_slot(machine, slot);
        const uint64_t culprit = ordinal_of_slot(machine, store_slot);
        if (victim >= squash) continue;
        if (mode.order == SPOOR_MEMORY_STORE_SETS &&
            !store_sets_join(&machine->sets, machine->kept[slot].operation.pc,
                             machine->kept[store_slot].operation.pc))
            machine->machine.failed = true;
        squash = victim;
        if (culprit < *limit) *limit = culprit;
        if (machine->setup.checks_first) break;
    }
    return squash;
}

/* Updates the store sets of the operations in flight after a change. */
static void refresh_sets(struct outorder *machine)
{
    for (uint64_t ordinal = machine->head; ordinal < machine->tail; ordinal++) {
        const uint32_t index = (uint32_t)(ordinal & machine->mask);
        if (machine->slots[index].is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
            machine->slots[index].set =
                store_sets_find(&machine->sets, machine->kept[index].operation.pc);
    }
}

static void squash_from(struct outorder *machine, uint64_t first, struct mode mode)
{
    if (mode.shows)
        for (uint64_t ordinal = first; ordinal < machine->tail; ordinal++)
            show(machine, ordinal, true);
    outorder_squash(machine, first);
    if (mode.order == SPOOR_MEMORY_STORE_SETS) refresh_sets(machine);
}

INLINE void count_cycles(struct outorder *machine, uint64_t cycles)
{
    struct tally *stats = &machine->machine.stats;
    const uint64_t now[STRUCTURES] = {
        [ROB] = machine->tail - machine->head,
        [ISSUE_QUEUE] = machine->queued,
        [LOAD_QUEUE] = machine->load_tail - machine->load_head,
        [STORE_QUEUE] = machine->store_tail - machine->store_head,
    };
    for (int i = 0; i < STRUCTURES; i++) {
        stats->occupied[i] += now[i] * cycles;
        if (stats->maximum[i] < now[i]) stats->maximum[i] = now[i];
    }
    stats->cycles += cycles;
    machine->cycle += cycles;
}

/* Returns the next cycle in which the oldest operation is done, or waits for another reason. */
static uint64_t head_changes(const struct outorder *machine)
{
    const struct slot *slot = slot_of(machine, machine->head);
    if (machine->head == machine->tail || slot->done == NEVER) return NEVER;
    const uint64_t without = done_without_stores(slot);
    return without > machine->cycle ? without : slot->done;
}

/* Returns the number of cycles until the next event, if none occurred in this one. */
static uint64_t idle_cycles(const struct outorder *machine)
{
    uint64_t until = machine->front.resume > machine->cycle ? machine->front.resume : NEVER;
    if (head_changes(machine) < until) until = head_changes(machine);
    for (uint32_t i = 0; i < machine->words; i++)
        if (machine->ready[i]) return 1;
    for (uint64_t cycle = machine->cycle + 1; cycle <= machine->cycle + machine->horizon_mask;
         cycle++) {
        const uint64_t *row = wheel_row(machine, cycle);
        uint64_t any = machine->completing[cycle & machine->horizon_mask];
        for (uint32_t i = 0; i < machine->words; i++) any |= row[i];
        if (any || cycle >= until) return cycle - machine->cycle;
    }
    return until == NEVER ? 1 : until - machine->cycle;
}

/* Squashes loads that issued before a conflicting store which completes now.  True if it squashed;
 * nothing from *limit on then issues in this cycle. */
INLINE bool check_memory(struct outorder *machine, uint64_t *limit, struct mode mode)
{
    const uint64_t squash = find_violation(machine, limit, mode);
    if (squash != NEVER) squash_from(machine, squash, mode);
    return squash != NEVER;
}

INLINE void run_cycle(struct outorder *machine, const struct block *block, struct mode mode)
{
    uint64_t limit = NEVER;
    enum reason reason = REASON_MEMORY_ORDER;
    const bool completes = begin_cycle(machine);
    const bool checks = completes && speculates(mode.order);
    bool squashed =
        checks && !machine->setup.checks_in_flight && check_memory(machine, &limit, mode);
    uint32_t happened = commit(machine, mode);
    if (checks && machine->setup.checks_in_flight) squashed = check_memory(machine, &limit, mode);
    if (completes) machine->completing[machine->cycle & machine->horizon_mask] = 0;
    happened += issue(machine, limit, mode) + squashed;
    const uint32_t fetched = squashed ? 0 : fetch(machine, block, &reason, mode);
    const uint64_t cycles = happened + fetched ? 1 : idle_cycles(machine);
    machine->machine.stats.slots[REASON_BASE] += fetched;
    machine->machine.stats.slots[reason] += machine->setup.fetch_width * cycles - fetched;
    count_cycles(machine, cycles);
}

/* Ends the warm-up when its micro-ops have committed. */
INLINE void end_warm_up(struct outorder *machine)
{
    if (!machine->machine.warm_up || machine->head < machine->machine.warm_up) return;
    machine->machine.before = machine->machine.stats;
    __builtin_memset(machine->machine.stats.maximum, 0, sizeof machine->machine.stats.maximum);
    machine->machine.warm_up = 0;
}

INLINE void run_mode(struct outorder *machine, const struct block *block, struct mode mode)
{
    while (block->ended ? machine->head < block->end
                        : machine->tail + machine->setup.fetch_width <= block->end) {
        run_cycle(machine, block, mode);
        end_warm_up(machine);
    }
    machine->machine.position = machine->seen;
}

#define OUTORDER_RUN(NAME, ...)                                           \
    static void NAME(struct outorder *machine, const struct block *block) \
    {                                                                     \
        run_mode(machine, block, (struct mode){__VA_ARGS__});             \
    }
OUTORDER_RUN(outorder_run_conservative, SPOOR_MEMORY_CONSERVATIVE, false, false)
OUTORDER_RUN(outorder_run_perfect, SPOOR_MEMORY_PERFECT, false, false)
OUTORDER_RUN(outorder_run_naive, SPOOR_MEMORY_NAIVE, true, false)
OUTORDER_RUN(outorder_run_store_sets, SPOOR_MEMORY_STORE_SETS, true, false)
OUTORDER_RUN(outorder_watch_conservative, SPOOR_MEMORY_CONSERVATIVE, true, true)
OUTORDER_RUN(outorder_watch_perfect, SPOOR_MEMORY_PERFECT, true, true)
OUTORDER_RUN(outorder_watch_naive, SPOOR_MEMORY_NAIVE, true, true)
OUTORDER_RUN(outorder_watch_store_sets, SPOOR_MEMORY_STORE_SETS, true, true)

static void outorder_run(struct machine *head, const struct block *block)
{
    static void (*const loops[][2])(struct outorder *, const struct block *) = {
        [SPOOR_MEMORY_CONSERVATIVE] = {outorder_run_conservative, outorder_watch_conservative},
        [SPOOR_MEMORY_PERFECT] = {outorder_run_perfect, outorder_watch_perfect},
        [SPOOR_MEMORY_NAIVE] = {outorder_run_naive, outorder_watch_naive},
        [SPOOR_MEMORY_STORE_SETS] = {outorder_run_store_sets, outorder_watch_store_sets},
    };
    loops[head->config.memory][head->watch != NULL]((struct outorder *)head, block);
}

const struct machine_kind machine_out_of_order = {
    .name = "out-of-order",
    .struct_size = sizeof(struct outorder),
    .start = outorder_start,
    .finish = outorder_finish,
    .memory = outorder_memory,
    .run = outorder_run,
    .exchange = outorder_exchange,
    .structures = STRUCTURES,
};
