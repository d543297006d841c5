/* SPDX-License-Identifier: MIT */
/* system.c: run references through a tree of caches. */
#include "simulate/cache/system.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "model/error.h"
#include "model/options.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/block_run.h"
#include "simulate/cache/classify.h"
#include "simulate/future.h"

/* ---- memory ---- */

enum {
    SHADOW_BYTES = 48, /* of a block, to classify misses */
    INDEX_BYTES = 32,  /* of a block, to find it among many */
    POLICY_BYTES = 16, /* of a block, in addition to its order */
};

uint64_t cache_system_memory(const struct spoor_cache_level *levels, size_t count,
                             const struct spoor_cache_options *options)
{
    const struct cache *cache = NULL;
    const uint64_t line = sizeof *cache->tags + sizeof *cache->order + sizeof *cache->lines +
                          sizeof *cache->hints + sizeof *cache->recent + INDEX_BYTES +
                          POLICY_BYTES + (options->classify ? SHADOW_BYTES : 0) +
                          (options->by_set ? sizeof(uint64_t) : 0);
    uint64_t needed = 0;
    for (size_t i = 0; i < count; i++) {
        const struct spoor_cache_level *level = &levels[i];
        const uint64_t blocks = (level->block ? level->size / level->block : 0) + level->victim;
        uint64_t copy = 0;
        memory_need(&copy, blocks, line);
        memory_need(&needed, level->copies ? level->copies : 1, copy);
    }
    return needed;
}

enum spoor_status spoor_cache_system_new(struct spoor_cache_system **system,
                                         const struct spoor_cache_level *levels, size_t count,
                                         const struct spoor_cache_options *options,
                                         struct spoor_error *error)
{
    struct spoor_cache_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_cache_system *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    made->splits = !own.shared;
    for (size_t i = 0; i < count; i++) made->splits &= levels[i].copies <= 1;
    for (size_t i = 0; i < count && made->splits; i++) made->shares |= levels[i].shared;
    status = memory_check("the levels", cache_system_memory(levels, count, &made->options),
                          made->options.memory, error);
    if (status == SPOOR_OK) status = system_build(made, levels, count, error);
    if (status == SPOOR_OK)
        *system = made;
    else
        spoor_cache_system_free(made);
    return status;
}

void spoor_cache_system_free(struct spoor_cache_system *system)
{
    if (!system) return;
    for (size_t i = 1; i < system->machines.count; i++)
        spoor_cache_system_free(system->others[i - 1]);
    free(system->others);
    free(system->sums);
    free(system->set_aside);
    cpus_free(&system->machines);
    for (size_t i = 0; system->caches && i < system->count; i++) cache_free(&system->caches[i]);
    free(system->caches);
    free(system->levels);
    free(system->kept);
    free(system->ordinals);
    free(system);
}

/* ---- cpus ---- */

/* Cpus are numbered in order of appearance, for any names. */
static uint32_t system_new_ordinal(struct spoor_cache_system *system, uint16_t cpu)
{
    if (!array_reserve_zeroed(&system->ordinals, &system->ordinal_capacity, cpu + (size_t)1)) {
        system->out_of_memory = true;
        return 0;
    }
    if (system->ordinals[cpu] == 0) system->ordinals[cpu] = ++system->cpus;
    return system->ordinals[cpu] - 1;
}

static inline uint32_t system_cpu(struct spoor_cache_system *system,
                                  const struct spoor_reference *reference)
{
    const unsigned named = SPOOR_REFERENCE_HAS_CPU | SPOOR_REFERENCE_HAS_AGENT;
    if (system->single || !(reference->has & named)) return 0;
    const bool known =
        reference->cpu < system->ordinal_capacity && system->ordinals[reference->cpu] > 0;
    return known ? system->ordinals[reference->cpu] - 1
                 : system_new_ordinal(system, reference->cpu);
}

