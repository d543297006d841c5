/* SPDX-License-Identifier: MIT */
/*
 * machine_cache.c: statistics of the machine's caches, from the lines that moved into and out of
 * them.
 *
 * An address is in a cache from the ALLOC or FILL of its line to its EVICT or INVAL, or until
 * another address replaces it.
 */
#include <stdlib.h>

#include "explore/machine_share.h"

enum { SHIFTS = 3, FIRST_SHIFT = 5, WAYS = 64, ENOUGH = 8 };

struct cache_line {
    uint64_t line; /* the key */
    uint64_t pa;   /* address of its content */
    uint64_t left; /* time when it was emptied */
    uint64_t fills, refetches;
    bool full, dirty, emptied;
};

struct cache_address {
    uint64_t pa; /* the key: the address, with the security on top */
    uint64_t came, left;
    uint64_t fills, evictions, dirty, stay, away;
    spoor_name unit;
    bool was_there;
};

struct cache_unit {
    uint64_t name; /* the key: a name of the stream */
    uint64_t ops[SPOOR_CACHE_OPS];
    uint64_t fills, refetches, evictions, dirty_evictions, resident, peak;
    struct spread stay, away, refill;
    struct hash_map lines, addresses;
    /* the geometry: differences of line / ways and address >> shift */
    uint64_t differences[SHIFTS][WAYS + 1];
    uint64_t all_bits, last_line;
    uint32_t line_bytes, ways, sets;
    uint64_t *set_fills, *set_refetches;
};

struct machine_cache {
    struct cache_unit *units;
    size_t count, capacity;
};

static struct cache_unit *unit_of(struct spoor_machine_stats *stats, struct machine_cache *cache,
                                  spoor_name name)
{
    for (size_t i = 0; i < cache->count; i++)
        if (cache->units[i].name == name) return &cache->units[i];
    if (!array_reserve(&cache->units, &cache->capacity, cache->count + 1)) {
        stats->failed = true;
        return NULL;
    }
    struct cache_unit *unit = &cache->units[cache->count++];
    memset(unit, 0, sizeof *unit);
    unit->name = name;
    return unit;
}

/* ---- moves ---- */

static void address_leaves(struct spoor_machine_stats *stats, struct cache_unit *unit,
                           struct cache_line *line, uint64_t time)
{
    struct cache_address *address =
        machine_distinct(stats, &unit->addresses, line->pa, sizeof *address);
    unit->evictions++;
    unit->resident--;
    unit->dirty_evictions += line->dirty;
    line->full = line->dirty = false;
    if (!address) return;
    address->evictions++;
    if (time >= address->came) {
        spread_add(&unit->stay, time - address->came);
        address->stay += time - address->came;
    }
    address->left = time;
    address->was_there = true;
}

static void address_comes(struct spoor_machine_stats *stats, struct cache_unit *unit,
                          struct cache_line *line, uint64_t pa, uint64_t time)
{
    unit->fills++;
    line->fills++;
    if (line->emptied && time >= line->left) spread_add(&unit->refill, time - line->left);
    line->emptied = false;
    line->full = true;
    line->pa = pa;
    if (++unit->resident > unit->peak) unit->peak = unit->resident;
    struct cache_address *address = machine_distinct(stats, &unit->addresses, pa, sizeof *address);
    if (!address) return;
    address->fills++;
    address->came = time;
    if (!address->was_there) return;
    unit->refetches++;
    line->refetches++;
    if (time < address->left) return;
    spread_add(&unit->away, time - address->left);
    address->away += time - address->left;
}

static void learn_geometry(struct cache_unit *unit, uint64_t number, uint64_t pa)
{
    unit->all_bits |= pa;
    if (number > unit->last_line) unit->last_line = number;
    for (unsigned shift = 0; shift < SHIFTS; shift++)
        for (unsigned ways = 1; ways <= WAYS; ways++)
            unit->differences[shift][ways] |= (number / ways) ^ (pa >> (shift + FIRST_SHIFT));
}

static void add(struct spoor_machine_stats *stats, void *state, const struct spoor_record *record,
                uint64_t number)
{
    const struct spoor_cacheline *moved = &record->cache;
    const uint64_t pa = moved->pa | (uint64_t)moved->security << 60, time = record->time;
    struct cache_unit *unit = unit_of(stats, state, moved->unit);
    if (!unit || record->op >= SPOOR_CACHE_OPS) return;
    unit->ops[record->op]++;
    if (stats->options.has_address && (moved->pa ^ stats->options.address) >> 6 == 0)
        machine_note(stats, record, number, moved->unit, moved->line);
    struct cache_line *line = machine_distinct(stats, &unit->lines, moved->line, sizeof *line);
    if (!line) return;
    learn_geometry(unit, moved->line, moved->pa);
    switch ((enum spoor_cache_op)record->op) {
    case SPOOR_CACHE_ALLOC:
    case SPOOR_CACHE_FILL:
        if (line->full && line->pa == pa) break; /* new data in the same line */
        if (line->full) address_leaves(stats, unit, line, time);
        address_comes(stats, unit, line, pa, time);
        break;
    case SPOOR_CACHE_DIRTY: {
        if (line->full && line->pa != pa) address_leaves(stats, unit, line, time);
        if (!line->full) address_comes(stats, unit, line, pa, time);
        line->dirty = true;
        struct cache_address *address =
            machine_distinct(stats, &unit->addresses, pa, sizeof *address);
        if (address) address->dirty++;
        break;
    }
    case SPOOR_CACHE_CLEAN: line->dirty = false; break;
    case SPOOR_CACHE_EVICT:
    case SPOOR_CACHE_INVAL:
        if (line->full) address_leaves(stats, unit, line, time);
        line->emptied = true;
        line->left = time;
        break;
    default: break;
    }
}

