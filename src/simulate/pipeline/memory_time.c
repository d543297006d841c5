/* SPDX-License-Identifier: MIT */
/* memory_time.c: TLBs, caches and DRAM in time; see memory_time.h. */
#include "simulate/pipeline/memory_time.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash_map.h"
#include "base/memory_need.h"
#include "model/error.h"
#include "simulate/cache/system.h"
#include "simulate/memory/dram.h"
#include "spoor/tlb.h"

/* A walk reads an entry of a table at each of these levels; what the upper ones gave is kept in
 * page structure caches of so many entries, from the root on, with the least recently used
 * replaced, as ChampSim's page table walker has them. */
enum { WALK_LEVELS = 5, INDEX_BITS = 9, PAGE_BITS = 12, KEPT = 32 };
static const uint32_t kept_entries[WALK_LEVELS - 1] = {2, 4, 8, 32};

struct walk_met {
    uint64_t page;
};
struct walk_cache {
    uint64_t tags[WALK_LEVELS - 1][KEPT], used[WALK_LEVELS - 1][KEPT];
    uint64_t pages[WALK_LEVELS - 1][KEPT]; /* whose walk gave the entry */
    uint64_t time;
};

/* What a cpu has counted, beside the counts of caches and TLBs. */
struct memory_counts {
    uint64_t forwarded, walks, walk_cycles;
    uint64_t requests, request_cycles; /* of the memory, without DRAM's own counts */
    struct dram_counts dram;
};
struct memory_cpu {
    struct walk_cache walker;
    struct memory_counts counts;
    /* counts of the caches, then of the TLBs, at the end of its warm-up and, with `over`, of its
     * trace; NULL: none */
    struct spoor_cache_counts *before, *after;
    bool over; /* its trace has ended: what it accesses since is not counted */
};

struct memory_time {
    struct spoor_pipeline_config config;
    bool apart;
    struct memory_clock clock, tlb_clock;
    struct spoor_cache_system *caches, *tlbs; /* NULL: none */
    struct dram *dram;                        /* NULL: a fixed time */
    bool holds_data;                          /* a cache accepts data */
    struct memory_cpu *cpus;
    struct hash_map met; /* of struct walk_met: pages and tables that were reached, with faults */
    uint32_t cpu_count;
    uint32_t cpu; /* whose access it is */
    bool failed;
};

/* ---- configuration ---- */

static enum spoor_status memory_time_parse(const struct spoor_pipeline_config *config,
                                           struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS],
                                           struct spoor_cache_level tlbs[SPOOR_PIPELINE_LEVELS],
                                           struct spoor_error *error)
{
    enum spoor_status status = SPOOR_OK;
    for (uint32_t i = 0; i < config->levels && status == SPOOR_OK; i++)
        status = spoor_cache_level_parse(&levels[i], config->level[i], error);
    for (uint32_t i = 0; i < config->tlbs && status == SPOOR_OK; i++)
        status = spoor_tlb_level_parse(&tlbs[i], config->tlb[i], error);
    return status;
}

bool memory_time_is_on(const struct spoor_pipeline_config *config)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS] = {{.size = 0}},
                             tlbs[SPOOR_PIPELINE_LEVELS];
    if (config->dram || config->tlbs || config->fetch_queue || config->pages ||
        config->misfetch_penalty)
        return true;
    if (memory_time_parse(config, levels, tlbs, NULL) != SPOOR_OK) return false;
    for (uint32_t i = 0; i < config->levels; i++)
        if (levels[i].ports || levels[i].mshrs || levels[i].prefetch_queue) return true;
    return false;
}

enum spoor_status memory_time_memory(const struct spoor_pipeline_config *config, uint64_t *needed,
                                     struct spoor_error *error)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS], tlbs[SPOOR_PIPELINE_LEVELS];
    const struct spoor_cache_options options = {0};
    const enum spoor_status status = memory_time_parse(config, levels, tlbs, error);
    if (status != SPOOR_OK) return status;
    memory_need(needed, 1, cache_system_memory(levels, config->levels, &options));
    memory_need(needed, 1, cache_system_memory(tlbs, config->tlbs, &options));
    return SPOOR_OK;
}

