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
    uint64_t wanted; /* record of the instruction that the group is to have */
};

static bool same_node(const struct slice_node *one, const struct slice_node *other)
{
    return one->touch.record == other->touch.record && one->is_memory == other->is_memory &&
           one->cpu == other->cpu && one->name == other->name && one->low == other->low &&
           one->address == other->address && one->size == other->size &&
           one->physical == other->physical;
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

/* ---- registers ---- */

/* Bytes of a register, size 0: all of it; a part has no name of its own. */
struct register_part {
    unsigned cpu;
    spoor_name name;
    unsigned low, size;
};

static struct subject subject_of(const struct register_part *part)
{
    return (struct subject){.cpu = part->cpu,
                            .part = {.name = part->name,
                                     .low = (uint16_t)(8 * part->low),
                                     .bits = (uint16_t)(8 * part->size)}};
}

static void add_register(struct slicing *slicing, size_t to, const struct register_part *part,
                         const struct touch *touch, enum slice_stop stop, unsigned depth)
{
    struct slice_node node = {.cpu = part->cpu,
                              .name = part->name,
                              .low = (uint16_t)part->low,
                              .size = part->size,
                              .depth = depth,
                              .stop = (uint8_t)stop};
    node.touch.record = UINT64_MAX;
    if (touch) node.touch = *touch;
    add_source(slicing, to, &node);
}

/* True if instructions between the record and a moment are not in the trace: of the processor, or
 * of any (GAP_OF_ANY).  The moment of a source is its instruction, which may be the first one after
 * them. */
static bool is_before_gap(struct slicing *slicing, unsigned cpu, uint64_t moment, uint64_t record,
                          unsigned depth)
{
    struct call_gap gap;
    const enum spoor_status status = explorer_gap_before(
        slicing->explorer, cpu, depth ? moment + 1 : moment, &gap, slicing->error);
    if (status != SPOOR_OK) slicing->status = status;
    return gap.record != UINT64_MAX && gap.record > record;
}

typedef enum spoor_status write_finder(struct explorer *explorer, const struct subject *subject,
                                       uint64_t moment, struct touch *touch,
                                       struct spoor_error *error);

/* Adds the last writes of the bytes of a register before a record, which the function finds. */
static void register_parts(struct slicing *slicing, size_t to, const struct register_part *part,
                           uint64_t before, unsigned depth, write_finder *find)
{
    struct touch touch;
    const struct subject subject = subject_of(part);
    const enum spoor_status status =
        find(slicing->explorer, &subject, before, &touch, slicing->error);
    if (status < SPOOR_OK) {
        slicing->status = status;
        return;
    }
    if (is_before_gap(slicing, part->cpu, before,
                      status == SPOOR_END || touch.record >= before ? 0 : touch.record, depth)) {
        add_register(slicing, to, part, NULL, SLICE_GAP, depth);
        return;
    }
    if (status == SPOOR_END) {
        add_register(slicing, to, part, NULL,
                     find != explorer_last_unstated ? SLICE_START
                     : touch.record                 ? SLICE_UNSEARCHED
                                                    : SLICE_UNSTATED,
                     depth);
        return;
    }
    const unsigned end = part->low + part->size;
    unsigned low = touch.low / 8u, after = touch.high / 8u + 1;
    if (low < part->low) low = part->low;
    if (after > end) after = end;
    if (!part->size || (low == part->low && after == end)) {
        add_register(slicing, to, part, &touch, SLICE_GOES_ON, depth);
        return;
    }
    const struct register_part parts[] = {{part->cpu, part->name, part->low, low - part->low},
                                          {part->cpu, part->name, low, after - low},
                                          {part->cpu, part->name, after, end - after}};
    for (size_t i = 0; i < 3 && slicing->status == SPOOR_OK; i++)
        if (parts[i].size)
            register_parts(slicing, to, &parts[i], i == 1 ? touch.record + 1 : touch.record, depth,
                           find);
}

/* Adds the last writes of a register, or of a part of it, before a record. */
static void register_source(struct slicing *slicing, size_t to, struct register_part part,
                            uint64_t before, unsigned depth)
{
    struct machine *machine = &slicing->explorer->machine;
    const unsigned bytes = machine_parted_bytes(machine, part.name);
    const bool stated = !machine->stated || part.name < machine->stated;
    if (!bytes)
        part.low = part.size = 0;
    else if (!part.size)
        part = (struct register_part){part.cpu, part.name, 0, bytes};
    const spoor_name role =
        stated ? SPOOR_NO_NAME
               : explorer_role(slicing->explorer,
                               spoor_names_text(machine->registers, part.name, NULL), part.cpu,
                               before);
    if (role) part.name = role;
    register_parts(slicing, to, &part, before, depth,
                   stated || role ? explorer_last_write : explorer_last_unstated);
}

/* ---- memory ---- */

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
                        uint64_t from, uint64_t end, const struct spoor_byte *byte, uint64_t before,
                        unsigned depth)
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
        if (is_before_gap(slicing, GAP_OF_ANY, before, 0, depth)) node.stop = SLICE_GAP;
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
    /* of the first instruction after a gap, all is before it */
    if (!depth || !before || !is_before_gap(slicing, GAP_OF_ANY, before, before - 1, depth))
        slicing->status = explorer_memory(slicing->explorer, place, before, bytes, slicing->error);
    for (uint64_t from = 0, end; from < place->size && slicing->status == SPOOR_OK; from = end) {
        for (end = from + 1; end < place->size; end++)
            if (bytes[end].has_writer != bytes[from].has_writer ||
                (bytes[end].has_writer && bytes[end].writer != bytes[from].writer))
                break;
        memory_node(slicing, to, place, from, end, &bytes[from], before, depth);
    }
    free(bytes);
}

