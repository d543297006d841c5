/* SPDX-License-Identifier: MIT */
/* sweep.c: many caches in one pass. */
#include "spoor/sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/error.h"
#include "model/options.h"
#include "simulate/cache/block_run.h"
#include "simulate/cache/system.h"
#include "simulate/words.h"
#include "spoor/cache.h"

enum {
    KINDS = SPOOR_CACHE_KINDS,
    FILL = KINDS, /* writes of whole blocks, which need no fetch */
    COUNTED,
    MAX_CACHES = 4096,
    MAX_WAYS = 1024,
    SET_COUNTS = 29
};

/* The stacks for one number of sets. */
struct stacks {
    unsigned set_bits;
    uint64_t *blocks; /* `ways` of each set, top first; block plus one, 0: none */
    uint16_t *dirty;  /* of each: the minimum number of ways with which it is dirty; 0: none */
    uint64_t *hits[COUNTED]; /* by position in the stack */
    uint64_t *writebacks;    /* by number of ways */
};
/* All caches of one block size. */
struct family {
    unsigned block_bits;
    uint64_t last; /* the block accessed last, plus one */
    bool is_dirty; /* `last` was written since then, or by that access */
    bool has_top;  /* the block UINT64_MAX, of 1 byte, was accessed */
    uint64_t accesses[COUNTED], repeats[COUNTED];
    struct stacks stacks[SET_COUNTS];
    size_t count;
};

struct sweep_cache {
    uint64_t size, ways, block;
    uint64_t accesses, fetch_misses, read_misses, write_misses, misses;
    uint64_t writebacks, bytes_in, bytes_out; /* as in cache.h */
};

struct spoor_sweep {
    struct spoor_sweep_options options;
    struct cpus_seen cpus;
    struct sweep_cache *caches;
    size_t count;
    uint32_t ways;           /* depth of the stacks */
    struct family *families; /* LRU */
    size_t family_count;
    struct spoor_cache_system **systems; /* other policies: one for each cache */
};

/* ---- words ---- */

static bool sweep_read_range(struct word word, struct spoor_sweep_range *range)
{
    const char *dots = memmem(word.text, word.size, "..", 2);
    const struct word first = {word.text, dots ? (size_t)(dots - word.text) : word.size};
    const struct word last = dots ? (struct word){dots + 2, word.size - first.size - 2} : first;
    return word_number(first, &range->first) && word_number(last, &range->last);
}

enum spoor_status spoor_sweep_parse(struct spoor_sweep_options *options, const char *text,
                                    struct spoor_error *error)
{
    struct word word, name, value;
    *options = (struct spoor_sweep_options){
        .size = {1 << 10, 1 << 20}, .ways = {1, 16}, .block = {64, 64}};
    while (word_next(&text, ",", &word)) {
        bool good = word_split(word, &name, &value);
        if (word_equals(name, "size")) {
            good = good && sweep_read_range(value, &options->size);
        } else if (word_equals(name, "ways")) {
            good = good && sweep_read_range(value, &options->ways);
        } else if (word_equals(name, "block")) {
            good = good && sweep_read_range(value, &options->block);
        } else if (word_equals(name, "policy")) {
            good = good && word_copy(value, options->policy, sizeof options->policy);
        } else {
            options->takes = (unsigned)(word_choice(value, "fetch|data|all") + 1);
            good = good && word_equals(name, "takes") && options->takes > 0;
        }
        if (!good)
            return spoor_error_set(
                error, SPOOR_EUSAGE,
                "sweep: found '%.*s', expected size=A..B, ways=A..B, block=A..B, "
                "policy=NAME or takes=fetch|data|all",
                (int)word.size, word.text);
    }
    return SPOOR_OK;
}

/* ---- construction ---- */

static bool sweep_range_is_valid(const struct spoor_sweep_range *range, uint64_t maximum)
{
    return range->first > 0 && range->last >= range->first && range->last <= maximum &&
           (range->first & (range->first - 1)) == 0;
}

static unsigned sweep_log2(uint64_t power)
{
    return (unsigned)__builtin_ctzll(power);
}

static unsigned sweep_set_bits(const struct sweep_cache *cache)
{
    return sweep_log2(cache->size) - sweep_log2(cache->ways) - sweep_log2(cache->block);
}