/* ---- the memory below the caches ---- */

static uint64_t memory_time_serve(void *context, uint64_t at, const struct request *request)
{
    struct memory_time *memory = context;
    const bool write = request->op == SPOOR_REFERENCE_WRITE;
    if (memory->clock.stopped) return 0;
    /* what the last level adds to a miss of it, and is all where there is no DRAM */
    uint32_t depth = 0;
    while (depth + 1 < SPOOR_PIPELINE_LEVELS && depth + 1 < memory->config.depth) depth++;
    const uint64_t fixed = memory->config.miss_latency[depth];
    struct memory_cpu *cpu = &memory->cpus[memory->cpu];
    struct memory_counts ignored = {0}, *counts = cpu->over ? &ignored : &cpu->counts;
    uint64_t ready = at;
    if (memory->dram) ready = dram_access(memory->dram, at, request->address, write, &counts->dram);
    if (write) return at;
    counts->requests++;
    counts->request_cycles += ready + fixed - at;
    return ready + fixed;
}

/* ---- walks ---- */

static uint64_t walk_tag(unsigned level, uint64_t page)
{
    return (page >> INDEX_BITS * (WALK_LEVELS - 1 - level)) + 1;
}

/* The deepest level of which an entry for a page is kept, and in *from the page whose walk gave it;
 * -1: none, and 0. */
static int walk_find(struct walk_cache *walker, uint64_t page, uint64_t *from)
{
    for (unsigned level = WALK_LEVELS - 1; level-- > 0;) {
        const uint64_t tag = walk_tag(level, page);
        for (uint32_t i = 0; i < kept_entries[level]; i++)
            if (walker->tags[level][i] == tag) {
                walker->used[level][i] = ++walker->time;
                *from = walker->pages[level][i];
                return (int)level;
            }
    }
    *from = 0;
    return -1;
}

static void walk_keep(struct walk_cache *walker, unsigned level, uint64_t page)
{
    const uint64_t tag = walk_tag(level, page);
    uint32_t place = 0;
    for (uint32_t i = 0; i < kept_entries[level] && walker->tags[level][place] != tag; i++)
        if (walker->tags[level][i] == tag || walker->used[level][i] < walker->used[level][place])
            place = i;
    walker->tags[level][place] = tag;
    walker->pages[level][place] = page;
    walker->used[level][place] = ++walker->time;
}

static uint64_t memory_time_place(const struct memory_time *memory, uint64_t address);

/* The cycles of a fault, where an entry is read for the first time. */
static uint64_t memory_time_fault(struct memory_time *memory, uint64_t number, unsigned level)
{
    bool added = false;
    if (!memory->config.fault_latency) return 0;
    const struct walk_met *met =
        hash_map_add(&memory->met, number * WALK_LEVELS + level + 1, sizeof *met, &added);
    if (!met) memory->failed = true;
    return added ? memory->config.fault_latency : 0;
}

/* An entry that a walk reads. */
struct walk_entry {
    uint64_t table; /* the number of its table, over all levels */
    uint64_t index; /* in its table */
    uint64_t fault; /* the number of what it leads to, at its level */
};

static struct walk_entry walk_entry_of(uint64_t page, unsigned level)
{
    const unsigned shift = INDEX_BITS * (WALK_LEVELS - 1 - level);
    return (struct walk_entry){.table = (page >> shift >> INDEX_BITS) * WALK_LEVELS + level,
                               .index = page >> shift & ((1 << INDEX_BITS) - 1),
                               .fault = page >> shift};
}

/* As the page table walker of ChampSim reads them (ptw.cc, vmem.cc): what an entry leads to is a
 * level finer than its place in the walk, so each page has a table of its own.  Where a walk begins
 * with an entry that is kept, it is in the table of the page that gave it. */
static struct walk_entry walk_entry_apart(uint64_t page, unsigned level, bool first, uint64_t from)
{
    const unsigned shift = INDEX_BITS * (WALK_LEVELS - 1 - level);
    const unsigned finer = level < WALK_LEVELS - 1 ? shift - INDEX_BITS : shift;
    const unsigned index = first ? finer : shift;
    return (struct walk_entry){.table = first ? (from >> finer) * WALK_LEVELS + level
                                              : (page >> shift) * WALK_LEVELS + level - 1,
                               .index = page >> index & ((1 << INDEX_BITS) - 1),
                               .fault = page >> finer};
}

