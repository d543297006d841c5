/* SPDX-License-Identifier: MIT */
/*
 * machine_walk.c: statistics of translation table walks.
 *
 * A walk is the reads of one side and stage of a processor up to a result other than a table.  The
 * size of the page is that of the next TLB fill, or the one that a short descriptor (VMSA) states.
 */
#include <stdlib.h>

#include "explore/machine_share.h"

enum { OPEN_WALKS = 64, DEPTHS = 8, SIZES = 32, LEVELS = 8, STAGES = 4, WALK_GROUPS = 32 };

struct walk_group { /* walks of one side, stage and format */
    spoor_name side, format;
    uint8_t stage;
    uint64_t walks, reads, updates, faults, depths[DEPTHS + 1];
    struct spread times;
};

struct open_walk {
    spoor_name cpu, side;
    uint8_t stage;
    uint64_t first; /* time of its first read; depth 0: none is open */
    unsigned depth;
};

struct walk_entry {
    uint64_t pa; /* the key */
    uint64_t reads, updates;
    uint8_t level;
};

struct machine_walk {
    struct walk_group groups[WALK_GROUPS];
    size_t group_count;
    struct open_walk open[OPEN_WALKS];
    size_t open_count;
    uint64_t results[STAGES][LEVELS][SPOOR_WALK_RESULTS];
    struct {
        uint64_t bytes, walks; /* bytes 0: not stated */
    } sizes[SIZES];
    size_t size_count;
    bool mapped; /* a walk ended in a page whose size the next fill states */
    spoor_name mapped_cpu;
    struct hash_map entries;
};

static struct walk_group *group_of(struct machine_walk *walk, const struct spoor_walk *of)
{
    size_t i = 0;
    for (; i < walk->group_count; i++) {
        struct walk_group *group = &walk->groups[i];
        if (group->side == of->side && group->format == of->table_format &&
            group->stage == of->stage)
            return group;
    }
    if (i == WALK_GROUPS) return &walk->groups[0];
    walk->group_count++;
    walk->groups[i] =
        (struct walk_group){.side = of->side, .format = of->table_format, .stage = of->stage};
    return &walk->groups[i];
}

static struct open_walk *open_of(struct machine_walk *walk, const struct spoor_record *record)
{
    const struct spoor_walk *of = &record->walk;
    const spoor_name cpu = (record->has & SPOOR_HAS_CPU) ? record->cpu : SPOOR_NO_NAME;
    size_t i = 0;
    for (; i < walk->open_count; i++) {
        struct open_walk *open = &walk->open[i];
        if (open->cpu == cpu && open->side == of->side && open->stage == of->stage) return open;
    }
    if (i == OPEN_WALKS)
        i = 0;
    else
        walk->open_count++;
    walk->open[i] = (struct open_walk){.cpu = cpu, .side = of->side, .stage = of->stage};
    return &walk->open[i];
}

static void count_size(struct machine_walk *walk, uint64_t bytes)
{
    size_t i = 0;
    while (i < walk->size_count && walk->sizes[i].bytes != bytes) i++;
    if (i == SIZES) return;
    if (i == walk->size_count) walk->sizes[walk->size_count++].bytes = bytes;
    walk->sizes[i].walks++;
}

/* Finds the size of a page: a short descriptor states it, else the next fill of a TLB does. */
static void find_size(struct machine_walk *walk, const struct spoor_record *record)
{
    switch ((enum spoor_walk_result)record->walk.result) {
    case SPOOR_WALK_SUPERSECTION: count_size(walk, UINT64_C(16) << 20); break;
    case SPOOR_WALK_SECTION: count_size(walk, UINT64_C(1) << 20); break;
    case SPOOR_WALK_LARGEPAGE: count_size(walk, UINT64_C(64) << 10); break;
    case SPOOR_WALK_SMALLPAGE: count_size(walk, UINT64_C(4) << 10); break;
    case SPOOR_WALK_BLOCK:
        if (walk->mapped) count_size(walk, 0);
        walk->mapped = true;
        walk->mapped_cpu = record->cpu;
        break;
    default: break;
    }
}

static void add_fill(const struct spoor_machine_stats *stats, struct machine_walk *walk,
                     const struct spoor_record *record)
{
    if (!walk->mapped || record->op != SPOOR_TLB_FILL || record->cpu != walk->mapped_cpu) return;
    count_size(walk, machine_region(stats, record->tlb.region));
    walk->mapped = false;
}

static void end_walk(struct machine_walk *walk, struct walk_group *group, struct open_walk *open,
                     const struct spoor_record *record)
{
    const enum spoor_walk_result result = (enum spoor_walk_result)record->walk.result;
    group->walks++;
    group->faults +=
        result == SPOOR_WALK_FAULT || result == SPOOR_WALK_ABORTED || result == SPOOR_WALK_RESERVED;
    group->depths[open->depth < DEPTHS ? open->depth : DEPTHS]++;
    if ((record->has & SPOOR_HAS_TIME) && record->time >= open->first)
        spread_add(&group->times, record->time - open->first);
    open->depth = 0;
    find_size(walk, record);
}

