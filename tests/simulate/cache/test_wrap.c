/* SPDX-License-Identifier: MIT */
/*
 * test_wrap.c: bytes at both ends of the address space are treated like bytes in the middle.
 * Adding the same multiple of sets * block to all addresses renames the blocks of each set and
 * changes no count; addresses wrap around after the last byte.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "spoor/curve.h"
#include "spoor/spoor.h"
#include "spoor/sweep.h"

enum { COUNT = 6000, BELOW = 96 /* the addresses begin this far below their position */ };
#define MIDDLE (UINT64_C(1) << 40)

static uint64_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 33;
}

/* Makes references to up to `maximum` bytes of the 256 from at - BELOW on; at is 0 or MIDDLE. */
static struct spoor_reference *make(uint64_t at, uint32_t maximum)
{
    struct spoor_reference *references = calloc(COUNT, sizeof *references);
    uint64_t state = 5;
    assert_non_null(references);
    for (size_t i = 0; i < COUNT; i++)
        references[i] = (struct spoor_reference){
            .address = at - BELOW + (draw(&state) % 4 ? draw(&state) % 256 : BELOW - 1),
            .size = (uint32_t)(draw(&state) % (maximum + 1)),
            .op = (uint8_t)(draw(&state) % 3)};
    return references;
}

/* ---- caches ---- */

static struct spoor_cache_system *run(const char *const *words,
                                      const struct spoor_reference *references)
{
    struct spoor_cache_level levels[2];
    struct spoor_cache_system *system;
    struct spoor_error error = {0};
    size_t count = 0;
    for (; count < 2 && words[count]; count++)
        if (spoor_cache_level_parse(&levels[count], words[count], &error) != SPOOR_OK)
            fail_msg("%s", error.text);
    const struct spoor_cache_options options = {.classify = true, .flush = true, .seed = 9};
    if (spoor_cache_system_new(&system, levels, count, &options, &error) != SPOOR_OK)
        fail_msg("%s", error.text);
    if (spoor_cache_system_needs_future(system))
        assert_int_equal(spoor_cache_system_foresee(system, references, COUNT, NULL), SPOOR_OK);
    spoor_cache_system_feed(system, references, COUNT, NULL);
    spoor_cache_system_end(system, NULL);
    assert_false(spoor_cache_system_out_of_memory(system));
    return system;
}

static void caches_are_like_in_the_middle(void **state)
{
    static const char *const all[][2] = {
        {"c:64,1,1"},
        {"c:64,4,1"},
        {"c:64,full,1"},
        {"c:32,full,1"},
        {"c:64,full,1,policy=fifo"},
        {"c:16,full,1,policy=random"},
        {"c:64,4,1,policy=opt"},
        {"c:16,full,1,policy=opt"},
        {"c:64,2,16,policy=opt"},
        {"c:128,2,16,policy=opt,split=first"},
        {"c:64,2,16,sub=4"},
        {"c:64,2,16,split=once"},
        {"c:64,4,1,write=through,alloc=no"},
        {"c:16,2,1,victim=8"},
        {"a:32,full,1", "b:128,2,2,incl=inclusive"},
        {"a:32,4,1", "b:128,64,1,incl=exclusive"},
    };
    (void)state;
    for (uint32_t maximum = 1; maximum <= 40; maximum += 39) {
        struct spoor_reference *ends = make(0, maximum), *middle = make(MIDDLE, maximum);
        for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
            struct spoor_cache_system *one = run(all[i], ends), *other = run(all[i], middle);
            for (size_t j = 0; j < spoor_cache_system_count(one); j++)
                if (memcmp(spoor_cache_system_counts(one, j), spoor_cache_system_counts(other, j),
                           sizeof(struct spoor_cache_counts)) != 0)
                    fail_msg("%s differs, of up to %u bytes", all[i][0], maximum);
            spoor_cache_system_free(one);
            spoor_cache_system_free(other);
        }
        free(ends);
        free(middle);
    }
}

