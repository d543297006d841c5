/* SPDX-License-Identifier: MIT */
/* program_order_make.c: builds a machine that is timed in program order. */
#include <stdlib.h>

#include "model/memory_limit.h"
#include "simulate/pipeline/program_order.h"

/* Returns the horizon: at worst an operation issues after all others in flight are done, so no
 * issue is farther ahead. */
static uint64_t horizon_of(const struct outorder_setup *setup)
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
    return ordered && setup.divide_pipelined && horizon_of(&setup) < HORIZON;
}

static bool make_issues(struct issues *issues, uint32_t maximum, uint64_t horizon)
{
    issues->maximum = (uint8_t)maximum;
    issues->count = calloc(horizon, sizeof *issues->count);
    issues->full = calloc(horizon / 64, sizeof *issues->full);
    return issues->count && issues->full;
}

static bool make_all_issues(struct program_order *machine)
{
    const struct outorder_setup *setup = &machine->setup;
    const uint32_t horizon = power_of_two_over(horizon_of(setup) | 63);
    machine->horizon_mask = horizon - 1;
    for (int i = 0; i < SPOOR_CLASSES; i++) {
        if (setup->units[i] >= setup->issue_width) continue;
        machine->classed = true;
        if (!make_issues(&machine->by_class[i], setup->units[i], horizon)) return false;
    }
    return make_issues(&machine->all, setup->issue_width, horizon);
}

static void bound(struct program_order *machine, uint32_t registers)
{
    const struct outorder_setup *setup = &machine->setup;
    machine->registers = registers - SPOOR_ARCHITECTURAL;
    machine->bounded = setup->bounds_queues || setup->capacity[ISSUE_QUEUE] < setup->rob ||
                       machine->registers < 2 * setup->rob;
}

uint64_t program_order_memory(const struct spoor_pipeline_config *config, uint32_t longest)
{
    const struct program_order *machine = NULL;
    const struct outorder_setup setup = outorder_setup_of(config, longest);
    uint64_t needed = sizeof *machine;
    memory_need(&needed, power_of_two_over(setup.rob + setup.commit_width),
                sizeof *machine->flights + sizeof *machine->queue);
    memory_need(&needed, power_of_two_over(horizon_of(&setup) | 63), 2 * (SPOOR_CLASSES + 1));
    return needed;
}

struct machine *program_order_make(const struct spoor_pipeline_config *config, uint32_t longest)
{
    struct program_order *machine = calloc(1, sizeof *machine);
    if (!machine) return NULL;
    machine->setup = outorder_setup_of(config, longest);
    const struct outorder_setup *setup = &machine->setup;
    const uint32_t size = power_of_two_over(setup->rob + setup->commit_width);
    machine->mask = size - 1;
    machine->flights = calloc(size, sizeof *machine->flights);
    machine->queue = calloc(size, sizeof *machine->queue);
    machine->bucket = calloc(BUCKETS, sizeof *machine->bucket);
    bound(machine, config->registers);
    if (make_all_issues(machine) && machine->flights && machine->queue && machine->bucket)
        return &machine->machine;
    program_order_free(&machine->machine);
    return NULL;
}

void program_order_free(struct machine *head)
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
    free(machine);
}