/* A miss of the last TLB: its entries of the page tables are read, one after the other, where data
 * are, after the last one that is kept.  A table is a page, and lies where its number says. */
static uint64_t memory_time_walk(void *context, uint64_t at, const struct request *request)
{
    struct memory_time *memory = context;
    struct memory_cpu *cpu = &memory->cpus[memory->cpu];
    struct walk_cache *walker = &cpu->walker;
    const uint64_t page = request->address >> PAGE_BITS, begun = at;
    const bool apart = memory->config.page_tables != 0;
    uint64_t from;
    const int kept = walk_find(walker, page, &from);
    const unsigned first = apart && kept >= 0 ? (unsigned)kept : (unsigned)(kept + 1);
    for (unsigned level = first; level < WALK_LEVELS; level++) {
        const struct walk_entry read = apart ? walk_entry_apart(page, level, level == first, from)
                                             : walk_entry_of(page, level);
        const struct spoor_reference entry = {
            /* tables have addresses of their own */
            .address = memory_time_place(memory, (UINT64_C(1) << 55 ^ read.table << PAGE_BITS)) +
                       8 * read.index,
            .size = 8,
            .cpu = (uint16_t)(memory->cpu + 1),
            .op = SPOOR_REFERENCE_READ,
            .has = SPOOR_REFERENCE_HAS_CPU,
        };
        if (memory->holds_data) {
            memory->clock.at = at;
            memory->clock.walks = true;
            spoor_cache_system_access(memory->caches, &entry);
            memory->clock.walks = false;
            at = memory->clock.ready;
        } else {
            at = memory_time_serve(memory, at, &(struct request){.address = entry.address});
        }
        if (level < WALK_LEVELS - 1) walk_keep(walker, level, page);
        at += memory_time_fault(memory, read.fault, level);
    }
    if (cpu->over) return at;
    cpu->counts.walks++;
    cpu->counts.walk_cycles += at - begun;
    return at;
}

/* ---- accesses ---- */

enum { SPACE_BIT = 56 };

/* The physical address: with random pages, a page goes to a place that follows from its number
 * alone, no two to the same. */
static uint64_t memory_time_place(const struct memory_time *memory, uint64_t address)
{
    if (!memory->config.pages) return address;
    /* a bijection of 52 bits: products with odd numbers and shifted sums have inverses */
    const uint64_t mask = (UINT64_C(1) << (64 - PAGE_BITS)) - 1;
    uint64_t page = address >> PAGE_BITS;
    page = page * UINT64_C(0x9E3779B97F4A7C15) & mask;
    page ^= page >> 25;
    page = page * UINT64_C(0xD1B54A32D192ED03) & mask;
    page ^= page >> 26;
    return page << PAGE_BITS | (address & ((1 << PAGE_BITS) - 1));
}

static bool memory_time_meet(struct memory_time *memory, uint32_t cpu)
{
    if (cpu < memory->cpu_count) return true;
    struct memory_cpu *more = realloc(memory->cpus, (cpu + (size_t)1) * sizeof *more);
    if (!more) return false;
    memset(more + memory->cpu_count, 0, (cpu + 1 - memory->cpu_count) * sizeof *more);
    memory->cpus = more;
    memory->cpu_count = cpu + 1;
    return true;
}

