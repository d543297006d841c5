/* SPDX-License-Identifier: MIT */
/*
 * test_blocks.c: xz in blocks that several threads inflate: for any number of threads, from pipes
 * and files, they give the same bytes and report the same damage; and both agree with liblzma's own
 * stream decoder.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "ways.h"

#ifdef SPOOR_WITH_XZ
#include <lzma.h>

enum { BLOCK = 150000, HEADER = 12 };

/* A trace and its blocks. */
struct sample {
    struct text plain, packed;
};

/* Packs as xz -T does: each block states its sizes. */
static void pack(const struct text *plain, size_t block_size, struct text *packed)
{
    lzma_stream stream = LZMA_STREAM_INIT;
    const lzma_mt options = {
        .threads = 1, .block_size = block_size, .preset = 0, .check = LZMA_CHECK_CRC32};
    assert_int_equal(lzma_stream_encoder_mt(&stream, &options), LZMA_OK);
    const size_t capacity = lzma_stream_buffer_bound(plain->size) + plain->size / block_size * 128;
    stream.next_in = (const uint8_t *)plain->bytes;
    stream.avail_in = plain->size;
    stream.next_out = (uint8_t *)text_reserve(packed, capacity);
    stream.avail_out = capacity;
    assert_int_equal(lzma_code(&stream, LZMA_FINISH), LZMA_STREAM_END);
    text_commit(packed, (char *)stream.next_out);
    lzma_end(&stream);
}

static struct sample prepare(size_t lines, size_t block_size)
{
    struct sample sample = {0};
    toy_text(&sample.plain, lines, 500);
    pack(&sample.plain, block_size, &sample.packed);
    return sample;
}

static void forget(struct sample *sample)
{
    text_free(&sample->plain);
    text_free(&sample->packed);
}

/* Returns liblzma's result for a single stream: whether it is whole, and the bytes. */
static bool oracle(const struct text *packed, struct text *plain)
{
    uint64_t memory = UINT64_MAX;
    size_t in = 0, out = 0;
    const size_t capacity = 64 << 20;
    uint8_t *at = (uint8_t *)text_reserve(plain, capacity);
    const lzma_ret result = lzma_stream_buffer_decode(
        &memory, 0, NULL, (const uint8_t *)packed->bytes, &in, packed->size, at, &out, capacity);
    if (result == LZMA_OK) plain->size = out;
    return result == LZMA_OK && in == packed->size;
}

/* ---- the same from everywhere ---- */

static void test_whole(void **unused)
{
    (void)unused;
    struct sample sample = prepare(60000, BLOCK);
    ways_assert_whole(&sample.packed, &sample.plain, "xz");
    forget(&sample);
}

/* Blocks of a few bytes, more of them than are ever held at once. */
static void test_small_blocks(void **unused)
{
    (void)unused;
    struct sample sample = prepare(2500, 100);
    ways_assert_whole(&sample.packed, &sample.plain, "xz");
    forget(&sample);
}

/* Few lines are decoded in little time. */
static void put_long_line(struct text *text)
{
    enum { IGNORED = 2000 };
    toy_text(text, 1, 50);
    char *end = text_reserve(text, IGNORED);
    assert_non_null(end);
    end[-1] = ' '; /* was the newline */
    memset(end, 'x', IGNORED);
    end[IGNORED - 1] = '\n';
    text_commit(text, end + IGNORED);
}

/* A block larger than the buffer of a block that must wait. */
static void test_large_blocks(void **unused)
{
    (void)unused;
    struct text plain = {0}, packed = {0};
    while (plain.size < (size_t)52 << 20) put_long_line(&plain);
    pack(&plain, (size_t)25 << 20, &packed);
    struct reader_output reading;
    toy_read(&reading, toy_file("packed", packed.bytes, packed.size), &toy_lines, 3);
    assert_int_equal(reading.ended, SPOOR_END);
    toy_assert_bytes(&reading, plain.bytes, plain.size);
    toy_free(&reading);
    text_free(&plain);
    text_free(&packed);
}

/* Concatenated streams, with padding, with and without blocks. */
static void test_streams(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000, BLOCK);
    struct text packed = {0}, plain = {0};
    static const char zeros[8];
    for (int i = 0; i < 3; i++) {
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        text_put(&packed, zeros, sizeof zeros);
        text_put(&plain, sample.plain.bytes, sample.plain.size);
        toy_load(toy_compressed("one.xz", sample.plain.bytes, 1000), &packed);
        text_put(&plain, sample.plain.bytes, 1000);
    }
    ways_assert_whole(&packed, &plain, "xz");
    text_free(&plain);
    text_free(&packed);
    forget(&sample);
}

/* Cuts in each block, between two, in the index and in the footer. */
static void test_cut(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000, BLOCK);
    for (size_t i = 1; i <= 24; i += TOY_STRIDE) {
        struct text packed = sample.packed;
        packed.size = i < 12 ? packed.size * i / 12 : packed.size - (i - 11) * 5;
        ways_assert_damaged(&packed, &sample.plain, "cut short");
    }
    forget(&sample);
}

