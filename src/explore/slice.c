/* SPDX-License-Identifier: MIT */
/* slice.c: follows a value backwards, write by write; the index finds each write. */
#include "explore/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "explore/internal.h"

/* ---- nodes and their links ---- */

static struct slice_node *slice_push(struct slice *slice)
{
    if (slice->count == SLICE_NODES) return NULL;
    if (!array_reserve(&slice->nodes, &slice->capacity, slice->count + 1)) return NULL;
    struct slice_node *node = &slice->nodes[slice->count++];
    memset(node, 0, sizeof *node);
    return node;
}

static bool slice_link(struct slice *slice, size_t number, size_t from)
{
    struct slice_node *node = &slice->nodes[number];
    for (size_t i = 0; i < node->from_count; i++)
        if (node->from[i] == from) return true;
    if (!array_reserve(&node->from, &node->from_capacity, node->from_count + 1)) return false;
    node->from[node->from_count++] = from;
    return true;
}

void slice_free(struct slice *slice)
{
    for (size_t i = 0; i < slice->count; i++) free(slice->nodes[i].from);
    free(slice->nodes);
    *slice = (struct slice){0};
}

/* ---- the walk ---- */

struct slice_walk {
    struct explorer *explorer;
    const struct slice_options *options;
    struct slice *slice;
    struct spoor_error *error;
    enum spoor_status status;
    struct group group;
    unsigned group_cpu;
    uint64_t wanted; /* record of the instruction that the group is to have */
};

/* Adds the node of a write, if it is new, as a source of another; SIZE_MAX: of none. */
static void slice_add_source(struct slice_walk *walk, size_t to, const struct slice_node *wanted)
{
    struct slice *slice = walk->slice;
    size_t from = 0;
    for (; from < slice->count; from++) {
        const struct slice_node *node = &slice->nodes[from];
        if (node->touch.record == wanted->touch.record && node->is_memory == wanted->is_memory &&
            node->cpu == wanted->cpu && node->name == wanted->name && node->low == wanted->low &&
            node->address == wanted->address && node->size == wanted->size &&
            node->physical == wanted->physical)
            break;
    }
    if (from == slice->count) {
        struct slice_node *node = slice_push(slice);
        if (node) *node = *wanted;
    }
    if (from == slice->count || (to != SIZE_MAX && !slice_link(slice, to, from)))
        walk->status = explorer_no_memory(walk->explorer, walk->error);
}

/* ---- registers ---- */

/* Bytes of a register, size 0: all of it; a part has no name of its own. */
struct register_part {
    unsigned cpu;
    spoor_name name;
    unsigned low, size;
};

static void slice_add_register(struct slice_walk *walk, size_t to, const struct register_part *part,
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
    slice_add_source(walk, to, &node);
}

/* True if instructions between the record and a moment are not in the trace: of the processor, or
 * of any (GAP_OF_ANY).  The moment of a source is its instruction, which may be the first one after
 * them. */
static bool slice_is_before_gap(struct slice_walk *walk, unsigned cpu, uint64_t moment,
                                uint64_t record, unsigned depth)
{
    struct call_gap gap;
    const enum spoor_status status =
        explorer_gap_before(walk->explorer, cpu, depth ? moment + 1 : moment, &gap, walk->error);
    if (status != SPOOR_OK) walk->status = status;
    return gap.record != UINT64_MAX && gap.record > record;
}

typedef enum spoor_status write_finder(struct explorer *explorer, const struct subject *subject,
                                       uint64_t moment, struct touch *touch,
                                       struct spoor_error *error);