struct memory_reply memory_time_access(struct memory_time *memory, uint32_t cpu, uint64_t cycle,
                                       uint64_t pc, uint64_t address, enum spoor_reference_op op)
{
    bool missed = false;
    if (memory->apart) address ^= (uint64_t)cpu << SPACE_BIT;
    struct spoor_reference reference = {.address = address,
                                        .pc = pc,
                                        .cpu = (uint16_t)(cpu + 1),
                                        .op = (uint8_t)op,
                                        .has = SPOOR_REFERENCE_HAS_PC | SPOOR_REFERENCE_HAS_CPU};
    memory->cpu = cpu;
    if (!memory_time_meet(memory, cpu)) {
        memory->failed = true;
        return (struct memory_reply){.ready = cycle};
    }
    memory->clock.at = memory->clock.ready = cycle;
    if (memory->tlbs) {
        memory->tlb_clock.at = memory->tlb_clock.ready = cycle;
        reference.op = op == SPOOR_REFERENCE_WRITE ? SPOOR_REFERENCE_READ : reference.op;
        spoor_cache_system_access(memory->tlbs, &reference);
        reference.op = (uint8_t)op;
        memory->clock.at = memory->clock.ready = memory->tlb_clock.ready;
    }
    reference.address = memory_time_place(memory, address);
    memory->clock.merged = false;
    if (op == SPOOR_REFERENCE_FETCH ? memory->caches != NULL : memory->holds_data) {
        missed = spoor_cache_system_access(memory->caches, &reference) > 0 || memory->clock.merged;
    } else if (op != SPOOR_REFERENCE_FETCH && memory->dram) {
        memory->clock.ready =
            memory_time_serve(memory, memory->clock.at,
                              &(struct request){.address = reference.address, .op = reference.op});
        missed = true;
    } else if (op == SPOOR_REFERENCE_READ) { /* as where no time is spent in memory: a hit */
        memory->clock.ready += memory->config.latency[SPOOR_CLASS_LOAD];
    }
    return (struct memory_reply){.ready = memory->clock.ready, .missed = missed};
}

void memory_time_forward(struct memory_time *memory, uint32_t cpu)
{
    if (!memory_time_meet(memory, cpu))
        memory->failed = true;
    else if (!memory->cpus[cpu].over)
        memory->cpus[cpu].counts.forwarded++;
}

void memory_time_warm(struct memory_time *memory, uint32_t cpu,
                      const struct spoor_operation *operations, size_t count)
{
    memory->clock.stopped = memory->tlb_clock.stopped = true;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_operation *operation = &operations[i];
        if ((operation->is & (SPOOR_OPERATION_FIRST | SPOOR_OPERATION_UNPLACED)) ==
            SPOOR_OPERATION_FIRST)
            memory_time_access(memory, cpu, 0, operation->pc, operation->pc, SPOOR_REFERENCE_FETCH);
        if (operation->is & SPOOR_UOP_LOAD)
            memory_time_access(memory, cpu, 0, operation->pc, operation->address,
                               SPOOR_REFERENCE_READ);
        if (operation->is & SPOOR_UOP_STORE)
            memory_time_access(memory, cpu, 0, operation->pc, operation->address,
                               SPOOR_REFERENCE_WRITE);
    }
    memory->clock.stopped = memory->tlb_clock.stopped = false;
}

unsigned memory_time_block_bits(const struct memory_time *memory)
{
    enum { USUAL = 6 };
    const struct spoor_cache_system *system = memory->caches;
    for (size_t i = 0; system && i < system->count; i++)
        if (system->caches[i].entry && system->caches[i].takes & SPOOR_CACHE_FETCHES)
            return system->caches[i].block_bits;
    return USUAL;
}

/* ---- construction ---- */

