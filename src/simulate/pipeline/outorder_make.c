/* SPDX-License-Identifier: MIT */
/* outorder_make.c: builds an out-of-order machine from its configuration. */
#include "model/memory_limit.h"
#include "simulate/pipeline/outorder.h"

static bool make_ring(struct outorder *machine, uint32_t horizon)
{
    const uint32_t size = power_of_two_over(machine->setup.rob - 1);
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
    return machine->slots && machine->kept && machine->links && machine->ready &&
           machine->blocked && machine->wheel && machine->stores && machine->loads &&
           machine->completing && machine->bucket && machine->issued_loads;
}

/* Initialises renaming.  The registers of the course begin in the physical ones of the same number;
 * the others are free.  Each register beyond the course's adds a physical one, in which it begins,
 * so that other instruction sets can rename as many registers. */
static bool make_registers(struct outorder *machine, uint32_t registers)
{
    const uint32_t size = power_of_two_over(registers + SPOOR_NO_REGISTER);
    machine->free_mask = size - 1;
    machine->free_list = calloc(size, sizeof *machine->free_list);
    if (!machine->free_list) return false;
    for (uint32_t i = 0; i < SPOOR_NO_REGISTER; i++)
        machine->physical[i] =
            (uint16_t)(i < SPOOR_ARCHITECTURAL ? i : registers + i - SPOOR_ARCHITECTURAL);
    machine->physical[SPOOR_NO_REGISTER] = NO_PHYSICAL;
    for (uint32_t i = SPOOR_ARCHITECTURAL; i < registers; i++)
        machine->free_list[machine->free_count++] = (uint16_t)i;
    return true;
}

static bool make_store_sets(struct store_sets *sets, uint32_t entries)
{
    if (entries == 0) return true;
    sets->mask = power_of_two_over(entries - 1) - 1;
    sets->table = calloc((size_t)sets->mask + 1, sizeof *sets->table);
    return sets->table;
}

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

struct machine *outorder_make(const struct spoor_pipeline_config *config, uint32_t longest)
{
    struct outorder *machine = calloc(1, sizeof *machine);
    if (!machine) return NULL;
    machine->setup = outorder_setup_of(config, longest);
    machine->divides = machine->setup.units[SPOOR_CLASS_DIVIDE];
    const uint32_t horizon = power_of_two_over(machine->setup.longest + 1);
    if (make_ring(machine, horizon) && make_registers(machine, config->registers) &&
        make_store_sets(&machine->sets, config->store_set_entries))
        return &machine->machine;
    outorder_free(&machine->machine);
    return NULL;
}

void outorder_free(struct machine *head)
{
    struct outorder *machine = (struct outorder *)head;
    void *const all[] = {machine->slots,     machine->kept,         machine->links,
                         machine->ready,     machine->blocked,      machine->wheel,
                         machine->stores,    machine->loads,        machine->completing,
                         machine->bucket,    machine->issued_loads, machine->free_list,
                         machine->sets.table};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
    hash_map_free(&machine->sets.by_pc);
    free(machine);
}

void outorder_exchange(struct machine *machine, struct machine *other)
{
    struct store_sets *one = &((struct outorder *)machine)->sets;
    struct store_sets *two = &((struct outorder *)other)->sets;
    const struct store_sets kept = *one;
    *one = *two;
    *two = kept;
}
