/* SPDX-License-Identifier: MIT */
/* unit_queue.c: queues of units, and the hashes by which units are found and compared. */
#include "instructions/unit_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

bool unit_queue_start(struct unit_queue *queue)
{
    *queue = (struct unit_queue){
        .units.item_size = sizeof(struct unit),
        .effects.item_size = sizeof(struct effect),
        .text.item_size = 1,
    };
    /* so that a pointer to no effects is one, too */
    return deque_reserve(&queue->units, 1) && deque_reserve(&queue->effects, 1) &&
           deque_reserve(&queue->text, 1);
}

void unit_queue_trim(struct unit_queue *queue, uint64_t history)
{
    uint64_t first = queue->head > history ? queue->head - history : 0;
    if (first <= queue->units.first) return;
    deque_drop(&queue->units, first);
    if (queue->units.count == 0) {
        deque_drop(&queue->effects, deque_end(&queue->effects));
        deque_drop(&queue->text, deque_end(&queue->text));
        return;
    }
    const struct unit *units = deque_at(&queue->units, queue->units.first);
    uint64_t effects = units->effects, text = units->text;
    for (size_t i = 1; queue->promoted && i < queue->units.count; i++) {
        if (units[i].effects < effects) effects = units[i].effects;
        if (units[i].text < text) text = units[i].text;
    }
    deque_drop(&queue->effects, effects);
    deque_drop(&queue->text, text);
}

void unit_queue_promote(struct unit_queue *queue, uint64_t ordinal)
{
    struct unit *head = unit_at(queue, queue->head), *found = unit_at(queue, ordinal);
    struct unit copy = *found;
    memmove(head + 1, head, (size_t)(found - head) * sizeof *head);
    *head = copy;
    queue->promoted = true;
}

bool unit_queue_move(struct unit_queue *queue, uint64_t after, uint64_t count)
{
    struct unit *head = unit_at(queue, queue->head);
    struct unit *moved = malloc((size_t)count * sizeof *moved);
    if (!moved) return false;
    memcpy(moved, head + after, (size_t)count * sizeof *moved);
    memmove(head + count, head, (size_t)after * sizeof *head);
    memcpy(head, moved, (size_t)count * sizeof *moved);
    free(moved);
    queue->promoted = true;
    return true;
}

void unit_queue_free(struct unit_queue *queue)
{
    deque_free(&queue->units);
    deque_free(&queue->effects);
    deque_free(&queue->text);
}

/* ---- hashes ---- */

static uint64_t unit_hash_access(const struct effect *effect, const struct unit_scope *scope,
                                 unsigned order)
{
    if (scope->bytes && effect->size && effect->size <= 16 && effect->kind != EFFECT_UPDATE) {
        /* the sum of its bytes is the same however the access is cut */
        uint64_t sum = 0;
        unsigned size = effect->size > 16 ? 16 : effect->size;
        for (unsigned i = 0; i < size; i++) {
            uint64_t byte = effect->value[i / 8] >> (8 * (i % 8)) & 0xFF;
            if (!(effect->unknown >> i & 1))
                sum += hash_mix(effect->address + i, byte << 8 | effect->kind);
        }
        return sum;
    }
    uint64_t hash = hash_mix(effect->address, effect->kind);
    if (scope->sizes) hash = hash_mix(hash, effect->size);
    if (effect->kind == EFFECT_UPDATE) hash = hash_mix(hash, effect->op);
    if (scope->data && (effect->has & EFFECT_HAS_VALUE))
        hash = hash_mix(hash_mix(hash, effect->value[0]), effect->value[1]);
    if (scope->physical_accesses && (effect->has & EFFECT_HAS_PHYSICAL))
        hash = hash_mix(hash, effect->physical);
    if (effect->unknown) hash = hash_mix(hash, effect->unknown);
    return scope->unordered ? hash : hash_mix(hash, order);
}

/* T32 opcodes are numbers with the first halfword on top, all others are as in memory. */
uint16_t unit_opcode_begin(const struct unit *unit)
{
    const bool halves = (unit->iset == 'T' || unit->iset == 'X') && unit->opcode_size == 4;
    return (uint16_t)(halves ? unit->opcode >> 16 : unit->opcode);
}

void unit_hash(struct unit *unit, const struct effect *effects, const struct unit_scope *scope)
{
    const bool opcode = scope->opcode && (unit->has & UNIT_HAS_OPCODE);
    uint64_t flow = unit->kind;
    if (scope->pc && (unit->has & UNIT_HAS_PC))
        flow = hash_mix(flow, scope->narrow ? (uint32_t)unit->pc : unit->pc);
    if (opcode) flow = hash_mix(flow, scope->opcode_sizes ? unit->opcode : unit_opcode_begin(unit));
    if (unit->kind == UNIT_ACCESS && unit->effect_count && !(unit->has & UNIT_HAS_PC))
        flow = hash_mix(flow, hash_mix(effects->address, /* its place: that, or the register */
                                       (uint64_t)effects->name << 8 | effects->kind));
    uint64_t whole = flow, sum = 0;
    if (opcode && !scope->opcode_sizes) whole = hash_mix(whole, unit->opcode);
    if (scope->executed) whole = hash_mix(whole, unit->executed);
    if (scope->mode) whole = hash_mix(whole, unit->mode);
    if (scope->physical) whole = hash_mix(whole, unit->physical);
    if (scope->time) whole = hash_mix(whole, unit->time);
    unsigned order = 0;
    for (unsigned i = 0; i < unit->effect_count; i++) {
        const struct effect *effect = &effects[i];
        uint64_t content = 0;
        switch ((enum effect_kind)effect->kind) {
        case EFFECT_REGISTER:
            if (!scope->registers) break;
            content = hash_mix(effect->name, effect->value[0]);
            if (effect->value[1]) content = hash_mix(content, effect->value[1]);
            if (effect->unknown) content = hash_mix(content, effect->unknown);
            break;
        case EFFECT_READ:
            if (scope->reads) content = unit_hash_access(effect, scope, order++);
            break;
        case EFFECT_WRITE:
        case EFFECT_UPDATE:
            if (scope->writes) content = unit_hash_access(effect, scope, order++);
            break;
        case EFFECT_EVENT:
            if (scope->events) content = hash_mix(effect->name, effect->value[0]);
            if (scope->events && scope->fields && (effect->has & EFFECT_HAS_ADDRESS))
                content = hash_mix(content, effect->address);
            if (scope->events && scope->fields && (effect->has & EFFECT_HAS_PHYSICAL))
                content = hash_mix(content, effect->physical);
            break;
        case EFFECT_FIELD:
            if (scope->fields >> effect->name & 1)
                content = hash_mix(effect->name, effect->value[0]);
            break;
        case EFFECT_STATE: break;
        }
        sum += content && scope->time ? hash_mix(content, effect->time) : content;
    }
    unit->flow = flow;
    unit->whole = hash_mix(whole, sum);
}