struct memory_time *memory_time_new(const struct spoor_pipeline_config *config, bool apart,
                                    struct spoor_error *error)
{
    struct spoor_cache_level levels[SPOOR_PIPELINE_LEVELS], tlbs[SPOOR_PIPELINE_LEVELS];
    enum spoor_status status = memory_time_parse(config, levels, tlbs, error);
    if (status != SPOOR_OK) return NULL;
    struct memory_time *memory = calloc(1, sizeof *memory);
    if (!memory) {
        error_no_memory(error);
        return NULL;
    }
    memory->config = *config;
    memory->apart = apart;
    memory->clock = (struct memory_clock){.below = memory_time_serve, .context = memory};
    memory->tlb_clock = (struct memory_clock){.below = memory_time_walk, .context = memory};
    const struct spoor_cache_options options = {.memory = UINT64_MAX, .incoherent = apart};
    if (config->levels)
        status = spoor_cache_system_new(&memory->caches, levels, config->levels, &options, error);
    if (status == SPOOR_OK && config->tlbs)
        status = spoor_cache_system_new(&memory->tlbs, tlbs, config->tlbs, &options, error);
    if (status == SPOOR_OK && memory->caches && spoor_cache_system_needs_future(memory->caches))
        status = spoor_error_set(error, SPOOR_EUSAGE,
                                 "policy 'opt' uses the future: a pipeline cannot use it");
    uint32_t latencies[SPOOR_CACHE_LEVELS] = {config->latency[SPOOR_CLASS_LOAD]};
    for (uint32_t i = 0; i < SPOOR_PIPELINE_LEVELS; i++) latencies[i + 1] = config->miss_latency[i];
    uint32_t tlb_latencies[SPOOR_PIPELINE_LEVELS] = {0};
    for (uint32_t i = 1; i < SPOOR_PIPELINE_LEVELS; i++) tlb_latencies[i] = config->tlb_latency;
    bool good = true;
    if (status == SPOOR_OK && memory->caches)
        good = cache_system_start_time(memory->caches, &memory->clock, latencies,
                                       SPOOR_PIPELINE_LEVELS + 1, 0);
    if (status == SPOOR_OK && good && memory->tlbs)
        good = cache_system_start_time(memory->tlbs, &memory->tlb_clock, tlb_latencies,
                                       SPOOR_PIPELINE_LEVELS, 0);
    /* the levels on the path of data, whose number says which latency is that of the memory */
    memory->config.depth = 0;
    for (size_t i = 0; status == SPOOR_OK && memory->caches && i < memory->caches->count; i++) {
        uint32_t depth = 0;
        memory->holds_data |= (memory->caches->caches[i].takes & SPOOR_CACHE_DATA) != 0;
        if (!memory->caches->caches[i].entry) continue;
        for (const struct cache *at = &memory->caches->caches[i]; at; at = at->parent) depth++;
        if (depth > memory->config.depth) memory->config.depth = depth;
    }
    if (status == SPOOR_OK && config->dram) {
        memory->dram = dram_new(&(struct dram_setup){.device = config->dram - 1,
                                                     .channels = 1u << config->dram_channels,
                                                     .ranks = 1u << config->dram_ranks,
                                                     .queue = config->dram_queue,
                                                     .megahertz = config->megahertz,
                                                     .closes = config->dram_page != 0});
        good = good && memory->dram;
    }
    if (status == SPOOR_OK && good) return memory;
    if (status == SPOOR_OK) error_no_memory(error);
    memory_time_free(memory);
    return NULL;
}

void memory_time_free(struct memory_time *memory)
{
    if (!memory) return;
    spoor_cache_system_free(memory->caches);
    spoor_cache_system_free(memory->tlbs);
    dram_free(memory->dram);
    for (uint32_t i = 0; i < memory->cpu_count; i++) {
        free(memory->cpus[i].before);
        free(memory->cpus[i].after);
    }
    free(memory->cpus);
    hash_map_free(&memory->met);
    free(memory);
}

/* ---- counts ---- */

static size_t memory_time_level_count(const struct memory_time *memory)
{
    return (memory->caches ? memory->caches->count : 0) + (memory->tlbs ? memory->tlbs->count : 0);
}

/* What a cpu has counted in a level; NULL: it has accessed none. */
static const struct spoor_cache_counts *memory_time_level(const struct memory_time *memory,
                                                          uint32_t cpu, size_t level)
{
    const size_t caches = memory->caches ? memory->caches->count : 0;
    const struct spoor_cache_system *system = level < caches ? memory->caches : memory->tlbs;
    const struct cpus *machines = &system->machines;
    const spoor_name name = (spoor_name)(cpu + 1);
    const size_t index = level < caches ? level : level - caches;
    if (!system->splits) return cpu ? NULL : &system->caches[index].counts;
    if (name >= machines->number_capacity || !machines->numbers[name]) return NULL;
    return cache_system_counts_of(system, machines->numbers[name] - 1, index);
}