/* Adds the last writes of the bytes of a register before a record, which the function finds. */
static void slice_register_parts(struct slice_walk *walk, size_t to,
                                 const struct register_part *part, uint64_t before, unsigned depth,
                                 write_finder *find)
{
    struct touch touch;
    const struct subject subject = {.cpu = part->cpu,
                                    .part = {.name = part->name,
                                             .low = (uint16_t)(8 * part->low),
                                             .bits = (uint16_t)(8 * part->size)}};
    const enum spoor_status status = find(walk->explorer, &subject, before, &touch, walk->error);
    if (status < SPOOR_OK) {
        walk->status = status;
        return;
    }
    if (slice_is_before_gap(walk, part->cpu, before,
                            status == SPOOR_END || touch.record >= before ? 0 : touch.record,
                            depth)) {
        slice_add_register(walk, to, part, NULL, SLICE_GAP, depth);
        return;
    }
    if (status == SPOOR_END) {
        slice_add_register(walk, to, part, NULL,
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
        slice_add_register(walk, to, part, &touch, SLICE_GOES_ON, depth);
        return;
    }
    const struct register_part parts[] = {{part->cpu, part->name, part->low, low - part->low},
                                          {part->cpu, part->name, low, after - low},
                                          {part->cpu, part->name, after, end - after}};
    for (size_t i = 0; i < 3 && walk->status == SPOOR_OK; i++)
        if (parts[i].size)
            slice_register_parts(walk, to, &parts[i], i == 1 ? touch.record + 1 : touch.record,
                                 depth, find);
}

/* Adds the last writes of a register, or of a part of it, before a record. */
static void slice_register_source(struct slice_walk *walk, size_t to, struct register_part part,
                                  uint64_t before, unsigned depth)
{
    struct machine *machine = &walk->explorer->machine;
    const unsigned bytes = machine_parted_bytes(machine, part.name);
    const bool stated = !machine->stated || part.name < machine->stated;
    if (!bytes)
        part.low = part.size = 0;
    else if (!part.size)
        part = (struct register_part){part.cpu, part.name, 0, bytes};
    const spoor_name role =
        stated
            ? SPOOR_NO_NAME
            : explorer_role(walk->explorer, spoor_names_text(machine->registers, part.name, NULL),
                            part.cpu, before, depth ? before + 1 : before); /* of its reader */
    if (role) part.name = role;
    slice_register_parts(walk, to, &part, before, depth,
                         stated || role ? explorer_last_write : explorer_last_unstated);
}

/* ---- memory ---- */

/* Adds the last writes of the bytes of a place before a record. */
static void slice_memory_source(struct slice_walk *walk, size_t to,
                                const struct memory_place *place, uint64_t before, unsigned depth)
{
    struct spoor_byte *bytes = calloc(place->size, sizeof *bytes);
    if (!bytes) {
        walk->status = explorer_no_memory(walk->explorer, walk->error);
        return;
    }
    /* of the first instruction after a gap, all is before it */
    if (!depth || !before || !slice_is_before_gap(walk, GAP_OF_ANY, before, before - 1, depth))
        walk->status = explorer_memory(walk->explorer, place, before, bytes, walk->error);
    for (uint64_t from = 0, end; from < place->size && walk->status == SPOOR_OK; from = end) {
        for (end = from + 1; end < place->size; end++)
            if (bytes[end].has_writer != bytes[from].has_writer ||
                (bytes[end].has_writer && bytes[end].writer != bytes[from].writer))
                break;
        const struct spoor_byte *byte = &bytes[from];
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
                walk->explorer, &subject, byte->writer + 1, &node.touch, walk->error);
            node.stop = SLICE_GOES_ON;
            if (status < SPOOR_OK) walk->status = status;
        } else {
            /* a value that no write stated, but a read did */
            uint64_t known = from;
            while (known < end && bytes[known].known != SPOOR_BYTE_UNKNOWN) known++;
            node.touch.valued = known == end && 2 * (end - from) + 3 <= sizeof node.touch.value;
            char *at = node.touch.value;
            if (node.touch.valued) at += sprintf(at, "0x");
            for (uint64_t i = end; i-- > from && node.touch.valued;)
                at += sprintf(at, "%02x", bytes[i].value);
            if (slice_is_before_gap(walk, GAP_OF_ANY, before, 0, depth)) node.stop = SLICE_GAP;
        }
        if (walk->status == SPOOR_OK) slice_add_source(walk, to, &node);
    }
    free(bytes);
}

