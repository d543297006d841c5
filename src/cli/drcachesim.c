/* SPDX-License-Identifier: MIT */
/* drcachesim.c: simulates caches as DynamoRIO's simulator does. */
#include "cli/drcachesim.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/hash_map.h"
#include "cli/fold_trace.h"

enum {
    CORES = 4,
    LINE_BITS = 6,
    LINE = 1 << LINE_BITS,
    L1_WAYS = 8,
    L1_SETS = (32 << 10) / LINE / L1_WAYS,
    LL_WAYS = 16,
    LL_SETS = (8 << 20) / LINE / LL_WAYS,
};

enum cause { DEMAND, PREFETCH, CAUSES };

struct cache {
    uint64_t *lines; /* by set, the most recently used first; a line's number + 1, 0: empty */
    unsigned sets, ways;
    uint64_t hits[CAUSES], misses[CAUSES];
    uint64_t child_hits; /* hits of the caches above */
};

enum side { SIDE_INSN, SIDE_DATA, SIDES };

struct thread {
    bool placed;
    unsigned core;
};

/* A cpu of the trace, and its core. */
struct placed_cpu {
    uint64_t number; /* the key */
    unsigned core;
};

struct drcachesim {
    struct cache l1[CORES][SIDES], last;
    unsigned threads[CORES]; /* that run on the core now; by_cpu: cpus */
    bool used[CORES];
    bool by_cpu;
    bool sizes;             /* the trace states sizes: an access of 0 bytes is none */
    struct hash_map cpus;   /* of struct placed_cpu */
    struct thread *by_name; /* by the name of a record's processor */
    size_t thread_capacity;
};

/* ---- caches ---- */

/* True if the cache has the line, which becomes its set's most recently used one; on a miss, it
 * takes the place of the least recently used. */
static bool drcachesim_touch(struct cache *cache, uint64_t line)
{
    uint64_t *set = &cache->lines[line % cache->sets * cache->ways];
    const uint64_t wanted = line + 1;
    unsigned way = 0;
    if (set[0] == wanted) return true;
    while (way + 1 < cache->ways && set[way] != wanted) way++;
    const bool hit = set[way] == wanted;
    memmove(set + 1, set, way * sizeof *set);
    set[0] = wanted;
    return hit;
}

static bool drcachesim_request(struct drcachesim *simulator, struct cache *cache, uint64_t line,
                               enum cause cause)
{
    const bool hit = drcachesim_touch(cache, line);
    if (hit) {
        cache->hits[cause]++;
        simulator->last.child_hits++;
        return true;
    }
    cache->misses[cause]++;
    if (drcachesim_touch(&simulator->last, line))
        simulator->last.hits[cause]++;
    else
        simulator->last.misses[cause]++;
    return false;
}

/* The part of the access in each line is a request of its own; the prefetch after a miss
 * asks for the same part of the next line. */
static void drcachesim_access(struct drcachesim *simulator, unsigned core, enum side side,
                              uint64_t address, uint64_t size, enum cause cause)
{
    struct cache *cache = &simulator->l1[core][side];
    const uint64_t last = (address + (size ? size - 1 : 0)) >> LINE_BITS;
    for (uint64_t line = address >> LINE_BITS; line <= last; line++)
        if (!drcachesim_request(simulator, cache, line, cause) && side == SIDE_DATA &&
            cause == DEMAND)
            drcachesim_request(simulator, cache, line + 1, PREFETCH);
}

/* ---- cores ---- */

static unsigned drcachesim_emptiest_core(const struct drcachesim *simulator)
{
    unsigned found = 0;
    for (unsigned core = 1; core < CORES; core++)
        if (simulator->threads[core] < simulator->threads[found]) found = core;
    return found;
}

