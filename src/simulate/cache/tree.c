/* SPDX-License-Identifier: MIT */
/* tree.c: build a tree of caches from a list of levels. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/error.h"
#include "simulate/cache/attribution.h"
#include "simulate/cache/classify.h"
#include "simulate/cache/system.h"

/* ---- parents ---- */

/* Finds the parent of each level, and rejects levels in positions that they cannot have. */
static enum spoor_status tree_link_levels(struct spoor_cache_system *system,
                                          struct spoor_error *error)
{
    for (size_t i = 0; i < system->level_count; i++) {
        struct tree_level *built = &system->levels[i];
        const struct spoor_cache_level *above = &built->level;
        for (size_t j = 0; j < i; j++)
            if (!strcmp(system->levels[j].level.name, above->name))
                return spoor_error_set(error, SPOOR_EUSAGE, "two levels are called %s",
                                       above->name);
        const bool is_named = *above->parent && strcmp(above->parent, "memory") != 0;
        const bool has_none = *above->parent && !is_named;
        built->parent = -1;
        for (size_t j = i + 1; j < system->level_count && built->parent < 0 && !has_none; j++) {
            const struct spoor_cache_level *other = &system->levels[j].level;
            if (is_named ? !strcmp(other->name, above->parent)
                         : (other->takes & above->takes) == above->takes)
                built->parent = (int)j;
        }
        if (built->parent < 0 && is_named)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s: there is no level %s below it to be its parent",
                                   above->name, above->parent);
        if (built->parent < 0) continue;
        struct tree_level *parent = &system->levels[built->parent];
        const struct spoor_cache_level *below = &parent->level;
        if (above->shared && !below->shared)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s is shared and its parent %s is not; expected both or "
                                   "none to be shared",
                                   above->name, below->name);
        if (built->copies % parent->copies)
            return spoor_error_set(
                error, SPOOR_EUSAGE,
                "level %s has %zu copies and its parent %s %zu; expected a divisor", above->name,
                built->copies, below->name, parent->copies);
        const bool whole = !above->sub_block || above->sub_block == above->block;
        if (below->inclusion == SPOOR_CACHE_EXCLUSIVE && !(above->block == below->block && whole))
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s has blocks of %u bytes and its exclusive parent %s of "
                                   "%u; expected the same, without sub-blocks",
                                   above->name, above->block, below->name, below->block);
        parent->has_children = true;
    }
    for (size_t i = 0; i < system->level_count; i++) {
        const struct tree_level *built = &system->levels[i];
        const struct spoor_cache_level *level = &built->level;
        if (level->inclusion == SPOOR_CACHE_EXCLUSIVE && !built->has_children)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s is exclusive and nothing is above it", level->name);
        if (strcmp(level->policy, "opt") == 0 && built->has_children)
            return spoor_error_set(error, SPOOR_EUSAGE,
                                   "level %s: opt can be simulated only where references enter",
                                   level->name);
    }
    return SPOOR_OK;
}

/* ---- caches ---- */

/* Makes a cache of a level; false if memory runs out, or `error` says why not. */
static bool tree_start_cache(struct spoor_cache_system *system, struct cache *cache,
                             const struct tree_level *built, size_t copy, struct spoor_error *error)
{
    const struct spoor_cache_level *level = &built->level;
    const uint32_t sub = level->sub_block ? level->sub_block : level->block;
    if (built->copies > 1)
        snprintf(cache->name, sizeof cache->name, "%s.%zu", level->name, copy);
    else
        snprintf(cache->name, sizeof cache->name, "%s", level->name);
    cache->ways = (uint32_t)level_ways(level);
    cache->sets = level->size / level->block / cache->ways;
    if ((cache->sets & (cache->sets - 1)) == 0) cache->set_mask = cache->sets - 1;
    cache->block_bits = (unsigned)__builtin_ctz(level->block);
    cache->sub_bits = (unsigned)__builtin_ctz(sub);
    cache->write = level->write;
    cache->allocate = level->allocate;
    cache->inclusion = level->inclusion;
    cache->crossing = level->crossing;
    cache->takes = (uint8_t)level->takes;
    cache->entry = !built->has_children;
    cache->private = built->copies > 1 || (system->shares && !level->shared);
    if (system->first && level->shared) {
        cache->stands_for = &system->first->caches[cache - system->caches];
        cache->private = false;
        return true;
    }
    struct component_setup setups[2];
    if (level_components(level, setups, NULL) != SPOOR_OK) return false; /* it was checked */
    const bool fifo = strcmp(setups[0].component->about.name, "fifo") == 0;
    cache->out_of_memory = &system->out_of_memory;
    cache->to_memory = system->options.request;
    cache->to_memory_context = system->options.request_context;
    setups[0].seed = (system->options.seed * 2 + 1) ^ UINT64_C(0x9E3779B97F4A7C15);
    if (system->options.classify && cache->inclusion != SPOOR_CACHE_EXCLUSIVE) {
        cache->shadow = shadow_new((uint32_t)(cache->sets * cache->ways), fifo);
        if (!cache->shadow) return false;
    }
    if (cache->private && !system->options.incoherent) {
        cache->coherence = calloc(1, sizeof *cache->coherence);
        if (!cache->coherence) return false;
    }
    return cache_start(cache, &setups[0], setups[1].component ? &setups[1] : NULL, error) &&
           attribution_start(cache, &system->options);
}