static bool slice_collect(void *context, const struct explorer_visit *visited)
{
    struct slice_walk *walk = context;
    struct group *group = &walk->group;
    if (visited->cpu != walk->group_cpu) return true;
    if (group_begins(visited) && visited->record > walk->wanted) return false;
    group_add(group, &walk->explorer->machine, visited);
    return true;
}

struct slice_step {
    struct slice_walk *walk;
    size_t number;
    uint64_t before; /* the instruction, or what the entry of an exception after it does */
};

static void slice_follow_source(void *context, const struct flow_source *source)
{
    struct slice_step *step = context;
    struct slice_walk *walk = step->walk;
    const struct slice_node *node = &walk->slice->nodes[step->number];
    const unsigned depth = node->depth + 1;
    if (walk->status != SPOOR_OK) return;
    if (!source->access) {
        const struct register_part part = {node->touch.cpu, source->name, source->low,
                                           source->size};
        slice_register_source(walk, step->number, part, step->before, depth);
        return;
    }
    struct memory_place place = access_place(source->access);
    place.va += source->low;
    place.pa += source->low;
    place.size = source->size;
    slice_memory_source(walk, step->number, &place, step->before, depth);
}

/* Adds the sources of a node. */
static void slice_follow(struct slice_walk *walk, size_t number)
{
    struct slice_node *node = &walk->slice->nodes[number];
    const unsigned limit = walk->options->depth;
    if (node->stop != SLICE_GOES_ON) return;
    const struct spoor_select *where = walk->options->where;
    bool selects = true;
    if (where && node->depth > 0)
        walk->status =
            explorer_selects(walk->explorer, where, node->touch.record, &selects, walk->error);
    if (!selects) {
        node->stop = SLICE_EXCLUDED;
        return;
    }
    if (walk->status != SPOOR_OK) return;
    if (!node->touch.place.known) {
        node->stop = SLICE_INSTRUCTION;
        return;
    }
    /* the instruction, which may be conditional by an IT instruction at most four before it */
    enum { BEFORE = 64 };
    struct group *group = &walk->group;
    const uint64_t before = walk->explorer->machine.isa == ISA_AARCH32 ? BEFORE : 0;
    walk->wanted = node->touch.place.record;
    walk->group_cpu = node->touch.cpu;
    group->count = group->guarded = 0;
    group->place.known = false;
    walk->status = explorer_visit(walk->explorer, walk->wanted > before ? walk->wanted - before : 0,
                                  UINT64_MAX, slice_collect, walk, walk->error);
    if (walk->status != SPOOR_OK) return;
    const struct group_effect *effect = NULL;
    for (unsigned i = 0; i < group->count && !effect; i++)
        if (group->effects[i].touch.record == node->touch.record &&
            group->effects[i].is_memory == node->is_memory &&
            (node->is_memory || group->effects[i].name == node->name))
            effect = &group->effects[i];
    const struct group_effect unstated = {.touch = node->touch, .name = node->name};
    if (node->touch.record == node->touch.place.record && !node->is_memory && !effect)
        effect = &unstated;
    if (!effect || !group->operands.known || (limit && node->depth >= limit)) {
        node->stop = effect && group->operands.known ? SLICE_DEPTH : SLICE_OPCODE;
        return;
    }
    const bool by_exception = group_set_by_exception(group, effect);
    struct slice_step step = {walk, number,
                              by_exception ? effect->touch.record : group->place.record};
    const unsigned low =
        effect->is_memory ? (unsigned)(node->address - access_address(&effect->access)) : node->low;
    enum slice_stop stop = SLICE_GOES_ON;
    if (!by_exception && group_is_foreign(group, effect))
        stop = SLICE_FOREIGN;
    else if (!group_sources(group, effect, low, (unsigned)node->size, slice_follow_source, &step))
        stop = group_stop(group, effect);
    walk->slice->nodes[number].stop = (uint8_t)stop;
}

