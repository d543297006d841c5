/* SPDX-License-Identifier: MIT */
/*
 * machine_bus.c: statistics of the transactions at the pins.
 *
 * A transaction occupies the bus for its bytes divided by the width of the bus, at least one unit
 * of time.  The time series has at most 32 windows of one length, which doubles when the trace
 * exceeds them.
 */
#include <stdlib.h>

#include "explore/machine_share.h"

enum { WINDOWS = 32, RECENT = 4096, LINE_SHIFT = 6, PAGE_SHIFT = 12, DEFAULT_WIDTH = 8 };

struct bus_share {
    uint64_t reads, writes, others, bytes;
};

struct bus_master {
    uint64_t key; /* a name, or 2^32 + an agent's number */
    struct bus_share share;
};

struct bus_block {
    uint64_t page; /* the key */
    struct bus_share share;
};

struct bus_window {
    uint64_t requests, bytes, busy;
};

struct machine_bus {
    struct {
        uint64_t requests, bytes;
    } ops[SPOOR_BUS_OPS];
    struct hash_map masters, blocks;
    struct bus_window windows[WINDOWS];
    uint64_t window; /* length; 0: none yet */
    uint64_t start, busy, bytes, unsized;
    uint64_t last_page, last_end;
    uint64_t same_page, sequential, turnarounds, locked, timed;
    uint64_t last_time;
    bool last_wrote, begun, has_time;
    struct spread gaps, latencies;
    struct {
        uint64_t line, time; /* line + 1; the last access of a processor to it */
    } recent[RECENT];
};

enum bus_does { BUS_READS, BUS_WRITES, BUS_OTHER };

static enum bus_does does(const struct spoor_record *record)
{
    switch ((enum spoor_bus_op)record->op) {
    case SPOOR_BUS_FETCH:
    case SPOOR_BUS_READ:
    case SPOOR_BUS_READ_INVALIDATE:
    case SPOOR_BUS_IO_READ: return BUS_READS;
    case SPOOR_BUS_WRITE:
    case SPOOR_BUS_WRITEBACK:
    case SPOOR_BUS_IO_WRITE: return BUS_WRITES;
    default: return BUS_OTHER;
    }
}

static void add_share(struct bus_share *share, enum bus_does what, uint64_t bytes)
{
    *(what == BUS_READS    ? &share->reads
      : what == BUS_WRITES ? &share->writes
                           : &share->others) += 1;
    share->bytes += bytes;
}

/* Returns the window of a time; lengthens the windows until one contains it. */
static struct bus_window *window_of(struct machine_bus *bus, uint64_t time)
{
    if (bus->window == 0) {
        bus->window = 1;
        bus->start = time;
    }
    const uint64_t since = time > bus->start ? time - bus->start : 0;
    while (since / bus->window >= WINDOWS) {
        for (size_t i = 0; i < WINDOWS / 2; i++) {
            const struct bus_window *a = &bus->windows[2 * i], *b = a + 1;
            bus->windows[i] = (struct bus_window){a->requests + b->requests, a->bytes + b->bytes,
                                                  a->busy + b->busy};
        }
        memset(bus->windows + WINDOWS / 2, 0, sizeof bus->windows / 2);
        bus->window *= 2;
    }
    return &bus->windows[since / bus->window];
}

/* Adds an access of a processor, which may cause a transaction of its line. */
static void add_access(struct machine_bus *bus, const struct spoor_record *record)
{
    const bool is_insn = record->kind == SPOOR_INSN;
    if (!(record->has & SPOOR_HAS_PA) || !(record->has & SPOOR_HAS_TIME)) return;
    const uint64_t line = (is_insn ? record->insn.pa : record->mem.pa) >> LINE_SHIFT;
    bus->recent[line % RECENT].line = line + 1;
    bus->recent[line % RECENT].time = record->time;
}

static void add_time(struct machine_bus *bus, const struct spoor_record *record, uint64_t bytes,
                     uint64_t busy)
{
    const uint64_t line = record->bus.address >> LINE_SHIFT, time = record->time;
    if (!(record->has & SPOOR_HAS_TIME)) return;
    bus->timed++;
    if (bus->has_time && time >= bus->last_time) spread_add(&bus->gaps, time - bus->last_time);
    bus->has_time = true;
    bus->last_time = time;
    if (bus->recent[line % RECENT].line == line + 1 && time >= bus->recent[line % RECENT].time)
        spread_add(&bus->latencies, time - bus->recent[line % RECENT].time);
    struct bus_window *window = window_of(bus, time);
    window->requests++;
    window->bytes += bytes;
    window->busy += busy;
}