/* Makes the system of one more cpu, equal to that of the first; its sums have a place. */
static enum spoor_status system_add_cpu(struct spoor_cache_system *system,
                                        struct spoor_error *error)
{
    const size_t number = system->machines.count;
    struct spoor_cache_level levels[SPOOR_CACHE_LEVELS] = {{.size = 0}};
    struct spoor_cache_options options = system->options;
    struct spoor_cache_system *made = NULL;
    for (size_t i = 0; i < system->level_count; i++) levels[i] = system->levels[i].level;
    uint64_t needed = 0;
    memory_need(&needed, number + 1, cache_system_memory(levels, system->level_count, &options));
    enum spoor_status status =
        memory_check("the levels of all cpus", needed, options.memory, error);
    if (!system->sums) system->sums = calloc(system->count, sizeof *system->sums);
    if (!system->set_aside) system->set_aside = calloc(system->count, sizeof *system->set_aside);
    if (status == SPOOR_OK && (!system->sums || !system->set_aside ||
                               !array_reserve(&system->others, &system->other_capacity, number)))
        status = memory_status(false, error);
    if (status == SPOOR_OK) made = calloc(1, sizeof *made);
    if (!made) return status == SPOOR_OK ? memory_status(false, error) : status;
    made->options = options;
    made->first = system;
    made->number = (uint32_t)number;
    made->shares = system->shares;
    status = system_build(made, levels, system->level_count, error);
    system->others[number - 1] = made;
    if (status == SPOOR_OK && system->clock)
        status = memory_status(cache_system_start_time(made, system->clock, system->latencies,
                                                       SPOOR_CACHE_LEVELS, system->fetch_latency),
                               error);
    if (status == SPOOR_OK && made->shares)
        status = memory_status(system_list_sharers(system, number + 1), error);
    if (status != SPOOR_OK) {
        spoor_cache_system_free(made);
        return status;
    }
    if (system->paused) spoor_cache_system_pause(made);
    return SPOOR_OK;
}

const struct spoor_cache_counts *cache_system_counts_of(const struct spoor_cache_system *system,
                                                        size_t cpu, size_t index)
{
    const struct spoor_cache_system *one = system_of_cpu(system, cpu);
    if (!system->shares || system->counting == 0 || !system->levels[index].level.shared)
        return &one->caches[index].counts;
    if (system->counting == cpu) return &system->caches[index].counts;
    return cpu ? &one->caches[index].counts : &system->set_aside[index];
}

/* Lets the shared levels count for the cpu with this number from here on. */
static void system_count_for(struct spoor_cache_system *system, size_t number)
{
    if (system->counting == number) return;
    const size_t numbers[2] = {system->counting, number};
    for (size_t i = 0; i < system->count; i++) {
        if (!system->levels[i].level.shared) continue; /* of a split system, one cache a level */
        struct spoor_cache_counts *now = &system->caches[i].counts, *own[2];
        for (int k = 0; k < 2; k++)
            own[k] = numbers[k] ? &system->others[numbers[k] - 1]->caches[i].counts
                                : &system->set_aside[i];
        *own[0] = *now;
        *now = *own[1];
    }
    system->counting = number;
}

struct spoor_cache_system *cache_system_of_cpu(struct spoor_cache_system *system, spoor_name cpu,
                                               struct spoor_error *error)
{
    struct cpus *machines = &system->machines;
    const bool known = cpu < machines->number_capacity && machines->numbers[cpu] > 0;
    if (!known && machines->count && system_add_cpu(system, error) != SPOOR_OK) return NULL;
    const size_t number = cpus_number(machines, cpu);
    if (number != SIZE_MAX) {
        if (system->shares) system_count_for(system, number);
        return number ? system->others[number - 1] : system;
    }
    if (machines->count) spoor_cache_system_free(system->others[machines->count - 1]);
    memory_status(false, error);
    return NULL;
}

void spoor_cache_system_name_cpus(struct spoor_cache_system *system,
                                  const struct spoor_stream *stream)
{
    system->machines.texts = stream->names;
}

size_t spoor_cache_system_cpu_count(const struct spoor_cache_system *system)
{
    return system->machines.count ? system->machines.count : 1;
}

/* ---- references ---- */

static struct request system_request(const struct spoor_cache_system *system,
                                     const struct spoor_reference *reference, uint32_t cpu)
{
    struct request request = {.address = reference->address,
                              .pc = reference->pc,
                              .size = reference->size,
                              .cpu = cpu,
                              .op = reference->op,
                              .has_pc = reference->has & SPOOR_REFERENCE_HAS_PC};
    const uint32_t unknown = system->options.unknown_size;
    if (request.size == 0 && unknown) {
        request.address &= ~((uint64_t)unknown - 1);
        request.size = unknown;
    }
    return request;
}