/* ---- geometry ---- */

/* Infers line = set * ways + way if the records agree: with the minimum number of ways for which
 * the set number equals the low bits of the address. */
static void infer_geometry(struct spoor_machine_stats *stats, struct cache_unit *unit)
{
    const unsigned zeros = unit->all_bits ? (unsigned)__builtin_ctzll(unit->all_bits) : 0;
    const unsigned shift = zeros > FIRST_SHIFT + 1 ? FIRST_SHIFT + 1 : zeros;
    if (shift < FIRST_SHIFT || unit->lines.count < ENOUGH) return;
    for (uint32_t ways = 1; ways <= WAYS; ways++) {
        const uint64_t last = unit->last_line / ways;
        if (last < ENOUGH / 2) return;
        const uint64_t mask = (UINT64_C(2) << (63 - __builtin_clzll(last))) - 1;
        if (unit->differences[shift - FIRST_SHIFT][ways] & mask) continue;
        if (mask >= MACHINE_DISTINCT) return;
        unit->line_bytes = 1U << shift;
        unit->ways = ways;
        unit->sets = (uint32_t)mask + 1;
        break;
    }
    if (!unit->sets || unit->set_fills) return;
    unit->set_fills = calloc(unit->sets, sizeof *unit->set_fills);
    unit->set_refetches = calloc(unit->sets, sizeof *unit->set_refetches);
    if (!unit->set_fills || !unit->set_refetches) {
        stats->failed = true;
        return;
    }
    for (const struct cache_line *line = NULL;
         (line = hash_map_next(&unit->lines, line, sizeof *line));) {
        unit->set_fills[line->line / unit->ways] += line->fills;
        unit->set_refetches[line->line / unit->ways] += line->refetches;
    }
}

/* ---- report ---- */

static void report_units(struct spoor_machine_stats *stats, struct machine_cache *cache,
                         struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "caches");
    for (size_t i = 0; i < cache->count; i++) {
        struct cache_unit *unit = &cache->units[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        infer_geometry(stats, unit);
        spoor_result_text(row, "unit", machine_name(stats, (spoor_name)unit->name));
        spoor_result_unsigned(row, "fills", unit->fills);
        spoor_result_unsigned(row, "refetches", unit->refetches);
        spoor_result_unsigned(row, "evictions", unit->evictions);
        spoor_result_unsigned(row, "dirty", unit->dirty_evictions);
        spoor_result_unsigned(row, "writes", unit->ops[SPOOR_CACHE_DIRTY]);
        spoor_result_unsigned(row, "cleans", unit->ops[SPOOR_CACHE_CLEAN]);
        spoor_result_unsigned(row, "invals", unit->ops[SPOOR_CACHE_INVAL]);
    }
    array = machine_table(stats, result, "sizes");
    for (size_t i = 0; i < cache->count; i++) {
        const struct cache_unit *unit = &cache->units[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, (spoor_name)unit->name));
        spoor_result_unsigned(row, "addresses", unit->addresses.count);
        spoor_result_unsigned(row, "lines", unit->lines.count);
        spoor_result_unsigned(row, "resident", unit->peak);
        if (unit->sets) {
            spoor_result_unsigned(row, "line_bytes", unit->line_bytes);
            spoor_result_unsigned(row, "sets", unit->sets);
            spoor_result_unsigned(row, "ways", unit->ways);
        } else {
            spoor_result_null(row, "line_bytes");
            spoor_result_null(row, "sets");
            spoor_result_null(row, "ways");
        }
    }
}

static void report_times(const struct spoor_machine_stats *stats, const struct machine_cache *cache,
                         struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "times");
    for (size_t i = 0; i < cache->count; i++) {
        const struct cache_unit *unit = &cache->units[i];
        const struct spread *spreads[] = {&unit->stay, &unit->away, &unit->refill};
        static const char *const names[] = {"stay", "away", "refill"};
        for (size_t j = 0; j < 3; j++) {
            if (!spreads[j]->count) continue;
            struct spoor_result *row = spoor_result_object(array, NULL);
            spoor_result_text(row, "unit", machine_name(stats, (spoor_name)unit->name));
            spoor_result_text(row, "time", names[j]);
            spread_report(spreads[j], row);
        }
    }
}

