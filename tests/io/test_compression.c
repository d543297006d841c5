/* SPDX-License-Identifier: MIT */
/* test_compression.c: every built-in compression: whole, in parts, truncated, damaged. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "io/compression.h"
#include "toy.h"

/* A compression, and a trace of a few chunks compressed with it. */
struct sample {
    const struct compression *compression;
    char name[16]; /* name of a file with its suffix */
    struct text plain, packed;
};

static void prepare(struct sample *sample, const struct compression *compression)
{
    *sample = (struct sample){.compression = compression};
    snprintf(sample->name, sizeof sample->name, "trace%s", compression->suffix);
    toy_text(&sample->plain, 15000, 500);
    toy_load(toy_compressed(sample->name, sample->plain.bytes, sample->plain.size),
             &sample->packed);
    assert_true(sample->packed.size < sample->plain.size);
}

static void forget(struct sample *sample)
{
    text_free(&sample->plain);
    text_free(&sample->packed);
}

/* Runs the check for each compression that is built in. */
static void for_each(void (*check)(const struct sample *sample))
{
    const struct compression *compression;
    for (size_t i = 0; (compression = compression_at(i)); i++) {
        if (!compression->inflater || !compression->deflater) continue;
        struct sample sample;
        prepare(&sample, compression);
        check(&sample);
        forget(&sample);
    }
}

static void read_whole(const struct sample *sample, const struct text *packed, size_t copies)
{
    struct text expected = {0};
    for (size_t i = 0; i < copies; i++)
        text_put(&expected, sample->plain.bytes, sample->plain.size);
    for (unsigned threads = 1; threads <= 3; threads += 2) {
        struct reader_output reading;
        toy_read(&reading, toy_file("packed", packed->bytes, packed->size), &toy_lines, threads);
        assert_int_equal(reading.ended, SPOOR_END);
        assert_string_equal(reading.compression, sample->compression->name);
        toy_assert_bytes(&reading, expected.bytes, expected.size);
        toy_free(&reading);
    }
    text_free(&expected);
}

static void check_whole(const struct sample *sample)
{
    read_whole(sample, &sample->packed, 1);
}

static void check_members(const struct sample *sample)
{
    struct text packed = {0};
    for (size_t i = 0; i < 5; i++) text_put(&packed, sample->packed.bytes, sample->packed.size);
    read_whole(sample, &packed, 5);
    text_free(&packed);
}

/* Members of no byte, one, two, ... and a few more. */
static void check_small_members(const struct sample *sample)
{
    struct text packed = {0}, expected = {0};
    for (size_t size = 0; size < 300; size += size < 8 ? 1 : 13) {
        const char *bytes = sample->plain.bytes + size;
        toy_load(toy_compressed(sample->name, bytes, size), &packed);
        text_put(&expected, bytes, size);
    }
    struct reader_output reading;
    toy_read(&reading, toy_file("packed", packed.bytes, packed.size), &toy_lines, 1);
    assert_int_equal(reading.ended, SPOOR_END);
    toy_assert_bytes(&reading, expected.bytes, expected.size);
    toy_free(&reading);
    text_free(&expected);
    text_free(&packed);
}

/* The readable part is a beginning of the trace; then the expected message follows. */
static void read_damaged(const struct sample *sample, const struct text *packed, const char *says)
{
    struct reader_output reading;
    toy_read(&reading, toy_file("packed", packed->bytes, packed->size), &toy_lines, 1);
    assert_int_equal(reading.opened, SPOOR_OK);
    assert_int_equal(reading.ended, SPOOR_EINPUT);
    if (!strstr(reading.error.text, says)) fail_msg("%s lacks '%s'", reading.error.text, says);
    assert_non_null(strstr(reading.error.text, sample->compression->name));
    assert_non_null(strstr(reading.error.text, "compressed offset"));
    assert_true(reading.bytes.size <= sample->plain.size);
    toy_assert_bytes(&reading, sample->plain.bytes, reading.bytes.size);
    struct reader_output threaded;
    toy_read(&threaded, toy_file("packed", packed->bytes, packed->size), &toy_lines, 3);
    toy_assert_same(&reading, &threaded);
    toy_free(&threaded);
    toy_free(&reading);
}

static void check_truncated(const struct sample *sample)
{
    size_t step = TOY_STRIDE * sample->packed.size / 40;
    for (size_t size = 12; size < sample->packed.size; size += step) {
        struct text packed = {.bytes = sample->packed.bytes, .size = size};
        read_damaged(sample, &packed, "cut short");
    }
    struct text packed = {.bytes = sample->packed.bytes, .size = sample->packed.size - 1};
    read_damaged(sample, &packed, "cut short");
}

