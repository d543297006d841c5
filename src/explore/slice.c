/* SPDX-License-Identifier: MIT */
/* slice.c: follows a value backwards, write by write; the index finds each write. */
#include "explore/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "explore/internal.h"

struct slicing {
    struct explorer *explorer;
    const struct slice_options *options;
    struct slice *slice;
    struct spoor_error *error;
    enum spoor_status status;
    struct group group;
    unsigned group_cpu;
};

static bool same_node(const struct slice_node *one, const struct slice_node *other)
{
    return one->touch.record == other->touch.record && one->is_memory == other->is_memory &&
           one->cpu == other->cpu && one->name == other->name && one->address == other->address &&
           one->size == other->size && one->physical == other->physical;
}

/* Returns the node of a write, which is added if it is new.  SIZE_MAX if memory runs out. */
static size_t node_of(struct slicing *slicing, const struct slice_node *wanted)
{
    struct slice *slice = slicing->slice;
    for (size_t i = 0; i < slice->count; i++)
        if (same_node(&slice->nodes[i], wanted)) return i;
    struct slice_node *node = slice_push(slice);
    if (!node) {
        slicing->status = explorer_no_memory(slicing->explorer, slicing->error);
        return SIZE_MAX;
    }
    *node = *wanted;
    return slice->count - 1;
}

static void add_source(struct slicing *slicing, size_t to, const struct slice_node *wanted)
{
    const size_t from = node_of(slicing, wanted);
    if (from == SIZE_MAX) return;
    if (to != SIZE_MAX && !slice_link(slicing->slice, to, from))
        slicing->status = explorer_no_memory(slicing->explorer, slicing->error);
}

/* Adds the last write of a register before a record. */
static void register_source(struct slicing *slicing, size_t to, unsigned cpu, spoor_name name,
                            uint64_t before, unsigned depth)
{
    struct machine *machine = &slicing->explorer->machine;
    const bool stated = !machine->stated || name < machine->stated;
    const spoor_name role =
        stated ? name
               : explorer_role(slicing->explorer, spoor_names_text(machine->registers, name, NULL),
                               cpu, before);
    const struct subject subject = {.cpu = cpu, .part = {.name = role ? role : name}};
    struct slice_node node = {.cpu = cpu, .name = subject.part.name, .depth = depth};
    const enum spoor_status status =
        explorer_last_write(slicing->explorer, &subject, before, &node.touch, slicing->error);
    if (status < SPOOR_OK) {
        slicing->status = status;
        return;
    }
    if (status == SPOOR_END) {
        node.touch.record = UINT64_MAX;
        node.stop = stated || role ? SLICE_START : SLICE_UNSTATED;
    }
    add_source(slicing, to, &node);
}

/* Fills in a value that no write stated, but a read did. */
static void value_of_bytes(struct touch *touch, const struct spoor_byte *bytes, uint64_t size)
{
    char *at = touch->value;
    for (uint64_t i = size; i-- > 0;)
        if (bytes[i].known == SPOOR_BYTE_UNKNOWN) return;
    if (2 * size + 3 > sizeof touch->value) return;
    at += sprintf(at, "0x");
    for (uint64_t i = size; i-- > 0;) at += sprintf(at, "%02x", bytes[i].value);
    touch->valued = true;
}

/* Adds the write of bytes `from` to `end` of a place, which have one writer. */
static void memory_node(struct slicing *slicing, size_t to, const struct memory_place *place,
                        uint64_t from, uint64_t end, const struct spoor_byte *byte, unsigned depth)
{
    struct subject subject = {.is_memory = true, .place = *place};
    subject.place.va += from;
    subject.place.pa += from;
    subject.place.size = end - from;
    struct slice_node node = {
        .is_memory = true,
        .depth = depth,
        .physical = !place->has_va,
        .address = place->has_va ? subject.place.va : subject.place.pa,
        .size = end - from,
    };
    node.touch.record = UINT64_MAX;
    node.stop = SLICE_START;
    if (byte->has_writer) {
        const enum spoor_status status = explorer_last_write(
            slicing->explorer, &subject, byte->writer + 1, &node.touch, slicing->error);
        node.stop = SLICE_GOES_ON;
        if (status < SPOOR_OK) slicing->status = status;
    } else {
        value_of_bytes(&node.touch, byte, end - from);
    }
    if (slicing->status == SPOOR_OK) add_source(slicing, to, &node);
}

/* Adds the last writes of the bytes of a place before a record. */
static void memory_source(struct slicing *slicing, size_t to, const struct memory_place *place,
                          uint64_t before, unsigned depth)
{
    struct spoor_byte *bytes = calloc(place->size, sizeof *bytes);
    if (!bytes) {
        slicing->status = explorer_no_memory(slicing->explorer, slicing->error);
        return;
    }
    slicing->status = explorer_memory(slicing->explorer, place, before, bytes, slicing->error);
    for (uint64_t from = 0, end; from < place->size && slicing->status == SPOOR_OK; from = end) {
        for (end = from + 1; end < place->size; end++)
            if (bytes[end].has_writer != bytes[from].has_writer ||
                (bytes[end].has_writer && bytes[end].writer != bytes[from].writer))
                break;
        memory_node(slicing, to, place, from, end, &bytes[from], depth);
    }
    free(bytes);
}