static struct spoor_cache_counts *memory_time_levels(struct memory_time *memory, uint32_t cpu)
{
    const size_t count = memory_time_level_count(memory);
    struct spoor_cache_counts *all = calloc(count + 1, sizeof *all);
    if (!all) memory->failed = true;
    for (size_t i = 0; all && i < count; i++) {
        const struct spoor_cache_counts *own = memory_time_level(memory, cpu, i);
        if (own) all[i] = *own;
    }
    return all;
}

void memory_time_begin_counting(struct memory_time *memory, uint32_t cpu)
{
    if (!memory_time_meet(memory, cpu)) {
        memory->failed = true;
        return;
    }
    struct memory_cpu *own = &memory->cpus[cpu];
    if (own->over) return;
    free(own->before);
    own->before = memory_time_levels(memory, cpu);
    own->counts = (struct memory_counts){0};
}

void memory_time_end_counting(struct memory_time *memory, uint32_t cpu)
{
    if (!memory_time_meet(memory, cpu)) {
        memory->failed = true;
        return;
    }
    struct memory_cpu *own = &memory->cpus[cpu];
    if (own->over) return;
    own->after = memory_time_levels(memory, cpu);
    own->over = true;
}

void memory_time_restart(struct memory_time *memory)
{
    if (memory->caches) cache_system_restart_time(memory->caches);
    if (memory->tlbs) cache_system_restart_time(memory->tlbs);
    if (memory->dram) dram_restart(memory->dram);
    for (uint32_t cpu = 0; cpu < memory->cpu_count; cpu++) {
        free(memory->cpus[cpu].after);
        memory->cpus[cpu].after = NULL;
        memory->cpus[cpu].over = false;
        memory_time_begin_counting(memory, cpu);
    }
}

/* Adds `sign`, 1 or -1, times the counts of a level. */
static void memory_time_add(struct spoor_cache_counts *to, const struct spoor_cache_counts *counts,
                            uint64_t sign)
{
    _Static_assert(sizeof *to % sizeof(uint64_t) == 0, "all are counts");
    uint64_t *sums = (uint64_t *)to;
    const uint64_t *own = (const uint64_t *)counts;
    for (size_t i = 0; i < sizeof *to / sizeof *sums; i++) sums[i] += sign * own[i];
}

/* The counts of a level: sums over all cpus. */
static struct spoor_cache_counts memory_time_sums(const struct memory_time *memory, size_t level)
{
    struct spoor_cache_counts sums = {.evictions = 0};
    for (uint32_t cpu = 0; cpu < memory->cpu_count; cpu++) {
        const struct memory_cpu *own = &memory->cpus[cpu];
        const struct spoor_cache_counts *counts =
            own->over ? &own->after[level] : memory_time_level(memory, cpu, level);
        if (counts) memory_time_add(&sums, counts, 1);
        if (own->before) memory_time_add(&sums, &own->before[level], UINT64_MAX);
    }
    return sums;
}

enum spoor_status memory_time_status(const struct memory_time *memory, struct spoor_error *error)
{
    if (memory->failed) return error_no_memory(error);
    enum spoor_status status = SPOOR_OK;
    if (memory->caches) status = cache_system_status(memory->caches, error);
    if (memory->tlbs && status == SPOOR_OK) status = cache_system_status(memory->tlbs, error);
    return status;
}

/* ---- the result ---- */

static uint64_t memory_time_sum(const uint64_t *counts)
{
    uint64_t sum = 0;
    for (int i = 0; i < SPOOR_CACHE_KINDS; i++) sum += counts[i];
    return sum;
}

static double memory_time_mean(uint64_t sum, uint64_t count)
{
    return count ? (double)sum / (double)count : 0;
}

