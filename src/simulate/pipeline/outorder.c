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
struct outorder_mode {
    enum spoor_memory_order order;
    bool keeps; /* operations are stored, to be fetched again or shown */
    bool shows; /* a watcher gets the events */
    bool timed; /* accesses are made when they issue, in a memory with a time of its own */
};

static uint64_t outorder_ordinal(const struct outorder *machine, uint32_t slot)
{
    return machine->head + ((slot - machine->head) & machine->mask);
}

/* ---- commit ---- */

static void outorder_show(const struct outorder *machine, uint64_t ordinal, bool squashed)
{
    const struct slot *slot = outorder_slot(machine, ordinal);
    const struct slot_copy *kept = &machine->kept[ordinal & machine->mask];
    struct spoor_pipeline_event event = {
        .operation = &kept->operation,
        .ordinal = ordinal,
        .fetch = kept->fetch,
        .decode = kept->fetch,
        .issue = slot->done == NEVER ? SPOOR_NO_CYCLE : slot->issue,
        .complete = slot->done,
        .retire = machine->cycle,
        .store = kept->store,
        .why = (uint8_t)(note_why(&kept->note) | (squashed ? SPOOR_WHY_SQUASHED : 0)),
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

INLINE uint32_t outorder_commit(struct outorder *machine, struct outorder_mode mode)
{
    struct tally *stats = &machine->machine.stats;
    uint32_t count = 0;
    for (; count < machine->setup.commit_width && machine->head < machine->tail; count++) {
        struct slot *slot = outorder_slot(machine, machine->head);
        if (slot->done > machine->cycle) break;
        for (int i = 0; i < 2; i++)
            if (slot->dest[i] != SPOOR_NO_REGISTER) {
                const uint32_t last = machine->free_head + machine->free_count++;
                machine->free_list[last & machine->free_mask] = slot->freed[i];
            }
        if (slot->is & SPOOR_UOP_LOAD) {
            outorder_memory_forget(machine, slot, mode.order);
            machine->load_head++;
        }
        machine->store_head += (slot->is & SPOOR_UOP_STORE) != 0;
        if (mode.timed && slot->is & SPOOR_UOP_STORE &&
            memory_time_access(machine->machine.memory, machine->machine.cpu, machine->cycle,
                               machine->kept[machine->head & machine->mask].operation.pc,
                               slot->address, SPOOR_REFERENCE_WRITE)
                .missed)
            slot->noted |= NOTED_DATA_MISS;
        stats->retired[slot->is & 127]++;
        stats->noted[slot->noted]++;
        if (mode.shows) outorder_show(machine, machine->head, false);
        machine->head++;
    }
    return count;
}

/* ---- issue ---- */

INLINE void outorder_wake(struct outorder *machine, struct slot *producer,
                          struct outorder_mode mode)
{
    for (uint32_t link = producer->waiters; link;) {
        const uint32_t index = (link - 1) / SOURCES;
        struct slot *slot = &machine->slots[index];
        if (slot->ready < producer->done) slot->ready = producer->done;
        if (--slot->pending == 0)
            outorder_schedule(machine, index,
                              mode.timed ? outorder_within(machine, slot->ready) : slot->ready);
        link = machine->links[link - 1];
    }
    producer->waiters = 0;
}

INLINE bool outorder_reserve_unit(struct outorder *machine, const struct slot *slot, uint8_t *left)
{
    if (left[slot->kind] == 0) return false;
    if (slot->kind == SPOOR_CLASS_DIVIDE && !machine->setup.divide_pipelined) {
        uint32_t divider = 0;
        while (divider < machine->divides && machine->divider_free[divider] > machine->cycle)
            divider++;
        if (divider == machine->divides) return false;
        machine->divider_free[divider] = machine->cycle + slot->latency;
    }
    left[slot->kind]--;
    return true;
}

INLINE void outorder_issue_one(struct outorder *machine, uint32_t index, struct outorder_mode mode)
{
    struct slot *slot = &machine->slots[index];
    bit_clear(machine->ready, index);
    slot->issue = machine->cycle;
    slot->done = machine->cycle + slot->latency;
    if (mode.timed && slot->is & SPOOR_UOP_LOAD &&
        outorder_is_forwarded(machine, machine->kept[index].from)) {
        memory_time_forward(machine->machine.memory, machine->machine.cpu);
    } else if (mode.timed && slot->is & SPOOR_UOP_LOAD) {
        const struct memory_reply reply = memory_time_access(
            machine->machine.memory, machine->machine.cpu, machine->cycle,
            machine->kept[index].operation.pc, slot->address, SPOOR_REFERENCE_READ);
        slot->done = later_cycle(reply.ready, machine->cycle + 1);
        if (reply.missed) slot->noted |= NOTED_DATA_MISS;
    }
    machine->queued--;
    for (int i = 0; i < 2; i++) {
        const uint8_t dest = slot->dest[i];
        const bool last = ((machine->producer[dest] - 1) & machine->mask) == index;
        machine->value[dest] = last ? slot->done : machine->value[dest];
    }
    machine->value[SPOOR_NO_REGISTER] = 0;
    outorder_wake(machine, slot, mode);
    if (slot->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        outorder_memory_issue(machine, slot, mode.order);
    if (slot->noted & NOTED_WRONG && machine->wrong &&
        outorder_slot(machine, machine->wrong - 1) == slot) {
        machine->front.resume = slot->done + machine->setup.penalty;
        machine->wrong = 0;
    }
}

/* Issues the ready operations in one word of the bitmap, oldest first. */
INLINE uint32_t outorder_issue_word(struct outorder *machine, uint32_t word, uint64_t bits,
                                    uint32_t width, uint8_t *left, struct outorder_mode mode)
{
    uint32_t count = 0;
    for (; bits && count < width; bits &= bits - 1) {
        const uint32_t index = word * 64 + (uint32_t)__builtin_ctzll(bits);
        struct slot *slot = &machine->slots[index];
        if (mode.timed && slot->ready > machine->cycle) {
            /* it was beyond the wheel */
            bit_clear(machine->ready, index);
            outorder_schedule(machine, index, outorder_within(machine, slot->ready));
            continue;
        }
        if (mode.order != SPOOR_MEMORY_NAIVE && slot->is & SPOOR_UOP_LOAD &&
            !outorder_load_may_issue(machine, slot, mode.order)) {
            bit_clear(machine->ready, index);
            bit_set(machine->blocked, index);
            if (!slot->blocked) slot->blocked = machine->cycle + 1;
            if (mode.shows) {
                const uint32_t store = outorder_store(machine, machine->blocker)->slot;
                machine->kept[index].store = outorder_ordinal(machine, store) + 1;
            }
            continue;
        }
        if (!outorder_reserve_unit(machine, slot, left)) continue;
        outorder_issue_one(machine, index, mode);
        count++;
    }
    return count;
}

/* Issues the oldest ready operations, from the head up to the ordinal `limit`. */
INLINE uint32_t outorder_issue(struct outorder *machine, uint64_t limit, struct outorder_mode mode)
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
            count += outorder_issue_word(machine, word, bits, machine->setup.issue_width - count,
                                         left, mode);
        word = word + 1 == machine->words ? 0 : word + 1;
    }
    return count;
}

/* ---- fetch and rename ---- */

INLINE void outorder_rename_sources(struct outorder *machine, struct slot *slot, uint32_t index,
                                    const struct spoor_operation *operation,
                                    struct outorder_mode mode)
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
            struct slot *from = outorder_slot(machine, machine->producer[source] - 1);
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

INLINE void outorder_rename_one(struct outorder *machine, const struct spoor_operation *operation,
                                const struct note *note, struct outorder_mode mode)
{
    const uint32_t index = (uint32_t)(machine->tail & machine->mask);
    struct slot *slot = &machine->slots[index];
    slot->done = NEVER;
    slot->ready = machine->cycle + machine->setup.issue_delay;
    slot->waiters = 0;
    slot->blocked = 0;
    slot->kind = operation->kind;
    slot->is = operation->is;
    slot->noted = note_kinds(note);
    slot->address = operation->address;
    slot->latency = (uint16_t)(machine->setup.latency[operation->kind] +
                               (operation->is & SPOOR_UOP_LOAD ? note->data_delay : 0));
    if (mode.shows) {
        machine->kept[index].fetch = machine->cycle;
        machine->kept[index].store = 0;
    }
    outorder_rename_sources(machine, slot, index, operation, mode);
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
    if (slot->is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
        outorder_memory_enter(machine, slot, index, operation->pc, mode.order);
    if (mode.timed && slot->is & SPOOR_UOP_LOAD)
        machine->kept[index].from = outorder_find_store(machine, slot);
    if (slot->pending == 0)
        outorder_schedule(machine, index,
                          mode.timed ? outorder_within(machine, slot->ready) : slot->ready);
    machine->queued++;
    machine->tail++;
}

/* Returns the cycle from which the oldest operation, an issued load, would be done if no store had
 * delayed it. */
INLINE uint64_t slot_done_without_stores(const struct slot *load)
{
    return load->blocked ? load->done - (load->issue - (load->blocked - 1)) : load->done;
}

/* Returns the reason for a full structure: the oldest operation's wait, else the structure itself.
 */
static enum reason outorder_head_reason(const struct outorder *machine, enum reason structure)
{
    const struct slot *slot = outorder_slot(machine, machine->head);
    if (machine->head == machine->tail || !(slot->is & SPOOR_UOP_LOAD)) return structure;
    if (slot->done == NEVER || slot->done <= machine->cycle) return structure;
    if (machine->cycle >= slot_done_without_stores(slot)) return REASON_STORE_FORWARDING;
    /* in time, a hit may wait, too: for a port, or a walk */
    const bool late = slot->done - slot->issue > slot->latency;
    return slot->noted & NOTED_DATA_MISS || late ? REASON_DATA_MISS : REASON_LOAD;
}

/* Fetches the block of an instruction, unless the one before lies in it, too; returns the cycle in
 * which it is there. */
static uint64_t outorder_fetch_block(struct outorder *machine, uint64_t ordinal,
                                     const struct spoor_operation *operation)
{
    bool *missed = &machine->fetch_missed[ordinal % FETCH_AHEAD];
    const uint64_t block = operation->pc >> memory_time_block_bits(machine->machine.memory);
    const unsigned placed = SPOOR_OPERATION_FIRST | SPOOR_OPERATION_UNPLACED;
    if ((operation->is & placed) != SPOOR_OPERATION_FIRST || block + 1 == machine->block) {
        /* of an instruction that waits, and looks again, its own access is meant */
        *missed &= machine->block_fetcher == ordinal + 1;
        return machine->block_ready;
    }
    const struct memory_reply reply =
        memory_time_access(machine->machine.memory, machine->machine.cpu, machine->cycle,
                           operation->pc, operation->pc, SPOOR_REFERENCE_FETCH);
    machine->block = block + 1;
    machine->block_ready = reply.ready;
    machine->block_fetcher = ordinal + 1;
    *missed = reply.missed;
    return machine->block_ready;
}

/* Fetches ahead of rename, a block at a time, up to a mispredicted branch.  What follows that is
 * fetched when rename resumes: the penalty has the stages between. */
static void outorder_fetch_ahead(struct outorder *machine, const struct block *block)
{
    enum { BLOCKS = 2 }; /* of a cycle */
    const uint64_t bits = memory_time_block_bits(machine->machine.memory);
    const uint64_t end = machine->tail + machine->machine.config.fetch_queue;
    if (machine->ahead < machine->tail) machine->ahead = machine->tail;
    if (machine->front.stalled == REASON_BRANCH && machine->cycle < machine->front.resume) return;
    for (unsigned blocks = 0; machine->ahead < end && machine->ahead < block->end;
         machine->ahead++) {
        const uint64_t at = machine->ahead - block->first;
        const bool beyond = machine->ahead > machine->tail;
        if (beyond && block->notes[at - 1].wrong) break; /* what follows is not known yet */
        const uint64_t line = block->operations[at].pc >> bits;
        if (line + 1 != machine->block && ++blocks > BLOCKS) break;
        machine->ahead_ready[machine->ahead % FETCH_AHEAD] =
            outorder_fetch_block(machine, machine->ahead, &block->operations[at]);
    }
}

/* True if fetch waits for the block of the next operation. */
INLINE bool outorder_waits_for_block(struct outorder *machine,
                                     const struct spoor_operation *operation)
{
    uint64_t ready;
    if (machine->tail < machine->seen) return false; /* fetched again after a squash */
    if (machine->machine.config.fetch_queue && machine->tail < machine->ahead)
        ready = machine->ahead_ready[machine->tail % FETCH_AHEAD];
    else
        ready = outorder_fetch_block(machine, machine->tail, operation);
    if (ready <= machine->cycle) return false;
    machine->front.resume = ready;
    machine->front.stalled = REASON_FRONT_END;
    return true;
}

/* Fetches the next operation; false if no more can be fetched in this cycle, for *reason. */
INLINE bool outorder_fetch_one(struct outorder *machine, const struct block *block,
                               enum reason *reason, struct outorder_mode mode)
{
    const struct spoor_operation *operation;
    const struct note *note;
    struct slot_copy *kept = mode.keeps ? &machine->kept[machine->tail & machine->mask] : NULL;
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
        !outorder_queue_has_room(&machine->setup, operation->is,
                                 machine->load_tail - machine->load_head,
                                 machine->store_tail - machine->store_head, reason)) {
        *reason = outorder_head_reason(machine, *reason);
        return false;
    }
    if (mode.timed ? outorder_waits_for_block(machine, operation)
                   : front_end_misses(&machine->front, note, machine->tail, machine->seen,
                                      machine->cycle)) {
        *reason = REASON_FRONT_END;
        return false;
    }
    if (mode.keeps && machine->tail >= machine->seen) {
        kept->operation = *operation;
        kept->note = *note;
    }
    outorder_rename_one(machine, operation, note, mode);
    if (mode.timed && machine->tail > machine->seen &&
        machine->fetch_missed[(machine->tail - 1) % FETCH_AHEAD])
        outorder_slot(machine, machine->tail - 1)->noted |= NOTED_FETCH_MISS;
    if (machine->seen < machine->tail) machine->seen = machine->tail;
    if (note->wrong) {
        const uint32_t misfetch = machine->machine.config.misfetch_penalty;
        const bool decoded = mode.timed && misfetch && note->wrong == WRONG_DIRECT_TARGET;
        machine->wrong = decoded ? 0 : machine->tail;
        machine->front.resume = decoded ? machine->cycle + misfetch : NEVER;
        machine->front.stalled = *reason = REASON_BRANCH;
        return false;
    }
    *reason = REASON_TAKEN_BRANCH;
    return !(machine->setup.taken_ends_group && operation->is & SPOOR_UOP_TAKEN);
}

/* Fetches up to the width; returns the number, and the reason for the rest in *reason. */
INLINE uint32_t outorder_fetch(struct outorder *machine, const struct block *block,
                               enum reason *reason, struct outorder_mode mode)
{
    const uint64_t before = machine->tail;
    if (mode.timed && machine->machine.config.fetch_queue) outorder_fetch_ahead(machine, block);
    if (machine->cycle < machine->front.resume) {
        *reason = machine->tail == block->end ? REASON_END : machine->front.stalled;
        return 0;
    }
    enum reason full;
    const uint64_t capacity =
        outorder_capacity_after(&machine->setup, machine->tail - machine->head, machine->queued,
                                machine->free_count, &full);
    const uint64_t maximum =
        capacity < machine->setup.fetch_width ? capacity : machine->setup.fetch_width;
    uint64_t count = 0;
    while (count < maximum && outorder_fetch_one(machine, block, reason, mode)) count++;
    if (count == capacity && count < machine->setup.fetch_width)
        *reason = machine->tail == block->end ? REASON_END : outorder_head_reason(machine, full);
    return (uint32_t)(machine->tail - before);
}

/* ---- a cycle ---- */

/* Moves the operations that become ready in this cycle; true if stores complete. */
INLINE bool outorder_begin_cycle(struct outorder *machine)
{
    uint64_t *row = outorder_wheel_row(machine, machine->cycle);
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

/* Returns the oldest of the stores that complete now whose number is at least `from`; NULL: none.
 */
static const struct slot *outorder_next_completing(const struct outorder *machine, uint64_t from)
{
    const struct slot *oldest = NULL;
    uint32_t link = machine->completing[machine->cycle & machine->horizon_mask];
    for (; link; link = machine->stores[link - 1].completing) {
        const struct slot *store = &machine->slots[machine->stores[link - 1].slot];
        if (store->stores >= from && (!oldest || store->stores < oldest->stores)) oldest = store;
    }
    return oldest;
}

/* Returns the number of cycles until the next event, if none occurred in this one. */
static uint64_t outorder_idle_cycles(const struct outorder *machine)
{
    uint64_t until = machine->front.resume > machine->cycle ? machine->front.resume : NEVER;
    const struct slot *head = outorder_slot(machine, machine->head);
    if (machine->head < machine->tail && head->done != NEVER) {
        /* The oldest operation is done, or waits for another reason. */
        const uint64_t without = slot_done_without_stores(head);
        const uint64_t changes = without > machine->cycle ? without : head->done;
        if (changes < until) until = changes;
    }
    for (uint32_t i = 0; i < machine->words; i++)
        if (machine->ready[i]) return 1;
    for (uint64_t cycle = machine->cycle + 1; cycle <= machine->cycle + machine->horizon_mask;
         cycle++) {
        const uint64_t *row = outorder_wheel_row(machine, cycle);
        uint64_t any = machine->completing[cycle & machine->horizon_mask];
        for (uint32_t i = 0; i < machine->words; i++) any |= row[i];
        if (any || cycle >= until) return cycle - machine->cycle;
    }
    return until == NEVER ? 1 : until - machine->cycle;
}

/* Squashes the oldest load that issued before a conflicting store which completes now, and all
 * younger operations.  The oldest such store ends the issue of this cycle: nothing from *limit on
 * issues.  A younger store counts unless it or its load is squashed already.  True if it squashed.
 */
INLINE bool outorder_check_memory(struct outorder *machine, uint64_t *limit,
                                  struct outorder_mode mode)
{
    uint64_t squash = NEVER;
    const struct slot *store;
    uint64_t from = machine->setup.checks_in_flight ? machine->store_head : 0;
    for (; (store = outorder_next_completing(machine, from)); from = store->stores + 1) {
        const uint64_t load = outorder_violation(machine, store->stores);
        if (load == NEVER) continue;
        const uint32_t slot = machine->loads[load & machine->mask];
        const uint32_t store_slot = (uint32_t)(store - machine->slots);
        const uint64_t victim = outorder_ordinal(machine, slot);
        const uint64_t culprit = outorder_ordinal(machine, store_slot);
        if (victim >= squash) continue;
        if (mode.order == SPOOR_MEMORY_STORE_SETS &&
            !store_sets_join(&machine->sets, machine->kept[slot].operation.pc,
                             machine->kept[store_slot].operation.pc))
            machine->machine.failed = true;
        squash = victim;
        if (culprit < *limit) *limit = culprit;
        if (machine->setup.checks_first) break;
    }
    if (squash == NEVER) return false;
    for (uint64_t ordinal = squash; mode.shows && ordinal < machine->tail; ordinal++)
        outorder_show(machine, ordinal, true);
    outorder_squash(machine, squash);
    if (mode.order != SPOOR_MEMORY_STORE_SETS) return true;
    for (uint64_t ordinal = machine->head; ordinal < machine->tail; ordinal++) {
        const uint32_t index = (uint32_t)(ordinal & machine->mask);
        if (machine->slots[index].is & (SPOOR_UOP_LOAD | SPOOR_UOP_STORE))
            machine->slots[index].set =
                store_sets_find(&machine->sets, machine->kept[index].operation.pc);
    }
    return true;
}

INLINE void outorder_run_mode(struct outorder *machine, const struct block *block,
                              struct outorder_mode mode)
{
    if (mode.timed) machine->machine.paused = false;
    const uint64_t ahead =
        machine->setup.fetch_width + (mode.timed ? machine->machine.config.fetch_queue : 0);
    while (block->ended ? machine->head < block->end : machine->tail + ahead <= block->end) {
        if (mode.timed && machine->machine.until && machine->cycle >= machine->machine.until) {
            machine->machine.paused = true;
            break;
        }
        uint64_t limit = NEVER;
        enum reason reason = REASON_MEMORY_ORDER;
        const bool completes = outorder_begin_cycle(machine);
        const bool checks = completes && memory_order_speculates(mode.order);
        bool squashed = checks && !machine->setup.checks_in_flight &&
                        outorder_check_memory(machine, &limit, mode);
        uint32_t happened = outorder_commit(machine, mode);
        if (checks && machine->setup.checks_in_flight)
            squashed = outorder_check_memory(machine, &limit, mode);
        if (completes) machine->completing[machine->cycle & machine->horizon_mask] = 0;
        happened += outorder_issue(machine, limit, mode) + squashed;
        const uint32_t fetched = squashed ? 0 : outorder_fetch(machine, block, &reason, mode);
        const uint64_t cycles = happened + fetched ? 1 : outorder_idle_cycles(machine);
        struct tally *stats = &machine->machine.stats;
        stats->slots[REASON_BASE] += fetched;
        stats->slots[reason] += machine->setup.fetch_width * cycles - fetched;
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
        if (machine->machine.warm_up && machine->head >= machine->machine.warm_up) {
            machine->machine.before = *stats;
            __builtin_memset(stats->maximum, 0, sizeof stats->maximum);
            if (mode.timed)
                memory_time_begin_counting(machine->machine.memory, machine->machine.cpu);
            machine->machine.warm_up = 0;
        }
    }
    machine->machine.position = machine->seen;
}

#define OUTORDER_RUN(NAME, ...)                                                 \
    static void NAME(struct outorder *machine, const struct block *block)       \
    {                                                                           \
        outorder_run_mode(machine, block, (struct outorder_mode){__VA_ARGS__}); \
    }
OUTORDER_RUN(outorder_run_conservative, SPOOR_MEMORY_CONSERVATIVE, false, false, false)
OUTORDER_RUN(outorder_run_perfect, SPOOR_MEMORY_PERFECT, false, false, false)
OUTORDER_RUN(outorder_run_naive, SPOOR_MEMORY_NAIVE, true, false, false)
OUTORDER_RUN(outorder_run_store_sets, SPOOR_MEMORY_STORE_SETS, true, false, false)
OUTORDER_RUN(outorder_watch_conservative, SPOOR_MEMORY_CONSERVATIVE, true, true, false)
OUTORDER_RUN(outorder_watch_perfect, SPOOR_MEMORY_PERFECT, true, true, false)
OUTORDER_RUN(outorder_watch_naive, SPOOR_MEMORY_NAIVE, true, true, false)
OUTORDER_RUN(outorder_watch_store_sets, SPOOR_MEMORY_STORE_SETS, true, true, false)
OUTORDER_RUN(outorder_time_conservative, SPOOR_MEMORY_CONSERVATIVE, true, false, true)
OUTORDER_RUN(outorder_time_perfect, SPOOR_MEMORY_PERFECT, true, false, true)
OUTORDER_RUN(outorder_time_naive, SPOOR_MEMORY_NAIVE, true, false, true)
OUTORDER_RUN(outorder_time_store_sets, SPOOR_MEMORY_STORE_SETS, true, false, true)
OUTORDER_RUN(outorder_time_watch_conservative, SPOOR_MEMORY_CONSERVATIVE, true, true, true)
OUTORDER_RUN(outorder_time_watch_perfect, SPOOR_MEMORY_PERFECT, true, true, true)
OUTORDER_RUN(outorder_time_watch_naive, SPOOR_MEMORY_NAIVE, true, true, true)
OUTORDER_RUN(outorder_time_watch_store_sets, SPOOR_MEMORY_STORE_SETS, true, true, true)

static void outorder_run(struct machine *head, const struct block *block)
{
    static void (*const loops[][4])(struct outorder *, const struct block *) = {
        [SPOOR_MEMORY_CONSERVATIVE] = {outorder_run_conservative, outorder_watch_conservative,
                                       outorder_time_conservative,
                                       outorder_time_watch_conservative},
        [SPOOR_MEMORY_PERFECT] = {outorder_run_perfect, outorder_watch_perfect,
                                  outorder_time_perfect, outorder_time_watch_perfect},
        [SPOOR_MEMORY_NAIVE] = {outorder_run_naive, outorder_watch_naive, outorder_time_naive,
                                outorder_time_watch_naive},
        [SPOOR_MEMORY_STORE_SETS] = {outorder_run_store_sets, outorder_watch_store_sets,
                                     outorder_time_store_sets, outorder_time_watch_store_sets},
    };
    loops[head->config.memory][(head->watch ? 1 : 0) + (head->memory ? 2 : 0)](
        (struct outorder *)head, block);
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