/* A changed byte: liblzma decides whether it is damage. */
static void test_damage(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000, BLOCK);
    struct text *packed = &sample.packed;
    uint64_t state = 7;
    size_t damaged = 0;
    for (int turn = 0; turn < 40; turn += TOY_STRIDE) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t at = turn < 16 ? packed->size - 1 - (size_t)turn * 4
                                    : 6 + (size_t)(state >> 33) % (packed->size - 6);
        const char before = packed->bytes[at];
        packed->bytes[at] = (char)(before ^ (char)(1 << (state >> 60) % 8));
        struct text expected = {0};
        struct reader_output reading;
        ways_read(&reading, packed);
        assert_int_equal(reading.ended == SPOOR_END, oracle(packed, &expected));
        if (reading.ended == SPOOR_END)
            toy_assert_bytes(&reading, expected.bytes, expected.size);
        else
            assert_non_null(strstr(reading.error.text, "compressed offset"));
        damaged += reading.ended == SPOOR_EINPUT;
        toy_free(&reading);
        text_free(&expected);
        packed->bytes[at] = before;
    }
    assert_true(damaged * TOY_STRIDE > 32);
    forget(&sample);
}

/* ---- headers that lie ---- */

/* Gives the header of a block other sizes; *next: the block after it. */
static void restate(struct text *packed, size_t at, lzma_vli compressed, lzma_vli uncompressed)
{
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
    uint8_t *header = (uint8_t *)packed->bytes + at;
    lzma_block block = {.check = LZMA_CHECK_CRC32, .filters = filters};
    block.header_size = lzma_block_header_size_decode(header[0]);
    assert_int_equal(lzma_block_header_decode(&block, NULL, header), LZMA_OK);
    if (compressed) block.compressed_size = compressed;
    if (uncompressed) block.uncompressed_size = uncompressed;
    const uint32_t size = block.header_size;
    struct text rest = {0};
    text_put(&rest, header + size, packed->size - at - size);
    assert_int_equal(lzma_block_header_size(&block), LZMA_OK);
    packed->size = at;
    uint8_t *to = (uint8_t *)text_reserve(packed, LZMA_BLOCK_HEADER_SIZE_MAX);
    assert_int_equal(lzma_block_header_encode(&block, to), LZMA_OK);
    packed->size += block.header_size;
    text_put(packed, rest.bytes, rest.size);
    text_free(&rest);
    for (size_t i = 0; filters[i].id != LZMA_VLI_UNKNOWN; i++) free(filters[i].options);
}

/* Returns the beginning of the second block. */
static size_t second_block(const struct text *packed)
{
    lzma_filter filters[LZMA_FILTERS_MAX + 1];
    const uint8_t *header = (const uint8_t *)packed->bytes + HEADER;
    lzma_block block = {.check = LZMA_CHECK_CRC32, .filters = filters};
    block.header_size = lzma_block_header_size_decode(header[0]);
    assert_int_equal(lzma_block_header_decode(&block, NULL, header), LZMA_OK);
    for (size_t i = 0; filters[i].id != LZMA_VLI_UNKNOWN; i++) free(filters[i].options);
    return HEADER + (size_t)lzma_block_total_size(&block);
}

/* Sizes that are too small, too large, or beyond any memory. */
static void test_lies(void **unused)
{
    (void)unused;
    static const struct {
        lzma_vli compressed, uncompressed;
        const char *says;
    } lies[] = {
        {1000, 0, "corrupt"},
        {1000000, 0, "corrupt"},
        {UINT64_C(1) << 40, 0, "corrupt"},
        {UINT64_C(1) << 61, 0, "corrupt"},
        {0, 10, "corrupt"},
        {0, BLOCK + 1, "corrupt"},
        {0, UINT64_C(1) << 61, "corrupt"},
        {UINT64_C(1) << 61, UINT64_C(1) << 61, "corrupt"},
    };
    struct sample sample = prepare(20000, BLOCK);
    for (size_t i = 0; i < 2 * sizeof lies / sizeof *lies; i += TOY_STRIDE) {
        struct text packed = {0};
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        restate(&packed, i % 2 ? second_block(&packed) : HEADER, lies[i / 2].compressed,
                lies[i / 2].uncompressed);
        ways_assert_damaged(&packed, &sample.plain, lies[i / 2].says);
        text_free(&packed);
    }
    forget(&sample);
}

/* Exchanged blocks: each is intact, but the index states their order. */
static void test_swapped(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000, BLOCK);
    const size_t second = second_block(&sample.packed);
    struct text packed = {0};
    text_put(&packed, sample.packed.bytes, HEADER);
    text_put(&packed, sample.packed.bytes + second, sample.packed.size - second);
    const struct text rest = {.bytes = sample.plain.bytes + BLOCK,
                              .size = sample.plain.size - BLOCK};
    ways_assert_damaged(&packed, &rest, "index");
    text_free(&packed);
    forget(&sample);
}

/* Closing after any number of batches, while threads are running. */
static void test_early_close(void **unused)
{
    (void)unused;
    struct sample sample = prepare(60000, BLOCK);
    const char *path = toy_file("packed", sample.packed.bytes, sample.packed.size);
    for (int batches = 0; batches < 12; batches++) {
        struct spoor_error error = {0};
        struct spoor_reader *reader;
        const struct spoor_batch *batch;
        const struct spoor_reader_options options = {.format = &toy_lines, .threads = 4};
        assert_int_equal(spoor_reader_open(&reader, path, &options, &error), SPOOR_OK);
        for (int i = 0; i < batches; i++) spoor_reader_next(reader, &batch, &error);
        spoor_reader_close(reader);
    }
    forget(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),        cmocka_unit_test(test_small_blocks),
        cmocka_unit_test(test_large_blocks), cmocka_unit_test(test_streams),
        cmocka_unit_test(test_cut),          cmocka_unit_test(test_damage),
        cmocka_unit_test(test_lies),         cmocka_unit_test(test_swapped),
        cmocka_unit_test(test_early_close),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}

#else

int main(void)
{
    puts("built without xz: skipped");
    return 77;
}

#endif