static void add_order(struct machine_bus *bus, const struct spoor_record *record,
                      enum bus_does what, uint64_t bytes)
{
    const uint64_t address = record->bus.address, page = address >> PAGE_SHIFT;
    if (bus->begun) {
        bus->same_page += page == bus->last_page;
        bus->sequential += address == bus->last_end;
        bus->turnarounds += bus->last_wrote != (what == BUS_WRITES);
    }
    bus->begun = true;
    bus->last_page = page;
    bus->last_end = address + bytes;
    bus->last_wrote = what == BUS_WRITES;
}

static void add(struct spoor_machine_stats *stats, void *state, const struct spoor_record *record,
                uint64_t number)
{
    struct machine_bus *bus = state;
    if (record->kind != SPOOR_BUS) {
        add_access(bus, record);
        return;
    }
    const struct spoor_bus *of = &record->bus;
    const uint64_t width = stats->options.bus_width ? stats->options.bus_width : DEFAULT_WIDTH;
    const enum bus_does what = does(record);
    const uint64_t bytes = of->size, busy = bytes > width ? (bytes + width - 1) / width : 1;
    const bool has_agent = of->given & SPOOR_BUS_GIVEN_AGENT;
    if (record->op < SPOOR_BUS_OPS) {
        bus->ops[record->op].requests++;
        bus->ops[record->op].bytes += bytes;
    }
    bus->bytes += bytes;
    bus->busy += busy;
    bus->unsized += bytes == 0;
    bus->locked += (of->attr & SPOOR_BUS_LOCKED) != 0;
    const uint64_t key = has_agent ? (UINT64_C(1) << 32) + of->agent : of->master ? of->master : 0;
    struct bus_master *master = machine_distinct(stats, &bus->masters, key, sizeof *master);
    if (master) add_share(&master->share, what, bytes);
    struct bus_block *block =
        machine_distinct(stats, &bus->blocks, of->address >> PAGE_SHIFT, sizeof *block);
    if (block) add_share(&block->share, what, bytes);
    if (stats->options.has_address && (of->address ^ stats->options.address) >> PAGE_SHIFT == 0)
        machine_note(stats, record, number, of->master, of->address);
    add_order(bus, record, what, bytes);
    add_time(bus, record, bytes, busy);
}

/* ---- report ---- */

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void report_use(const struct spoor_machine_stats *stats, const struct machine_bus *bus,
                       struct spoor_result *result)
{
    const uint64_t span = stats->last_time - stats->first_time;
    uint64_t highest = 0;
    for (size_t i = 0; i < WINDOWS; i++)
        if (bus->windows[i].busy > highest) highest = bus->windows[i].busy;
    spoor_result_unsigned(result, "bytes", bus->bytes);
    if (bus->unsized) spoor_result_unsigned(result, "without_size", bus->unsized);
    if (stats->timed && span) {
        spoor_result_unsigned(result, "width",
                              stats->options.bus_width ? stats->options.bus_width : DEFAULT_WIDTH);
        spoor_result_real(result, "bytes_per_time", (double)bus->bytes / (double)span, 3);
        spoor_result_real(result, "utilisation", percent(bus->busy, span), 2);
        spoor_result_unsigned(result, "window", bus->window);
        spoor_result_real(result, "highest_utilisation", percent(highest, bus->window), 2);
    }
    spoor_result_real(result, "same_page", percent(bus->same_page, stats->records - 1), 2);
    spoor_result_real(result, "sequential", percent(bus->sequential, stats->records - 1), 2);
    spoor_result_real(result, "turnarounds", percent(bus->turnarounds, stats->records - 1), 2);
    spoor_result_unsigned(result, "locked", bus->locked);
}

static void report_ops(const struct spoor_machine_stats *stats, const struct machine_bus *bus,
                       struct spoor_result *result)
{
    struct spoor_result *array = machine_table(stats, result, "ops");
    for (unsigned op = 0; op < SPOOR_BUS_OPS; op++) {
        const struct spoor_record as = {.kind = SPOOR_BUS, .op = (uint8_t)op};
        if (!bus->ops[op].requests) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "op", spoor_op_name(&as));
        spoor_result_unsigned(row, "requests", bus->ops[op].requests);
        spoor_result_real(row, "percent", percent(bus->ops[op].requests, stats->records), 2);
        spoor_result_unsigned(row, "bytes", bus->ops[op].bytes);
    }
}