/* The numbers of sets of the caches of a block size: a bit for each power of two. */
static uint64_t sweep_set_counts(const struct spoor_sweep *sweep, unsigned block_bits)
{
    uint64_t wanted = 0;
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep_log2(sweep->caches[i].block) == block_bits)
            wanted |= UINT64_C(1) << sweep_set_bits(&sweep->caches[i]);
    return wanted;
}

/* The stacks of a family are in ascending order of their numbers of sets. */
static bool sweep_start_families(struct spoor_sweep *sweep)
{
    const struct spoor_sweep_range *block = &sweep->options.block;
    const unsigned first = sweep_log2(block->first),
                   last = 63 - (unsigned)__builtin_clzll(block->last);
    sweep->family_count = last - first + 1;
    sweep->families = calloc(sweep->family_count, sizeof *sweep->families);
    if (!sweep->families) return false;
    for (size_t i = 0; i < sweep->family_count; i++) {
        struct family *family = &sweep->families[i];
        family->block_bits = first + (unsigned)i;
        for (uint64_t left = sweep_set_counts(sweep, family->block_bits); left; left &= left - 1) {
            struct stacks *stacks = &family->stacks[family->count++];
            stacks->set_bits = (unsigned)__builtin_ctzll(left);
            const size_t places = (size_t)sweep->ways << stacks->set_bits;
            stacks->blocks = calloc(places, sizeof *stacks->blocks);
            stacks->dirty = calloc(places, sizeof *stacks->dirty);
            stacks->writebacks = calloc((size_t)sweep->ways + 1, sizeof *stacks->writebacks);
            bool good = stacks->blocks && stacks->dirty && stacks->writebacks;
            for (unsigned kind = 0; kind < COUNTED; kind++) {
                stacks->hits[kind] = calloc(sweep->ways, sizeof *stacks->hits[kind]);
                good = good && stacks->hits[kind];
            }
            if (!good) return false;
        }
    }
    return true;
}

static struct spoor_cache_level sweep_level(const struct spoor_sweep *sweep, size_t index)
{
    const struct sweep_cache *cache = &sweep->caches[index];
    struct spoor_cache_level level = {.name = "c",
                                      .size = cache->size,
                                      .ways = (uint32_t)cache->ways,
                                      .block = (uint32_t)cache->block,
                                      .takes = (enum spoor_cache_takes)sweep->options.takes};
    memcpy(level.policy, sweep->options.policy, sizeof level.policy);
    return level;
}

static enum spoor_status sweep_start(struct spoor_sweep *sweep, struct spoor_error *error)
{
    struct spoor_sweep_options *options = &sweep->options;
    if (!sweep_range_is_valid(&options->size, UINT64_C(1) << 34) ||
        !sweep_range_is_valid(&options->ways, MAX_WAYS) ||
        !sweep_range_is_valid(&options->block, UINT64_C(1) << 20))
        return spoor_error_set(error, SPOOR_EUSAGE,
                               "sweep: expected ranges that begin at a power of two, with at most "
                               "%d ways",
                               MAX_WAYS);
    if (strcmp(options->policy, "opt") == 0)
        return spoor_error_set(error, SPOOR_EUSAGE, "sweep: opt is not among the policies");
    if (!options->takes) options->takes = SPOOR_CACHE_ALL;
    sweep->caches = calloc(MAX_CACHES, sizeof *sweep->caches);
    if (!sweep->caches) return error_no_memory(error);
    for (uint64_t block = options->block.first; block <= options->block.last; block *= 2)
        for (uint64_t size = options->size.first; size <= options->size.last; size *= 2)
            for (uint64_t ways = options->ways.first; ways <= options->ways.last; ways *= 2) {
                if (ways * block > size) continue;
                if (sweep->count == MAX_CACHES)
                    return spoor_error_set(error, SPOOR_EUSAGE,
                                           "sweep: found more than %d caches, expected narrower "
                                           "ranges of size, ways or block",
                                           MAX_CACHES);
                sweep->caches[sweep->count++] =
                    (struct sweep_cache){.size = size, .ways = ways, .block = block};
                if (ways > sweep->ways) sweep->ways = (uint32_t)ways;
            }
    for (size_t i = 0; i < sweep->count; i++)
        if (sweep_set_bits(&sweep->caches[i]) >= SET_COUNTS)
            return spoor_error_set(error, SPOOR_EUSAGE, "sweep: expected at most 2^%d sets",
                                   SET_COUNTS - 1);
    const bool is_lru = !*options->policy || strcmp(options->policy, "lru") == 0;
    const struct spoor_cache_options own = {.shared = true,
                                            .unknown_size = options->unknown_size,
                                            .seed = options->seed,
                                            .memory = options->memory};
    /* The bytes of all stacks, or of all caches where they are simulated side by side. */
    enum { ENTRY = sizeof *((struct stacks *)0)->blocks + sizeof *((struct stacks *)0)->dirty };
    const unsigned last = 63 - (unsigned)__builtin_clzll(options->block.last);
    uint64_t needed = 0;
    for (unsigned bits = sweep_log2(options->block.first); is_lru && bits <= last; bits++)
        memory_need(&needed, sweep_set_counts(sweep, bits), (uint64_t)sweep->ways * ENTRY);
    for (size_t i = 0; !is_lru && i < sweep->count; i++) {
        const struct spoor_cache_level level = sweep_level(sweep, i);
        memory_need(&needed, 1, cache_system_memory(&level, 1, &own));
    }
    enum spoor_status status =
        memory_check("the caches of the sweep", needed, options->memory, error);
    if (status != SPOOR_OK) return status;
    if (is_lru) return sweep_start_families(sweep) ? SPOOR_OK : error_no_memory(error);
    sweep->systems = calloc(sweep->count + 1, sizeof *sweep->systems);
    if (!sweep->systems) return error_no_memory(error);
    for (size_t i = 0; i < sweep->count && status == SPOOR_OK; i++) {
        const struct spoor_cache_level level = sweep_level(sweep, i);
        status = spoor_cache_system_new(&sweep->systems[i], &level, 1, &own, error);
    }
    return status;
}

