/* SPDX-License-Identifier: MIT */
/*
 * machine_tlb.c: statistics of the machine's TLBs and walk caches, from the translations that were
 * filled and evicted.
 *
 * A translation is an address with its regime, VMID and, unless it is global, its ASID.
 */
#include <stdlib.h>

#include "base/hash.h"
#include "explore/machine_share.h"

struct tlb_entry {
    uint64_t key; /* a hash of the unit and of the translation */
    uint64_t va, bytes, came, left, fills, evictions;
    uint32_t vmid;
    uint16_t asid;
    spoor_name unit, regime;
    bool here, was_there, non_global;
};

struct tlb_unit {
    spoor_name name;
    bool is_walk_cache;
    uint64_t fills, evictions, refetches, resident, peak, reach, highest_reach;
    struct spread stay, away;
};

struct tlb_class { /* fills by one property */
    spoor_name unit, name;
    uint64_t fills;
    uint32_t vmid;
    uint16_t asid;
    bool non_global;
};
struct tlb_classes {
    struct tlb_class *items;
    size_t count, capacity;
};

struct machine_tlb {
    struct tlb_unit *units;
    size_t count, capacity;
    struct tlb_classes sizes, contexts, types;
    struct hash_map entries;
};

static struct tlb_unit *unit_of(struct spoor_machine_stats *stats, struct machine_tlb *tlb,
                                spoor_name name, bool is_walk_cache)
{
    for (size_t i = 0; i < tlb->count; i++)
        if (tlb->units[i].name == name && tlb->units[i].is_walk_cache == is_walk_cache)
            return &tlb->units[i];
    if (!array_reserve(&tlb->units, &tlb->capacity, tlb->count + 1)) {
        stats->failed = true;
        return NULL;
    }
    struct tlb_unit *unit = &tlb->units[tlb->count++];
    memset(unit, 0, sizeof *unit);
    unit->name = name;
    unit->is_walk_cache = is_walk_cache;
    return unit;
}

static void count_class(struct spoor_machine_stats *stats, struct tlb_classes *classes,
                        const struct tlb_class *of)
{
    enum { MAXIMUM = 4096 };
    for (size_t i = 0; i < classes->count; i++) {
        struct tlb_class *item = &classes->items[i];
        if (item->unit != of->unit || item->name != of->name || item->vmid != of->vmid ||
            item->asid != of->asid || item->non_global != of->non_global)
            continue;
        item->fills++;
        return;
    }
    if (classes->count == MAXIMUM) {
        stats->untracked++;
        return;
    }
    if (!array_reserve(&classes->items, &classes->capacity, classes->count + 1)) {
        stats->failed = true;
        return;
    }
    classes->items[classes->count] = *of;
    classes->items[classes->count++].fills = 1;
}

static uint64_t key_of(const struct spoor_tlb *tlb, bool is_walk_cache)
{
    uint64_t key = hash_mix(tlb->unit + (is_walk_cache ? 1U << 16 : 0U), tlb->va);
    key = hash_mix(key, (uint64_t)tlb->regime << 32 | tlb->vmid);
    return hash_mix(key, tlb->non_global ? tlb->asid + 1U : 0U);
}

static void count_classes(struct spoor_machine_stats *stats, struct machine_tlb *tlb,
                          const struct spoor_tlb *of)
{
    const struct tlb_class size = {.unit = of->unit, .name = of->region};
    const struct tlb_class context = {.name = of->regime,
                                      .vmid = of->vmid,
                                      .asid = of->non_global ? of->asid : 0,
                                      .non_global = of->non_global};
    const struct tlb_class type = {.name = of->memory_type};
    count_class(stats, &tlb->sizes, &size);
    count_class(stats, &tlb->contexts, &context);
    if (of->memory_type) count_class(stats, &tlb->types, &type);
}

static void fill(struct tlb_unit *unit, struct tlb_entry *entry, uint64_t time)
{
    if (!entry || entry->here) return;
    if (++unit->resident > unit->peak) unit->peak = unit->resident;
    unit->reach += entry->bytes;
    if (unit->reach > unit->highest_reach) unit->highest_reach = unit->reach;
    entry->here = true;
    entry->came = time;
    entry->fills++;
    if (!entry->was_there) return;
    unit->refetches++;
    if (time >= entry->left) spread_add(&unit->away, time - entry->left);
}

static void evict(struct tlb_unit *unit, struct tlb_entry *entry, uint64_t time)
{
    if (!entry || !entry->here) return;
    unit->resident--;
    unit->reach -= entry->bytes;
    entry->here = false;
    entry->was_there = true;
    entry->left = time;
    entry->evictions++;
    if (time >= entry->came) spread_add(&unit->stay, time - entry->came);
}

static void add(struct spoor_machine_stats *stats, void *state, const struct spoor_record *record,
                uint64_t number)
{
    struct machine_tlb *tlb = state;
    const struct spoor_tlb *of = &record->tlb;
    const bool is_walk_cache = record->op >= SPOOR_WALKCACHE_FILL;
    const bool fills = record->op == SPOOR_TLB_FILL || record->op == SPOOR_WALKCACHE_FILL;
    struct tlb_unit *unit = unit_of(stats, tlb, of->unit, is_walk_cache);
    if (!unit) return;
    if (stats->options.has_address && (of->va ^ stats->options.address) >> 12 == 0)
        machine_note(stats, record, number, of->unit, of->pa);
    *(fills ? &unit->fills : &unit->evictions) += 1;
    struct tlb_entry *entry =
        machine_distinct(stats, &tlb->entries, key_of(of, is_walk_cache), sizeof *entry);
    if (entry && !entry->bytes) {
        entry->va = of->va;
        entry->bytes = machine_region(stats, of->region);
        entry->vmid = of->vmid;
        entry->asid = of->asid;
        entry->non_global = of->non_global;
        entry->unit = of->unit;
        entry->regime = of->regime;
    }
    if (fills) {
        count_classes(stats, tlb, of);
        fill(unit, entry, record->time);
    } else {
        evict(unit, entry, record->time);
    }
}