/* A request of the trace to copy a block back or to invalidate it; size 0: all blocks. */
static void system_maintain(struct spoor_cache_system *system,
                            const struct spoor_reference *reference)
{
    for (size_t i = 0; i < system->count; i++) {
        struct cache *cache = system->caches[i].stands_for;
        if (!cache) cache = &system->caches[i];
        const bool drop = reference->op == SPOOR_REFERENCE_INVALIDATE;
        const uint64_t block = reference->address >> cache->block_bits;
        for (size_t line = 0; line < cache->sets * cache->ways; line++) {
            if (cache_is_empty(cache, line)) continue;
            if (reference->size && cache->tags[line] != block) continue;
            if (!drop) cache_write_down(cache, line);
            if (drop) cache_drop(cache, line);
        }
    }
}

static unsigned system_access_slowly(struct spoor_cache_system *system, struct cache *cache,
                                     const struct spoor_reference *reference, uint32_t cpu)
{
    struct request request = system_request(system, reference, cpu + system->number);
    return cache_request(cache, &request);
}

/* The way of a block, testing the most recently used one first; the number of ways if there is
 * none. */
static inline uint32_t cache_way_of(const struct cache *cache, uint64_t set, uint64_t block)
{
    const uint64_t *tags = &cache->tags[set * cache->ways];
    const uint32_t recent = cache->recent[set];
    if (tags[recent] == block) return recent;
    if (cache->ways >= INDEX_WAYS) return cache->ways;
    uint32_t way = 0;
    while (way < cache->ways && tags[way] != block) way++;
    return way;
}

/* Most references hit, and most of these hit the block that their set used last.  A hit that
 * changes only the policy's state is counted here; all others take the slow path. */
static inline unsigned system_access_cache(struct spoor_cache_system *system, struct cache *cache,
                                           const struct spoor_reference *reference, uint32_t cpu)
{
    const unsigned op = reference->op;
    if (!(cache->plain >> op & 1)) return system_access_slowly(system, cache, reference, cpu);
    const uint64_t block = reference->address >> cache->block_bits;
    const uint64_t set = cache_set_of(cache, block);
    const uint64_t in_block = reference->address & (cache_block_size(cache) - 1);
    const uint32_t way = cache_way_of(cache, set, block);
    if (way == cache->ways || in_block + reference->size > cache_block_size(cache)) {
        /* Fetches what a miss needs into the processor's cache, at all levels at once. */
        for (const struct cache *at = cache; at; at = at->parent) {
            const uint64_t needed = reference->address >> at->block_bits;
            const size_t first = cache_set_of(at, needed) * at->ways;
            __builtin_prefetch(&at->tags[first]);
            __builtin_prefetch(&at->order[first]);
            if (at->shadow)
                hash_map_prefetch(&at->shadow->blocks, needed, sizeof(struct block_map_slot));
        }
        return system_access_slowly(system, cache, reference, cpu);
    }
    if (way != cache->recent[set] || !cache->policy->repeats_freely)
        cache->policy->touch(cache->policy_state, set, way, NULL);
    cache->recent[set] = way;
    if (cache->shadow) shadow_touch(cache->shadow, block, &cache->hints[set * cache->ways + way]);
    cache->counts.accesses[op]++;
    if (op == SPOOR_REFERENCE_WRITE)
        cache->lines[set * cache->ways + way].dirty = cache->write == SPOOR_CACHE_WRITE_BACK;
    return 0;
}

/* With several trees side by side, the depth is that of the first. */
static inline unsigned system_access(struct spoor_cache_system *system,
                                     const struct spoor_reference *reference)
{
    const unsigned kind = reference->op != SPOOR_REFERENCE_FETCH;
    if (reference->op > SPOOR_REFERENCE_MISC) {
        system_maintain(system, reference);
        return 0;
    }
    const uint32_t cpu = system_cpu(system, reference) % SPOOR_CACHE_COPIES;
    const size_t count = system->entry_count[kind];
    unsigned depth = 0;
    for (size_t i = count; i-- > 0;)
        depth = system_access_cache(system, system->entries[cpu][kind][i], reference, cpu);
    system->unserved += count == 0;
    return depth;
}

unsigned spoor_cache_system_access(struct spoor_cache_system *system,
                                   const struct spoor_reference *reference)
{
    struct spoor_cache_system *one = system;
    const spoor_name cpu = cpu_of_reference(reference);
    /* most traces have one cpu */
    const bool first =
        system->machines.count && system->machines.names[0] == cpu && system->counting == 0;
    if (system->splits && !first) one = cache_system_of_cpu(system, cpu, NULL);
    if (!one) system->out_of_memory = true;
    return one ? system_access(one, reference) : 0;
}

