/* SPDX-License-Identifier: MIT */
/* test_one_pass.c: one pass over many caches gives the same results as each cache alone. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "simulate/cache/references.h"
#include "spoor/curve.h"
#include "spoor/sweep.h"

static struct spoor_references published, made, pages;
static bool have_published, have_pages;

static int read_all(void **state)
{
    (void)state;
    have_published = read_references("traces/memory/small5M.xdin.zst", "xdin", &published);
    have_pages = read_references("traces/byu/pentium2-w2k.tr.xz", "byu12", &pages);
    make_references(&made, 60000, 7, 1);
    return 0;
}

static int forget_all(void **state)
{
    (void)state;
    spoor_references_free(&published);
    spoor_references_free(&made);
    spoor_references_free(&pages);
    return 0;
}

static uint64_t number_of(const struct spoor_result *object, const char *key)
{
    const struct spoor_result *number = spoor_result_member(object, key);
    assert_non_null(number);
    return spoor_result_whole(number);
}

/* A count of the report of a curve. */
static uint64_t count_of(const struct spoor_curve *curve, const char *key)
{
    struct spoor_result *result = spoor_result_new_object();
    assert_int_equal(spoor_curve_report(curve, result), SPOOR_OK);
    const uint64_t count = number_of(result, key);
    spoor_result_free(result);
    return count;
}

/* ---- one cache by itself ---- */