enum spoor_status spoor_sweep_new(struct spoor_sweep **sweep,
                                  const struct spoor_sweep_options *options,
                                  struct spoor_error *error)
{
    struct spoor_sweep_options own;
    enum spoor_status status = options_read(&own, sizeof own, options, error);
    if (status != SPOOR_OK) return status;
    struct spoor_sweep *made = calloc(1, sizeof *made);
    if (!made) return memory_status(false, error);
    made->options = own;
    status = sweep_start(made, error);
    if (status == SPOOR_OK)
        *sweep = made;
    else
        spoor_sweep_free(made);
    return status;
}

void spoor_sweep_free(struct spoor_sweep *sweep)
{
    if (!sweep) return;
    for (size_t i = 0; sweep->families && i < sweep->family_count; i++)
        for (size_t j = 0; j < sweep->families[i].count; j++) {
            free(sweep->families[i].stacks[j].blocks);
            free(sweep->families[i].stacks[j].dirty);
            free(sweep->families[i].stacks[j].writebacks);
            for (unsigned kind = 0; kind < COUNTED; kind++)
                free(sweep->families[i].stacks[j].hits[kind]);
        }
    for (size_t i = 0; sweep->systems && i < sweep->count; i++)
        spoor_cache_system_free(sweep->systems[i]);
    free(sweep->families);
    free(sweep->systems);
    free(sweep->caches);
    free(sweep);
}

/* ---- LRU ---- */

static inline size_t stacks_set(const struct stacks *stacks, uint64_t block, uint32_t ways)
{
    return (size_t)(block & ((UINT64_C(1) << stacks->set_bits) - 1)) * ways;
}

/* Finds a block in the stack of its set and moves it to the top; returns its old position, or
 * `ways`.  A block that moves from position N - 1 to N leaves the cache of N ways, which writes it
 * back if it is dirty there; one that is found at position N was fetched again, clean, by the
 * caches of up to N ways (Thompson and Smith 1989). */
static inline uint32_t stacks_touch(const struct stacks *stacks, uint64_t block, uint32_t ways,
                                    bool write)
{
    const size_t set = stacks_set(stacks, block, ways);
    uint64_t *stack = &stacks->blocks[set];
    uint16_t *dirty = &stacks->dirty[set], carried_dirty = 0;
    const uint64_t key = block + 1;
    uint64_t carried = key;
    if (stack[0] == key) {
        if (write) dirty[0] = 1;
        return 0;
    }
    for (uint32_t place = 0; place < ways; place++) {
        const uint64_t here = stack[place];
        const uint16_t here_dirty = dirty[place];
        stack[place] = carried;
        dirty[place] = carried_dirty;
        stacks->writebacks[place] += (uint16_t)(carried_dirty - 1U) < place; /* 0: none */
        if (here == key) {
            const uint16_t fetched = (uint16_t)(place + 1);
            dirty[0] = write ? 1 : here_dirty && here_dirty < fetched ? fetched : here_dirty;
            return place;
        }
        carried = here;
        carried_dirty = here_dirty;
    }
    if (carried_dirty) stacks->writebacks[ways]++;
    dirty[0] = write;
    return ways;
}

