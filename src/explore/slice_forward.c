/* SPDX-License-Identifier: MIT */
/*
 * slice_forward.c: follows a value forwards, from a moment on, in one pass, until no register and
 * no memory holds a part of it.
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "explore/internal.h"
#include "explore/slice.h"

/* A byte that holds something of the value. */
struct held_byte {
    uint64_t address;
    size_t node; /* that wrote it, plus 1 */
};

struct flowing {
    struct explorer *explorer;
    const struct slice_options *options;
    struct slice *slice;
    struct hash_map memory; /* of struct held_byte */
    size_t *registers;      /* indexed by cpu and name: node plus 1 */
    size_t names, cpus, holding;
    struct group *groups; /* indexed by cpu: the instruction whose effects are being collected */
    bool *selected;       /* by cpu: the expression accepts that instruction */
    bool failed;
};

/* Sets the node of a byte: `node` plus 1; 0: the byte holds no part. */
static void hold_byte(struct flowing *flowing, uint64_t address, size_t node)
{
    bool added;
    if (!node) {
        hash_map_remove(&flowing->memory, address, sizeof(struct held_byte));
        return;
    }
    struct held_byte *byte = hash_map_add(&flowing->memory, address, sizeof *byte, &added);
    flowing->failed |= !byte;
    if (byte) byte->node = node;
}

/* Returns the address under which a byte is stored: the virtual one if it is known. */
static uint64_t address_of(const struct access *access)
{
    return access->has_va ? access->va : access->pa;
}

static size_t *register_of(struct flowing *flowing, unsigned cpu, spoor_name name)
{
    static size_t none;
    if (cpu >= flowing->cpus || name >= flowing->names) return &none;
    return &flowing->registers[cpu * flowing->names + name];
}

static void hold_register(struct flowing *flowing, unsigned cpu, spoor_name name, size_t node)
{
    size_t *held = register_of(flowing, cpu, name);
    flowing->holding += (node != 0) - (size_t)(*held != 0);
    *held = node;
}

/* ---- one instruction ---- */

struct sources {
    size_t nodes[64];
    unsigned count, depth;
};

static void add_source(struct flowing *flowing, struct sources *sources, size_t node)
{
    if (!node || sources->count == sizeof sources->nodes / sizeof *sources->nodes) return;
    const unsigned depth = flowing->slice->nodes[node - 1].depth + 1;
    if (!sources->count || depth < sources->depth) sources->depth = depth;
    sources->nodes[sources->count++] = node - 1;
}

static void sources_of(struct flowing *flowing, const struct group *group,
                       const struct group_effect *effect, struct sources *sources)
{
    const struct operand_list *operands = &group->operands;
    sources->count = sources->depth = 0;
    if (group_flows_from_memory(group, effect))
        for (unsigned i = 0; i < group->count; i++) {
            const struct access *access = &group->effects[i].access;
            if (!group->effects[i].is_memory || !(access->does & ACCESS_READS)) continue;
            for (uint32_t at = 0; at < access->size; at++) {
                const struct held_byte *byte =
                    hash_map_find(&flowing->memory, address_of(access) + at, sizeof *byte);
                add_source(flowing, sources, byte ? byte->node : 0);
            }
        }
    for (unsigned i = 0; i < operands->count; i++)
        if (group_flows_from(group, effect, i))
            add_source(flowing, sources,
                       *register_of(flowing, effect->touch.cpu, operands->names[i]));
}

static size_t put_node(struct flowing *flowing, const struct group_effect *effect,
                       const struct sources *sources)
{
    const unsigned limit = flowing->options->depth;
    const bool deep = limit && sources->depth > limit;
    struct slice_node *node = deep ? NULL : slice_push(flowing->slice);
    if (!node) { /* the flow goes on, but is not followed */
        flowing->failed |= !deep && flowing->slice->count < SLICE_NODES;
        for (unsigned i = 0; i < sources->count; i++)
            flowing->slice->nodes[sources->nodes[i]].stop = SLICE_DEPTH;
        return 0;
    }
    node->touch = effect->touch;
    node->is_memory = effect->is_memory;
    node->cpu = effect->touch.cpu;
    node->name = effect->name;
    node->address = effect->is_memory ? address_of(&effect->access) : 0;
    node->physical = effect->is_memory && !effect->access.has_va;
    node->size = effect->is_memory ? effect->access.size : 0;
    node->depth = sources->depth;
    const size_t number = flowing->slice->count;
    for (unsigned i = 0; i < sources->count; i++)
        flowing->failed |= !slice_link(flowing->slice, number - 1, sources->nodes[i]);
    return number;
}

