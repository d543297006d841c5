/* SPDX-License-Identifier: MIT */
/*
 * machine_kinds.c: what the statistics of caches, TLBs, table walks and the bus count: for each
 * kind its rows, what a record adds to them, and the views that list them.
 */
#include <stdlib.h>
#include <string.h>

#include "model/record.h"
#include "profile/machine_rows.h"
#include "result/bus_counts.h"

#define AT(row, member) offsetof(struct row, member)
/* clang-format off */
#define SET(row) {sizeof(struct row), false}
#define SET_OF_UNITS(row) {sizeof(struct row), true}
/* Columns that have the names of their members. */
#define NAME(row, member) {.key = #member, .form = MACHINE_NAME, .at = AT(row, member)}
#define STATED(row, member) {.key = #member, .form = MACHINE_STATED, .at = AT(row, member)}
#define COUNT(row, member) {.key = #member, .form = MACHINE_COUNT, .at = AT(row, member)}
#define HEX(row, member) {.key = #member, .form = MACHINE_HEX, .at = AT(row, member)}
#define OPTIONAL(row, member, other) {.key = #member, .form = MACHINE_OPTIONAL, .at = AT(row, member), .of = AT(row, other)}
#define WORD(row, member, texts) {.key = #member, .form = MACHINE_WORD, .at = AT(row, member), .words = (texts)}
#define MEAN(key, row, member, other) {key, .form = MACHINE_MEAN, .at = AT(row, member), .of = AT(row, other)}
#define RATIO(key, row, member, whole) {key, .form = MACHINE_RATIO, .at = AT(row, member), .of = AT whole}
#define UNIT(row, member) {.key = "cache", .form = MACHINE_NAME, .at = AT(row, member)}
#define TIMES(row, member) {#member, .at = AT(row, member)}
#define RISING(row, member) {AT(row, member), MACHINE_RISING}
#define FALLING(row, member) {AT(row, member), MACHINE_FALLING}
#define AT_LEAST(number, row, member) .least = (number), .least_at = AT(row, member)
/* clang-format on */

/* ---- what caches and TLBs hold ---- */

/* A cache or TLB.  A refetch is a fill of an item that was there before. */
struct machine_unit {
    uint64_t unit, kind; /* the key; kind 1: a walk cache */
    uint64_t fills, refetches, evictions;
    uint64_t here, resident; /* items: now, and the maximum so far */
    struct spread stay, away;
};

/* An address or translation that was in a unit, or still is. */
struct machine_item {
    uint64_t came, left, was_there;
    uint64_t fills, again, evictions; /* `again`: fills but the first */
    uint64_t stay, away;
};

/* `item` may be NULL: it is not tracked. */
static void machine_item_comes(struct machine_unit *unit, struct machine_item *item, uint64_t time)
{
    if (++unit->here > unit->resident) unit->resident = unit->here;
    if (!item) return;
    item->again += item->fills++ > 0;
    item->came = time;
    if (!item->was_there) return;
    unit->refetches++;
    if (time < item->left) return;
    spread_add(&unit->away, time - item->left);
    item->away += time - item->left;
}

static void machine_item_leaves(struct machine_unit *unit, struct machine_item *item, uint64_t time)
{
    unit->here--;
    if (!item) return;
    item->evictions++;
    item->left = time;
    item->was_there = true;
    if (time < item->came) return;
    spread_add(&unit->stay, time - item->came);
    item->stay += time - item->came;
}

/* ---- caches ----
 *
 * An address is in a cache from the ALLOC or FILL of its line to its EVICT or INVAL, or until
 * another address replaces it. */

enum { CACHE_UNITS, CACHE_LINES, CACHE_ADDRESSES, CACHE_SETS };
enum { SHIFTS = 3, FIRST_SHIFT = 5, WAYS = 64, ENOUGH = 8 };

struct cache_unit {
    struct machine_unit is;
    uint64_t addresses, lines, dirty, writes, cleans, invals;
    struct spread refill;
    /* the geometry: differences of line / ways and address >> shift */
    uint64_t differences[SHIFTS][WAYS + 1];
    uint64_t all_bits, last_line;
    uint64_t line_bytes, ways, sets;
    size_t first_set; /* the row of set 0 */
};

struct cache_line {
    uint64_t unit, line; /* the key */
    uint64_t pa;         /* address of its content, with the security on top */
    uint64_t left;       /* time when it was emptied */
    uint64_t fills, refetches;
    bool full, dirty, emptied, seen;
};

struct cache_address {
    uint64_t unit, tagged; /* the key: the address with the security on top */
    uint64_t pa;           /* without it */
    struct machine_item is;
    uint64_t writes;
};

struct cache_set {
    uint64_t unit, set; /* the key */
    uint64_t fills, refetches;
};