/* Belady's policy has the fewest misses; with a wrong future it has more. */
static void no_policy_beats_opt(void **state)
{
    static const char *const opt[] = {"c:64,full,16,policy=opt", NULL};
    static const char *const lru[] = {"c:64,full,16", NULL};
    struct spoor_reference *ends = make(0, 40);
    struct spoor_cache_system *best = run(opt, ends), *other = run(lru, ends);
    uint64_t misses[2] = {0};
    (void)state;
    for (unsigned kind = 0; kind < SPOOR_CACHE_KINDS; kind++) {
        misses[0] += spoor_cache_system_counts(best, 0)->misses[kind];
        misses[1] += spoor_cache_system_counts(other, 0)->misses[kind];
    }
    assert_true(misses[0] < misses[1]);
    spoor_cache_system_free(best);
    spoor_cache_system_free(other);
    free(ends);
}

/* ---- many caches from one pass ---- */

static void curves_are_like_in_the_middle(void **state)
{
    (void)state;
    for (uint32_t block = 1; block <= 64; block *= 4) {
        const struct spoor_curve_options options = {.block = block};
        struct spoor_curve *curves[2];
        for (int i = 0; i < 2; i++) {
            struct spoor_reference *references = make(i ? MIDDLE : 0, 40);
            assert_int_equal(spoor_curve_new(&curves[i], &options, NULL), SPOOR_OK);
            assert_int_equal(spoor_curve_feed(curves[i], references, COUNT, NULL), SPOOR_OK);
            free(references);
        }
        assert_true(spoor_curve_accesses(curves[0]) >= COUNT);
        assert_int_equal(spoor_curve_accesses(curves[0]), spoor_curve_accesses(curves[1]));
        for (uint64_t blocks = 1; blocks <= 512; blocks++)
            assert_int_equal((uint64_t)spoor_curve_misses(curves[0], blocks),
                             (uint64_t)spoor_curve_misses(curves[1], blocks));
        spoor_curve_free(curves[0]);
        spoor_curve_free(curves[1]);
    }
}

static void sweeps_are_like_in_the_middle(void **state)
{
    (void)state;
    for (uint32_t maximum = 1; maximum <= 40; maximum += 39) {
        struct spoor_sweep *sweeps[2];
        for (int i = 0; i < 2; i++) {
            struct spoor_reference *references = make(i ? MIDDLE : 0, maximum);
            struct spoor_sweep_options options;
            assert_int_equal(
                spoor_sweep_parse(&options, "size=16..1K,ways=1..64,block=1..16", NULL), SPOOR_OK);
            assert_int_equal(spoor_sweep_new(&sweeps[i], &options, NULL), SPOOR_OK);
            assert_int_equal(spoor_sweep_feed(sweeps[i], references, COUNT, NULL), SPOOR_OK);
            free(references);
        }
        char *reports[2];
        for (int i = 0; i < 2; i++) {
            struct spoor_result *result = spoor_result_new_object();
            assert_int_equal(spoor_sweep_report(sweeps[i], result), SPOOR_OK);
            const struct spoor_result *caches = spoor_result_member(result, "sweep");
            assert_true(spoor_result_count(caches) > 100);
            const struct spoor_result *first = spoor_result_first(caches);
            assert_true(spoor_result_whole(spoor_result_member(first, "misses")) > 0);
            reports[i] = spoor_result_to_json(result, NULL);
            spoor_result_free(result);
        }
        assert_string_equal(reports[0], reports[1]);
        free(reports[0]);
        free(reports[1]);
        spoor_sweep_free(sweeps[0]);
        spoor_sweep_free(sweeps[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(caches_are_like_in_the_middle),
        cmocka_unit_test(no_policy_beats_opt),
        cmocka_unit_test(curves_are_like_in_the_middle),
        cmocka_unit_test(sweeps_are_like_in_the_middle),
    };
    return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
