/* SPDX-License-Identifier: MIT */
/* test_cache.c: theorems about caches, and small cases by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "simulate/cache/references.h"
#include "simulate/cache/system.h"

enum { REFERENCES = 40000, MAX_LEVELS = 6 };
static struct spoor_references made, shared;

static int make_all(void **state)
{
    (void)state;
    make_references(&made, REFERENCES, 11, 1);
    make_references(&shared, REFERENCES, 12, 4);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    spoor_references_free(&made);
    spoor_references_free(&shared);
    return 0;
}

/* Makes a system of levels from "a;b;c". */
static struct spoor_cache_system *system_of(const char *words,
                                            const struct spoor_cache_options *options)
{
    struct spoor_cache_level levels[MAX_LEVELS];
    struct spoor_cache_system *system;
    struct spoor_error error = {0};
    char copy[512], *rest = copy, *level;
    size_t count = 0;
    snprintf(copy, sizeof copy, "%s", words);
    while ((level = strsep(&rest, ";")))
        if (spoor_cache_level_parse(&levels[count++], level, &error) != SPOOR_OK)
            fail_msg("%s", error.text);
    if (spoor_cache_system_new(&system, levels, count, options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    return system;
}

static uint64_t sum(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t all = 0;
    for (unsigned kind = 0; kind < SPOOR_CACHE_KINDS; kind++) all += counts[kind];
    return all;
}

static uint64_t misses_at(const struct spoor_cache_system *system, size_t index)
{
    return sum(spoor_cache_system_counts(system, index)->misses);
}

static void feed(struct spoor_cache_system *system, const struct spoor_references *references)
{
    if (spoor_cache_system_needs_future(system))
        assert_int_equal(
            spoor_cache_system_foresee(system, references->items, references->count, NULL),
            SPOOR_OK);
    spoor_cache_system_feed(system, references->items, references->count, NULL);
    assert_false(spoor_cache_system_out_of_memory(system));
}

/* Returns the misses of the first level. */
static uint64_t misses_of(const char *words)
{
    const struct spoor_cache_options options = {.classify = true, .seed = 5};
    struct spoor_cache_system *system = system_of(words, &options);
    feed(system, &made);
    const uint64_t misses = misses_at(system, 0);
    spoor_cache_system_free(system);
    return misses;
}

/* ---- parts ---- */

/* Feeds each system the references to its share of the sets, chosen by the lowest bits of 64-byte
 * blocks, and adds up all counts. */
static struct spoor_cache_counts counts_of_parts(const char *words, unsigned parts, size_t index)
{
    enum { FIELDS = sizeof(struct spoor_cache_counts) / sizeof(uint64_t) };
    const struct spoor_cache_options options = {.flush = true};
    uint64_t all[FIELDS] = {0};
    for (unsigned part = 0; part < parts; part++) {
        struct spoor_cache_system *system = system_of(words, &options);
        for (size_t i = 0; i < made.count; i++)
            if (made.items[i].address / 64 % parts == part)
                spoor_cache_system_feed(system, &made.items[i], 1, NULL);
        spoor_cache_system_end(system, NULL);
        uint64_t some[FIELDS];
        memcpy(some, spoor_cache_system_counts(system, index), sizeof some);
        for (size_t i = 0; i < FIELDS; i++) all[i] += some[i];
        spoor_cache_system_free(system);
    }
    struct spoor_cache_counts counts;
    memcpy(&counts, all, sizeof counts);
    return counts;
}

/* If the policy's state is per set, the sets are independent: parts of the sets, simulated
 * separately, add up to the whole, at every level. */
static void parts_of_the_sets_are_the_whole(void **state)
{
    static const char *const words[] = {
        "l1:2K,4,64;l2:16K,8,64", "l1:2K,4,64,policy=fifo;l2:16K,8,64,policy=srrip",
        "l1:2K,4,64,policy=plru,write=through,alloc=no;l2:16K,4,64,incl=inclusive"};
    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        for (size_t level = 0; level < 2; level++) {
            const struct spoor_cache_counts whole = counts_of_parts(words[i], 1, level);
            const struct spoor_cache_counts parts = counts_of_parts(words[i], 8, level);
            assert_true(sum(whole.misses) > 0);
            assert_memory_equal(&parts, &whole, sizeof whole);
        }
}

/* ---- policies ---- */

static void opt_misses_minimum(void **state)
{
    static const char *const shapes[] = {"c:1K,2,32", "c:4K,8,64", "c:2K,full,32", "c:16K,64,64"};
    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        char words[64];
        snprintf(words, sizeof words, "%s,policy=opt", shapes[i]);
        const uint64_t minimum = misses_of(words);
        const struct spoor_component *policy;
        for (size_t j = 0; (policy = spoor_component_at(SPOOR_CACHE_POLICY, j)); j++) {
            snprintf(words, sizeof words, "%s,policy=%s", shapes[i], policy->name);
            assert_true(misses_of(words) >= minimum);
        }
        assert_true(minimum < misses_of(shapes[i]));
    }
}

/* Belady's string, three blocks: FIFO 9, LRU 10, OPT 7; four blocks: FIFO 10. */
static void beladys_string(void **state)
{
    static const unsigned char string[] = {1, 2, 3, 4, 1, 2, 5, 1, 2, 3, 4, 5};
    static const struct {
        const char *words;
        uint64_t misses;
    } caches[] = {{"c:192,full,64,policy=fifo", 9},
                  {"c:192,full,64,policy=lru", 10},
                  {"c:192,full,64,policy=opt", 7},
                  {"c:256,full,64,policy=fifo", 10}};
    struct spoor_reference items[sizeof string] = {{0}};
    const struct spoor_references references = {.items = items, .count = sizeof string};
    (void)state;
    for (size_t i = 0; i < sizeof string; i++) {
        items[i].address = string[i] * 64u;
        items[i].op = SPOOR_REFERENCE_READ;
    }
    for (size_t i = 0; i < sizeof caches / sizeof *caches; i++) {
        struct spoor_cache_system *system =
            system_of(caches[i].words, &(struct spoor_cache_options){0});
        feed(system, &references);
        assert_int_equal(misses_at(system, 0), caches[i].misses);
        spoor_cache_system_free(system);
    }
}

/* The tree of two ways has one node: it is LRU. */
static void two_way_tree_is_lru(void **state)
{
    (void)state;
    assert_int_equal(misses_of("c:2K,2,64,policy=plru"), misses_of("c:2K,2,64"));
    assert_int_equal(misses_of("c:2K,1,64,policy=random"), misses_of("c:2K,1,64"));
    assert_int_equal(misses_of("c:2K,1,64,policy=ship"), misses_of("c:2K,1,64"));
}

/* Cyclic over one block more than fits: LRU always misses, BRRIP keeps a large part (ISCA 2010,
 * figure 1). */
static void scans_thrash_lru_only(void **state)
{
    struct spoor_reference *items = calloc(9000, sizeof *items);
    const struct spoor_references references = {.items = items, .count = 9000};
    (void)state;
    for (size_t i = 0; i < references.count; i++)
        items[i] = (struct spoor_reference){.address = i % 9 * 64, .op = SPOOR_REFERENCE_READ};
    const struct spoor_cache_options options = {.seed = 1};
    struct spoor_cache_system *lru = system_of("c:512,full,64", &options);
    struct spoor_cache_system *brrip = system_of("c:512,full,64,policy=brrip", &options);
    feed(lru, &references);
    feed(brrip, &references);
    assert_int_equal(misses_at(lru, 0), 9000);
    assert_true(misses_at(brrip, 0) < 4500);
    spoor_cache_system_free(lru);
    spoor_cache_system_free(brrip);
    free(items);
}

/* ---- counts ---- */

static void classes_add_up(void **state)
{
    const struct spoor_cache_options options = {.classify = true};
    struct spoor_cache_system *system = system_of("c:2K,2,32;d:4K,full,32", &options);
    (void)state;
    feed(system, &made);
    for (size_t i = 0; i < 2; i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        assert_int_equal(misses_at(system, i),
                         sum(counts->compulsory) + sum(counts->capacity) + sum(counts->conflict));
    }
    assert_true(sum(spoor_cache_system_counts(system, 0)->conflict) > 0);
    assert_int_equal(sum(spoor_cache_system_counts(system, 1)->conflict), 0);
    spoor_cache_system_free(system);
}

/* Returns the position of a block in a list, the newest first, or `count`. */
static size_t place_of(const uint64_t *blocks, size_t count, uint64_t block)
{
    size_t at = 0;
    while (at < count && blocks[at] != block) at++;
    return at;
}

static void put_first(uint64_t *blocks, size_t from, uint64_t block)
{
    memmove(blocks + 1, blocks, from * sizeof *blocks);
    blocks[0] = block;
}

/* The classes by their definition, for 64 blocks of 32 bytes: lists hold all blocks so far, and
 * those in a fully associative cache. */
static void compare_classes(const char *words, bool fifo)
{
    enum { BLOCKS = 64, MAXIMUM = 8000 };
    static uint64_t seen[MAXIMUM], row[BLOCKS + 1];
    const struct spoor_cache_options options = {.classify = true};
    struct spoor_cache_system *system = system_of(words, &options);
    size_t seen_count = 0, held = 0;
    uint64_t compulsory = 0, capacity = 0, conflict = 0;
    for (size_t i = 0; i < MAXIMUM; i++) {
        const uint64_t block = made.items[i].address / 32;
        const bool missed = spoor_cache_system_access(system, &made.items[i]) > 0;
        const bool first = place_of(seen, seen_count, block) == seen_count;
        const size_t at = place_of(row, held, block);
        compulsory += missed && first;
        capacity += missed && !first && at == held;
        conflict += missed && at < held;
        if (first) seen[seen_count++] = block;
        if (at == held || !fifo) put_first(row, at, block);
        if (at == held && held < BLOCKS) held++;
    }
    const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, 0);
    assert_int_equal(sum(counts->compulsory), compulsory);
    assert_int_equal(sum(counts->capacity), capacity);
    assert_int_equal(sum(counts->conflict), conflict);
    assert_true(capacity > 0 && conflict > 0);
    spoor_cache_system_free(system);
}

