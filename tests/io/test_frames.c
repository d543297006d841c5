/* SPDX-License-Identifier: MIT */
/*
 * test_frames.c: zstd in frames that state the size of their content, several of which are inflated
 * at a time: mixed with frames that do not and with skippable frames, cut short, and damaged.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ways.h"

#ifdef SPOOR_WITH_ZSTD
#include <zstd.h>

enum { FRAME = 150000, TABLE_END = 9 };

struct sample {
    struct text plain, packed;
};

/* Writes a frame with these bytes that states their number or, written as a stream, does not. */
static void put_frame(struct text *packed, const char *bytes, size_t size, bool states)
{
    ZSTD_CCtx *context = ZSTD_createCCtx();
    const size_t bound = ZSTD_compressBound(size);
    char *at = text_reserve(packed, bound);
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, size % 2 == 0);
    ZSTD_CCtx_setParameter(context, ZSTD_c_contentSizeFlag, states);
    const size_t made = ZSTD_compress2(context, at, bound, bytes, size);
    assert_false(ZSTD_isError(made));
    text_commit(packed, at + made);
    ZSTD_freeCCtx(context);
}

static void put_skippable(struct text *packed, size_t size)
{
    const char header[] = {
        0x53, 0x2a, 0x4d, 0x18, (char)size, (char)(size >> 8), (char)(size >> 16), 0};
    text_put(packed, header, sizeof header);
    for (size_t i = 0; i < size; i++) text_put(packed, "s", 1);
}

static struct sample prepare(size_t lines, size_t frame)
{
    struct sample sample = {0};
    toy_text(&sample.plain, lines, 500);
    for (size_t at = 0; at < sample.plain.size; at += frame) {
        const size_t left = sample.plain.size - at;
        put_frame(&sample.packed, sample.plain.bytes + at, left < frame ? left : frame, true);
    }
    return sample;
}

static void forget(struct sample *sample)
{
    text_free(&sample->plain);
    text_free(&sample->packed);
}

static void test_whole(void **unused)
{
    (void)unused;
    struct sample sample = prepare(60000, FRAME);
    ways_assert_whole(&sample.packed, &sample.plain, "zstd");
    forget(&sample);
    sample = prepare(2500, 100);
    ways_assert_whole(&sample.packed, &sample.plain, "zstd");
    forget(&sample);
}

static void test_mixed(void **unused)
{
    (void)unused;
    struct sample sample = prepare(10000, FRAME / 10);
    struct text packed = {0}, plain = {0};
    for (size_t i = 0; i < 4; i++) {
        put_skippable(&packed, i * 30000);
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        text_put(&plain, sample.plain.bytes, sample.plain.size);
        if (i % 2) put_skippable(&packed, 0);
        put_frame(&packed, sample.plain.bytes, 70000 + i, false);
        text_put(&plain, sample.plain.bytes, 70000 + i);
        put_frame(&packed, "", 0, i % 2);
    }
    ways_assert_whole(&packed, &plain, "zstd");
    put_skippable(&packed, 65000);
    ways_assert_whole(&packed, &plain, "zstd");
    packed.size -= 40000;
    ways_assert_damaged(&packed, &plain, "cut short");
    text_free(&packed);
    text_free(&plain);
    forget(&sample);
}

static void test_cut(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000, FRAME);
    const size_t whole = sample.packed.size;
    for (size_t cut = 1; cut < whole; cut = cut * 3 + 1) {
        sample.packed.size = whole - cut;
        ways_assert_damaged(&sample.packed, &sample.plain, "compressed offset");
    }
    forget(&sample);
}

/* For any wrong bit, all ways of reading report the same. */
static void test_damaged(void **unused)
{
    (void)unused;
    struct sample sample = prepare(12000, FRAME / 4);
    for (size_t i = 0; i < 60; i += TOY_STRIDE) {
        const size_t at = i < 24 ? i : i * i * 7919 % sample.packed.size;
        struct reader_output reading;
        sample.packed.bytes[at] ^= (char)(1 << i % 8);
        ways_read(&reading, &sample.packed);
        toy_free(&reading);
        sample.packed.bytes[at] ^= (char)(1 << i % 8);
    }
    forget(&sample);
}

static uint32_t number(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

/* The output ends with a table of the frames. */
static void test_table(void **unused)
{
    (void)unused;
    struct text plain = {0}, packed = {0};
    while (plain.size < (size_t)9 << 20) toy_text(&plain, 2000, 50);
    toy_load(toy_compressed("table.zst", plain.bytes, plain.size), &packed);
    const char *end = packed.bytes + packed.size;
    assert_int_equal(number(end - 4), 0x8f92eab1);
    const uint32_t count = number(end - TABLE_END);
    assert_int_equal(count, 3);
    const char *entry = end - TABLE_END - (ptrdiff_t)8 * count;
    assert_int_equal(number(entry - 8), 0x184d2a5e);
    assert_int_equal(number(entry - 4), 8 * count + TABLE_END);
    size_t at = 0, content = 0;
    char *out = text_reserve(&plain, (size_t)4 << 20);
    for (uint32_t i = 0; i < count; i++, entry += 8) {
        const size_t made = ZSTD_decompress(out, (size_t)4 << 20, packed.bytes + at, number(entry));
        assert_int_equal(made, number(entry + 4));
        assert_memory_equal(out, plain.bytes + content, made);
        at += number(entry);
        content += made;
    }
    assert_int_equal(content, plain.size);
    assert_int_equal(at, entry - 8 * count - 8 - packed.bytes);
    text_free(&packed);
    text_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),   cmocka_unit_test(test_mixed), cmocka_unit_test(test_cut),
        cmocka_unit_test(test_damaged), cmocka_unit_test(test_table),
    };
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}

#else

int main(void)
{
    puts("skipped: built without zstd");
    return 77;
}

#endif