enum spoor_status spoor_cache_system_feed(struct spoor_cache_system *system,
                                          const struct spoor_reference *references, size_t count,
                                          struct spoor_error *error)
{
    for (size_t some; count > 0; references += some, count -= some) {
        struct spoor_cache_system *one = system;
        /* The references up to the first of another cpu. */
        const spoor_name cpu = cpu_of_reference(references);
        uint64_t instructions = 0;
        for (some = 0; some < count; some++) {
            if (system->splits && cpu_of_reference(&references[some]) != cpu) break;
            instructions += reference_is_instruction(&references[some]);
        }
        if (system->splits) {
            struct spoor_error own = {0};
            one = cache_system_of_cpu(system, cpu, &own);
            if (!one) return spoor_error_set(error, own.status, "%s", own.text);
        }
        one->instructions += instructions;
        if (one->single && one->entry_count[0] == 1 && one->entry_count[1] == 1) {
            /* Fast path: all cpus enter at the same cache, or at the same two. */
            struct cache *const entries[2] = {one->entries[0][0][0], one->entries[0][1][0]};
            for (size_t i = 0; i < some; i++) {
                const unsigned op = references[i].op;
                if (op > SPOOR_REFERENCE_MISC)
                    system_maintain(one, &references[i]);
                else
                    system_access_cache(one, entries[op != SPOOR_REFERENCE_FETCH], &references[i],
                                        0);
            }
        } else {
            for (size_t i = 0; i < some; i++) system_access(one, &references[i]);
        }
    }
    return cache_system_status(system, error);
}

/* ---- the future ---- */

bool spoor_cache_system_needs_future(const struct spoor_cache_system *system)
{
    for (size_t i = 0; i < system->count; i++)
        if (system->caches[i].future) return true;
    return false;
}

enum spoor_status spoor_cache_system_foresee(struct spoor_cache_system *system,
                                             const struct spoor_reference *references, size_t count,
                                             struct spoor_error *error)
{
    bool good = true;
    for (size_t i = 0; i < count && good; i++) {
        const struct spoor_reference *reference = &references[i];
        struct spoor_cache_system *one = system;
        if (system->splits) one = cache_system_of_cpu(system, cpu_of_reference(reference), error);
        if (!one) return error ? error->status : SPOOR_ENOMEM;
        if (reference->op > SPOOR_REFERENCE_MISC) continue;
        const unsigned kind = reference->op != SPOOR_REFERENCE_FETCH;
        const uint32_t cpu = system_cpu(one, reference) % SPOOR_CACHE_COPIES;
        const struct request request = system_request(system, reference, 0);
        for (size_t k = 0; k < one->entry_count[kind] && good; k++) {
            const struct cache *cache = one->entries[cpu][kind][k];
            if (!cache->future) continue;
            struct block_run run = block_run_of(request.address, request.size, cache->block_bits);
            if (cache->crossing == SPOOR_CACHE_CROSSING_FIRST) run.last = run.block;
            do good = future_add(cache->future, run.block);
            while (good && block_run_next(&run));
        }
    }
    for (size_t cpu = 0; cpu < spoor_cache_system_cpu_count(system); cpu++) {
        const struct spoor_cache_system *one = system_of_cpu(system, cpu);
        for (size_t i = 0; i < one->count && good; i++)
            good = !one->caches[i].future || future_solve(one->caches[i].future);
    }
    return memory_status(good, error);
}

/* ---- the end, and counts ---- */

enum spoor_status spoor_cache_system_end(struct spoor_cache_system *system,
                                         struct spoor_error *error)
{
    for (size_t i = 0; i < system->count && system->options.flush; i++)
        if (system->caches[i].entry && system->caches[i].takes & SPOOR_CACHE_DATA)
            for (struct cache *at = &system->caches[i]; at; at = at->parent) cache_flush(at);
    for (size_t i = 1; i < system->machines.count; i++)
        spoor_cache_system_end(system->others[i - 1], NULL);
    return cache_system_status(system, error);
}

void cache_system_restart_time(struct spoor_cache_system *system)
{
    for (size_t i = 1; i < system->machines.count; i++)
        cache_system_restart_time(system->others[i - 1]);
    for (size_t i = 0; i < system->count; i++)
        if (system->caches[i].time) cache_time_restart(&system->caches[i]);
}