static void machine_cache_line_leaves(struct spoor_machine_stats *stats, struct cache_unit *unit,
                                      struct cache_line *line, uint64_t time)
{
    struct cache_address *address = machine_row(stats, CACHE_ADDRESSES, line->unit, line->pa);
    unit->is.evictions++;
    unit->dirty += line->dirty;
    line->full = line->dirty = false;
    machine_item_leaves(&unit->is, address ? &address->is : NULL, time);
}

static void machine_cache_line_comes(struct spoor_machine_stats *stats, struct cache_unit *unit,
                                     struct cache_line *line, uint64_t pa, uint64_t time)
{
    unit->is.fills++;
    line->fills++;
    if (line->emptied && time >= line->left) spread_add(&unit->refill, time - line->left);
    line->emptied = false;
    line->full = true;
    line->pa = pa;
    struct cache_address *address = machine_row(stats, CACHE_ADDRESSES, line->unit, line->pa);
    if (address) {
        unit->addresses += address->is.fills == 0;
        address->pa = pa & ((UINT64_C(1) << 60) - 1);
        line->refetches += address->is.was_there;
    }
    machine_item_comes(&unit->is, address ? &address->is : NULL, time);
}

static void machine_cache_add(struct spoor_machine_stats *stats, const struct spoor_record *record,
                              uint64_t number)
{
    const struct spoor_cacheline *moved = &record->cache;
    const uint64_t pa = moved->pa | (uint64_t)moved->security << 60, time = record->time;
    if (record->op >= SPOOR_CACHE_OPS) return;
    struct cache_unit *unit = machine_row(stats, CACHE_UNITS, moved->unit);
    machine_note(stats, record, number, moved->unit, moved->pa, 6, moved->line);
    if (!unit) return;
    unit->writes += record->op == SPOOR_CACHE_DIRTY;
    unit->cleans += record->op == SPOOR_CACHE_CLEAN;
    unit->invals += record->op == SPOOR_CACHE_INVAL;
    struct cache_line *line = machine_row(stats, CACHE_LINES, moved->unit, moved->line);
    if (!line) return;
    unit->lines += !line->seen;
    line->seen = true;
    unit->all_bits |= moved->pa;
    if (moved->line > unit->last_line) unit->last_line = moved->line;
    for (unsigned ways = 1; ways <= WAYS; ways++)
        for (unsigned shift = 0; shift < SHIFTS; shift++)
            unit->differences[shift][ways] |=
                (moved->line / ways) ^ (moved->pa >> (shift + FIRST_SHIFT));
    switch ((enum spoor_cache_op)record->op) {
    case SPOOR_CACHE_ALLOC:
    case SPOOR_CACHE_FILL:
        if (line->full && line->pa == pa) break; /* new data in the same line */
        if (line->full) machine_cache_line_leaves(stats, unit, line, time);
        machine_cache_line_comes(stats, unit, line, pa, time);
        break;
    case SPOOR_CACHE_DIRTY: {
        if (line->full && line->pa != pa) machine_cache_line_leaves(stats, unit, line, time);
        if (!line->full) machine_cache_line_comes(stats, unit, line, pa, time);
        line->dirty = true;
        struct cache_address *address = machine_row(stats, CACHE_ADDRESSES, line->unit, line->pa);
        if (address) address->writes++;
        break;
    }
    case SPOOR_CACHE_CLEAN: line->dirty = false; break;
    case SPOOR_CACHE_EVICT:
    case SPOOR_CACHE_INVAL:
        if (line->full) machine_cache_line_leaves(stats, unit, line, time);
        line->emptied = true;
        line->left = time;
        break;
    default: break;
    }
}

static void machine_cache_finish(struct spoor_machine_stats *stats, struct spoor_result *result)
{
    const struct machine_rows *units = &stats->sets[CACHE_UNITS],
                              *lines = &stats->sets[CACHE_LINES];
    (void)result;
    for (size_t i = 0; i < units->count; i++) {
        struct cache_unit *unit = (struct cache_unit *)units->items + i;
        if (unit->sets) continue; /* it was reported before */
        /* Infers line = set * ways + way if the records agree: with the minimum number of ways for
         * which the set number equals the low bits of the address. */
        const unsigned zeros = unit->all_bits ? (unsigned)__builtin_ctzll(unit->all_bits) : 0;
        const unsigned shift = zeros > FIRST_SHIFT + 1 ? FIRST_SHIFT + 1 : zeros;
        const bool enough = shift >= FIRST_SHIFT && unit->lines >= ENOUGH;
        for (uint32_t ways = 1; ways <= WAYS && enough && !unit->sets; ways++) {
            const uint64_t last = unit->last_line / ways;
            if (last < ENOUGH / 2) break;
            const uint64_t mask = (UINT64_C(2) << (63 - __builtin_clzll(last))) - 1;
            if (unit->differences[shift - FIRST_SHIFT][ways] & mask) continue;
            if (mask >= MACHINE_DISTINCT) break;
            unit->line_bytes = UINT64_C(1) << shift;
            unit->ways = ways;
            unit->sets = mask + 1;
        }
        unit->first_set = stats->sets[CACHE_SETS].count;
        for (uint64_t set = 0; set < unit->sets; set++)
            machine_row(stats, CACHE_SETS, unit->is.unit, set);
        for (size_t j = 0; unit->sets && j < lines->count; j++) {
            const struct cache_line *line = (const struct cache_line *)lines->items + j;
            if (line->unit != unit->is.unit) continue;
            struct cache_set *set =
                machine_row(stats, CACHE_SETS, line->unit, line->line / unit->ways);
            if (!set) return;
            set->fills += line->fills;
            set->refetches += line->refetches;
        }
    }
}