static void classes_are_as_defined(void **state)
{
    (void)state;
    compare_classes("c:2K,1,32,split=first", false);
    compare_classes("c:2K,2,32,split=first", false);
    compare_classes("c:2K,4,32,split=first,policy=srrip", false);
    compare_classes("c:2K,4,32,split=first,policy=random", false);
    compare_classes("c:2K,2,32,split=first,policy=fifo", true);
}

/* Feeding one by one, in batches or with pauses gives the same counts. */
static void any_way_of_feeding_is_the_same(void **state)
{
    static const char words[] = "l1i:1K,2,32;l1d:1K,2,32,policy=srrip;l2:8K,4,64";
    const struct spoor_cache_options options = {.classify = true};
    struct spoor_cache_system *one = system_of(words, &options), *all = system_of(words, &options),
                              *half = system_of(words, &options);
    uint64_t below = 0;
    (void)state;
    for (size_t i = 0; i < made.count; i++)
        below += spoor_cache_system_access(one, &made.items[i]) == 2;
    feed(all, &made);
    spoor_cache_system_pause(half);
    spoor_cache_system_feed(half, made.items, made.count / 2, NULL);
    spoor_cache_system_resume(half);
    for (size_t i = 0; i < 3; i++) {
        assert_memory_equal(spoor_cache_system_counts(one, i), spoor_cache_system_counts(all, i),
                            sizeof(struct spoor_cache_counts));
        assert_int_equal(sum(spoor_cache_system_counts(half, i)->accesses), 0);
    }
    const struct spoor_cache_counts *last = spoor_cache_system_counts(one, 2);
    /* references to memory: the misses of the last level, without write-backs */
    assert_int_equal(below, sum(last->misses) - last->misses[SPOOR_REFERENCE_WRITE]);
    spoor_cache_system_free(one);
    spoor_cache_system_free(all);
    spoor_cache_system_free(half);
}

