/* SPDX-License-Identifier: MIT */
/* group.c: collects an instruction with its effects, and finds the sources of each effect. */
#include "explore/internal.h"
#include "explore/slice.h"

bool group_begins(const struct visited *visited)
{
    return visited->place->known && visited->place->record == visited->record;
}

static struct group_effect *push(struct group *group, const struct visited *visited)
{
    if (group->count == GROUP_EFFECTS) return NULL;
    struct group_effect *effect = &group->effects[group->count++];
    *effect = (struct group_effect){
        .touch = {.record = visited->record,
                  .time = visited->batch->records[visited->index].time,
                  .cpu = visited->cpu,
                  .place = group->place},
    };
    return effect;
}

static struct group_effect *add_register(struct group *group, const struct visited *visited,
                                         spoor_name name)
{
    struct group_effect *effect = name ? push(group, visited) : NULL;
    if (effect) effect->name = name;
    return effect;
}

struct memory_place access_place(const struct access *access)
{
    return (struct memory_place){.va = access->va,
                                 .pa = access->pa,
                                 .size = access->size,
                                 .space = access->space,
                                 .has_va = access->has_va,
                                 .has_pa = access->has_pa};
}

static void add_access(struct group *group, const struct machine *machine,
                       const struct visited *visited)
{
    struct access access;
    if (!machine_access(machine, visited->batch, visited->index, &access)) return;
    struct group_effect *effect = push(group, visited);
    if (!effect) return;
    effect->is_memory = true;
    effect->access = access;
    const struct memory_place place = access_place(&access);
    touch_memory_value(&effect->touch, visited, &place, &access, 0, access.size);
    group->failed |= effect->touch.failed;
}

void group_add(struct group *group, struct machine *machine, const struct visited *visited)
{
    const struct spoor_record *record = &visited->batch->records[visited->index];
    if (group_begins(visited)) {
        group->count = 0;
        group->place = *visited->place;
        operand_list(machine, visited, &group->operands);
    }
    if (record->kind == SPOOR_UOP) {
        const struct spoor_uop_full uop = spoor_uop_of(visited->batch, visited->index);
        add_access(group, machine, visited);
        add_register(group, visited, machine_uop_register(machine, uop.dest));
        if (record->op & SPOOR_UOP_WRITES_FLAGS)
            add_register(group, visited, machine_uop_flags(machine));
    } else if (record->kind == SPOOR_REG && record->op == SPOOR_REG_WRITE) {
        const struct machine_register reg = machine_register(machine, record);
        struct group_effect *effect = reg.zero ? NULL : add_register(group, visited, reg.name);
        const struct machine_part whole = {.name = reg.name};
        if (!effect) return;
        touch_register_value(&effect->touch, visited, &reg, &whole);
        group->failed |= effect->touch.failed;
    } else if (record->kind == SPOOR_MEM) {
        add_access(group, machine, visited);
    }
}

/* True if the effect is the update of the address's base register. */
static bool is_moved_base(const struct group *group, const struct group_effect *effect)
{
    return !effect->is_memory && group->operands.updates_base &&
           effect->name == group->operands.base;
}

bool group_flows_from_memory(const struct group *group, const struct group_effect *effect)
{
    const struct operand_list *operands = &group->operands;
    if (!operands->loads || is_moved_base(group, effect)) return false;
    return !effect->is_memory || operands->stores;
}

bool group_flows_from(const struct group *group, const struct group_effect *effect,
                      unsigned operand)
{
    const struct operand_list *operands = &group->operands;
    if (is_moved_base(group, effect)) return operands->names[operand] == operands->base;
    if (effect->is_memory) return operands->data[operand];
    return !operands->loads; /* a loaded value comes only from memory */
}