static const struct machine_column cache_times[] = {
    TIMES(cache_unit, is.stay),
    TIMES(cache_unit, is.away),
    TIMES(cache_unit, refill),
    {.key = NULL},
};
static const struct machine_view cache_views[] = {
    {.name = "caches",
     .set = CACHE_UNITS,
     .columns = {UNIT(cache_unit, is.unit), COUNT(cache_unit, is.fills),
                 COUNT(cache_unit, is.refetches), COUNT(cache_unit, is.evictions),
                 COUNT(cache_unit, dirty), COUNT(cache_unit, writes), COUNT(cache_unit, cleans),
                 COUNT(cache_unit, invals)}},
    {.name = "sizes",
     .set = CACHE_UNITS,
     .columns = {UNIT(cache_unit, is.unit), COUNT(cache_unit, addresses), COUNT(cache_unit, lines),
                 COUNT(cache_unit, is.resident), OPTIONAL(cache_unit, line_bytes, sets),
                 OPTIONAL(cache_unit, sets, sets), OPTIONAL(cache_unit, ways, sets)}},
    {.name = "times",
     .set = CACHE_UNITS,
     .columns = {UNIT(cache_unit, is.unit)},
     .spreads = cache_times},
    {.name = "sets",
     .set = CACHE_SETS,
     .top = true,
     AT_LEAST(1, cache_set, refetches),
     .order = {FALLING(cache_set, refetches), RISING(cache_set, unit), RISING(cache_set, set)},
     .columns = {UNIT(cache_set, unit), COUNT(cache_set, set), COUNT(cache_set, fills),
                 COUNT(cache_set, refetches)}},
    {.name = "lines",
     .set = CACHE_ADDRESSES,
     .top = true,
     AT_LEAST(2, cache_address, is.fills),
     .order = {FALLING(cache_address, is.fills), RISING(cache_address, unit),
               RISING(cache_address, tagged)},
     .columns = {UNIT(cache_address, unit), HEX(cache_address, pa), COUNT(cache_address, is.fills),
                 COUNT(cache_address, is.evictions), COUNT(cache_address, writes),
                 MEAN("mean_stay", cache_address, is.stay, is.evictions),
                 MEAN("mean_away", cache_address, is.away, is.again)}},
    {.name = NULL},
};

static const struct cache_unit *machine_cache_of(const struct spoor_machine_stats *stats,
                                                 size_t number)
{
    const struct machine_rows *units = &stats->sets[CACHE_UNITS];
    if (stats->kind != &machine_kinds[SPOOR_MACHINE_CACHE] || number >= units->count) return NULL;
    return (const struct cache_unit *)units->items + number;
}

bool spoor_machine_stats_cache(const struct spoor_machine_stats *stats, size_t number,
                               struct spoor_machine_cache *cache)
{
    const struct cache_unit *unit = machine_cache_of(stats, number);
    if (!unit) return false;
    *cache = (struct spoor_machine_cache){
        .unit = spoor_names_text(stats->names, (spoor_name)unit->is.unit, NULL),
        .fills = unit->is.fills,
        .evictions = unit->is.evictions,
        .writebacks = unit->cleans + unit->dirty,
        .line_bytes = (uint32_t)unit->line_bytes,
        .sets = (uint32_t)unit->sets,
        .ways = (uint32_t)unit->ways,
    };
    return true;
}

uint64_t spoor_machine_stats_set_fills(const struct spoor_machine_stats *stats, size_t number,
                                       size_t set)
{
    const struct cache_unit *unit = machine_cache_of(stats, number);
    if (!unit || set >= unit->sets) return 0;
    const struct machine_rows *sets = &stats->sets[CACHE_SETS];
    return ((const struct cache_set *)sets->items)[unit->first_set + set].fills;
}

/* ---- TLBs and walk caches ----
 *
 * A translation is an address with its regime, VMID and, unless it is global, its ASID. */

enum { TLB_UNITS, TLB_ENTRIES, TLB_PAGES, TLB_CONTEXTS, TLB_TYPES };

struct tlb_unit {
    struct machine_unit is;
    uint64_t mapped, reach; /* bytes: now, and the maximum so far */
};