/* In a hierarchy, the traffic of a cache is what the next level counts. */
static void traffic_is_what_the_parent_sees(void **state)
{
    struct spoor_cache_system *system =
        system_of("l1:1K,2,32;l2:8K,4,32", &(struct spoor_cache_options){.flush = true});
    (void)state;
    feed(system, &made);
    spoor_cache_system_end(system, NULL);
    const struct spoor_cache_counts *above = spoor_cache_system_counts(system, 0),
                                    *below = spoor_cache_system_counts(system, 1);
    assert_int_equal(above->bytes_in / 32, below->accesses[SPOOR_REFERENCE_FETCH] +
                                               below->accesses[SPOOR_REFERENCE_READ]);
    assert_int_equal(above->writebacks, below->accesses[SPOOR_REFERENCE_WRITE]);
    assert_int_equal(above->bytes_out, 32 * above->writebacks);
    spoor_cache_system_free(system);
}

/* ---- trees ---- */

static size_t held_in_both(const struct spoor_cache_system *system, size_t *above)
{
    const struct cache *upper = &system->caches[0], *lower = &system->caches[1];
    size_t both = 0;
    *above = 0;
    for (size_t line = 0; line < upper->sets * upper->ways; line++) {
        if (upper->tags[line] == NO_BLOCK) continue;
        ++*above;
        both += cache_find(lower, upper->tags[line] << upper->block_bits >> lower->block_bits) !=
                SIZE_MAX;
    }
    return both;
}