static bool collect(void *context, const struct visited *visited)
{
    struct slicing *slicing = context;
    struct group *group = &slicing->group;
    if (visited->cpu != slicing->group_cpu) return true;
    if (group_begins(visited) && visited->record != group->place.record) return false;
    group_add(group, &slicing->explorer->machine, visited);
    return true;
}

static const struct group_effect *effect_of(const struct group *group,
                                            const struct slice_node *node)
{
    for (unsigned i = 0; i < group->count; i++)
        if (group->effects[i].touch.record == node->touch.record &&
            group->effects[i].is_memory == node->is_memory &&
            (node->is_memory || group->effects[i].name == node->name))
            return &group->effects[i];
    return NULL;
}

static enum slice_stop follow_group(struct slicing *slicing, size_t number,
                                    const struct group_effect *effect)
{
    const struct group *group = &slicing->group;
    const struct operand_list *operands = &group->operands;
    const unsigned depth = slicing->slice->nodes[number].depth + 1;
    const unsigned cpu = slicing->slice->nodes[number].cpu;
    const uint64_t before = group->place.record;
    unsigned sources = 0;
    const bool memory = group_flows_from_memory(group, effect);
    for (unsigned i = 0; memory && i < group->count; i++) {
        const struct group_effect *read = &group->effects[i];
        if (!read->is_memory || !(read->access.does & ACCESS_READS)) continue;
        const struct memory_place place = access_place(&read->access);
        memory_source(slicing, number, &place, before, depth);
        sources++;
    }
    if (memory && !sources) return SLICE_ACCESS;
    for (unsigned i = 0; i < operands->count; i++) {
        if (!group_flows_from(group, effect, i)) continue;
        register_source(slicing, number, cpu, operands->names[i], before, depth);
        sources++;
    }
    if (sources) return SLICE_GOES_ON;
    return operands->system ? SLICE_SYSTEM : SLICE_CONSTANT;
}

/* True if the options exclude it. */
static bool is_excluded(struct slicing *slicing, const struct slice_node *node)
{
    const struct spoor_select *where = slicing->options->where;
    bool selects = true;
    if (where && node->depth > 0)
        slicing->status = explorer_selects(slicing->explorer, where, node->touch.record, &selects,
                                           slicing->error);
    return !selects;
}

/* Adds the sources of a node. */
static void follow(struct slicing *slicing, size_t number)
{
    struct slice_node *node = &slicing->slice->nodes[number];
    const unsigned limit = slicing->options->depth;
    if (node->stop != SLICE_GOES_ON) return;
    if (is_excluded(slicing, node)) {
        node->stop = SLICE_EXCLUDED;
        return;
    }
    if (slicing->status != SPOOR_OK) return;
    if (!node->touch.place.known) {
        node->stop = SLICE_INSTRUCTION;
        return;
    }
    slicing->group = (struct group){0};
    slicing->group.place.record = node->touch.place.record;
    slicing->group_cpu = node->touch.cpu;
    slicing->status = explorer_visit(slicing->explorer, node->touch.place.record, UINT64_MAX,
                                     collect, slicing, slicing->error);
    if (slicing->status != SPOOR_OK) return;
    const struct group_effect *effect = effect_of(&slicing->group, node);
    enum slice_stop stop = SLICE_GOES_ON;
    if (!effect || !slicing->group.operands.known)
        stop = SLICE_OPCODE;
    else if (limit && node->depth >= limit)
        stop = SLICE_DEPTH;
    else
        stop = follow_group(slicing, number, effect);
    slicing->slice->nodes[number].stop = (uint8_t)stop;
}

enum spoor_status explorer_slice(struct explorer *explorer, const struct subject *subject,
                                 uint64_t moment, const struct slice_options *options,
                                 struct slice *slice, struct spoor_error *error)
{
    *slice = (struct slice){0};
    if (options->forward) return slice_forward(explorer, subject, moment, options, slice, error);
    struct slicing *slicing = calloc(1, sizeof *slicing);
    if (!slicing) return explorer_no_memory(explorer, error);
    slicing->explorer = explorer;
    slicing->options = options;
    slicing->slice = slice;
    slicing->error = error;
    if (subject->is_memory)
        memory_source(slicing, SIZE_MAX, &subject->place, moment, 0);
    else
        register_source(slicing, SIZE_MAX, subject->cpu, subject->part.name, moment, 0);
    for (size_t i = 0; i < slice->count && slicing->status == SPOOR_OK; i++)
        if (slice->count < SLICE_NODES - 64)
            follow(slicing, i);
        else if (slice->nodes[i].stop == SLICE_GOES_ON)
            slice->nodes[i].stop = SLICE_DEPTH;
    const enum spoor_status status = slicing->status;
    free(slicing);
    if (status < SPOOR_OK) slice_free(slice);
    return status;
}