static void put_share(struct spoor_result *row, const struct bus_share *share, uint64_t bytes)
{
    spoor_result_unsigned(row, "reads", share->reads);
    spoor_result_unsigned(row, "writes", share->writes);
    spoor_result_unsigned(row, "others", share->others);
    spoor_result_unsigned(row, "bytes", share->bytes);
    spoor_result_real(row, "percent", percent(share->bytes, bytes), 2);
}

static int compare_shares(const struct bus_share *a, const struct bus_share *b)
{
    const uint64_t first = a->reads + a->writes + a->others,
                   other = b->reads + b->writes + b->others;
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    return first < other ? 1 : first > other ? -1 : 0;
}

static int by_master(const void *left, const void *right)
{
    const struct bus_master *a = left, *b = right;
    const int order = compare_shares(&a->share, &b->share);
    return order ? order : a->key < b->key ? -1 : a->key > b->key;
}

static int by_block(const void *left, const void *right)
{
    const struct bus_block *a = left, *b = right;
    const int order = compare_shares(&a->share, &b->share);
    return order ? order : a->page < b->page ? -1 : a->page > b->page;
}

static void report_masters(struct spoor_machine_stats *stats, const struct machine_bus *bus,
                           struct spoor_result *result)
{
    struct bus_master *masters = machine_sorted(stats, &bus->masters, sizeof *masters, by_master);
    struct spoor_result *array = machine_table(stats, result, "masters");
    for (size_t i = 0; masters && i < bus->masters.count; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        if (masters[i].key >> 32)
            spoor_result_unsigned(row, "master", masters[i].key & UINT32_MAX);
        else
            spoor_result_text(row, "master",
                              masters[i].key ? machine_name(stats, (spoor_name)masters[i].key)
                                             : NULL);
        put_share(row, &masters[i].share, bus->bytes);
    }
    free(masters);
    struct bus_block *blocks = machine_sorted(stats, &bus->blocks, sizeof *blocks, by_block);
    array = machine_table(stats, result, "pages");
    for (size_t i = 0; blocks && i < bus->blocks.count && i < stats->options.top; i++) {
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_hex(row, "page", blocks[i].page << PAGE_SHIFT);
        put_share(row, &blocks[i].share, bus->bytes);
    }
    free(blocks);
}

static void report_times(const struct spoor_machine_stats *stats, const struct machine_bus *bus,
                         struct spoor_result *result)
{
    const struct spread *spreads[] = {&bus->gaps, &bus->latencies};
    static const char *const names[] = {"gap", "latency"};
    struct spoor_result *array = machine_table(stats, result, "times");
    for (size_t i = 0; i < 2; i++) {
        if (!spreads[i]->count) continue;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_text(row, "time", names[i]);
        spread_report(spreads[i], row);
    }
    array = machine_table(stats, result, "windows");
    for (size_t i = 0; bus->window > 1 && i < WINDOWS; i++) {
        const struct bus_window *window = &bus->windows[i];
        const uint64_t from = bus->start + i * bus->window;
        if (from > bus->last_time) break;
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_unsigned(row, "from", from);
        spoor_result_unsigned(row, "requests", window->requests);
        spoor_result_unsigned(row, "bytes", window->bytes);
        spoor_result_real(row, "utilisation", percent(window->busy, bus->window), 2);
    }
}

static void report(struct spoor_machine_stats *stats, void *state, struct spoor_result *result)
{
    const struct machine_bus *bus = state;
    report_use(stats, bus, result);
    report_ops(stats, bus, result);
    report_masters(stats, bus, result);
    report_times(stats, bus, result);
}

static void free_state(void *state)
{
    struct machine_bus *bus = state;
    hash_map_free(&bus->masters);
    hash_map_free(&bus->blocks);
}

const struct machine_kind machine_bus_kind = {
    .name = "bus",
    .counted = 1U << SPOOR_BUS,
    .seen = 1U << SPOOR_MEM | 1U << SPOOR_INSN,
    .size = sizeof(struct machine_bus),
    .add = add,
    .report = report,
    .free = free_state,
};