static void inclusive_holds_all_and_exclusive_nothing(void **state)
{
    struct spoor_cache_system *inclusive =
        system_of("l1:1K,4,32;l2:2K,2,64,incl=inclusive", &(struct spoor_cache_options){0});
    struct spoor_cache_system *exclusive =
        system_of("l1:1K,4,64;l2:2K,2,64,incl=exclusive", &(struct spoor_cache_options){0});
    size_t above;
    (void)state;
    for (size_t i = 0; i < made.count; i += 500) {
        spoor_cache_system_feed(inclusive, made.items + i, 500, NULL);
        spoor_cache_system_feed(exclusive, made.items + i, 500, NULL);
        const size_t both = held_in_both(inclusive, &above);
        assert_int_equal(both, above);
        assert_int_equal(held_in_both(exclusive, &above), 0);
        assert_true(above > 0);
    }
    assert_true(spoor_cache_system_counts(inclusive, 0)->back_invalidations > 0);
    spoor_cache_system_free(inclusive);
    spoor_cache_system_free(exclusive);
}

/* Two blocks that conflict in a set both stay with a victim cache of one block. */
static void a_victim_cache_absorbs_conflicts(void **state)
{
    struct spoor_reference items[100];
    const struct spoor_references references = {.items = items, .count = 100};
    (void)state;
    for (size_t i = 0; i < 100; i++)
        items[i] = (struct spoor_reference){
            .address = i % 2 * 1024, .op = SPOOR_REFERENCE_WRITE, .size = 4};
    struct spoor_cache_system *system =
        system_of("l1:1K,1,64,victim=1", &(struct spoor_cache_options){.flush = true});
    feed(system, &references);
    assert_int_equal(misses_at(system, 0), 100);
    assert_int_equal(misses_at(system, 1), 2);
    assert_string_equal(spoor_cache_system_name(system, 1), "l1.victim");
    spoor_cache_system_end(system, NULL);
    /* both blocks were dirty all the time, in either cache */
    assert_int_equal(spoor_cache_system_counts(system, 1)->bytes_out, 128);
    spoor_cache_system_free(system);
}

