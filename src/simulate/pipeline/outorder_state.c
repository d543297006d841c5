/* SPDX-License-Identifier: MIT */
/*
 * outorder_state.c: makes an out-of-order machine from its configuration, and changes its state
 * where an operation executed too early.
 *
 * Store sets follow Chrysos and Emer, "Memory Dependence Prediction using Store Sets", ISCA 1998:
 * the load and the store of a violation join one set, two sets are merged into the older, and a
 * load waits for the stores of its set that are in flight.
 */
#include "base/memory_need.h"
#include "simulate/pipeline/outorder.h"

/* ---- configuration ---- */

uint32_t power_of_two_over(uint64_t value)
{
    uint32_t power = 1;
    while (power <= value) power *= 2;
    return power;
}

static uint32_t outorder_capacity(uint32_t own, uint32_t rob)
{
    return own && own < rob ? own : rob;
}

struct outorder_setup outorder_setup_of(const struct spoor_pipeline_config *config,
                                        uint32_t longest)
{
    struct outorder_setup setup = {
        .fetch_width = config_width(config->fetch_width, config),
        .issue_width = config_width(config->issue_width, config),
        .commit_width = config_width(config->commit_width, config),
        .rob = config->rob,
        .capacity = {[ROB] = config->rob,
                     [ISSUE_QUEUE] = outorder_capacity(config->issue_queue, config->rob),
                     [LOAD_QUEUE] = outorder_capacity(config->load_queue, config->rob),
                     [STORE_QUEUE] = outorder_capacity(config->store_queue, config->rob)},
        .issue_delay = config->issue_delay,
        .penalty = config->mispredict_penalty,
        .longest = config->issue_delay,
        .taken_ends_group = config->taken_ends_group,
        .divide_pipelined = config->divide_pipelined,
        .checks_in_flight = config->store_check != SPOOR_CHECK_ALL,
        .checks_first = config->store_check == SPOOR_CHECK_FIRST,
    };
    setup.bounds_queues =
        setup.capacity[LOAD_QUEUE] < setup.rob || setup.capacity[STORE_QUEUE] < setup.rob;
    for (int i = 0; i < SPOOR_CLASSES; i++) {
        setup.latency[i] = config->latency[i];
        if (setup.longest < setup.latency[i]) setup.longest = setup.latency[i];
        setup.units[i] = (uint8_t)(config->units[i] ? config->units[i] : MAX_WIDTH);
    }
    setup.longest += longest;
    return setup;
}

/* ---- construction ---- */

uint64_t outorder_memory(const struct spoor_pipeline_config *config, uint32_t longest)
{
    const struct outorder *machine = NULL;
    const struct outorder_setup setup = outorder_setup_of(config, longest);
    const uint64_t size = power_of_two_over(setup.rob - 1);
    const uint64_t horizon = power_of_two_over(setup.longest + 1);
    uint64_t needed = sizeof *machine;
    memory_need(&needed, size,
                sizeof *machine->slots + sizeof *machine->kept + SOURCES * sizeof *machine->links +
                    sizeof *machine->stores + sizeof *machine->loads);
    memory_need(&needed, horizon * ((size + 63) / 64 + 1), sizeof *machine->wheel);
    memory_need(&needed, config->registers + UINT64_C(2) * config->store_set_entries,
                2 * sizeof *machine->sets.table);
    return needed;
}

