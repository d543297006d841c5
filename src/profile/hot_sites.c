/* SPDX-License-Identifier: MIT */
/* hot_sites.c: a hash table from contexts and sites to what ran there. */
#include <stdlib.h>

#include "base/array.h"
#include "profile/profile.h"

/* The number of a site. */
struct site_number {
    uint64_t key;
    uint32_t number; /* + 1; 0: none yet */
};

void hot_sites_free(struct hot_sites *sites)
{
    hash_map_free(&sites->map);
    hash_map_free(&sites->numbers);
    free(sites->keys);
    free(sites->cpus);
    if (sites->opcodes) spoor_names_free(sites->opcodes);
    *sites = (struct hot_sites){0};
}

uint64_t hot_sites_arrive(struct hot_sites *sites, unsigned cpu, const struct spoor_batch *batch,
                          size_t index, uint64_t pc)
{
    const struct spoor_record *record = &batch->records[index];
    uint64_t key = pc;
    if (sites->opcodes) {
        /* the first word of the disassembly, or the macro-op; where there is neither, the opcode */
        const char *text = "?";
        char digits[24];
        size_t size = 1;
        if (record->kind == SPOOR_UOP) {
            text = spoor_names_text(batch->stream->names, record->uop.macro, &size);
        } else if (record->kind == SPOOR_INSN && record->insn.disasm.size) {
            text = spoor_batch_bytes(batch, record->insn.disasm);
            while (size < record->insn.disasm.size && text[size] != ' ' && text[size] != '\t')
                size++;
        } else if (record->kind == SPOOR_INSN && (record->has & SPOOR_HAS_DATA)) {
            const char *end = put_hex(digits, record->insn.opcode, 2u * record->insn.opcode_size);
            size = (size_t)(end - digits);
            text = digits;
        }
        key = spoor_names_intern(sites->opcodes, text, size);
    }
    if (array_reserve_zeroed(&sites->cpus, &sites->cpu_count, cpu + (size_t)1))
        sites->cpus[cpu].last = key;
    else
        sites->failed = true;
    return key;
}

uint32_t hot_sites_number(struct hot_sites *sites, uint64_t key)
{
    bool added;
    struct site_number *item = hash_map_add(&sites->numbers, key, sizeof *item, &added);
    if (item && item->number) return item->number - 1;
    if (!item || !array_reserve(&sites->keys, &sites->key_capacity, sites->key_count + 1)) {
        sites->failed = true;
        return NO_CONTEXT;
    }
    sites->keys[sites->key_count++] = key;
    item->number = (uint32_t)sites->key_count;
    return item->number - 1;
}

void hot_sites_run(struct hot_sites *sites, unsigned cpu, uint32_t context, uint32_t root,
                   uint64_t time, uint64_t instructions)
{
    if (cpu >= sites->cpu_count || sites->failed) return;
    struct site_cpu *of = &sites->cpus[cpu];
    if (of->started && time > of->time) {
        struct site *last = hash_map_find(&sites->map, of->key, sizeof *last); /* it is there */
        last->amount.time += time - of->time;
    }
    const uint32_t number = hot_sites_number(sites, of->last);
    uint64_t key = (uint64_t)context << 32 | number;
    struct site *site = NULL;
    bool added;
    if (number != NO_CONTEXT && sites->map.count >= SITES_LIMIT) {
        site = hash_map_find(&sites->map, key, sizeof *site);
        sites->lost += !site;
        if (!site) key = (uint64_t)root << 32 | number;
    }
    if (number != NO_CONTEXT && !site) site = hash_map_add(&sites->map, key, sizeof *site, &added);
    if (!site) {
        sites->failed = true;
        return;
    }
    site->amount.executed += instructions - of->instructions;
    of->key = site->key;
    of->time = time;
    of->instructions = instructions;
    of->started = true;
}

void hot_sites_add(struct hot_sites *sites, unsigned cpu, uint64_t accesses, uint64_t events)
{
    if (cpu >= sites->cpu_count || !sites->cpus[cpu].started || sites->failed) return;
    struct site *site = hash_map_find(&sites->map, sites->cpus[cpu].key, sizeof *site);
    site->amount.accesses += accesses;
    site->amount.events += events;
}