void memory_time_report(const struct memory_time *memory, struct spoor_result *result)
{
    enum { DECIMALS = 2 };
    const struct spoor_cache_system *caches = memory->caches;
    bool prefetches = false;
    for (size_t i = 0; caches && i < caches->count; i++)
        prefetches |= caches->caches[i].prefetcher != NULL;
    struct spoor_result *rows = caches ? spoor_result_array(result, "caches") : NULL;
    for (size_t i = 0; caches && i < caches->count; i++) {
        const struct spoor_cache_counts sums = memory_time_sums(memory, i), *counts = &sums;
        struct spoor_result *row = spoor_result_object(rows, NULL);
        const uint64_t misses = memory_time_sum(counts->misses);
        spoor_result_text(row, "name", caches->caches[i].name);
        spoor_result_unsigned(row, "fetches", counts->accesses[SPOOR_REFERENCE_FETCH]);
        spoor_result_unsigned(row, "reads", counts->accesses[SPOOR_REFERENCE_READ]);
        spoor_result_unsigned(row, "writes", counts->accesses[SPOOR_REFERENCE_WRITE]);
        spoor_result_unsigned(row, "fetch_misses", counts->misses[SPOOR_REFERENCE_FETCH]);
        spoor_result_unsigned(row, "read_misses", counts->misses[SPOOR_REFERENCE_READ]);
        spoor_result_unsigned(row, "write_misses", counts->misses[SPOOR_REFERENCE_WRITE]);
        spoor_result_unsigned(row, "misses", misses);
        spoor_result_unsigned(row, "merges", counts->merges);
        spoor_result_unsigned(row, "mshr_cycles", counts->mshr_cycles);
        spoor_result_unsigned(row, "writebacks", counts->writebacks);
        if (!prefetches) continue;
        spoor_result_unsigned(row, "prefetches", memory_time_sum(counts->prefetches));
        spoor_result_unsigned(row, "prefetch_misses", memory_time_sum(counts->prefetch_misses));
        spoor_result_unsigned(row, "prefetch_useful", counts->prefetch_useful);
        spoor_result_unsigned(row, "prefetch_late", counts->prefetch_late);
        spoor_result_unsigned(row, "prefetch_useless", counts->prefetch_useless);
        spoor_result_unsigned(row, "prefetch_polluting", counts->prefetch_polluting);
        spoor_result_unsigned(row, "prefetch_dropped", counts->prefetch_dropped);
    }
    const struct spoor_cache_system *tlbs = memory->tlbs;
    rows = tlbs ? spoor_result_array(result, "tlbs") : NULL;
    for (size_t i = 0; tlbs && i < tlbs->count; i++) {
        const struct spoor_cache_counts counts =
            memory_time_sums(memory, (caches ? caches->count : 0) + i);
        struct spoor_result *row = spoor_result_object(rows, NULL);
        spoor_result_text(row, "name", tlbs->caches[i].name);
        spoor_result_unsigned(row, "lookups", memory_time_sum(counts.accesses));
        spoor_result_unsigned(row, "misses", memory_time_sum(counts.misses));
    }
    _Static_assert(sizeof(struct memory_counts) % sizeof(uint64_t) == 0, "all are counts");
    struct memory_counts all = {0};
    for (uint32_t cpu = 0; cpu < memory->cpu_count; cpu++) {
        const uint64_t *own = (const uint64_t *)&memory->cpus[cpu].counts;
        for (size_t i = 0; i < sizeof all / sizeof *own; i++) ((uint64_t *)&all)[i] += own[i];
    }
    spoor_result_unsigned(result, "forwarded", all.forwarded);
    if (tlbs) {
        spoor_result_unsigned(result, "walks", all.walks);
        spoor_result_real(result, "walk_latency", memory_time_mean(all.walk_cycles, all.walks),
                          DECIMALS);
    }
    spoor_result_unsigned(result, "memory_reads", all.requests);
    spoor_result_real(result, "memory_latency", memory_time_mean(all.request_cycles, all.requests),
                      DECIMALS);
    if (!memory->dram) return;
    const struct dram_counts *counts = &all.dram;
    struct spoor_result *object = spoor_result_object(result, "dram");
    spoor_result_unsigned(object, "reads", counts->reads);
    spoor_result_unsigned(object, "writes", counts->writes);
    spoor_result_unsigned(object, "row_hits", counts->row_hits);
    spoor_result_unsigned(object, "row_misses", counts->row_misses);
    spoor_result_unsigned(object, "row_conflicts", counts->row_conflicts);
    spoor_result_real(object, "read_latency", memory_time_mean(counts->read_cycles, counts->reads),
                      DECIMALS);
}