void spoor_cache_system_end_warmup(struct spoor_cache_system *system)
{
    if (system->shares && !system->first) system_count_for(system, 0);
    for (size_t i = 1; i < system->machines.count; i++)
        spoor_cache_system_end_warmup(system->others[i - 1]);
    system->instructions = 0;
    for (size_t i = 0; i < system->count; i++)
        system->caches[i].counts = (struct spoor_cache_counts){0};
    system->unserved = 0;
    /* what was counted before a pause goes, too, or resuming would bring it back */
    for (size_t i = 0; i < system->count && system->paused; i++)
        system->kept[i] = (struct spoor_cache_counts){0};
    system->kept_unserved = system->kept_instructions = 0;
}

void spoor_cache_system_pause(struct spoor_cache_system *system)
{
    if (system->paused) return;
    if (system->shares && !system->first) system_count_for(system, 0);
    for (size_t i = 1; i < system->machines.count; i++)
        spoor_cache_system_pause(system->others[i - 1]);
    if (!system->kept) system->kept = calloc(system->count, sizeof *system->kept);
    if (!system->kept) {
        system->out_of_memory = true;
        return;
    }
    for (size_t i = 0; i < system->count; i++) system->kept[i] = system->caches[i].counts;
    system->kept_unserved = system->unserved;
    system->kept_instructions = system->instructions;
    system->paused = true;
}

void spoor_cache_system_resume(struct spoor_cache_system *system)
{
    if (!system->paused) return;
    if (system->shares && !system->first) system_count_for(system, 0);
    for (size_t i = 1; i < system->machines.count; i++)
        spoor_cache_system_resume(system->others[i - 1]);
    for (size_t i = 0; i < system->count; i++) system->caches[i].counts = system->kept[i];
    system->unserved = system->kept_unserved;
    system->instructions = system->kept_instructions;
    system->paused = false;
}

enum spoor_status cache_system_status(const struct spoor_cache_system *system,
                                      struct spoor_error *error)
{
    if (!spoor_cache_system_out_of_memory(system)) return SPOOR_OK;
    for (size_t cpu = 0; cpu < spoor_cache_system_cpu_count(system); cpu++) {
        const struct spoor_cache_system *one = system_of_cpu(system, cpu);
        for (size_t i = 0; i < one->count; i++) {
            const struct cache *cache = &one->caches[i];
            if (cache->misled)
                return spoor_error_set(
                    error, SPOOR_EUSAGE,
                    "level %s: policy '%s' chose way %u of a set of %u, expected "
                    "one from 0",
                    cache->name, cache->policy->component.about.name, cache->wrong_way,
                    cache->ways);
        }
    }
    return memory_status(false, error);
}

bool spoor_cache_system_out_of_memory(const struct spoor_cache_system *system)
{
    bool failed = system->out_of_memory;
    for (size_t i = 1; i < system->machines.count; i++)
        failed |= spoor_cache_system_out_of_memory(system->others[i - 1]);
    for (size_t i = 0; i < system->count; i++)
        failed |= system->caches[i].shadow && system->caches[i].shadow->failed;
    return failed;
}

const uint64_t *spoor_cache_system_set_misses(const struct spoor_cache_system *system, size_t index,
                                              size_t *sets)
{
    const struct cache *cache = &system->caches[index];
    const bool one = system->machines.count <= 1;
    *sets = one && cache->attribution && cache->attribution->sets ? cache->sets : 0;
    return *sets ? cache->attribution->sets : NULL;
}

size_t spoor_cache_system_count(const struct spoor_cache_system *system)
{
    return system->count;
}

const char *spoor_cache_system_name(const struct spoor_cache_system *system, size_t index)
{
    return system->caches[index].name;
}

const struct spoor_cache_counts *spoor_cache_system_counts(const struct spoor_cache_system *system,
                                                           size_t index)
{
    _Static_assert(sizeof(struct spoor_cache_counts) % sizeof(uint64_t) == 0, "all are counts");
    if (system->machines.count <= 1) return &system->caches[index].counts;
    uint64_t *sums = (uint64_t *)&system->sums[index];
    system->sums[index] = *cache_system_counts_of(system, 0, index);
    for (size_t cpu = 1; cpu < system->machines.count; cpu++) {
        const uint64_t *own = (const uint64_t *)cache_system_counts_of(system, cpu, index);
        for (size_t i = 0; i < sizeof(struct spoor_cache_counts) / sizeof *sums; i++)
            sums[i] += own[i];
    }
    return &system->sums[index];
}