/*
 * Forwards: follows a value forwards, from a moment on, in one pass, until no register and
 * no memory holds a part of it.
 */

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
struct forward_flow {
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
static void slice_hold_byte(struct forward_flow *flow, uint64_t address, size_t node)
{
    bool added;
    if (!node) {
        hash_map_remove(&flow->memory, address, sizeof(struct held_byte));
        return;
    }
    struct held_byte *byte = hash_map_add(&flow->memory, address, sizeof *byte, &added);
    flow->failed |= !byte;
    if (byte) byte->node = node;
}

/* Sets the node of bytes of a register; size 0: of all. */
static void slice_hold_register(struct forward_flow *flow, unsigned cpu, spoor_name name,
                                unsigned low, unsigned size, size_t node)
{
    bool added, any = false;
    const uint64_t key = (uint64_t)cpu << 32 | name;
    if (!node && !hash_map_find(&flow->registers, key, sizeof(struct held_register))) return;
    struct held_register *held =
        hash_map_add(&flow->registers, key, sizeof(struct held_register), &added);
    flow->failed |= !held;
    if (!held) return;
    if (added) memset(held->nodes, 0, sizeof held->nodes);
    for (unsigned i = 0; i < PARTS; i++) {
        if (!size || (i >= low && i < low + size)) held->nodes[i] = node;
        any |= held->nodes[i] != 0;
    }
    if (!any) hash_map_remove(&flow->registers, key, sizeof(struct held_register));
}

/* ---- one instruction ---- */

struct sources {
    size_t nodes[64];
    unsigned count, depth;
};

static void slice_add_flow_source(struct forward_flow *flow, struct sources *sources, size_t node)
{
    if (!node || sources->count == sizeof sources->nodes / sizeof *sources->nodes) return;
    for (unsigned i = 0; i < sources->count; i++)
        if (sources->nodes[i] == node - 1) return;
    const unsigned depth = flow->slice->nodes[node - 1].depth + 1;
    if (!sources->count || depth < sources->depth) sources->depth = depth;
    sources->nodes[sources->count++] = node - 1;
}

struct sources_context {
    struct forward_flow *flow;
    struct sources *sources;
    unsigned cpu;
};

static void slice_flow_source(void *context, const struct flow_source *source)
{
    const struct sources_context *sought = context;
    struct forward_flow *flow = sought->flow;
    if (source->access) {
        for (uint32_t at = source->low; at < source->low + source->size; at++) {
            const struct held_byte *byte =
                hash_map_find(&flow->memory, access_address(source->access) + at, sizeof *byte);
            slice_add_flow_source(flow, sought->sources, byte ? byte->node : 0);
        }
        return;
    }
    const struct held_register *held = hash_map_find(
        &flow->registers, (uint64_t)sought->cpu << 32 | source->name, sizeof(struct held_register));
    for (unsigned i = 0; held && i < PARTS; i++)
        if (!source->size || (i >= source->low && i < source->low + source->size))
            slice_add_flow_source(flow, sought->sources, held->nodes[i]);
}

static void slice_sources(struct forward_flow *flow, const struct group *group,
                          const struct group_effect *effect, unsigned low, unsigned size,
                          struct sources *sources)
{
    struct sources_context context = {flow, sources, effect->touch.cpu};
    sources->count = sources->depth = 0;
    group_sources(group, effect, low, size, slice_flow_source, &context);
}

static size_t slice_flow_node(struct forward_flow *flow, const struct group_effect *effect,
                              const struct sources *sources)
{
    const unsigned limit = flow->options->depth;
    const bool deep = limit && sources->depth > limit;
    struct slice_node *node = deep ? NULL : slice_push(flow->slice);
    if (!node) { /* the flow goes on, but is not followed */
        flow->failed |= !deep && flow->slice->count < SLICE_NODES;
        for (unsigned i = 0; i < sources->count; i++)
            flow->slice->nodes[sources->nodes[i]].stop = SLICE_DEPTH;
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
    const size_t number = flow->slice->count;
    for (unsigned i = 0; i < sources->count; i++)
        flow->failed |= !slice_link(flow->slice, number - 1, sources->nodes[i]);
    return number;
}

/* Whether each byte that an effect writes has something of the value. */
enum { MAX_FLOW_BYTES = 256 };
struct written_bytes {
    struct sources sources; /* of all of them */
    unsigned count;         /* 0: it is a register that is written as a whole, or too large */
    bool flows[MAX_FLOW_BYTES];
};

/* Handles the writes of an instruction whose effects are complete, and then those of the entry of
 * an exception; what they read precedes them. */
static void slice_flow(struct forward_flow *flow, const struct group *group)
{
    struct written_bytes *written = flow->written;
    unsigned from = 0, to = group->taken < group->count ? group->taken : group->count;
    for (unsigned part = 0; part < 2; part++, from = to, to = group->count) {
        for (unsigned i = from; i < to; i++) {
            const struct group_effect *effect = &group->effects[i];
            const unsigned bytes = effect->is_memory ? effect->access.size : effect->size;
            written[i].count = 0;
            slice_sources(flow, group, effect, effect->low, bytes, &written[i].sources);
            if (!written[i].sources.count || bytes > MAX_FLOW_BYTES) continue;
            written[i].count = bytes;
            for (unsigned at = 0; at < bytes; at++) {
                struct sources of_byte;
                slice_sources(flow, group, effect, effect->low + at, 1, &of_byte);
                written[i].flows[at] = of_byte.count > 0;
            }
        }
        for (unsigned i = from; i < to; i++) {
            const struct group_effect *effect = &group->effects[i];
            if (effect->is_memory && !(effect->access.does & ACCESS_WRITES)) continue;
            const bool flows = written[i].sources.count && !effect->excluded;
            const size_t node = flows ? slice_flow_node(flow, effect, &written[i].sources) : 0;
            const unsigned bytes = effect->is_memory ? effect->access.size : effect->size;
            if (!bytes) slice_hold_register(flow, effect->touch.cpu, effect->name, 0, 0, node);
            for (unsigned at = 0; at < bytes; at++) {
                const size_t held = !written[i].count || written[i].flows[at] ? node : 0;
                if (effect->is_memory)
                    slice_hold_byte(flow, access_address(&effect->access) + at, held);
                else
                    slice_hold_register(flow, effect->touch.cpu, effect->name, effect->low + at, 1,
                                        held);
            }
        }
    }
}

static bool slice_flow_record(void *context, const struct explorer_visit *visited)
{
    struct forward_flow *flow = context;
    if (visited->cpu >= flow->cpus) return true;
    struct group *group = &flow->groups[visited->cpu];
    if (group_begins(visited)) {
        if (group->place.known) slice_flow(flow, group);
        if (flow->registers.count + flow->memory.count == 0) return false;
    }
    /* effects are excluded unless the expression accepts the record or its instruction */
    const struct spoor_select *where = flow->options->where;
    const bool begins = group_begins(visited);
    const bool selected = !where || spoor_select_match(where, visited->batch, visited->index);
    bool *instruction = &flow->selected[visited->cpu];
    unsigned count = begins ? 0 : group->count;
    if (begins) *instruction = selected;
    group_add(group, &flow->explorer->machine, visited);
    for (; count < group->count; count++)
        group->effects[count].excluded = !selected && !*instruction;
    flow->failed |= group->failed;
    return !flow->failed;
}

static enum spoor_status slice_forward(struct explorer *explorer, const struct subject *subject,
                                       uint64_t moment, const struct slice_options *options,
                                       struct slice *slice, struct spoor_error *error)
{
    const size_t cpus = machine_cpu_count(&explorer->machine);
    struct forward_flow flow = {.explorer = explorer,
                                .options = options,
                                .slice = slice,
                                .cpus = cpus,
                                .written = calloc(GROUP_EFFECTS, sizeof *flow.written),
                                .groups = calloc(cpus, sizeof *flow.groups),
                                .selected = calloc(cpus, sizeof *flow.selected)};
    struct slice_node *node = slice_push(slice);
    enum spoor_status status = SPOOR_ENOMEM;
    uint64_t end; /* after a gap, nothing is known to have the value */
    const enum spoor_status bounded = explorer_gap_after(explorer, moment, &end, error);
    if (bounded != SPOOR_OK) {
        status = bounded;
    } else if (flow.written && flow.groups && flow.selected && node) {
        const struct memory_place *place = &subject->place;
        node->is_memory = subject->is_memory;
        node->cpu = subject->cpu;
        node->name = subject->part.name;
        node->touch.record = UINT64_MAX;
        node->stop = SLICE_START;
        if (!subject->is_memory) {
            if (machine_parted_bytes(&explorer->machine, subject->part.name)) {
                node->low = subject->part.low / 8u;
                node->size = subject->part.bits / 8u;
            }
            slice_hold_register(&flow, subject->cpu, subject->part.name, node->low,
                                (unsigned)node->size, 1);
        } else {
            node->address = place->has_va ? place->va : place->pa;
            node->physical = !place->has_va;
            node->size = place->size;
            for (uint64_t at = 0; at < place->size; at++)
                slice_hold_byte(&flow, node->address + at, 1);
        }
        const enum spoor_status found =
            explorer_last_write(explorer, subject, moment, &slice->nodes[0].touch, error);
        status = found < SPOOR_OK
                     ? found
                     : explorer_visit(explorer, moment, end, slice_flow_record, &flow, error);
        if (found == SPOOR_OK) slice->nodes[0].stop = SLICE_GOES_ON;
    }
    for (size_t i = 0; status == SPOOR_OK && i < flow.cpus; i++)
        if (flow.groups[i].place.known) slice_flow(&flow, &flow.groups[i]);
    if (status == SPOOR_OK) status = spoor_select_status(options->where, error);
    if (flow.failed || status == SPOOR_ENOMEM) status = explorer_no_memory(explorer, error);
    hash_map_free(&flow.memory);
    hash_map_free(&flow.registers);
    free(flow.written);
    free(flow.groups);
    free(flow.selected);
    if (status < SPOOR_OK) slice_free(slice);
    return status;
}

enum spoor_status explorer_slice(struct explorer *explorer, const struct subject *subject,
                                 uint64_t moment, const struct slice_options *options,
                                 struct slice *slice, struct spoor_error *error)
{
    *slice = (struct slice){0};
    if (options->forward) return slice_forward(explorer, subject, moment, options, slice, error);
    struct slice_walk *walk = calloc(1, sizeof *walk);
    if (!walk) return explorer_no_memory(explorer, error);
    walk->explorer = explorer;
    walk->options = options;
    walk->slice = slice;
    walk->error = error;
    if (subject->is_memory)
        slice_memory_source(walk, SIZE_MAX, &subject->place, moment, 0);
    else
        slice_register_source(walk, SIZE_MAX,
                              (struct register_part){subject->cpu, subject->part.name,
                                                     subject->part.low / 8u,
                                                     subject->part.bits / 8u},
                              moment, 0);
    for (size_t i = 0; i < slice->count && walk->status == SPOOR_OK; i++)
        if (slice->count < SLICE_NODES - 64)
            slice_follow(walk, i);
        else if (slice->nodes[i].stop == SLICE_GOES_ON)
            slice->nodes[i].stop = SLICE_DEPTH;
    const enum spoor_status status = walk->status;
    free(walk);
    if (status < SPOOR_OK) slice_free(slice);
    return status;
}