/* The block is on top of its stack for these numbers of sets, and is written. */
static void family_dirty_tops(struct family *family, size_t from, uint64_t block, uint32_t ways)
{
    for (size_t i = from; i < family->count; i++)
        family->stacks[i].dirty[stacks_set(&family->stacks[i], block, ways)] = 1;
}

static inline void family_access(struct family *family, uint64_t block, unsigned kind,
                                 uint32_t ways)
{
    const bool write = kind == SPOOR_REFERENCE_WRITE || kind == FILL;
    family->accesses[kind]++;
    if (block == UINT64_MAX && !family->has_top) {
        /* First access to the block whose number plus one is 0, the value of a free place:
         * stacks_touch() finds the first free place, which is the correct place for a new block,
         * but the access is not a hit.  From then on the block lies above all free places, so
         * stacks_touch() finds it; when it has been evicted, no place is free. */
        family->has_top = true;
        family->last = 0;
        family->is_dirty = write;
        for (size_t i = 0; i < family->count; i++)
            stacks_touch(&family->stacks[i], UINT64_MAX, ways, write);
        return;
    }
    if (family->last == block + 1) {
        family->repeats[kind]++;
        if (write && !family->is_dirty) family_dirty_tops(family, 0, block, ways);
        family->is_dirty |= write;
        return;
    }
    family->last = block + 1;
    family->is_dirty = write;
    for (size_t i = 0; i < family->count; i++) {
        const uint32_t place = stacks_touch(&family->stacks[i], block, ways, write);
        if (place < ways) family->stacks[i].hits[kind][place]++;
        if (place > 0) continue;
        /* On top for this number of sets: on top for every larger number. */
        if (write) family_dirty_tops(family, i + 1, block, ways);
        for (i++; i < family->count; i++) family->stacks[i].hits[kind][0]++;
    }
}

enum spoor_status spoor_sweep_feed(struct spoor_sweep *sweep,
                                   const struct spoor_reference *references, size_t count,
                                   struct spoor_error *error)
{
    cpus_see(&sweep->cpus, references, count);
    if (sweep->systems) {
        enum spoor_status status = SPOOR_OK;
        for (size_t i = 0; i < sweep->count && status == SPOOR_OK; i++)
            status = spoor_cache_system_feed(sweep->systems[i], references, count, error);
        return status;
    }
    for (size_t i = 0; i < count; i++) {
        const struct spoor_reference *reference = &references[i];
        const bool data = reference->op != SPOOR_REFERENCE_FETCH;
        if (reference->op > SPOOR_REFERENCE_MISC || !(sweep->options.takes >> data & 1)) continue;
        uint64_t address = reference->address, size = reference->size;
        if (size == 0 && sweep->options.unknown_size) {
            size = sweep->options.unknown_size;
            address &= ~(size - 1);
        }
        for (size_t j = 0; j < sweep->family_count; j++) {
            const unsigned bits = sweep->families[j].block_bits;
            const uint64_t bytes = UINT64_C(1) << bits;
            struct block_run run = block_run_of(address, size, bits);
            do {
                /* a write of all bytes of a block needs no fetch */
                const bool whole = reference->op == SPOOR_REFERENCE_WRITE && size >= bytes &&
                                   (run.block << bits) - address <= size - bytes;
                family_access(&sweep->families[j], run.block, whole ? FILL : reference->op,
                              sweep->ways);
            } while (block_run_next(&run));
        }
    }
    return SPOOR_OK;
}

