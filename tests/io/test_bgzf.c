/* SPDX-License-Identifier: MIT */
/*
 * test_bgzf.c: gzip in members that state their size, as bgzip writes it: whole, mixed with others,
 * truncated, damaged, and with wrong headers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "ways.h"

enum { MEMBER = 20000, HEADER = 10, EXTRA = 8, SIZE_AT = 16 };

struct sample {
    struct text plain, packed;
};

/* Writes one member with these bytes: a plain one with an extra field. */
static void put_member(struct text *packed, const char *bytes, size_t size)
{
    struct text member = {0};
    toy_load(toy_compressed("member.gz", bytes, size), &member);
    assert_int_equal(member.bytes[3], 0);
    const size_t stated = member.size + EXTRA - 1;
    const char extra[EXTRA] = {6, 0, 'B', 'C', 2, 0, (char)stated, (char)(stated >> 8)};
    member.bytes[3] = 4;
    text_put(packed, member.bytes, HEADER);
    text_put(packed, extra, EXTRA);
    text_put(packed, member.bytes + HEADER, member.size - HEADER);
    text_free(&member);
}

static void put_members(struct text *packed, const struct text *plain)
{
    for (size_t at = 0; at < plain->size; at += MEMBER)
        put_member(packed, plain->bytes + at,
                   plain->size - at < MEMBER ? plain->size - at : MEMBER);
    put_member(packed, "", 0);
}

static struct sample prepare(size_t lines)
{
    struct sample sample = {0};
    toy_text(&sample.plain, lines, 500);
    put_members(&sample.packed, &sample.plain);
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
    struct sample sample = prepare(100000);
    ways_assert_whole(&sample.packed, &sample.plain, "gzip");
    forget(&sample);
}

/* Members of the other kind before, between and after. */
static void test_mixed(void **unused)
{
    (void)unused;
    struct sample sample = prepare(5000);
    struct text packed = {0}, plain = {0};
    for (int i = 0; i < 3; i++) {
        text_put(&packed, sample.packed.bytes, sample.packed.size);
        text_put(&plain, sample.plain.bytes, sample.plain.size);
        toy_load(toy_compressed("one.gz", sample.plain.bytes, 1000), &packed);
        text_put(&plain, sample.plain.bytes, 1000);
    }
    ways_assert_whole(&packed, &plain, "gzip");
    text_put(&packed, "\0\0\0\0", 4);
    ways_assert_whole(&packed, &plain, "gzip");
    text_puts(&packed, "garbage");
    ways_assert_damaged(&packed, &plain, "after the last one");
    text_free(&plain);
    text_free(&packed);
    forget(&sample);
}

/* Cuts at any position except between two members. */
static void test_cut(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000);
    for (size_t i = 1; i <= 22; i++) {
        struct text packed = sample.packed;
        packed.size = i < 12 ? packed.size * i / 12 : packed.size - (i - 11) * 2;
        ways_assert_damaged(&packed, &sample.plain, "cut short");
    }
    forget(&sample);
}

/* A changed byte is detected if it has a meaning: a header has a time and a system. */
static void test_damage(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000);
    struct text *packed = &sample.packed;
    uint64_t state = 7;
    size_t damaged = 0;
    for (int turn = 0; turn < 40; turn += TOY_STRIDE) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const size_t at = 20 + (size_t)(state >> 33) % (packed->size - 50);
        const char before = packed->bytes[at];
        packed->bytes[at] = (char)(before ^ (char)(1 << (state >> 60) % 8));
        struct reader_output reading;
        ways_read(&reading, packed);
        damaged += reading.ended == SPOOR_EINPUT;
        if (reading.ended == SPOOR_END)
            toy_assert_bytes(&reading, sample.plain.bytes, sample.plain.size);
        else
            assert_non_null(strstr(reading.error.text, "compressed offset"));
        toy_free(&reading);
        packed->bytes[at] = before;
    }
    assert_true(damaged * TOY_STRIDE > 30);
    forget(&sample);
}

/* A member that is shorter or longer than it states. */
static void test_lies(void **unused)
{
    (void)unused;
    struct sample sample = prepare(20000);
    uint8_t *stated = (uint8_t *)sample.packed.bytes + SIZE_AT;
    const unsigned size = stated[0] | (unsigned)stated[1] << 8;
    static const struct {
        int by;
        const char *says;
    } lies[] = {
        {1, "found less"},
        {1000, "found less"},
        {-1, "found more"},
        {-1000, "found more"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        stated[0] = (uint8_t)(size + (unsigned)lies[i].by);
        stated[1] = (uint8_t)((size + (unsigned)lies[i].by) >> 8);
        ways_assert_damaged(&sample.packed, &sample.plain, lies[i].says);
    }
    stated[0] = stated[1] = 0;
    ways_assert_damaged(&sample.packed, &sample.plain, "found more");
    forget(&sample);
}

/* Another subfield before the size, and one that only looks like it. */
static void test_subfields(void **unused)
{
    (void)unused;
    struct sample sample = prepare(200);
    struct text packed = {0};
    const size_t stated = sample.packed.size; /* two members; the first becomes longer */
    const size_t first = (size_t)(uint8_t)sample.packed.bytes[SIZE_AT] +
                         ((size_t)(uint8_t)sample.packed.bytes[SIZE_AT + 1] << 8) + 1 + 5;
    const char extra[] = {
        11, 0, 'B', 'X', 1, 0, 7, 'B', 'C', 2, 0, (char)(first - 1), (char)((first - 1) >> 8)};
    text_put(&packed, sample.packed.bytes, HEADER);
    text_put(&packed, extra, sizeof extra);
    text_put(&packed, sample.packed.bytes + HEADER + EXTRA, stated - HEADER - EXTRA);
    ways_assert_whole(&packed, &sample.plain, "gzip");
    packed.bytes[HEADER + 7] = 'X'; /* no size any more, but still a valid member */
    ways_assert_whole(&packed, &sample.plain, "gzip");
    text_free(&packed);
    forget(&sample);
}

int main(void)
{
#ifdef SPOOR_WITH_GZIP
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_whole), cmocka_unit_test(test_mixed),
        cmocka_unit_test(test_cut),   cmocka_unit_test(test_damage),
        cmocka_unit_test(test_lies),  cmocka_unit_test(test_subfields),
    };
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    toy_clean();
    return failed;
#else
    puts("built without gzip: skipped");
    return 77;
#endif
}