struct tlb_entry {
    uint64_t unit, kind, va, regime, vmid, non_global, asid; /* the key */
    uint64_t bytes, here;
    struct machine_item is;
};

struct tlb_page {
    uint64_t unit, page; /* the key */
    uint64_t fills;
};

struct tlb_context {
    uint64_t regime, vmid, non_global, asid; /* the key */
    uint64_t fills, has_vmid;
};

struct tlb_type {
    uint64_t type; /* the key */
    uint64_t fills;
};

static uint64_t machine_tlb_region_bytes(const struct spoor_machine_stats *stats, spoor_name region)
{
    struct spoor_slice text;
    text.bytes = spoor_names_text(stats->names, region, &text.size);
    return region_bytes(text);
}

static void machine_tlb_add(struct spoor_machine_stats *stats, const struct spoor_record *record,
                            uint64_t number)
{
    const struct spoor_tlb *of = &record->tlb;
    const bool kind = record->op >= SPOOR_WALKCACHE_FILL;
    const bool fills = record->op == SPOOR_TLB_FILL || record->op == SPOOR_WALKCACHE_FILL;
    const uint64_t asid = of->non_global ? of->asid : 0;
    struct tlb_unit *unit = machine_row(stats, TLB_UNITS, of->unit, kind);
    if (!unit) return;
    machine_note(stats, record, number, of->unit, of->va, 12, of->pa);
    *(fills ? &unit->is.fills : &unit->is.evictions) += 1;
    struct tlb_entry *entry = machine_row(stats, TLB_ENTRIES, of->unit, kind, of->va, of->regime,
                                          of->vmid, of->non_global != 0, asid);
    if (entry && !entry->bytes) entry->bytes = machine_tlb_region_bytes(stats, of->region);
    if (fills) {
        struct tlb_context *context =
            machine_count(stats, TLB_CONTEXTS, of->regime, of->vmid, of->non_global != 0, asid);
        if (context) context->has_vmid = of->vmid != SPOOR_NO_VMID;
        machine_count(stats, TLB_PAGES, of->unit, of->region);
        if (of->memory_type) machine_count(stats, TLB_TYPES, of->memory_type);
    }
    if (!entry || entry->here == fills) return;
    entry->here = fills;
    unit->mapped += fills ? entry->bytes : -entry->bytes;
    if (unit->mapped > unit->reach) unit->reach = unit->mapped;
    (fills ? machine_item_comes : machine_item_leaves)(&unit->is, &entry->is, record->time);
}

static const char *const tlb_kinds[] = {"tlb", "walkcache"};
static const struct machine_column tlb_times[] = {
    TIMES(tlb_unit, is.stay),
    TIMES(tlb_unit, is.away),
    {.key = NULL},
};
static const struct machine_view tlb_views[] = {
    {.name = "tlbs",
     .set = TLB_UNITS,
     .columns = {UNIT(tlb_unit, is.unit), WORD(tlb_unit, is.kind, tlb_kinds),
                 COUNT(tlb_unit, is.fills), COUNT(tlb_unit, is.refetches),
                 COUNT(tlb_unit, is.evictions), COUNT(tlb_unit, is.resident),
                 COUNT(tlb_unit, reach)}},
    {.name = "times", .set = TLB_UNITS, .columns = {UNIT(tlb_unit, is.unit)}, .spreads = tlb_times},
    {.name = "pages",
     .set = TLB_PAGES,
     .order = {RISING(tlb_page, unit), FALLING(tlb_page, fills), RISING(tlb_page, page)},
     .columns = {UNIT(tlb_page, unit), NAME(tlb_page, page), COUNT(tlb_page, fills)}},
    {.name = "contexts",
     .set = TLB_CONTEXTS,
     .order = {FALLING(tlb_context, fills), RISING(tlb_context, regime), RISING(tlb_context, asid)},
     .columns = {STATED(tlb_context, regime), OPTIONAL(tlb_context, vmid, has_vmid),
                 OPTIONAL(tlb_context, asid, non_global), COUNT(tlb_context, fills)}},
    {.name = "memory_types",
     .set = TLB_TYPES,
     .order = {FALLING(tlb_type, fills), RISING(tlb_type, type)},
     .columns = {COUNT(tlb_type, fills), NAME(tlb_type, type)}},
    {.name = "hottest",
     .set = TLB_ENTRIES,
     .top = true,
     AT_LEAST(2, tlb_entry, is.fills),
     .order = {FALLING(tlb_entry, is.fills), RISING(tlb_entry, unit), RISING(tlb_entry, va)},
     .columns = {UNIT(tlb_entry, unit), HEX(tlb_entry, va), COUNT(tlb_entry, bytes),
                 OPTIONAL(tlb_entry, asid, non_global), COUNT(tlb_entry, is.fills),
                 COUNT(tlb_entry, is.evictions)}},
    {.name = NULL},
};