/* Handles the writes of an instruction whose effects are complete; the sources precede them. */
static void flow(struct flowing *flowing, const struct group *group)
{
    struct sources sources[GROUP_EFFECTS];
    for (unsigned i = 0; i < group->count; i++)
        sources_of(flowing, group, &group->effects[i], &sources[i]);
    for (unsigned i = 0; i < group->count; i++) {
        const struct group_effect *effect = &group->effects[i];
        const struct access *access = &effect->access;
        if (effect->is_memory && !(access->does & ACCESS_WRITES)) continue;
        const bool flows = sources[i].count && !effect->excluded;
        const size_t node = flows ? put_node(flowing, effect, &sources[i]) : 0;
        if (!effect->is_memory) hold_register(flowing, effect->touch.cpu, effect->name, node);
        for (uint32_t at = 0; effect->is_memory && at < access->size; at++)
            hold_byte(flowing, address_of(access) + at, node);
    }
}

/* The record joins its instruction; its effects are excluded unless the expression accepts it or
 * the instruction. */
static void join(struct flowing *flowing, struct group *group, const struct visited *visited)
{
    const struct spoor_select *where = flowing->options->where;
    const bool begins = group_begins(visited);
    const bool selected = !where || spoor_select_match(where, visited->batch, visited->index);
    bool *instruction = &flowing->selected[visited->cpu];
    unsigned count = begins ? 0 : group->count;
    if (begins) *instruction = selected;
    group_add(group, &flowing->explorer->machine, visited);
    for (; count < group->count; count++)
        group->effects[count].excluded = !selected && !*instruction;
}

static bool visit_record(void *context, const struct visited *visited)
{
    struct flowing *flowing = context;
    if (visited->cpu >= flowing->cpus) return true;
    struct group *group = &flowing->groups[visited->cpu];
    if (group_begins(visited)) {
        if (group->place.known) flow(flowing, group);
        if (flowing->holding + flowing->memory.count == 0) return false;
    }
    join(flowing, group, visited);
    flowing->failed |= group->failed;
    return !flowing->failed;
}

static bool begin(struct flowing *flowing, const struct subject *subject)
{
    flowing->names = spoor_names_count(flowing->explorer->machine.registers) + 64;
    flowing->cpus = machine_cpu_count(&flowing->explorer->machine);
    flowing->registers = calloc(flowing->names * flowing->cpus, sizeof *flowing->registers);
    flowing->groups = calloc(flowing->cpus, sizeof *flowing->groups);
    flowing->selected = calloc(flowing->cpus, sizeof *flowing->selected);
    struct slice_node *node = slice_push(flowing->slice);
    if (!flowing->registers || !flowing->groups || !flowing->selected || !node) return false;
    const struct memory_place *place = &subject->place;
    node->is_memory = subject->is_memory;
    node->cpu = subject->cpu;
    node->name = subject->part.name;
    node->touch.record = UINT64_MAX;
    node->stop = SLICE_START;
    if (!subject->is_memory) {
        hold_register(flowing, subject->cpu, subject->part.name, 1);
        return true;
    }
    node->address = place->has_va ? place->va : place->pa;
    node->physical = !place->has_va;
    node->size = place->size;
    for (uint64_t at = 0; at < place->size; at++) hold_byte(flowing, node->address + at, 1);
    return true;
}

enum spoor_status slice_forward(struct explorer *explorer, const struct subject *subject,
                                uint64_t moment, const struct slice_options *options,
                                struct slice *slice, struct spoor_error *error)
{
    struct flowing flowing = {.explorer = explorer, .options = options, .slice = slice};
    enum spoor_status status = SPOOR_ENOMEM;
    if (begin(&flowing, subject)) {
        const enum spoor_status found =
            explorer_last_write(explorer, subject, moment, &slice->nodes[0].touch, error);
        status = found < SPOOR_OK
                     ? found
                     : explorer_visit(explorer, moment, UINT64_MAX, visit_record, &flowing, error);
        if (found == SPOOR_OK) slice->nodes[0].stop = SLICE_GOES_ON;
    }
    for (size_t i = 0; status == SPOOR_OK && i < flowing.cpus; i++)
        if (flowing.groups[i].place.known) flow(&flowing, &flowing.groups[i]);
    if (status == SPOOR_OK) status = spoor_select_status(options->where, error);
    if (flowing.failed || status == SPOOR_ENOMEM) status = explorer_no_memory(explorer, error);
    hash_map_free(&flowing.memory);
    free(flowing.registers);
    free(flowing.groups);
    free(flowing.selected);
    if (status < SPOOR_OK) slice_free(slice);
    return status;
}