struct set_row {
    const struct cache_unit *unit;
    uint64_t set, fills, refetches;
};

static int by_refetches(const void *left, const void *right)
{
    const struct set_row *a = left, *b = right;
    if (a->refetches != b->refetches) return a->refetches < b->refetches ? 1 : -1;
    if (a->unit->name != b->unit->name) return a->unit->name < b->unit->name ? -1 : 1;
    return a->set < b->set ? -1 : a->set > b->set;
}

static void report_sets(struct spoor_machine_stats *stats, const struct machine_cache *cache,
                        struct spoor_result *result)
{
    struct set_row *rows = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < cache->count; i++) {
        const struct cache_unit *unit = &cache->units[i];
        for (uint32_t set = 0; set < unit->sets && unit->set_refetches; set++) {
            if (!unit->set_refetches[set]) continue;
            if (!array_reserve(&rows, &capacity, count + 1)) break;
            rows[count++] =
                (struct set_row){unit, set, unit->set_fills[set], unit->set_refetches[set]};
        }
    }
    if (count) qsort(rows, count, sizeof *rows, by_refetches);
    struct spoor_result *array = machine_table(stats, result, "sets");
    for (size_t i = 0; i < count && i < stats->options.top; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, (spoor_name)rows[i].unit->name));
        spoor_result_unsigned(row, "set", rows[i].set);
        spoor_result_unsigned(row, "fills", rows[i].fills);
        spoor_result_unsigned(row, "refetches", rows[i].refetches);
    }
    free(rows);
}

static int by_fills(const void *left, const void *right)
{
    const struct cache_address *a = left, *b = right;
    if (a->fills != b->fills) return a->fills < b->fills ? 1 : -1;
    if (a->unit != b->unit) return a->unit < b->unit ? -1 : 1;
    return a->pa < b->pa ? -1 : a->pa > b->pa;
}

static void report_lines(struct spoor_machine_stats *stats, struct machine_cache *cache,
                         struct spoor_result *result)
{
    struct cache_address *rows = NULL;
    size_t count = 0, capacity = 0;
    for (size_t i = 0; i < cache->count; i++) {
        struct cache_unit *unit = &cache->units[i];
        for (struct cache_address *address = NULL;
             (address = hash_map_next(&unit->addresses, address, sizeof *address));) {
            if (address->fills < 2) continue;
            address->unit = (spoor_name)unit->name;
            if (!array_reserve(&rows, &capacity, count + 1)) break;
            rows[count++] = *address;
        }
    }
    if (count) qsort(rows, count, sizeof *rows, by_fills);
    struct spoor_result *array = machine_table(stats, result, "lines");
    for (size_t i = 0; i < count && i < stats->options.top; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "unit", machine_name(stats, rows[i].unit));
        spoor_result_hex(row, "pa", rows[i].pa & ((UINT64_C(1) << 60) - 1));
        spoor_result_unsigned(row, "fills", rows[i].fills);
        spoor_result_unsigned(row, "evictions", rows[i].evictions);
        spoor_result_unsigned(row, "writes", rows[i].dirty);
        spoor_result_real(
            row, "mean_stay",
            (double)rows[i].stay / (double)(rows[i].evictions ? rows[i].evictions : 1), 1);
        spoor_result_real(row, "mean_away", (double)rows[i].away / (double)(rows[i].fills - 1), 1);
    }
    free(rows);
}

static void report(struct spoor_machine_stats *stats, void *state, struct spoor_result *result)
{
    report_units(stats, state, result);
    report_times(stats, state, result);
    report_sets(stats, state, result);
    report_lines(stats, state, result);
}

static void free_state(void *state)
{
    struct machine_cache *cache = state;
    for (size_t i = 0; i < cache->count; i++) {
        hash_map_free(&cache->units[i].lines);
        hash_map_free(&cache->units[i].addresses);
        free(cache->units[i].set_fills);
        free(cache->units[i].set_refetches);
    }
    free(cache->units);
}

const struct machine_kind machine_cache_kind = {
    .name = "cache",
    .counted = 1U << SPOOR_CACHE,
    .size = sizeof(struct machine_cache),
    .add = add,
    .report = report,
    .free = free_state,
};

bool spoor_machine_stats_cache(const struct spoor_machine_stats *stats, size_t number,
                               struct spoor_machine_cache *cache)
{
    const struct machine_cache *state = stats->state;
    if (stats->kind != &machine_cache_kind || number >= state->count) return false;
    const struct cache_unit *unit = &state->units[number];
    *cache = (struct spoor_machine_cache){
        .unit = machine_name(stats, (spoor_name)unit->name),
        .fills = unit->fills,
        .evictions = unit->evictions,
        .writebacks = unit->ops[SPOOR_CACHE_CLEAN] + unit->dirty_evictions,
        .line_bytes = unit->line_bytes,
        .sets = unit->sets,
        .ways = unit->ways,
        .set_fills = unit->set_fills,
    };
    return true;
}
