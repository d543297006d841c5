/* SPDX-License-Identifier: MIT */
/*
 * test_byu_simd.c: decoding and counting several BYU records of 12 bytes at a time gives the same
 * result as one by one: on the published trace, on generated records with a few uncommon ones, and
 * on arbitrary bytes, for any rest after the last whole group.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "formats/byu/byu_project.h"
#include "formats/run_way.h"
#include "formats/support.h"
#include "model/batch_own.h"

#if CPU_MAY_HAVE_AVX2

extern const struct spoor_format format_byu12;

static const char whole_trace[] = "traces/byu/pentium2-w2k.tr.xz";
static const struct byu_shape shape = {.address = 4, .padding = 0, .time = 4, .record = 12};
enum { RECORD = 12, GROUP = 8 /* maximum number of records decoded at a time */ };

typedef void batch_function(struct spoor_batch *batch);

/* Functions that decode several records at a time; NULL if this machine cannot run them. */
struct way {
    const char *name;
    batch_function *decode, *stats;
};

static void decode_each(struct spoor_batch *batch)
{
    byu_decode(batch, shape);
}

static void stats_each(struct spoor_batch *batch)
{
    byu_project_stats(batch, shape);
}

/* Provides exactly the readable bytes after the text that the input guarantees. */
static void run_batch(struct spoor_batch *batch, batch_function *function, const void *bytes,
                      size_t size)
{
    static const struct spoor_stream stream = {.path = "memory", .format = &format_byu12};
    *batch = (struct spoor_batch){
        .stream = &stream, .text = calloc(1, size + 64), .text_size = size, .last = true};
    assert_non_null(batch->text);
    if (size) memcpy(batch->text, bytes, size);
    function(batch);
    assert_false(batch->out_of_memory);
}

static void assert_same(const struct way *way, const void *bytes, size_t size)
{
    struct spoor_batch each, several;
    run_batch(&each, decode_each, bytes, size);
    run_batch(&several, way->decode, bytes, size);
    assert_int_equal(each.count, several.count);
    assert_int_equal(each.fault_count, several.fault_count);
    if (each.count)
        assert_memory_equal(each.records, several.records, each.count * sizeof *each.records);
    spoor_batch_free(&each);
    spoor_batch_free(&several);
    run_batch(&each, stats_each, bytes, size);
    run_batch(&several, way->stats, bytes, size);
    assert_int_equal(each.count, several.count);
    assert_int_equal(each.fault_count, several.fault_count);
    assert_memory_equal(batch_own(&each)->view, batch_own(&several)->view, sizeof(struct stats));
    spoor_batch_free(&each);
    spoor_batch_free(&several);
}

static const struct way *way_of(void **state)
{
    const struct way *way = *state;
    if (!way->decode) skip();
    return way;
}

static void published_trace(void **state)
{
    const struct way *way = way_of(state);
    size_t size;
    char *bytes = shared_file(whole_trace, "xz -dc", &size);
    if (!bytes) skip();
    assert_same(way, bytes, size);
    free(bytes);
}

/* Writes records as in a trace; one in `rare` has another type, another agent, or no delta. */
static void put_records(uint8_t *to, size_t count, struct numbers *numbers, uint64_t rare)
{
    uint8_t agent = 3;
    for (size_t i = 0; i < count; i++, to += RECORD) {
        const uint64_t address = numbers_next(numbers), delta = numbers_below(numbers, 1000);
        memcpy(to, &address, 4);
        to[4] = (uint8_t)numbers_below(numbers, 4);
        to[5] = (uint8_t)numbers_below(numbers, 33);
        to[6] = (uint8_t)numbers_next(numbers);
        memcpy(to + 8, &delta, 4);
        if (numbers_below(numbers, rare) == 0) to[4] = (uint8_t)numbers_next(numbers);
        if (numbers_below(numbers, rare) == 0) agent = (uint8_t)numbers_next(numbers);
        if (numbers_below(numbers, rare) == 0) memset(to + 8, 0xff, 4);
        to[7] = agent;
    }
}

static void generated_records(void **state)
{
    enum { RECORDS = 200 };
    const struct way *way = way_of(state);
    struct numbers numbers = {61};
    for (int round = 0; round < 300; round++) {
        uint8_t bytes[RECORDS * RECORD];
        put_records(bytes, RECORDS, &numbers, 1 + numbers_below(&numbers, 2000));
        if (round % 2) memset(bytes + 8, 0xff, 4); /* as published files begin */
        assert_same(way, bytes, numbers_below(&numbers, sizeof bytes + 1));
    }
}

static void any_bytes(void **state)
{
    enum { SIZE = 4 * GROUP * RECORD };
    const struct way *way = way_of(state);
    struct numbers numbers = {67};
    uint8_t bytes[SIZE];
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(numbers_below(&numbers, 4) ? numbers_next(&numbers) : 0xff);
    for (size_t size = SIZE - 2 * GROUP * RECORD; size <= SIZE; size++)
        assert_same(way, bytes, size);
}

/* One record of a group is changed in one byte, at every position; types and agents to more values.
 */
static void one_byte_changed(void **state)
{
    enum { RECORDS = 3 * GROUP, FIRST = GROUP * RECORD };
    const struct way *way = way_of(state);
    struct numbers numbers = {71};
    uint8_t bytes[RECORDS * RECORD];
    put_records(bytes, RECORDS, &numbers, 1000000);
    for (size_t at = FIRST; at < FIRST + GROUP * RECORD; at++) {
        const uint8_t kept = bytes[at];
        for (int byte = 0; byte < 256; byte += at % RECORD == 4 || at % RECORD == 7 ? 15 : 85) {
            bytes[at] = (uint8_t)byte;
            assert_same(way, bytes, sizeof bytes);
        }
        bytes[at] = kept;
    }
}

static int test_way(const struct way *way)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(published_trace),
        cmocka_unit_test(generated_records),
        cmocka_unit_test(any_bytes),
        cmocka_unit_test(one_byte_changed),
    };
    return RUN_WAY(way, tests);
}

int main(void)
{
    struct way avx2 = {"AVX2", byu12_decode_avx2, byu12_stats_avx2};
    if (!cpu_has_avx2()) avx2.decode = NULL;
    return test_way(&avx2);
}

#else

int main(void)
{
    return 77; /* skipped: this architecture has only one way */
}

#endif
