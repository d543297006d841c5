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

enum { PARTS = 64 }; /* bytes of a register with parts; those of others are one */

/* A byte that holds something of the value. */
struct held_byte {
    uint64_t address;
    size_t node; /* that wrote it, plus 1 */
};

/* By processor and name, the parts of a register that hold something of the value. */
struct held_register {
    uint64_t key;
    size_t nodes[PARTS]; /* that wrote each byte, plus 1 */
};

struct written_bytes;
struct flowing {
    struct explorer *explorer;
    const struct slice_options *options;
    struct slice *slice;
    struct hash_map memory;    /* of struct held_byte */
    struct hash_map registers; /* of struct held_register */
    size_t cpus;
    struct group *groups; /* indexed by cpu: the instruction whose effects are being collected */
    struct written_bytes *written; /* GROUP_EFFECTS of them */
    bool *selected;                /* by cpu: the expression accepts that instruction */
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

static uint64_t key_of(unsigned cpu, spoor_name name)
{
    return (uint64_t)cpu << 32 | name;
}

/* Sets the node of bytes of a register; size 0: of all. */
static void hold_register(struct flowing *flowing, unsigned cpu, spoor_name name, unsigned low,
                          unsigned size, size_t node)
{
    bool added, any = false;
    const uint64_t key = key_of(cpu, name);
    if (!node && !hash_map_find(&flowing->registers, key, sizeof(struct held_register))) return;
    struct held_register *held =
        hash_map_add(&flowing->registers, key, sizeof(struct held_register), &added);
    flowing->failed |= !held;
    if (!held) return;
    if (added) memset(held->nodes, 0, sizeof held->nodes);
    for (unsigned i = 0; i < PARTS; i++) {
        if (!size || (i >= low && i < low + size)) held->nodes[i] = node;
        any |= held->nodes[i] != 0;
    }
    if (!any) hash_map_remove(&flowing->registers, key, sizeof(struct held_register));
}

/* ---- one instruction ---- */

struct sources {
    size_t nodes[64];
    unsigned count, depth;
};

static void add_source(struct flowing *flowing, struct sources *sources, size_t node)
{
    if (!node || sources->count == sizeof sources->nodes / sizeof *sources->nodes) return;
    for (unsigned i = 0; i < sources->count; i++)
        if (sources->nodes[i] == node - 1) return;
    const unsigned depth = flowing->slice->nodes[node - 1].depth + 1;
    if (!sources->count || depth < sources->depth) sources->depth = depth;
    sources->nodes[sources->count++] = node - 1;
}

struct sources_context {
    struct flowing *flowing;
    struct sources *sources;
    unsigned cpu;
};

static void put_source(void *context, const struct flow_source *source)
{
    const struct sources_context *sought = context;
    struct flowing *flowing = sought->flowing;
    if (source->access) {
        for (uint32_t at = source->low; at < source->low + source->size; at++) {
            const struct held_byte *byte =
                hash_map_find(&flowing->memory, access_address(source->access) + at, sizeof *byte);
            add_source(flowing, sought->sources, byte ? byte->node : 0);
        }
        return;
    }
    const struct held_register *held = hash_map_find(
        &flowing->registers, key_of(sought->cpu, source->name), sizeof(struct held_register));
    for (unsigned i = 0; held && i < PARTS; i++)
        if (!source->size || (i >= source->low && i < source->low + source->size))
            add_source(flowing, sought->sources, held->nodes[i]);
}

static void sources_of(struct flowing *flowing, const struct group *group,
                       const struct group_effect *effect, unsigned low, unsigned size,
                       struct sources *sources)
{
    struct sources_context context = {flowing, sources, effect->touch.cpu};
    sources->count = sources->depth = 0;
    group_sources(group, effect, low, size, put_source, &context);
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
    node->address = effect->is_memory ? access_address(&effect->access) : 0;
    node->physical = effect->is_memory && !effect->access.has_va;
    node->size = effect->is_memory ? effect->access.size : 0;
    node->low = effect->low;
    if (effect->size) node->size = effect->size;
    node->depth = sources->depth;
    const size_t number = flowing->slice->count;
    for (unsigned i = 0; i < sources->count; i++)
        flowing->failed |= !slice_link(flowing->slice, number - 1, sources->nodes[i]);
    return number;
}

/* Whether each byte that an effect writes has something of the value. */
enum { MAX_FLOW_BYTES = 256 };
struct written_bytes {
    struct sources sources; /* of all of them */
    unsigned count;         /* 0: it is a register that is written as a whole, or too large */
    bool flows[MAX_FLOW_BYTES];
};

static void find_written(struct flowing *flowing, const struct group *group,
                         const struct group_effect *effect, struct written_bytes *written)
{
    struct sources of_byte;
    const unsigned bytes = effect->is_memory ? effect->access.size : effect->size;
    written->count = 0;
    sources_of(flowing, group, effect, effect->low, bytes, &written->sources);
    if (!written->sources.count) return;
    if (bytes > MAX_FLOW_BYTES) return;
    written->count = bytes;
    for (unsigned i = 0; i < bytes; i++) {
        sources_of(flowing, group, effect, effect->low + i, 1, &of_byte);
        written->flows[i] = of_byte.count > 0;
    }
}

static void hold_written(struct flowing *flowing, const struct group_effect *effect,
                         const struct written_bytes *written, size_t node)
{
    const unsigned bytes = effect->is_memory ? effect->access.size : effect->size;
    if (!bytes) hold_register(flowing, effect->touch.cpu, effect->name, 0, 0, node);
    for (unsigned i = 0; i < bytes; i++) {
        const size_t held = !written->count || written->flows[i] ? node : 0;
        if (effect->is_memory)
            hold_byte(flowing, access_address(&effect->access) + i, held);
        else
            hold_register(flowing, effect->touch.cpu, effect->name, effect->low + i, 1, held);
    }
}

/* Handles the writes of effects `from` up to, not including, `to`; what they read precedes them. */
static void flow_effects(struct flowing *flowing, const struct group *group, unsigned from,
                         unsigned to)
{
    struct written_bytes *written = flowing->written;
    for (unsigned i = from; i < to; i++)
        find_written(flowing, group, &group->effects[i], &written[i]);
    for (unsigned i = from; i < to; i++) {
        const struct group_effect *effect = &group->effects[i];
        if (effect->is_memory && !(effect->access.does & ACCESS_WRITES)) continue;
        const bool flows = written[i].sources.count && !effect->excluded;
        hold_written(flowing, effect, &written[i],
                     flows ? put_node(flowing, effect, &written[i].sources) : 0);
    }
}

/* Handles an instruction whose effects are complete, and then the entry of an exception. */
static void flow(struct flowing *flowing, const struct group *group)
{
    const unsigned own = group->taken < group->count ? group->taken : group->count;
    flow_effects(flowing, group, 0, own);
    flow_effects(flowing, group, own, group->count);
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
        if (flowing->registers.count + flowing->memory.count == 0) return false;
    }
    join(flowing, group, visited);
    flowing->failed |= group->failed;
    return !flowing->failed;
}