/* ---- translation table walks ----
 *
 * A walk is the reads of one side and stage of a processor up to a result other than a table.  The
 * size of the page is that of the next TLB fill, or the one that a short descriptor (VMSA) states.
 */

enum { WALK_GROUPS, WALK_OPEN, WALK_ENTRIES, WALK_DEPTHS, WALK_LEVELS, WALK_PAGES };

struct walk_group {
    uint64_t side, format, stage; /* the key */
    uint64_t walks, reads, updates, faults;
    struct spread times;
};

struct walk_open {
    uint64_t cpu, side, stage; /* the key */
    uint64_t first, depth;     /* time of its first read; depth 0: none is open */
};

struct walk_entry {
    uint64_t pa; /* the key */
    uint64_t level, reads, updates;
};

struct walk_depth {
    uint64_t group, depth; /* the key */
    uint64_t walks, side, stage;
};

struct walk_level {
    uint64_t stage, level, result; /* the key */
    uint64_t reads;
};

struct walk_page {
    uint64_t page_bytes; /* the key; 0: not stated */
    uint64_t walks;
};

struct machine_walk {
    bool mapped; /* a walk ended in a page whose size the next fill states */
    spoor_name mapped_cpu;
};

static void machine_walk_add(struct spoor_machine_stats *stats, const struct spoor_record *record,
                             uint64_t number)
{
    struct machine_walk *walk = stats->state;
    const struct spoor_walk *of = &record->walk;
    if (record->kind == SPOOR_TLB) {
        if (!walk->mapped || record->op != SPOOR_TLB_FILL || record->cpu != walk->mapped_cpu)
            return;
        machine_count(stats, WALK_PAGES, machine_tlb_region_bytes(stats, record->tlb.region));
        walk->mapped = false;
        return;
    }
    struct walk_group *group =
        machine_row(stats, WALK_GROUPS, of->side, of->table_format, of->stage);
    struct walk_entry *entry = machine_row(stats, WALK_ENTRIES, of->pa);
    machine_note(stats, record, number, of->side, of->pa, 12, of->entry);
    const bool updates = record->op == SPOOR_WALK_UPDATE;
    if (entry) {
        entry->level = of->level;
        *(updates ? &entry->updates : &entry->reads) += 1;
    }
    if (!group) return;
    *(updates ? &group->updates : &group->reads) += 1;
    if (updates) return;
    if (of->result < SPOOR_WALK_RESULTS)
        machine_count(stats, WALK_LEVELS, of->stage, of->level, of->result);
    const spoor_name cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : SPOOR_NO_NAME;
    struct walk_open *open = machine_row(stats, WALK_OPEN, cpu, of->side, of->stage);
    if (!open) return;
    if (open->depth++ == 0) open->first = record->time;
    if (of->result == SPOOR_WALK_TABLE || of->result == SPOOR_WALK_PAGETABLE) return;
    enum { DEPTHS = 8 }; /* the walk ends */
    const enum spoor_walk_result result = (enum spoor_walk_result)record->walk.result;
    const struct walk_group *groups = stats->sets[WALK_GROUPS].items;
    struct walk_depth *depth = machine_count(stats, WALK_DEPTHS, (uint64_t)(group - groups),
                                             open->depth < DEPTHS ? open->depth : DEPTHS);
    if (depth) {
        depth->side = group->side;
        depth->stage = group->stage;
    }
    group->walks++;
    group->faults +=
        result == SPOOR_WALK_FAULT || result == SPOOR_WALK_ABORTED || result == SPOOR_WALK_RESERVED;
    if ((record->has & SPOOR_HAS_TIME) && record->time >= open->first)
        spread_add(&group->times, record->time - open->first);
    open->depth = 0;
    /* the size of the page: a short descriptor states it, else the next fill of a TLB does */
    switch (result) {
    case SPOOR_WALK_SUPERSECTION: machine_count(stats, WALK_PAGES, UINT64_C(16) << 20); break;
    case SPOOR_WALK_SECTION: machine_count(stats, WALK_PAGES, UINT64_C(1) << 20); break;
    case SPOOR_WALK_LARGEPAGE: machine_count(stats, WALK_PAGES, UINT64_C(64) << 10); break;
    case SPOOR_WALK_SMALLPAGE: machine_count(stats, WALK_PAGES, UINT64_C(4) << 10); break;
    case SPOOR_WALK_BLOCK:
        if (walk->mapped) machine_count(stats, WALK_PAGES, 0);
        walk->mapped = true;
        walk->mapped_cpu = record->cpu;
        break;
    default: break;
    }
}

static void machine_walk_finish(struct spoor_machine_stats *stats, struct spoor_result *result)
{
    struct machine_walk *walk = stats->state;
    if (walk->mapped) machine_count(stats, WALK_PAGES, 0);
    walk->mapped = false;
    spoor_result_unsigned(result, "entries", stats->sets[WALK_ENTRIES].count);
}