void spoor_sweep_end_warmup(struct spoor_sweep *sweep)
{
    sweep->cpus.instructions = 0;
    for (size_t i = 0; i < sweep->count && sweep->systems; i++)
        spoor_cache_system_end_warmup(sweep->systems[i]);
    for (size_t i = 0; i < sweep->family_count; i++) {
        struct family *family = &sweep->families[i];
        memset(family->accesses, 0, sizeof family->accesses);
        memset(family->repeats, 0, sizeof family->repeats);
        for (size_t k = 0; k < family->count; k++) {
            struct stacks *stacks = &family->stacks[k];
            memset(stacks->writebacks, 0, (sweep->ways + 1) * sizeof *stacks->writebacks);
            for (unsigned kind = 0; kind < COUNTED; kind++)
                memset(stacks->hits[kind], 0, sweep->ways * sizeof *stacks->hits[kind]);
        }
    }
}

/* ---- results ---- */

static struct sweep_cache sweep_counts(const struct spoor_sweep *sweep, size_t index)
{
    struct sweep_cache cache = sweep->caches[index];
    uint64_t accesses[COUNTED] = {0}, misses[COUNTED] = {0};
    if (sweep->systems) {
        const struct spoor_cache_counts *counts =
            spoor_cache_system_counts(sweep->systems[index], 0);
        memcpy(accesses, counts->accesses, sizeof counts->accesses);
        memcpy(misses, counts->misses, sizeof counts->misses);
        cache.writebacks = counts->writebacks;
        cache.bytes_in = counts->bytes_in;
        cache.bytes_out = counts->bytes_out;
    } else {
        const struct family *family =
            &sweep->families[sweep_log2(cache.block) - sweep->families[0].block_bits];
        const struct stacks *stacks = family->stacks;
        while (stacks->set_bits != sweep_set_bits(&cache)) stacks++;
        for (unsigned kind = 0; kind < COUNTED; kind++) {
            uint64_t hits = family->repeats[kind];
            for (uint64_t place = 0; place < cache.ways; place++) hits += stacks->hits[kind][place];
            accesses[kind] = family->accesses[kind];
            misses[kind] = accesses[kind] - hits;
            if (kind != FILL) cache.bytes_in += misses[kind] * cache.block;
        }
        cache.writebacks = stacks->writebacks[cache.ways];
        cache.bytes_out = cache.writebacks * cache.block;
    }
    for (unsigned kind = 0; kind < COUNTED; kind++) {
        cache.accesses += accesses[kind];
        cache.misses += misses[kind];
    }
    cache.fetch_misses = misses[SPOOR_REFERENCE_FETCH];
    cache.read_misses = misses[SPOOR_REFERENCE_READ];
    cache.write_misses = misses[SPOOR_REFERENCE_WRITE] + misses[FILL];
    return cache;
}

enum spoor_status spoor_sweep_end(struct spoor_sweep *sweep, struct spoor_error *error)
{
    (void)sweep;
    return memory_status(true, error);
}

enum spoor_status spoor_sweep_report(const struct spoor_sweep *sweep, struct spoor_result *result)
{
    const double instructions = (double)sweep->cpus.instructions;
    cpus_put_seen(&sweep->cpus, sweep->options.shared,
                  "caches of each cpu: one cache of all is simulated, as with --shared; with "
                  "--level each cpu has its own",
                  result);
    spoor_result_text(result, "policy", *sweep->options.policy ? sweep->options.policy : "lru");
    struct spoor_result *array = spoor_result_array(result, "sweep");
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sweep_cache cache = sweep_counts(sweep, i);
        struct spoor_result *row = spoor_result_object(array, NULL);
        spoor_result_size(row, "block", cache.block);
        spoor_result_size(row, "size", cache.size);
        spoor_result_unsigned(row, "ways", cache.ways);
        spoor_result_unsigned(row, "fetch_misses", cache.fetch_misses);
        spoor_result_unsigned(row, "read_misses", cache.read_misses);
        spoor_result_unsigned(row, "write_misses", cache.write_misses);
        spoor_result_unsigned(row, "misses", cache.misses);
        spoor_result_real(row, "miss_ratio",
                          cache.accesses ? (double)cache.misses / (double)cache.accesses : 0, 6);
        if (instructions > 0)
            spoor_result_real(row, "mpki", 1000 * (double)cache.misses / instructions, 4);
        spoor_result_unsigned(row, "writebacks", cache.writebacks);
        spoor_result_unsigned(row, "bytes_in", cache.bytes_in);
        spoor_result_unsigned(row, "bytes_out", cache.bytes_out);
    }
    return result_status(result);
}