static bool begin(struct flowing *flowing, const struct subject *subject)
{
    flowing->cpus = machine_cpu_count(&flowing->explorer->machine);
    flowing->written = calloc(GROUP_EFFECTS, sizeof *flowing->written);
    flowing->groups = calloc(flowing->cpus, sizeof *flowing->groups);
    flowing->selected = calloc(flowing->cpus, sizeof *flowing->selected);
    struct slice_node *node = slice_push(flowing->slice);
    if (!flowing->written || !flowing->groups || !flowing->selected || !node) return false;
    const struct memory_place *place = &subject->place;
    node->is_memory = subject->is_memory;
    node->cpu = subject->cpu;
    node->name = subject->part.name;
    node->touch.record = UINT64_MAX;
    node->stop = SLICE_START;
    if (!subject->is_memory) {
        if (machine_parted_bytes(&flowing->explorer->machine, subject->part.name)) {
            node->low = subject->part.low / 8u;
            node->size = subject->part.bits / 8u;
        }
        hold_register(flowing, subject->cpu, subject->part.name, node->low, (unsigned)node->size,
                      1);
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
    uint64_t end; /* after a gap, nothing is known to have the value */
    const enum spoor_status bounded = explorer_gap_after(explorer, moment, &end, error);
    if (bounded != SPOOR_OK) {
        status = bounded;
    } else if (begin(&flowing, subject)) {
        const enum spoor_status found =
            explorer_last_write(explorer, subject, moment, &slice->nodes[0].touch, error);
        status = found < SPOOR_OK
                     ? found
                     : explorer_visit(explorer, moment, end, visit_record, &flowing, error);
        if (found == SPOOR_OK) slice->nodes[0].stop = SLICE_GOES_ON;
    }
    for (size_t i = 0; status == SPOOR_OK && i < flowing.cpus; i++)
        if (flowing.groups[i].place.known) flow(&flowing, &flowing.groups[i]);
    if (status == SPOOR_OK) status = spoor_select_status(options->where, error);
    if (flowing.failed || status == SPOOR_ENOMEM) status = explorer_no_memory(explorer, error);
    hash_map_free(&flowing.memory);
    hash_map_free(&flowing.registers);
    free(flowing.written);
    free(flowing.groups);
    free(flowing.selected);
    if (status < SPOOR_OK) slice_free(slice);
    return status;
}