/* Bytes after the end: the whole trace, then the message. */
static void check_garbage(const struct sample *sample)
{
    struct text packed = {0};
    struct reader_output reading;
    text_put(&packed, sample->packed.bytes, sample->packed.size);
    text_puts(&packed, "garbage");
    read_damaged(sample, &packed, "after the last one");
    toy_read(&reading, toy_file("packed", packed.bytes, packed.size), &toy_lines, 1);
    toy_assert_bytes(&reading, sample->plain.bytes, sample->plain.size);
    toy_free(&reading);
    text_free(&packed);
}

/* A flipped bit: never more than the trace, never a crash, nearly always a message (a few bits of a
 * header have no meaning). */
static void check_corrupt(const struct sample *sample)
{
    struct text packed = {0};
    text_put(&packed, sample->packed.bytes, sample->packed.size);
    size_t noticed = 0, tried = 0;
    for (size_t at = 0; at < packed.size; at += TOY_STRIDE * packed.size / 60, tried++) {
        struct reader_output reading;
        packed.bytes[at] ^= 0x10;
        toy_read(&reading, toy_file("packed", packed.bytes, packed.size), &toy_lines, 1);
        packed.bytes[at] ^= 0x10;
        noticed += reading.ended == SPOOR_EINPUT || !strcmp(reading.compression, "none");
        toy_free(&reading);
    }
    assert_true(noticed * 10 >= tried * 9);
    text_free(&packed);
}

static void check_empty(const struct sample *sample)
{
    struct reader_output reading;
    toy_read(&reading, toy_compressed(sample->name, "", 0), &toy_lines, 1);
    assert_int_equal(reading.ended, SPOOR_END);
    assert_string_equal(reading.compression, sample->compression->name);
    assert_int_equal(reading.batch_count, 0);
    toy_free(&reading);
}

static void test_whole(void **unused)
{
    (void)unused;
    for_each(check_whole);
}
static void test_members(void **unused)
{
    (void)unused;
    for_each(check_members);
}
static void test_small_members(void **unused)
{
    (void)unused;
    for_each(check_small_members);
}
static void test_truncated(void **unused)
{
    (void)unused;
    for_each(check_truncated);
}
static void test_garbage(void **unused)
{
    (void)unused;
    for_each(check_garbage);
}
static void test_corrupt(void **unused)
{
    (void)unused;
    for_each(check_corrupt);
}
static void test_empty(void **unused)
{
    (void)unused;
    for_each(check_empty);
}

/* gzip and xz pad with zeros; the zeros are not damage. */
static void test_padding(void **unused)
{
    (void)unused;
    const struct compression *compression;
    for (size_t i = 0; (compression = compression_at(i)); i++) {
        if (!compression->inflater || !compression->padding) continue;
        struct sample sample;
        struct text packed = {0};
        prepare(&sample, compression);
        static const char zeros[5000];
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        text_put(&packed, zeros, 4096);
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        text_put(&packed, zeros, 4);
        read_whole(&sample, &packed, 2);
        text_free(&packed);
        forget(&sample);
    }
}

/* zstd and lz4: skippable frames before, between and after. */
static void test_skippable(void **unused)
{
    (void)unused;
    static const char frame[] = "\x5a\x2a\x4d\x18\x05\0\0\0abcde";
    const struct compression *compression;
    for (size_t i = 0; (compression = compression_at(i)); i++) {
        bool skips = compression->recognise((const uint8_t *)frame, sizeof frame - 1) ||
                     strcmp(compression->name, "lz4") == 0;
        if (!compression->inflater || !skips) continue;
        struct sample sample;
        struct text packed = {0};
        prepare(&sample, compression);
        for (int copy = 0; copy < 2; copy++) {
            text_put(&packed, frame, sizeof frame - 1);
            text_put(&packed, sample.packed.bytes, sample.packed.size);
        }
        read_whole(&sample, &packed, 2);
        text_free(&packed);
        forget(&sample);
    }
}

/* ---- gzip: another thread than the inflating one computes a member's checksum ---- */

enum { HEADER = 10, TRAILER = 8 /* bytes of a member */ };

static const struct compression *gzip(void)
{
    static const uint8_t begins[MIN_COMPRESSION] = {0x1f, 0x8b, 8};
    const struct compression *gzip = compression_recognise(begins, sizeof begins);
    assert_non_null(gzip);
    return gzip;
}

/* All members up to the damaged one, whole, and the message, for any number of threads. */
static void read_bad_trailer(const struct text *packed, size_t place, const struct text *expected,
                             const struct spoor_format *format)
{
    char says[100];
    snprintf(says, sizeof says, "compressed offset %zu: damaged gzip data: the checksum or length",
             place);
    struct reader_output one;
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct reader_output reading;
        toy_read(&reading, toy_file("packed", packed->bytes, packed->size), format, threads);
        assert_int_equal(reading.ended, SPOOR_EINPUT);
        if (!strstr(reading.error.text, says)) fail_msg("%s lacks %s", reading.error.text, says);
        toy_assert_bytes(&reading, expected->bytes, expected->size);
        if (threads > 1) toy_assert_same(&one, &reading);
        if (threads == 1)
            one = reading;
        else
            toy_free(&reading);
    }
    toy_free(&one);
}