/* True if a cpu's references can reach a cache. */
static bool tree_serves(const struct spoor_cache_system *system, const struct cache *cache,
                        size_t cpu)
{
    for (unsigned kind = 0; kind < 2; kind++)
        for (size_t i = 0; i < system->entry_count[kind]; i++)
            for (const struct cache *at = system->entries[cpu][kind][i]; at; at = at->parent)
                if (at == cache) return true;
    return false;
}

/* Lists for each cache where references of a cpu enter the caches of other cpus. */
static bool tree_list_sharers(struct spoor_cache_system *system, unsigned kind)
{
    for (size_t cpu = 0; cpu < SPOOR_CACHE_COPIES; cpu++)
        for (size_t i = 0; i < system->entry_count[kind]; i++) {
            struct coherence *coherence = system->entries[cpu][kind][i]->coherence;
            if (!coherence || coherence->others) continue;
            coherence->others = calloc(system->count, sizeof *coherence->others);
            if (!coherence->others) return false;
            for (size_t k = 0; k < system->count; k++)
                if (system->caches[k].coherence && !tree_serves(system, &system->caches[k], cpu))
                    coherence->others[coherence->other_count++] = &system->caches[k];
        }
    return true;
}

bool system_list_sharers(struct spoor_cache_system *first, size_t count)
{
    bool good = true;
    for (size_t cpu = 0; cpu < count && good; cpu++) {
        struct spoor_cache_system *own = cpu ? first->others[cpu - 1] : first;
        for (size_t i = 0; i < own->count && good; i++) {
            struct coherence *coherence = own->caches[i].coherence;
            if (!coherence || !own->caches[i].entry) continue;
            free(coherence->others);
            coherence->other_count = 0;
            coherence->others = calloc(own->count * count, sizeof *coherence->others);
            good = coherence->others;
            for (size_t k = 0; k < count && good; k++) {
                struct spoor_cache_system *other = k ? first->others[k - 1] : first;
                for (size_t j = 0; k != cpu && j < other->count; j++)
                    if (other->caches[j].coherence)
                        coherence->others[coherence->other_count++] = &other->caches[j];
            }
        }
    }
    return good;
}

/* Makes the caches, links them, and finds where references enter.  False if memory runs out. */
static bool tree_make_caches(struct spoor_cache_system *system, struct spoor_error *error)
{
    for (size_t i = 0; i < system->level_count; i++) {
        system->levels[i].first = system->count;
        system->count += system->levels[i].copies;
    }
    system->caches = calloc(system->count, sizeof *system->caches);
    if (!system->caches) return false;
    system->single = true;
    for (size_t i = 0; i < system->level_count; i++) {
        const struct tree_level *built = &system->levels[i];
        struct cache *caches = &system->caches[built->first];
        for (size_t copy = 0; copy < built->copies; copy++)
            if (!tree_start_cache(system, &caches[copy], built, copy, error)) return false;
        const struct tree_level *parent = built->parent < 0 ? NULL : &system->levels[built->parent];
        /* a parent that all cpus share is in the first system */
        const bool apart = system->first && parent && parent->level.shared;
        struct cache *all_below = apart ? system->first->caches : system->caches;
        for (size_t copy = 0; parent && all_below && copy < built->copies; copy++) {
            const size_t nearest = copy * parent->copies / built->copies;
            if (caches[copy].stands_for) continue;
            struct cache *below = &all_below[parent->first + nearest];
            caches[copy].parent = below;
            caches[copy].sibling = below->child;
            below->child = &caches[copy];
        }
        system->single &= built->copies == 1;
        for (unsigned kind = 0; kind < 2; kind++) {
            if (built->has_children || !(built->level.takes >> kind & 1)) continue;
            for (size_t cpu = 0; built->copies && cpu < SPOOR_CACHE_COPIES; cpu++)
                system->entries[cpu][kind][system->entry_count[kind]] =
                    caches->stands_for ? caches->stands_for : &caches[cpu % built->copies];
            system->entry_count[kind]++;
        }
    }
    for (size_t i = 0; i < system->count; i++) {
        struct cache *cache = &system->caches[i];
        if (!cache->prefetcher) continue;
        cache->prefetched = true;
        for (cache = cache->parent; cache && system->caches[i].prefetcher->issues_below;
             cache = cache->parent) {
            if (cache->inclusion != SPOOR_CACHE_EXCLUSIVE) cache->prefetched = true;
        }
    }
    if (!tree_list_sharers(system, 0) || !tree_list_sharers(system, 1)) return false;
    for (size_t i = 0; i < system->count; i++) {
        struct cache *cache = &system->caches[i];
        if (cache->stands_for) continue;
        /* Nothing but tags, dirty bits and the policy's state changes: visit_run() is compiled for
         * such caches alone, which most are. */
        const bool simple_parent =
            !cache->parent || cache->parent->inclusion != SPOOR_CACHE_EXCLUSIVE;
        cache->simple = simple_parent && !cache->policy->needs_future && !cache->policy->bypass &&
                        !cache->prefetched && !cache->coherence &&
                        cache->sub_bits == cache->block_bits && cache->block_bits > 0 &&
                        cache->ways < INDEX_WAYS && cache->inclusion == SPOOR_CACHE_NEITHER &&
                        cache->write == SPOOR_CACHE_WRITE_BACK &&
                        cache->allocate == SPOOR_CACHE_ALLOCATE;
    }
    return true;
}