/* ---- report ---- */

static void report_units(const struct spoor_machine_stats *stats, const struct machine_tlb *tlb,
                         struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "tlbs");
    for (size_t i = 0; i < tlb->count; i++) {
        const struct tlb_unit *unit = &tlb->units[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, unit->name));
        spoor_result_text(row, "kind", unit->is_walk_cache ? "walkcache" : "tlb");
        spoor_result_unsigned(row, "fills", unit->fills);
        spoor_result_unsigned(row, "refetches", unit->refetches);
        spoor_result_unsigned(row, "evictions", unit->evictions);
        spoor_result_unsigned(row, "resident", unit->peak);
        spoor_result_unsigned(row, "reach", unit->highest_reach);
    }
    array = machine_table(stats, result, "times");
    for (size_t i = 0; i < tlb->count; i++)
        for (unsigned away = 0; away < 2; away++) {
            const struct tlb_unit *unit = &tlb->units[i];
            const struct spread *spread = away ? &unit->away : &unit->stay;
            if (!spread->count) continue;
            struct spoor_result *row = spoor_result_object(array, NULL);
            spoor_result_text(row, "unit", machine_name(stats, unit->name));
            spoor_result_text(row, "time", away ? "away" : "stay");
            spread_report(spread, row);
        }
}

static int by_class(const void *left, const void *right)
{
    const struct tlb_class *a = left, *b = right;
    if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
    if (a->fills != b->fills) return a->fills < b->fills ? 1 : -1;
    if (a->name != b->name) return a->name < b->name ? -1 : 1;
    return a->asid < b->asid ? -1 : a->asid > b->asid;
}

/* A VMID or ASID that is absent is null. */
static void put_optional(struct spoor_result *row, const char *key, bool is_there, uint64_t value)
{
    if (is_there)
        spoor_result_unsigned(row, key, value);
    else
        spoor_result_null(row, key);
}

static void report_classes(const struct spoor_machine_stats *stats, struct machine_tlb *tlb,
                           struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "pages");
    if (tlb->sizes.count)
        qsort(tlb->sizes.items, tlb->sizes.count, sizeof *tlb->sizes.items, by_class);
    for (size_t i = 0; i < tlb->sizes.count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, tlb->sizes.items[i].unit));
        spoor_result_text(row, "page", machine_name(stats, tlb->sizes.items[i].name));
        spoor_result_unsigned(row, "fills", tlb->sizes.items[i].fills);
    }
    array = machine_table(stats, result, "contexts");
    if (tlb->contexts.count)
        qsort(tlb->contexts.items, tlb->contexts.count, sizeof *tlb->contexts.items, by_class);
    for (size_t i = 0; i < tlb->contexts.count; i++) {
        const struct tlb_class *context = &tlb->contexts.items[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "regime", context->name ? machine_name(stats, context->name) : NULL);
        put_optional(row, "vmid", context->vmid != SPOOR_NO_VMID, context->vmid);
        put_optional(row, "asid", context->non_global, context->asid);
        spoor_result_unsigned(row, "fills", context->fills);
    }
    array = machine_table(stats, result, "memory_types");
    if (tlb->types.count)
        qsort(tlb->types.items, tlb->types.count, sizeof *tlb->types.items, by_class);
    for (size_t i = 0; i < tlb->types.count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_unsigned(row, "fills", tlb->types.items[i].fills);
        spoor_result_text(row, "type", machine_name(stats, tlb->types.items[i].name));
    }
}

static int by_fills(const void *left, const void *right)
{
    const struct tlb_entry *a = left, *b = right;
    if (a->fills != b->fills) return a->fills < b->fills ? 1 : -1;
    if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
    return a->va < b->va ? -1 : a->va > b->va;
}

static void report(struct spoor_machine_stats *stats, void *state, struct spoor_result *result)
{
    struct machine_tlb *tlb = state;
    report_units(stats, tlb, result);
    report_classes(stats, tlb, result);
    struct tlb_entry *entries = machine_sorted(stats, &tlb->entries, sizeof *entries, by_fills);
    struct spoor_result *array = machine_table(stats, result, "hottest");
    for (size_t i = 0; entries && i < tlb->entries.count && i < stats->options.top; i++) {
        if (entries[i].fills < 2) break;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, entries[i].unit));
        spoor_result_hex(row, "va", entries[i].va);
        spoor_result_unsigned(row, "bytes", entries[i].bytes);
        put_optional(row, "asid", entries[i].non_global, entries[i].asid);
        spoor_result_unsigned(row, "fills", entries[i].fills);
        spoor_result_unsigned(row, "evictions", entries[i].evictions);
    }
    free(entries);
}

static void free_state(void *state)
{
    struct machine_tlb *tlb = state;
    hash_map_free(&tlb->entries);
    free(tlb->units);
    free(tlb->sizes.items);
    free(tlb->contexts.items);
    free(tlb->types.items);
}

const struct machine_kind machine_tlb_kind = {
    .name = "tlb",
    .counted = 1U << SPOOR_TLB,
    .size = sizeof(struct machine_tlb),
    .add = add,
    .report = report,
    .free = free_state,
};