/* 16 bytes at byte 60 lie in two blocks.  Parts are an access to each; the block of the lowest byte
 * is written through with the 4 bytes that are in it. */
static void a_crossing_reference_is_one_access_or_more(void **state)
{
    static const struct {
        enum spoor_cache_crossing crossing;
        unsigned writes, misses, bytes;
    } rows[] = {{SPOOR_CACHE_CROSSING_PARTS, 2, 2, 16},
                {SPOOR_CACHE_CROSSING_ONCE, 1, 1, 16},
                {SPOOR_CACHE_CROSSING_FIRST, 1, 1, 4}};
    const struct spoor_reference reference = {
        .address = 60, .op = SPOOR_REFERENCE_WRITE, .size = 16};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct spoor_cache_level level;
        struct spoor_cache_system *system;
        struct spoor_error error = {0};
        assert_int_equal(spoor_cache_level_parse(&level, "l1:1K,2,64,write=through", &error),
                         SPOOR_OK);
        level.crossing = rows[i].crossing;
        assert_int_equal(spoor_cache_system_new(&system, &level, 1, NULL, &error), SPOOR_OK);
        assert_int_equal(spoor_cache_system_feed(system, &reference, 1, &error), SPOOR_OK);
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, 0);
        assert_int_equal(counts->accesses[SPOOR_REFERENCE_WRITE], rows[i].writes);
        assert_int_equal(counts->misses[SPOOR_REFERENCE_WRITE], rows[i].misses);
        assert_int_equal(counts->bytes_out, rows[i].bytes);
        spoor_cache_system_free(system);
    }
}

/* ---- several cpus ---- */

/* A block that one cpu's cache has modified is in no other cache. */
static void check_mesi(const struct spoor_cache_system *system, size_t cpus)
{
    for (size_t cpu = 0; cpu < cpus; cpu++) {
        const struct cache *cache = &system->caches[cpu];
        for (size_t line = 0; line < cache->sets * cache->ways; line++) {
            if (cache->tags[line] == NO_BLOCK || !cache->lines[line].dirty) continue;
            for (size_t other = 0; other < cpus; other++)
                if (other != cpu)
                    assert_true(cache_find(&system->caches[other], cache->tags[line]) == SIZE_MAX);
        }
    }
}

static void one_cpu_modifies_at_a_time(void **state)
{
    const struct spoor_cache_options options = {.classify = true};
    struct spoor_cache_system *system = system_of("l1:2K,4,64,cpus=4;l2:32K,8,64", &options);
    (void)state;
    for (size_t i = 0; i < shared.count; i += 100) {
        spoor_cache_system_feed(system, shared.items + i, 100, NULL);
        check_mesi(system, 4);
    }
    for (size_t i = 0; i < 4; i++) {
        const struct spoor_cache_counts *counts = spoor_cache_system_counts(system, i);
        assert_true(counts->true_sharing > 0 && counts->false_sharing > 0);
        assert_int_equal(misses_at(system, i), sum(counts->compulsory) + sum(counts->capacity) +
                                                   sum(counts->conflict) + counts->true_sharing +
                                                   counts->false_sharing);
    }
    spoor_cache_system_free(system);
}

/* cpu 0 reads a word, cpu 1 writes that word or one beside it, cpu 0 reads again. */
static void sharing_is_true_or_false(void **state)
{
    (void)state;
    for (unsigned beside = 0; beside < 2; beside++) {
        const struct spoor_reference items[] = {
            {.address = 64, .size = 4, .op = SPOOR_REFERENCE_READ, .has = SPOOR_REFERENCE_HAS_CPU},
            {.address = 64 + beside * 32,
             .size = 4,
             .cpu = 1,
             .op = SPOOR_REFERENCE_WRITE,
             .has = SPOOR_REFERENCE_HAS_CPU},
            {.address = 64, .size = 4, .op = SPOOR_REFERENCE_READ, .has = SPOOR_REFERENCE_HAS_CPU}};
        struct spoor_cache_system *system =
            system_of("l1:1K,2,64,cpus=2", &(struct spoor_cache_options){0});
        spoor_cache_system_feed(system, items, 3, NULL);
        const struct spoor_cache_counts *first = spoor_cache_system_counts(system, 0),
                                        *second = spoor_cache_system_counts(system, 1);
        assert_int_equal(first->true_sharing, !beside);
        assert_int_equal(first->false_sharing, beside);
        assert_int_equal(first->invalidations, 1);
        assert_int_equal(second->interventions, 1);
        assert_int_equal(sum(first->misses), 2);
        spoor_cache_system_free(system);
    }
}