bool outorder_start(struct machine *head, uint32_t longest)
{
    struct outorder *machine = (struct outorder *)head;
    const struct spoor_pipeline_config *config = &head->config;
    machine->setup = outorder_setup_of(config, longest);
    machine->divides = machine->setup.units[SPOOR_CLASS_DIVIDE];
    const uint32_t size = power_of_two_over(machine->setup.rob - 1);
    const uint32_t horizon = power_of_two_over(machine->setup.longest + 1);
    machine->mask = size - 1;
    machine->words = (size + 63) / 64;
    machine->horizon_mask = horizon - 1;
    machine->slots = calloc(size, sizeof *machine->slots);
    machine->kept = calloc(size, sizeof *machine->kept);
    machine->links = calloc((size_t)size * SOURCES, sizeof *machine->links);
    machine->ready = calloc(machine->words, sizeof *machine->ready);
    machine->blocked = calloc(machine->words, sizeof *machine->blocked);
    machine->wheel = calloc((size_t)horizon * machine->words, sizeof *machine->wheel);
    machine->stores = calloc(size, sizeof *machine->stores);
    machine->loads = calloc(size, sizeof *machine->loads);
    machine->completing = calloc(horizon, sizeof *machine->completing);
    machine->bucket = calloc(BUCKETS, sizeof *machine->bucket);
    machine->issued_loads = calloc(BUCKETS, 1);
    /* The registers of the course begin in the physical ones of the same number; the others are
     * free.  Each register beyond the course's adds a physical one, in which it begins, so that
     * other instruction sets can rename as many registers. */
    const uint32_t registers = config->registers;
    const uint32_t physical = power_of_two_over(registers + SPOOR_NO_REGISTER);
    machine->free_mask = physical - 1;
    machine->free_list = calloc(physical, sizeof *machine->free_list);
    if (!(machine->slots && machine->kept && machine->links && machine->ready && machine->blocked &&
          machine->wheel && machine->stores && machine->loads && machine->completing &&
          machine->bucket && machine->issued_loads && machine->free_list))
        return false;
    for (uint32_t i = 0; i < SPOOR_NO_REGISTER; i++)
        machine->physical[i] =
            (uint16_t)(i < SPOOR_ARCHITECTURAL ? i : registers + i - SPOOR_ARCHITECTURAL);
    machine->physical[SPOOR_NO_REGISTER] = NO_PHYSICAL;
    for (uint32_t i = SPOOR_ARCHITECTURAL; i < registers; i++)
        machine->free_list[machine->free_count++] = (uint16_t)i;
    if (config->store_set_entries == 0) return true;
    struct store_sets *sets = &machine->sets;
    sets->mask = power_of_two_over(config->store_set_entries - 1) - 1;
    sets->table = calloc((size_t)sets->mask + 1, sizeof *sets->table);
    return sets->table;
}

void outorder_finish(struct machine *head)
{
    struct outorder *machine = (struct outorder *)head;
    void *const all[] = {machine->slots,     machine->kept,         machine->links,
                         machine->ready,     machine->blocked,      machine->wheel,
                         machine->stores,    machine->loads,        machine->completing,
                         machine->bucket,    machine->issued_loads, machine->free_list,
                         machine->sets.table};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hash_map_free(&machine->sets.by_pc);
}

void outorder_exchange(struct machine *machine, struct machine *other)
{
    struct store_sets *one = &((struct outorder *)machine)->sets;
    struct store_sets *two = &((struct outorder *)other)->sets;
    const struct store_sets kept = *one;
    *one = *two;
    *two = kept;
}

/* ---- memory order ---- */

uint64_t outorder_violation(const struct outorder *machine, uint64_t number)
{
    const struct store *entry = outorder_store(machine, number);
    const uint64_t address = machine->slots[entry->slot].address;
    if (!machine->issued_loads[address_bucket(address)]) return NEVER;
    uint64_t first = entry->loads > machine->load_head ? entry->loads : machine->load_head;
    for (uint64_t at = first; at < machine->load_tail; at++) {
        const struct slot *load = &machine->slots[machine->loads[at & machine->mask]];
        const bool early = load->done != NEVER && load->issue < machine->cycle;
        if (!early || load->address != address) continue;
        /* It may have its value from a store that is younger than `number`.  The course does not
         * ask. */
        bool supplied = false;
        uint64_t younger = machine->setup.checks_first ? load->stores : number + 1;
        for (; younger < load->stores && !supplied; younger++) {
            const struct slot *store = outorder_store_slot(machine, younger);
            supplied = store->address == address && store->done <= load->issue;
        }
        if (!supplied) return at;
    }
    return NEVER;
}

/* ---- store sets ---- */

struct store_set {
    uint64_t pc;
    uint32_t set;
};

uint32_t store_sets_find(const struct store_sets *sets, uint64_t pc)
{
    if (sets->table) return sets->table[address_hash(pc) & sets->mask];
    const struct store_set *found = hash_map_find(&sets->by_pc, pc, sizeof *found);
    return found ? found->set : 0;
}