static bool drcachesim_feed(void *state, const struct spoor_batch *batch)
{
    struct drcachesim *simulator = state;
    for (size_t i = 0; i < batch->count; i++) {
        const struct spoor_record *record = &batch->records[i];
        const bool fetch = record->kind == SPOOR_INSN;
        if (!fetch && record->kind != SPOOR_MEM && record->kind != SPOOR_EVENT) continue;
        if (!array_reserve_zeroed(&simulator->by_name, &simulator->thread_capacity,
                                  record->cpu + (size_t)1))
            return false;
        struct thread *thread = &simulator->by_name[record->cpu];
        if (record->kind == SPOOR_EVENT && record->op == SPOOR_EVENT_MARKER) {
            const char *name = spoor_names_text(batch->stream->names, record->event.name, NULL);
            simulator->sizes = true;
            if (simulator->by_cpu && strcmp(name, "cpu") == 0) {
                bool added;
                struct placed_cpu *cpu =
                    hash_map_add(&simulator->cpus, record->event.value, sizeof *cpu, &added);
                if (!cpu) return false;
                if (added) {
                    cpu->core = drcachesim_emptiest_core(simulator);
                    simulator->threads[cpu->core]++;
                }
                thread->core = cpu->core;
                thread->placed = true;
            } else if (!simulator->by_cpu && thread->placed && strcmp(name, "thread_exit") == 0) {
                simulator->threads[thread->core]--;
                thread->placed = false;
            }
        }
        if (record->kind == SPOOR_EVENT) continue;
        if (!thread->placed) {
            thread->placed = true;
            thread->core = drcachesim_emptiest_core(simulator);
            simulator->threads[thread->core]++;
        }
        simulator->used[thread->core] = true;
        const unsigned core = thread->core;
        if (fetch && record->op != SPOOR_INSN_AGAIN)
            drcachesim_access(simulator, core, SIDE_INSN, record->insn.va, record->insn.opcode_size,
                              DEMAND);
        if (fetch || (record->mem.size == 0 && simulator->sizes)) continue;
        const struct spoor_mem *mem = &record->mem;
        const bool code = record->op == SPOOR_MEM_PREFETCH_CODE || record->op == SPOOR_MEM_FETCH;
        const bool prefetch =
            record->op == SPOOR_MEM_PREFETCH_CODE || record->op == SPOOR_MEM_PREFETCH;
        drcachesim_access(simulator, core, code ? SIDE_INSN : SIDE_DATA,
                          record->has & SPOOR_HAS_VA ? mem->va : mem->pa, mem->size,
                          prefetch ? PREFETCH : DEMAND);
    }
    return true;
}

/* ---- the report ---- */

static void drcachesim_put_ratio(struct spoor_result *row, const char *key, uint64_t misses,
                                 uint64_t all)
{
    enum { DECIMALS = 6 };
    spoor_result_real_if(row, key, all, (double)misses / (double)all, DECIMALS);
}

static struct spoor_result *drcachesim_put_cache(struct spoor_result *rows, const char *name,
                                                 const struct cache *cache)
{
    struct spoor_result *row = spoor_result_object(rows, NULL);
    spoor_result_text(row, "name", name);
    spoor_result_unsigned(row, "hits", cache->hits[DEMAND]);
    spoor_result_unsigned(row, "misses", cache->misses[DEMAND]);
    spoor_result_unsigned(row, "prefetch_hits", cache->hits[PREFETCH]);
    spoor_result_unsigned(row, "prefetch_misses", cache->misses[PREFETCH]);
    drcachesim_put_ratio(row, "miss_ratio", cache->misses[DEMAND],
                         cache->hits[DEMAND] + cache->misses[DEMAND]);
    return row;
}

static void drcachesim_report(const void *state, const struct spoor_stream *stream,
                              struct spoor_result *result)
{
    const struct drcachesim *simulator = state;
    (void)stream;
    static const char sides[SIDES] = {'I', 'D'};
    const struct cache *last = &simulator->last;
    struct spoor_result *rows = spoor_result_array(result, "caches");
    for (unsigned core = 0; core < CORES; core++) {
        if (!simulator->used[core]) continue;
        for (unsigned side = 0; side < SIDES; side++) {
            char name[16];
            snprintf(name, sizeof name, "L1%c%u", sides[side], core);
            struct spoor_result *row = drcachesim_put_cache(rows, name, &simulator->l1[core][side]);
            spoor_result_null(row, "child_hits");
            spoor_result_null(row, "total_miss_ratio");
        }
    }
    struct spoor_result *row = drcachesim_put_cache(rows, "LL", last);
    spoor_result_unsigned(row, "child_hits", last->child_hits);
    drcachesim_put_ratio(row, "total_miss_ratio", last->misses[DEMAND],
                         last->child_hits + last->hits[DEMAND] + last->misses[DEMAND]);
}

int cache_like_drcachesim(const void *context, const char *path, bool *shown,
                          struct spoor_result *all)
{
    const struct drcachesim_choice *choice = context;
    struct drcachesim *simulator = calloc(1, sizeof *simulator);
    if (simulator) simulator->by_cpu = choice->by_cpu;
    bool good = simulator;
    for (unsigned i = 0; good && i <= CORES * SIDES; i++) {
        const bool first = i < CORES * SIDES;
        struct cache *cache = first ? &simulator->l1[i / SIDES][i % SIDES] : &simulator->last;
        cache->sets = first ? L1_SETS : LL_SETS;
        cache->ways = first ? L1_WAYS : LL_WAYS;
        cache->lines = calloc((size_t)cache->sets * cache->ways, sizeof *cache->lines);
        good = cache->lines;
    }
    const struct trace_fold fold = {good ? simulator : NULL, drcachesim_feed, drcachesim_report};
    const int code = fold_trace(choice->common, &fold, path, shown, all);
    if (!simulator) return code;
    for (unsigned core = 0; core < CORES; core++)
        for (unsigned side = 0; side < SIDES; side++) free(simulator->l1[core][side].lines);
    free(simulator->last.lines);
    hash_map_free(&simulator->cpus);
    free(simulator->by_name);
    free(simulator);
    return code;
}