static void add(struct spoor_machine_stats *stats, void *state, const struct spoor_record *record,
                uint64_t number)
{
    struct machine_walk *walk = state;
    const struct spoor_walk *of = &record->walk;
    if (record->kind == SPOOR_TLB) {
        add_fill(stats, walk, record);
        return;
    }
    struct walk_group *group = group_of(walk, of);
    struct walk_entry *entry = machine_distinct(stats, &walk->entries, of->pa, sizeof *entry);
    if (entry) entry->level = of->level;
    if (stats->options.has_address && (of->pa ^ stats->options.address) >> 12 == 0)
        machine_note(stats, record, number, of->side, of->entry);
    if (record->op == SPOOR_WALK_UPDATE) {
        group->updates++;
        if (entry) entry->updates++;
        return;
    }
    if (entry) entry->reads++;
    group->reads++;
    if (of->stage < STAGES && of->level < LEVELS && of->result < SPOOR_WALK_RESULTS)
        walk->results[of->stage][of->level][of->result]++;
    struct open_walk *open = open_of(walk, record);
    if (open->depth++ == 0) open->first = record->time;
    if (of->result != SPOOR_WALK_TABLE && of->result != SPOOR_WALK_PAGETABLE)
        end_walk(walk, group, open, record);
}

/* ---- report ---- */

static void report_groups(const struct spoor_machine_stats *stats, const struct machine_walk *walk,
                          struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "walks");
    for (size_t i = 0; i < walk->group_count; i++) {
        const struct walk_group *group = &walk->groups[i];
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "side", machine_name(stats, group->side));
        spoor_result_text(row, "format", machine_name(stats, group->format));
        spoor_result_unsigned(row, "stage", group->stage);
        spoor_result_unsigned(row, "walks", group->walks);
        spoor_result_unsigned(row, "reads", group->reads);
        spoor_result_unsigned(row, "updates", group->updates);
        spoor_result_unsigned(row, "faults", group->faults);
        spoor_result_unsigned(row, "median_time", spread_percentile(&group->times, 50));
        spoor_result_unsigned(row, "highest_time", group->times.highest);
    }
    array = machine_table(stats, result, "depths");
    for (size_t i = 0; i < walk->group_count; i++)
        for (unsigned depth = 1; depth <= DEPTHS; depth++) {
            const struct walk_group *group = &walk->groups[i];
            if (!group->depths[depth]) continue;
            struct spoor_result *row = spoor_result_object(array, NULL);
            spoor_result_text(row, "side", machine_name(stats, group->side));
            spoor_result_unsigned(row, "stage", group->stage);
            spoor_result_unsigned(row, "depth", depth);
            spoor_result_unsigned(row, "walks", group->depths[depth]);
        }
}

static void report_levels(const struct spoor_machine_stats *stats, const struct machine_walk *walk,
                          struct spoor_result *result)
{
    static const char *const names[] = {"aborted",   "fault",        "reserved", "table",
                                        "block",     "supersection", "section",  "pagetable",
                                        "largepage", "smallpage"};
    struct spoor_result *array = machine_table(stats, result, "levels");
    for (unsigned stage = 0; stage < STAGES; stage++)
        for (unsigned level = 0; level < LEVELS; level++)
            for (unsigned i = 0; i < SPOOR_WALK_RESULTS; i++) {
                if (!walk->results[stage][level][i]) continue;
                struct spoor_result *row = spoor_result_object(array, NULL);
                spoor_result_unsigned(row, "stage", stage);
                spoor_result_unsigned(row, "level", level);
                spoor_result_text(row, "result", names[i]);
                spoor_result_unsigned(row, "reads", walk->results[stage][level][i]);
            }
    array = machine_table(stats, result, "pages");
    for (size_t i = 0; i < walk->size_count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        if (walk->sizes[i].bytes)
            spoor_result_unsigned(row, "page_bytes", walk->sizes[i].bytes);
        else
            spoor_result_null(row, "page_bytes");
        spoor_result_unsigned(row, "walks", walk->sizes[i].walks);
    }
}

static int by_reads(const void *left, const void *right)
{
    const struct walk_entry *a = left, *b = right;
    if (a->reads != b->reads) return a->reads < b->reads ? 1 : -1;
    return a->pa < b->pa ? -1 : a->pa > b->pa;
}

static void report(struct spoor_machine_stats *stats, void *state, struct spoor_result *result)
{
    struct machine_walk *walk = state;
    if (walk->mapped) count_size(walk, 0);
    walk->mapped = false;
    spoor_result_unsigned(result, "entries", walk->entries.count);
    report_groups(stats, walk, result);
    report_levels(stats, walk, result);
    struct walk_entry *entries = machine_sorted(stats, &walk->entries, sizeof *entries, by_reads);
    struct spoor_result *array = machine_table(stats, result, "hottest");
    for (size_t i = 0; entries && i < walk->entries.count && i < stats->options.top; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, "pa", entries[i].pa);
        spoor_result_unsigned(row, "level", entries[i].level);
        spoor_result_unsigned(row, "reads", entries[i].reads);
        spoor_result_unsigned(row, "updates", entries[i].updates);
    }
    free(entries);
}

static void free_state(void *state)
{
    hash_map_free(&((struct machine_walk *)state)->entries);
}

const struct machine_kind machine_walk_kind = {
    .name = "walk",
    .counted = 1U << SPOOR_WALK,
    .seen = 1U << SPOOR_TLB,
    .size = sizeof(struct machine_walk),
    .add = add,
    .report = report,
    .free = free_state,
};