static const char *const walk_results[SPOOR_WALK_RESULTS] = {
    "aborted",      "fault",   "reserved",  "table",     "block",
    "supersection", "section", "pagetable", "largepage", "smallpage"};
static const struct machine_view walk_views[] = {
    {.name = "walks",
     .set = WALK_GROUPS,
     .columns = {NAME(walk_group, side),
                 NAME(walk_group, format),
                 COUNT(walk_group, stage),
                 COUNT(walk_group, walks),
                 COUNT(walk_group, reads),
                 COUNT(walk_group, updates),
                 COUNT(walk_group, faults),
                 {"median_time", .form = MACHINE_MEDIAN, .at = AT(walk_group, times)},
                 {"highest_time", .form = MACHINE_COUNT, .at = AT(walk_group, times.highest)}}},
    {.name = "depths",
     .set = WALK_DEPTHS,
     .order = {RISING(walk_depth, group), RISING(walk_depth, depth)},
     .columns = {NAME(walk_depth, side), COUNT(walk_depth, stage), COUNT(walk_depth, depth),
                 COUNT(walk_depth, walks)}},
    {.name = "levels",
     .set = WALK_LEVELS,
     .order = {RISING(walk_level, stage), RISING(walk_level, level), RISING(walk_level, result)},
     .columns = {COUNT(walk_level, stage), COUNT(walk_level, level),
                 WORD(walk_level, result, walk_results), COUNT(walk_level, reads)}},
    {.name = "pages",
     .set = WALK_PAGES,
     .columns = {OPTIONAL(walk_page, page_bytes, page_bytes), COUNT(walk_page, walks)}},
    {.name = "hottest",
     .set = WALK_ENTRIES,
     .top = true,
     .order = {FALLING(walk_entry, reads), RISING(walk_entry, pa)},
     .columns = {HEX(walk_entry, pa), COUNT(walk_entry, level), COUNT(walk_entry, reads),
                 COUNT(walk_entry, updates)}},
    {.name = NULL},
};

/* ---- the bus ----
 *
 * A transaction occupies the bus for its bytes divided by the width of the bus, at least one
 * unit of time.  The time series has at most 32 windows of one length, which doubles when the
 * trace exceeds them. */

enum { BUS_OPS, BUS_MASTERS, BUS_PAGES, BUS_WINDOWS };
enum bus_side { BUS_READS, BUS_WRITES, BUS_OTHERS };
enum { WINDOWS = 32, RECENT = 4096, LINE_SHIFT = 6, PAGE_SHIFT = 12, DEFAULT_WIDTH = 8 };

struct bus_op {
    uint64_t op; /* the key */
    uint64_t requests, bytes;
};

struct bus_share { /* of a master or of a page */
    uint64_t of;   /* the key: a name, or MACHINE_NUMBER + that of an agent; the page's address */
    uint64_t requests, reads, writes, others, bytes;
};

struct bus_window {
    uint64_t from; /* the key */
    uint64_t requests, bytes, busy;
};

struct machine_bus {
    struct bus_window windows[WINDOWS];
    uint64_t window; /* length; 0: none yet */
    uint64_t start, requests, busy, bytes, unsized;
    uint64_t last_page, last_end;
    uint64_t same_page, sequential, turnarounds, locked;
    uint64_t cacheabilities[BUS_CACHEABILITIES + 1];
    uint64_t last_time;
    bool last_wrote, has_time;
    struct spread gaps, latencies;
    struct {
        uint64_t line, time; /* line + 1; the last access of a processor to it */
    } recent[RECENT];
};

static void machine_bus_add_share(struct spoor_machine_stats *stats, unsigned set, uint64_t of,
                                  enum bus_side side, uint64_t bytes)
{
    struct bus_share *share = machine_count(stats, set, of);
    if (!share) return;
    *(side == BUS_READS    ? &share->reads
      : side == BUS_WRITES ? &share->writes
                           : &share->others) += 1;
    share->requests++;
    share->bytes += bytes;
}