/* Without coherence each cpu's cache counts as if it were alone. */
static void incoherent_is_alone(void **state)
{
    const struct spoor_cache_options options = {.incoherent = true};
    struct spoor_cache_system *together = system_of("l1:2K,4,64,cpus=4", &options);
    struct spoor_references first = {.items = calloc(shared.count, sizeof *first.items)};
    const uint16_t cpu = shared.items[0].cpu;
    (void)state;
    for (size_t i = 0; i < shared.count; i++)
        if (shared.items[i].cpu == cpu) first.items[first.count++] = shared.items[i];
    struct spoor_cache_system *alone = system_of("l1:2K,4,64", &options);
    feed(together, &shared);
    feed(alone, &first);
    assert_memory_equal(spoor_cache_system_counts(together, 0), spoor_cache_system_counts(alone, 0),
                        sizeof(struct spoor_cache_counts));
    spoor_cache_system_free(together);
    spoor_cache_system_free(alone);
    spoor_references_free(&first);
}

/* ---- prefetchers ---- */

/* A long run of loads: each prefetcher helps, and stride has little more than two misses. */
static void prefetchers_are_of_use(void **state)
{
    static const char *const words[] = {"c:4K,4,64,prefetch=always", "c:4K,4,64,prefetch=tagged",
                                        "c:4K,4,64,prefetch=miss", "c:4K,4,64,prefetch=stream",
                                        "c:4K,4,64,prefetch=stride"};
    struct spoor_reference items[1000];
    const struct spoor_references references = {.items = items, .count = 1000};
    (void)state;
    for (size_t i = 0; i < 1000; i++)
        items[i] = (struct spoor_reference){.address = 0x10000 + i * 64,
                                            .size = 4,
                                            .pc = 0x400,
                                            .op = SPOOR_REFERENCE_READ,
                                            .has = SPOOR_REFERENCE_HAS_PC};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct spoor_cache_system *system = system_of(words[i], &(struct spoor_cache_options){0});
        feed(system, &references);
        assert_true(misses_at(system, 0) <= (i == 2 ? 500 : 4));
        assert_true(spoor_cache_system_counts(system, 0)->prefetch_useful >= 500);
        spoor_cache_system_free(system);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_of_the_sets_are_the_whole),
        cmocka_unit_test(opt_misses_minimum),
        cmocka_unit_test(beladys_string),
        cmocka_unit_test(two_way_tree_is_lru),
        cmocka_unit_test(scans_thrash_lru_only),
        cmocka_unit_test(classes_add_up),
        cmocka_unit_test(classes_are_as_defined),
        cmocka_unit_test(any_way_of_feeding_is_the_same),
        cmocka_unit_test(traffic_is_what_the_parent_sees),
        cmocka_unit_test(inclusive_holds_all_and_exclusive_nothing),
        cmocka_unit_test(a_victim_cache_absorbs_conflicts),
        cmocka_unit_test(a_crossing_reference_is_one_access_or_more),
        cmocka_unit_test(one_cpu_modifies_at_a_time),
        cmocka_unit_test(sharing_is_true_or_false),
        cmocka_unit_test(incoherent_is_alone),
        cmocka_unit_test(prefetchers_are_of_use),
    };
    return cmocka_run_group_tests_name("cache", tests, make_all, forget_all);
}