bool cache_system_start_time(struct spoor_cache_system *system, struct memory_clock *clock,
                             const uint32_t *latencies, size_t count, uint32_t fetch)
{
    bool good = true;
    system->clock = clock;
    system->fetch_latency = fetch;
    for (size_t i = 0; i < SPOOR_CACHE_LEVELS; i++)
        system->latencies[i] = i < count ? latencies[i] : 0;
    for (size_t i = 0; i < system->level_count && good; i++) {
        const struct tree_level *built = &system->levels[i];
        /* Its depth is that of the longest path from where references enter. */
        size_t depth = 0;
        for (size_t above = 0; above < i; above++) {
            size_t steps = 0;
            int at = (int)above;
            for (; at >= 0 && (size_t)at != i; at = system->levels[at].parent) steps++;
            if (at >= 0 && steps > depth) depth = steps;
        }
        const bool fetches = depth == 0 && built->level.takes == SPOOR_CACHE_FETCHES;
        for (size_t copy = 0; copy < built->copies && good; copy++) {
            struct cache *cache = &system->caches[built->first + copy];
            if (cache->stands_for) continue;
            cache->simple = false;
            cache->plain = 0;
            good = cache_time_start(cache, clock, fetches ? fetch : system->latencies[depth],
                                    built->level.ports, built->level.mshrs,
                                    built->level.prefetch_queue);
        }
    }
    return good;
}

/* ---- the list of levels ---- */

enum spoor_status system_build(struct spoor_cache_system *system,
                               const struct spoor_cache_level *levels, size_t count,
                               struct spoor_error *error)
{
    if (count == 0 || count > SPOOR_CACHE_LEVELS)
        return spoor_error_set(error, SPOOR_EUSAGE, "found %zu levels, expected 1 to %d", count,
                               SPOOR_CACHE_LEVELS);
    enum spoor_status status = SPOOR_OK;
    system->level_count = 0;
    system->levels = calloc(2 * count, sizeof *system->levels);
    if (!system->levels) return error_no_memory(error);
    for (size_t i = 0; i < count; i++) {
        struct tree_level *built = &system->levels[system->level_count++];
        status = level_check(&levels[i], error);
        if (status != SPOOR_OK) return status;
        built->level = levels[i];
        built->copies = levels[i].copies ? levels[i].copies : 1;
        if (!levels[i].victim) continue;
        /* A victim cache is a level of its own. */
        struct tree_level *victim = &system->levels[system->level_count++];
        victim->level =
            (struct spoor_cache_level){.size = (uint64_t)levels[i].victim * levels[i].block,
                                       .block = levels[i].block,
                                       .copies = levels[i].copies,
                                       .shared = levels[i].shared,
                                       .inclusion = SPOOR_CACHE_EXCLUSIVE,
                                       .takes = levels[i].takes};
        snprintf(victim->level.name, sizeof victim->level.name, "%.20s.victim", levels[i].name);
        memcpy(victim->level.parent, levels[i].parent, sizeof victim->level.parent);
        victim->copies = built->copies;
        built->level.victim = 0; /* it has been made, also for the systems of other cpus */
        memcpy(built->level.parent, victim->level.name, sizeof built->level.parent);
    }
    status = tree_link_levels(system, error);
    struct spoor_error own = {.status = SPOOR_ENOMEM};
    if (status != SPOOR_OK || tree_make_caches(system, &own)) return status;
    if (own.status == SPOOR_EUSAGE) return spoor_error_set(error, SPOOR_EUSAGE, "%s", own.text);
    return spoor_error_set(error, SPOOR_ENOMEM, "out of memory for the caches");
}