static void machine_bus_add(struct spoor_machine_stats *stats, const struct spoor_record *record,
                            uint64_t number)
{
    struct machine_bus *bus = stats->state;
    if (record->kind != SPOOR_BUS) { /* an access, which may cause a transaction of its line */
        if (!(record->has & SPOOR_HAS_PA) || !(record->has & SPOOR_HAS_TIME)) return;
        const uint64_t pa = record->kind == SPOOR_INSN ? record->insn.pa : record->mem.pa;
        bus->recent[(pa >> LINE_SHIFT) % RECENT].line = (pa >> LINE_SHIFT) + 1;
        bus->recent[(pa >> LINE_SHIFT) % RECENT].time = record->time;
        return;
    }
    const struct spoor_bus *of = &record->bus;
    const uint64_t bytes = of->size;
    const uint64_t width = stats->options.bus_width ? stats->options.bus_width : DEFAULT_WIDTH;
    const uint64_t busy = bytes > width ? (bytes + width - 1) / width : 1;
    const uint64_t page = of->address >> PAGE_SHIFT << PAGE_SHIFT;
    enum {
        READS = 1 << SPOOR_BUS_FETCH | 1 << SPOOR_BUS_READ | 1 << SPOOR_BUS_READ_INVALIDATE |
                1 << SPOOR_BUS_IO_READ,
        WRITES = 1 << SPOOR_BUS_WRITE | 1 << SPOOR_BUS_WRITEBACK | 1 << SPOOR_BUS_IO_WRITE
    };
    const unsigned bit = record->op < SPOOR_BUS_OPS ? 1U << record->op : 0;
    const enum bus_side side = READS & bit ? BUS_READS : WRITES & bit ? BUS_WRITES : BUS_OTHERS;
    struct bus_op *op = machine_count(stats, BUS_OPS, record->op);
    if (op) op->bytes += bytes;
    machine_bus_add_share(
        stats, BUS_MASTERS,
        of->given & SPOOR_BUS_GIVEN_AGENT ? MACHINE_NUMBER + of->agent : of->master, side, bytes);
    machine_bus_add_share(stats, BUS_PAGES, page, side, bytes);
    machine_note(stats, record, number, of->master, of->address, PAGE_SHIFT, of->address);
    if (bus->requests++) {
        bus->same_page += page == bus->last_page;
        bus->sequential += of->address == bus->last_end;
        bus->turnarounds += bus->last_wrote != (side == BUS_WRITES);
    }
    bus->last_page = page;
    bus->last_end = of->address + bytes;
    bus->last_wrote = side == BUS_WRITES;
    bus->bytes += bytes;
    bus->busy += busy;
    bus->unsized += bytes == 0;
    bus->locked += (of->attr & SPOOR_BUS_LOCKED) != 0;
    bus->cacheabilities[bus_cacheability(of)]++;
    const uint64_t line = record->bus.address >> LINE_SHIFT, time = record->time;
    if (!(record->has & SPOOR_HAS_TIME)) return;
    if (bus->has_time && time >= bus->last_time) spread_add(&bus->gaps, time - bus->last_time);
    bus->has_time = true;
    bus->last_time = time;
    if (bus->recent[line % RECENT].line == line + 1 && time >= bus->recent[line % RECENT].time)
        spread_add(&bus->latencies, time - bus->recent[line % RECENT].time);
    if (bus->window == 0) {
        bus->window = 1;
        bus->start = time;
    }
    const uint64_t since = time > bus->start ? time - bus->start : 0;
    while (since / bus->window >= WINDOWS) { /* lengthens the windows until one has the time */
        for (size_t i = 0; i < WINDOWS / 2; i++) {
            const struct bus_window *a = &bus->windows[2 * i], *b = a + 1;
            bus->windows[i] = (struct bus_window){0, a->requests + b->requests, a->bytes + b->bytes,
                                                  a->busy + b->busy};
        }
        memset(bus->windows + WINDOWS / 2, 0, sizeof bus->windows / 2);
        bus->window *= 2;
    }
    struct bus_window *window = &bus->windows[since / bus->window];
    window->requests++;
    window->bytes += record->bus.size;
    window->busy += busy;
}

static void machine_bus_finish(struct spoor_machine_stats *stats, struct spoor_result *result)
{
    const struct machine_bus *bus = stats->state;
    const uint64_t span = stats->last_time - stats->first_time, pairs = bus->requests - 1;
    uint64_t highest = 0;
    for (size_t i = 0; i < WINDOWS; i++) {
        const uint64_t from = bus->start + i * bus->window;
        if (bus->windows[i].busy > highest) highest = bus->windows[i].busy;
        if (bus->window < 2 || from > bus->last_time) continue;
        struct bus_window *window = machine_row(stats, BUS_WINDOWS, from);
        if (!window) continue;
        *window = bus->windows[i];
        window->from = from;
    }
    spoor_result_unsigned(result, "bytes", bus->bytes);
    if (bus->unsized) spoor_result_unsigned(result, "without_size", bus->unsized);
    if (stats->timed && span) {
        const uint64_t width = stats->options.bus_width;
        spoor_result_unsigned(result, "width", width ? width : DEFAULT_WIDTH);
        spoor_result_real(result, "bytes_per_time", (double)bus->bytes / (double)span, 3);
        spoor_result_real(result, "utilisation_ratio", machine_ratio(bus->busy, span), 4);
        spoor_result_unsigned(result, "window", bus->window);
        spoor_result_real(result, "highest_utilisation_ratio", machine_ratio(highest, bus->window),
                          4);
    }
    spoor_result_real(result, "same_page_ratio", machine_ratio(bus->same_page, pairs), 4);
    spoor_result_real(result, "sequential_ratio", machine_ratio(bus->sequential, pairs), 4);
    spoor_result_real(result, "turnaround_ratio", machine_ratio(bus->turnarounds, pairs), 4);
    spoor_result_unsigned(result, "locked", bus->locked);
    result_put_cached(result, bus->cacheabilities);
}