/* Members of several sizes, some of which end where a chunk does or are empty; one states another
 * checksum or length. */
static void test_trailers(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {5, 1, 262138, 0, 262144, 100, 700000, 0, 1};
    enum { MEMBERS = sizeof sizes / sizeof *sizes };
    if (!gzip()->inflater || !gzip()->inflater->trailer) skip();
    struct text plain = {0}, packed = {0};
    size_t places[MEMBERS], at = 0;
    toy_text(&plain, 90000, 50);
    for (size_t i = 0; i < MEMBERS; i++) {
        assert_true(at + sizes[i] <= plain.size);
        toy_load(toy_compressed("member.gz", plain.bytes + at, sizes[i]), &packed);
        places[i] = packed.size;
        at += sizes[i];
    }
    at = 0;
    for (size_t i = 0; i < MEMBERS; i++) {
        const struct text expected = {.bytes = plain.bytes, .size = at += sizes[i]};
        const bool one = TOY_STRIDE > 1; /* the length, or the checksum before it */
        for (size_t distance = one && i % 2 ? 5 : 1; distance <= TRAILER; distance += one ? 8 : 4) {
            packed.bytes[places[i] - distance] ^= 0x40;
            read_bad_trailer(&packed, places[i], &expected, &toy_lines);
            read_bad_trailer(&packed, places[i], &expected, &toy_records);
            packed.bytes[places[i] - distance] ^= 0x40;
        }
    }
    text_free(&packed);
    text_free(&plain);
}

/* Writes a member with every field that a header may have (RFC 1952). */
static void put_member(const struct compression *compression, const struct text *packed,
                       struct text *member)
{
    static const char header[] = "\x1f\x8b\x08\x1e\0\0\0\0\0\x03\x05\0extraname\0comment";
    text_put(member, header, sizeof header); /* includes the zero that ends the comment */
    const uint32_t sum = compression->inflater->sum(0, member->bytes, member->size);
    const char check[2] = {(char)sum, (char)(sum >> 8)};
    text_put(member, check, sizeof check);
    text_put(member, packed->bytes + HEADER, packed->size - HEADER);
}

/* Feeds a member in parts of `size` bytes; its trailer must match the output. */
static void inflate_in_pieces(const struct inflater *inflater, const struct text *member,
                              size_t piece, const struct text *plain)
{
    uint8_t out[999];
    const char *what = "";
    size_t size = 0;
    uint32_t sum = 0;
    void *state = inflater->open(1);
    enum inflate_result result = INFLATE_MORE;
    struct flow flow = {.in = (const uint8_t *)member->bytes};
    const uint8_t *end = flow.in + member->size;
    while (result == INFLATE_MORE) {
        flow.out = out;
        flow.out_left = sizeof out;
        const bool stuck = flow.in_left == 0;
        if (stuck) flow.in_left = (size_t)(end - flow.in) < piece ? (size_t)(end - flow.in) : piece;
        result = inflater->inflate(state, &flow, &what);
        const size_t got = sizeof out - flow.out_left;
        assert_memory_equal(out, plain->bytes + size, got);
        sum = inflater->sum(sum, out, got);
        size += got;
    }
    if (result != INFLATE_END) fail_msg("pieces of %zu bytes: %s", piece, what);
    struct gzip_trailer trailer = {0};
    inflater->trailer(state, &trailer);
    assert_int_equal(size, plain->size);
    assert_int_equal(trailer.size, size);
    assert_int_equal(trailer.sum, sum);
    assert_ptr_equal(flow.in, end);
    inflater->close(state);
}

static void test_gzip_in_pieces(void **unused)
{
    (void)unused;
    const struct inflater *inflater = gzip()->inflater;
    if (!inflater || !inflater->trailer) skip();
    struct text plain = {0}, packed = {0}, member = {0};
    toy_text(&plain, 300, 50);
    toy_load(toy_compressed("member.gz", plain.bytes, plain.size), &packed);
    put_member(gzip(), &packed, &member);
    for (size_t piece = 1; piece < 70; piece++) inflate_in_pieces(inflater, &packed, piece, &plain);
    for (size_t piece = 1; piece < 70; piece++) inflate_in_pieces(inflater, &member, piece, &plain);
    text_free(&member);
    text_free(&packed);
    text_free(&plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole),          cmocka_unit_test(test_members),
        cmocka_unit_test(test_small_members),  cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_garbage),        cmocka_unit_test(test_corrupt),
        cmocka_unit_test(test_empty),          cmocka_unit_test(test_padding),
        cmocka_unit_test(test_skippable),      cmocka_unit_test(test_trailers),
        cmocka_unit_test(test_gzip_in_pieces),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
}