static bool collect(void *context, const struct visited *visited)
{
    struct slicing *slicing = context;
    struct group *group = &slicing->group;
    if (visited->cpu != slicing->group_cpu) return true;
    if (group_begins(visited) && visited->record > slicing->wanted) return false;
    group_add(group, &slicing->explorer->machine, visited);
    return true;
}

/* Collects the instruction of a node.  It may be conditional by an IT instruction, which is at most
 * four before it. */
static bool collect_group(struct slicing *slicing, const struct slice_node *node)
{
    enum { BEFORE = 64 };
    const uint64_t wanted = node->touch.place.record;
    const bool may_guard = slicing->explorer->machine.isa == ISA_AARCH32;
    const uint64_t before = may_guard ? BEFORE : 0;
    slicing->wanted = wanted;
    slicing->group.count = slicing->group.guarded = 0;
    slicing->group.place.known = false;
    slicing->group_cpu = node->touch.cpu;
    slicing->status = explorer_visit(slicing->explorer, wanted > before ? wanted - before : 0,
                                     UINT64_MAX, collect, slicing, slicing->error);
    return slicing->status == SPOOR_OK;
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

struct following {
    struct slicing *slicing;
    size_t number;
    uint64_t before; /* the instruction, or what the entry of an exception after it does */
};

static void follow_source(void *context, const struct flow_source *source)
{
    struct following *following = context;
    struct slicing *slicing = following->slicing;
    const struct slice_node *node = &slicing->slice->nodes[following->number];
    const unsigned depth = node->depth + 1;
    if (slicing->status != SPOOR_OK) return;
    if (!source->access) {
        const struct register_part part = {node->cpu, source->name, source->low, source->size};
        register_source(slicing, following->number, part, following->before, depth);
        return;
    }
    struct memory_place place = access_place(source->access);
    place.va += source->low;
    place.pa += source->low;
    place.size = source->size;
    memory_source(slicing, following->number, &place, following->before, depth);
}

static enum slice_stop follow_group(struct slicing *slicing, size_t number,
                                    const struct group_effect *effect)
{
    const struct group *group = &slicing->group;
    const struct slice_node *node = &slicing->slice->nodes[number];
    const bool by_exception = group_set_by_exception(group, effect);
    struct following following = {slicing, number,
                                  by_exception ? effect->touch.record : group->place.record};
    const unsigned low =
        effect->is_memory ? (unsigned)(node->address - access_address(&effect->access)) : node->low;
    bool reads = false;
    if (group_sources(group, effect, low, (unsigned)node->size, follow_source, &following))
        return SLICE_GOES_ON;
    for (unsigned i = 0; i < group->count; i++)
        reads |= group->effects[i].is_memory && group->effects[i].access.does & ACCESS_READS;
    if (by_exception) return SLICE_EXCEPTION;
    if (group_flows_from_memory(group, effect) && !reads) return SLICE_ACCESS;
    return group->operands.system ? SLICE_SYSTEM : SLICE_CONSTANT;
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
    if (!collect_group(slicing, node)) return;
    const struct group_effect *effect = effect_of(&slicing->group, node);
    const struct group_effect unstated = {.touch = node->touch, .name = node->name};
    if (node->touch.record == node->touch.place.record && !node->is_memory && !effect)
        effect = &unstated;
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
        register_source(slicing, SIZE_MAX,
                        (struct register_part){subject->cpu, subject->part.name,
                                               subject->part.low / 8u, subject->part.bits / 8u},
                        moment, 0);
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