static struct spoor_cache_counts counts_of(const struct spoor_references *references, uint64_t size,
                                           uint32_t ways, uint32_t block, const char *policy)
{
    struct spoor_cache_level level = {
        .name = "c", .size = size, .ways = ways, .block = block, .takes = SPOOR_CACHE_ALL};
    snprintf(level.policy, sizeof level.policy, "%s", policy);
    const struct spoor_cache_options options = {.seed = 3};
    struct spoor_cache_system *system;
    struct spoor_error error = {0};
    if (spoor_cache_system_new(&system, &level, 1, &options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    spoor_cache_system_feed(system, references->items, references->count, NULL);
    const struct spoor_cache_counts counts = *spoor_cache_system_counts(system, 0);
    spoor_cache_system_free(system);
    return counts;
}

static uint64_t sum_of(const uint64_t counts[SPOOR_CACHE_KINDS])
{
    uint64_t sum = 0;
    for (unsigned kind = 0; kind < SPOOR_CACHE_KINDS; kind++) sum += counts[kind];
    return sum;
}

static uint64_t misses_of(const struct spoor_references *references, uint64_t size, uint32_t ways,
                          uint32_t block, const char *policy)
{
    const struct spoor_cache_counts counts = counts_of(references, size, ways, block, policy);
    return sum_of(counts.misses);
}

/* ---- curves ---- */

static struct spoor_curve *curve_of(const struct spoor_references *references, uint32_t block,
                                    double rate)
{
    const struct spoor_curve_options options = {.block = block, .rate = rate};
    struct spoor_error error = {0};
    struct spoor_curve *curve;
    if (spoor_curve_new(&curve, &options, &error) != SPOOR_OK) fail_msg("%s", error.text);
    assert_int_equal(spoor_curve_feed(curve, references->items, references->count, NULL), SPOOR_OK);
    return curve;
}

/* Compares every size with a direct simulation. */
static void equals_direct(const struct spoor_references *references, uint32_t block,
                          uint64_t maximum, bool all)
{
    struct spoor_curve *curve = curve_of(references, block, 1);
    for (uint64_t blocks = 1; blocks <= maximum; blocks = all ? blocks + 1 : blocks * 2)
        assert_int_equal(misses_of(references, blocks * block, 0, block, "lru"),
                         (uint64_t)spoor_curve_misses(curve, blocks));
    spoor_curve_free(curve);
}

static void curve_equals_direct(void **state)
{
    (void)state;
    equals_direct(&made, 64, 40, true);
    equals_direct(&made, 16, 4096, false);
    equals_direct(&made, 4096, 64, true);
}

static void curve_equals_direct_on_published(void **state)
{
    (void)state;
    if (!have_published) skip();
    equals_direct(&published, 64, 256, false);
}

/* facts/byu.md: faults of that many frames of 4 KiB. */
static void curve_equals_published_faults(void **state)
{
    static const uint64_t faults[][2] = {{1, 164290}, {16, 30743},  {64, 16426},
                                         {256, 7442}, {1024, 2060}, {4096, 1883}};
    (void)state;
    if (!have_pages) skip();
    struct spoor_curve *curve = curve_of(&pages, 4096, 1);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        assert_int_equal((uint64_t)spoor_curve_misses(curve, faults[i][0]), faults[i][1]);
    assert_int_equal(count_of(curve, "cold"), 1883);
    spoor_curve_free(curve);
}

/* Checks the distance of a sampled curve from the exact one, for caches of every size. */
static void is_near(const struct spoor_references *references, uint32_t block, double rate,
                    double maximum, double mean)
{
    struct spoor_curve *exact = curve_of(references, block, 1);
    struct spoor_curve *sampled = curve_of(references, block, rate);
    const double accesses = (double)spoor_curve_accesses(exact);
    const uint64_t enough = spoor_curve_enough(exact);
    double sum = 0, largest = 0;
    assert_true(count_of(sampled, "followed") < count_of(exact, "followed"));
    for (uint64_t blocks = 1; blocks <= enough; blocks++) {
        const double one = spoor_curve_misses(exact, blocks) / accesses;
        const double error = fabs(one - spoor_curve_misses(sampled, blocks) / accesses);
        sum += error;
        if (error > largest) largest = error;
        if (blocks <= 1024) assert_true(error == 0);
    }
    if (getenv("SPOOR_SHOW_ERRORS"))
        print_message("block %u rate %g: mean %.5f, largest %.4f\n", block, rate,
                      sum / (double)enough, largest);
    if (largest > maximum || sum / (double)enough > mean)
        fail_msg("block %u, rate %g: mean error %f, largest %f", block, rate, sum / (double)enough,
                 largest);
    spoor_curve_free(exact);
    spoor_curve_free(sampled);
}

static void sampled_curve_is_near(void **state)
{
    (void)state;
    if (!have_published || !have_pages) skip();
    is_near(&published, 64, 0.5, 0.01, 0.001);
    is_near(&pages, 64, 0.5, 0.01, 0.001);
    is_near(&published, 64, 0.1, 0.01, 0.001);
    is_near(&pages, 64, 0.1, 0.01, 0.003);
    is_near(&pages, 4096, 0.1, 0.01, 0.003);
    is_near(&published, 64, 0.01, 0.01, 0.001);
    is_near(&pages, 64, 0.01, 0.02, 0.01);
}

/* A trace of few blocks is exact at any rate, and its end is certain. */
static void few_blocks_are_exact(void **state)
{
    (void)state;
    struct spoor_curve *exact = curve_of(&made, 4096, 1), *sampled = curve_of(&made, 4096, 0.001);
    assert_true(count_of(exact, "cold") < 1024);
    assert_int_equal(spoor_curve_enough(exact), spoor_curve_enough(sampled));
    for (uint64_t blocks = 1; blocks <= 2048; blocks++)
        assert_true(spoor_curve_misses(exact, blocks) == spoor_curve_misses(sampled, blocks));
    spoor_curve_free(exact);
    spoor_curve_free(sampled);
}

/* `blocks` blocks in turn, ten times, whose curve is a step: with fewer blocks every access misses,
 * with as many only the first accesses do. */
static struct spoor_curve *step_of(uint64_t blocks)
{
    const struct spoor_curve_options options = {.block = 64, .rate = 0.01};
    struct spoor_curve *curve;
    assert_int_equal(spoor_curve_new(&curve, &options, NULL), SPOOR_OK);
    for (uint64_t i = 0; i < 10 * blocks; i++) {
        const struct spoor_reference reference = {.address = i % blocks * 64, .size = 4};
        assert_int_equal(spoor_curve_feed(curve, &reference, 1, NULL), SPOOR_OK);
    }
    return curve;
}

/* The maximum number of blocks that is exact at any rate is exact for all sizes; one more is not.
 */
static void as_many_blocks_as_are_exact(void **state)
{
    (void)state;
    for (uint64_t blocks = 1023; blocks <= 1024; blocks++) {
        struct spoor_curve *curve = step_of(blocks);
        assert_int_equal(spoor_curve_enough(curve), blocks);
        assert_true(spoor_curve_misses(curve, blocks - 1) == 10.0 * (double)blocks);
        assert_true(spoor_curve_misses(curve, blocks) == (double)blocks);
        assert_true(spoor_curve_misses(curve, blocks + 1) == (double)blocks);
        assert_true(spoor_curve_misses(curve, 1 << 20) == (double)blocks);
        spoor_curve_free(curve);
    }
    struct spoor_curve *curve = step_of(1025);
    assert_true(spoor_curve_misses(curve, 1024) == 10250);
    assert_true(spoor_curve_misses(curve, 1 << 20) < 2050);
    spoor_curve_free(curve);
}

/* ---- sweeps ---- */

static void sweep_equals_direct(void **state)
{
    static const char *const sweeps[] = {
        "size=256..16K,ways=1..8,block=16..128",
        "size=16..1K,ways=1..16,block=1..8",
        "size=1K..8K,ways=1..4,block=32,policy=fifo",
        "size=1K..8K,ways=2,block=32..64,policy=random",
    };
    (void)state;
    for (size_t i = 0; i < sizeof sweeps / sizeof *sweeps; i++) {
        struct spoor_sweep_options options;
        struct spoor_error error = {0};
        struct spoor_sweep *sweep;
        assert_int_equal(spoor_sweep_parse(&options, sweeps[i], &error), SPOOR_OK);
        options.seed = 3;
        assert_int_equal(spoor_sweep_new(&sweep, &options, &error), SPOOR_OK);
        assert_int_equal(spoor_sweep_feed(sweep, made.items, made.count, NULL), SPOOR_OK);
        struct spoor_result *result = spoor_result_new_object();
        assert_int_equal(spoor_sweep_report(sweep, result), SPOOR_OK);
        const struct spoor_result *caches = spoor_result_member(result, "sweep");
        assert_true(spoor_result_count(caches) >= 4);
        const struct spoor_result *cache = spoor_result_first(caches);
        for (; cache; cache = spoor_result_next(cache)) {
            const struct spoor_cache_counts counts =
                counts_of(&made, number_of(cache, "size"), (uint32_t)number_of(cache, "ways"),
                          (uint32_t)number_of(cache, "block"), options.policy);
            assert_int_equal(number_of(cache, "misses"), sum_of(counts.misses));
            assert_int_equal(number_of(cache, "write_misses"),
                             counts.misses[SPOOR_REFERENCE_WRITE]);
            assert_int_equal(number_of(cache, "writebacks"), counts.writebacks);
            assert_int_equal(number_of(cache, "bytes_in"), counts.bytes_in);
            assert_int_equal(number_of(cache, "bytes_out"), counts.bytes_out);
        }
        spoor_result_free(result);
        spoor_sweep_free(sweep);
    }
}

static void sweep_refuses_nonsense(void **state)
{
    struct spoor_sweep_options options;
    struct spoor_error error = {0};
    struct spoor_sweep *sweep;
    (void)state;
    assert_int_equal(spoor_sweep_parse(&options, "sizes=1K", &error), SPOOR_EUSAGE);
    assert_int_equal(spoor_sweep_parse(&options, "size=3K..8K", &error), SPOOR_OK);
    assert_int_equal(spoor_sweep_new(&sweep, &options, &error), SPOOR_EUSAGE);
    assert_int_equal(spoor_sweep_parse(&options, "policy=opt", &error), SPOOR_OK);
    assert_int_equal(spoor_sweep_new(&sweep, &options, &error), SPOOR_EUSAGE);
}

/* A second cpu is seen, also where its references come in another call. */
static void one_curve_of_two_cpus_is_said_to_be_one(void **state)
{
    (void)state;
    for (spoor_name second = 1; second <= 2; second++) {
        struct spoor_reference reference = {.address = 64,
                                            .size = 4,
                                            .op = SPOOR_REFERENCE_READ,
                                            .has = SPOOR_REFERENCE_HAS_CPU,
                                            .cpu = 1};
        struct spoor_curve *curve;
        struct spoor_result *result = spoor_result_new_object();
        assert_int_equal(spoor_curve_new(&curve, NULL, NULL), SPOOR_OK);
        assert_int_equal(spoor_curve_feed(curve, &reference, 1, NULL), SPOOR_OK);
        reference.cpu = second;
        assert_int_equal(spoor_curve_feed(curve, &reference, 1, NULL), SPOOR_OK);
        assert_int_equal(spoor_curve_report(curve, result), SPOOR_OK);
        assert_int_equal(spoor_result_member(result, "missing") != NULL, second == 2);
        spoor_curve_free(curve);
        spoor_result_free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curve_equals_direct),
        cmocka_unit_test(curve_equals_direct_on_published),
        cmocka_unit_test(curve_equals_published_faults),
        cmocka_unit_test(sampled_curve_is_near),
        cmocka_unit_test(few_blocks_are_exact),
        cmocka_unit_test(as_many_blocks_as_are_exact),
        cmocka_unit_test(sweep_equals_direct),
        cmocka_unit_test(sweep_refuses_nonsense),
        cmocka_unit_test(one_curve_of_two_cpus_is_said_to_be_one),
    };
    return cmocka_run_group_tests_name("one-pass", tests, read_all, forget_all);
}