/* False if memory runs out. */
static bool store_sets_set(struct store_sets *sets, uint64_t pc, uint32_t set)
{
    bool added;
    if (sets->table) {
        sets->table[address_hash(pc) & sets->mask] = set;
        return true;
    }
    struct store_set *found = hash_map_add(&sets->by_pc, pc, sizeof *found, &added);
    if (found) found->set = set;
    return found;
}

bool store_sets_join(struct store_sets *sets, uint64_t load_pc, uint64_t store_pc)
{
    const uint32_t load = store_sets_find(sets, load_pc);
    const uint32_t store = store_sets_find(sets, store_pc);
    uint32_t both = load && (!store || load < store) ? load : store;
    if (!both) both = ++sets->last;
    return store_sets_set(sets, load_pc, both) && store_sets_set(sets, store_pc, both);
}

/*
 * ---- squashes ----
 *
 * Renaming is undone from the youngest operation on.  Each register returns to the front of the
 * free list, so the next fetched operation gets it again.  The two registers of one operation are
 * thereby exchanged, as in the published logs.
 */

/* Clears the bits of the slots of `count` operations from `first` on. */
static void outorder_clear_slots(uint64_t *bits, const struct outorder *machine, uint64_t first)
{
    for (uint64_t ordinal = first; ordinal < machine->tail; ordinal++)
        bit_clear(bits, (uint32_t)(ordinal & machine->mask));
}

void outorder_squash(struct outorder *machine, uint64_t first)
{
    struct tally *stats = &machine->machine.stats;
    const uint64_t count = machine->tail - first;
    outorder_clear_slots(machine->ready, machine, first);
    outorder_clear_slots(machine->blocked, machine, first);
    for (uint32_t row = 0; row <= machine->horizon_mask; row++)
        outorder_clear_slots(machine->wheel + (size_t)row * machine->words, machine, first);
    /* Removes squashed operations from the lists of the unissued operations before `first`, where
     * they are at the front. */
    const uint64_t age = first - machine->head;
    for (uint64_t ordinal = machine->head; ordinal < first; ordinal++) {
        struct slot *slot = outorder_slot(machine, ordinal);
        while (slot->waiters) {
            const uint64_t waiter = (slot->waiters - 1) / SOURCES;
            if (((waiter - machine->head) & machine->mask) < age) break;
            slot->waiters = machine->links[slot->waiters - 1];
        }
    }
    for (uint64_t ordinal = machine->tail; ordinal-- > first;) {
        const struct slot *slot = outorder_slot(machine, ordinal);
        for (int i = 0; i < 2; i++) {
            if (slot->dest[i] == SPOOR_NO_REGISTER) continue;
            machine->free_head--;
            machine->free_list[machine->free_head & machine->free_mask] = slot->physical[i];
            machine->free_count++;
        }
        for (int i = 1; i >= 0; i--) {
            if (slot->dest[i] == SPOOR_NO_REGISTER) continue;
            machine->physical[slot->dest[i]] = slot->freed[i];
            machine->producer[slot->dest[i]] = slot->previous[i];
            machine->value[slot->dest[i]] =
                slot->previous[i] > machine->head
                    ? outorder_slot(machine, slot->previous[i] - 1)->done
                    : 0;
        }
        outorder_memory_forget(machine, slot, machine->machine.config.memory);
        if (slot->is & SPOOR_UOP_LOAD) machine->load_tail--;
        if (slot->is & SPOOR_UOP_STORE) machine->store_tail--;
        machine->queued -= slot->done == NEVER;
    }
    /* Removes the squashed stores from the lists of stores that will complete. */
    const uint64_t stores = machine->store_tail - machine->store_head;
    for (uint32_t row = 0; row <= machine->horizon_mask; row++) {
        uint32_t *at = &machine->completing[row];
        while (*at) {
            const uint64_t entry = *at - 1;
            if (((entry - machine->store_head) & machine->mask) < stores)
                at = &machine->stores[entry].completing;
            else
                *at = machine->stores[entry].completing;
        }
    }
    machine->tail = first;
    if (machine->wrong > first) {
        machine->wrong = 0;
        machine->front.resume = 0;
    }
    stats->squashes++;
    stats->squashed += count;
    stats->slots[REASON_BASE] -= count;
    stats->slots[REASON_MEMORY_ORDER] += count;
}