/* clang-format off */
#define BUS_SHARE_COLUMNS                                                                    \
    COUNT(bus_share, reads), COUNT(bus_share, writes), COUNT(bus_share, others),             \
    COUNT(bus_share, bytes),                                                                 \
    RATIO("byte_ratio", bus_share, bytes, (machine_bus, bytes))
#define BUS_SHARE_ORDER FALLING(bus_share, bytes), FALLING(bus_share, requests), RISING(bus_share, of)
/* clang-format on */
static const struct machine_column bus_times[] = {
    {"gap", .at = AT(machine_bus, gaps)},
    {"latency", .at = AT(machine_bus, latencies)},
    {.key = NULL},
};
static const struct machine_view bus_views[] = {
    {.name = "ops",
     .set = BUS_OPS,
     .order = {RISING(bus_op, op)},
     .columns = {{"op", .form = MACHINE_OPERATION, .at = AT(bus_op, op)},
                 COUNT(bus_op, requests),
                 RATIO("request_ratio", bus_op, requests, (machine_bus, requests)),
                 COUNT(bus_op, bytes)}},
    {.name = "masters",
     .set = BUS_MASTERS,
     .order = {BUS_SHARE_ORDER},
     .columns = {{"master", .form = MACHINE_STATED, .at = AT(bus_share, of)}, BUS_SHARE_COLUMNS}},
    {.name = "pages",
     .set = BUS_PAGES,
     .top = true,
     .order = {BUS_SHARE_ORDER},
     .columns = {{"page", .form = MACHINE_HEX, .at = AT(bus_share, of)}, BUS_SHARE_COLUMNS}},
    {.name = "times", .set = MACHINE_STATE, .spreads = bus_times},
    {.name = "windows",
     .set = BUS_WINDOWS,
     .columns = {COUNT(bus_window, from), COUNT(bus_window, requests), COUNT(bus_window, bytes),
                 RATIO("utilisation_ratio", bus_window, busy, (machine_bus, window))}},
    {.name = NULL},
};

/* ---- all kinds ---- */

const struct machine_kind machine_kinds[SPOOR_MACHINE_KINDS] = {
    [SPOOR_MACHINE_CACHE] = {.name = "cache",
                             .counted = 1U << SPOOR_CACHE,
                             .sets = {[CACHE_UNITS] = SET(cache_unit),
                                      [CACHE_LINES] = SET_OF_UNITS(cache_line),
                                      [CACHE_ADDRESSES] = SET_OF_UNITS(cache_address),
                                      [CACHE_SETS] = SET_OF_UNITS(cache_set)},
                             .add = machine_cache_add,
                             .finish = machine_cache_finish,
                             .views = cache_views},
    [SPOOR_MACHINE_WALK] = {.name = "walk",
                            .counted = 1U << SPOOR_WALK,
                            .seen = 1U << SPOOR_TLB,
                            .size = sizeof(struct machine_walk),
                            .sets = {[WALK_GROUPS] = SET(walk_group),
                                     [WALK_OPEN] = SET(walk_open),
                                     [WALK_ENTRIES] = SET(walk_entry),
                                     [WALK_DEPTHS] = SET(walk_depth),
                                     [WALK_LEVELS] = SET(walk_level),
                                     [WALK_PAGES] = SET(walk_page)},
                            .add = machine_walk_add,
                            .finish = machine_walk_finish,
                            .views = walk_views},
    [SPOOR_MACHINE_TLB] = {.name = "tlb",
                           .counted = 1U << SPOOR_TLB,
                           .sets = {[TLB_UNITS] = SET(tlb_unit),
                                    [TLB_ENTRIES] = SET(tlb_entry),
                                    [TLB_PAGES] = SET(tlb_page),
                                    [TLB_CONTEXTS] = SET(tlb_context),
                                    [TLB_TYPES] = SET(tlb_type)},
                           .add = machine_tlb_add,
                           .views = tlb_views},
    [SPOOR_MACHINE_BUS] = {.name = "bus",
                           .counted = 1U << SPOOR_BUS,
                           .seen = 1U << SPOOR_MEM | 1U << SPOOR_INSN,
                           .size = sizeof(struct machine_bus),
                           .sets = {[BUS_OPS] = SET(bus_op),
                                    [BUS_MASTERS] = SET(bus_share),
                                    [BUS_PAGES] = SET(bus_share),
                                    [BUS_WINDOWS] = SET(bus_window)},
                           .add = machine_bus_add,
                           .finish = machine_bus_finish,
                           .views = bus_views},
};
