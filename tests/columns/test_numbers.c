/* SPDX-License-Identifier: MIT */
/*
 * test_numbers.c: dictionaries of numbers, and the loops over many numbers, against their
 * definition; meson runs it with vectors and (SPOOR_CPU=scalar) without.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns/encodings.h"
#include "columns/number_dictionary.h"

enum { VALUES = 70000, MIX = 20 };

static uint64_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *state >> 20;
}

/* Code `i` of `width` bits in packed bytes: bit by bit, the lowest first. */
static unsigned unpacked(const char *bytes, size_t i, unsigned width)
{
    unsigned code = 0;
    for (unsigned bit = 0; bit < width; bit++) {
        const size_t at = i * width + bit;
        code |= (unsigned)((unsigned char)bytes[at / 8] >> at % 8 & 1) << bit;
    }
    return code;
}

static void codes_of_every_width_are_packed(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint16_t codes[1000];
    char bytes[2 * 1000 + 1];
    for (unsigned width = 1; width <= 16; width *= 2)
        for (size_t count = 0; count <= 1000; count += 8) {
            for (size_t i = 0; i < count; i++)
                codes[i] = (uint16_t)(next_random(&seed) & ((1U << width) - 1));
            bytes[count * width / 8] = 0x55;
            const char *end = codes_pack(bytes, codes, count, width);
            assert_ptr_equal(end, bytes + count * width / 8);
            assert_int_equal(*end, 0x55); /* nothing is written after the end */
            for (size_t i = 0; i < count; i++)
                assert_int_equal(unpacked(bytes, i, width), codes[i]);
        }
}

static void codes_have_the_width_of_their_entries(void **state)
{
    (void)state;
    static const struct {
        size_t entries;
        int width;
    } expected[] = {{1, 1},  {2, 1},  {3, 2},   {4, 2},    {5, 4},
                    {16, 4}, {17, 8}, {256, 8}, {257, 16}, {65535, 16}};
    for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
        const uint16_t codes[11] = {0, (uint16_t)(expected[i].entries - 1)};
        struct text out = {0};
        encode_codes(&out, codes, 11, expected[i].entries);
        assert_false(out.failed);
        assert_int_equal(out.bytes[0], expected[i].width);
        if (expected[i].entries > 1) { /* two groups of eight, the last one filled with zeros */
            assert_int_equal(out.bytes[1], 2 << 1 | 1);
            assert_int_equal(out.size, 2 + 2 * expected[i].width);
            for (size_t at = 0; at < 16; at++)
                assert_int_equal(unpacked(out.bytes + 2, at, (unsigned)expected[i].width),
                                 at < 11 ? codes[at] : 0);
        }
        text_free(&out);
    }
}

/* Distinct values, counted by sorting them. */
static int by_number(const void *left, const void *right)
{
    uint64_t a, b;
    memcpy(&a, left, sizeof a);
    memcpy(&b, right, sizeof b);
    return (a > b) - (a < b);
}
static size_t distinct_of(const uint64_t *values, size_t count)
{
    size_t distinct = count > 0;
    uint64_t *sorted = malloc((count + 1) * sizeof *sorted);
    assert_non_null(sorted);
    memcpy(sorted, values, count * sizeof *sorted);
    qsort(sorted, count, sizeof *sorted, by_number);
    for (size_t i = 1; i < count; i++) distinct += sorted[i] != sorted[i - 1];
    free(sorted);
    return distinct;
}

/* Fills a dictionary of at most `most` entries from values of which `distinct` differ, and reads
 * every value back; more values are refused. */
static void check_dictionary(const uint64_t *values, size_t count, size_t distinct, size_t most)
{
    struct number_dictionary dictionary = {0};
    assert_true(number_dictionary_start(&dictionary, count));
    struct number_range range = {values[0], values[0]}, found;
    for (size_t i = 0; i < count; i++) {
        if (values[i] < range.low) range.low = values[i];
        if (values[i] > range.high) range.high = values[i];
    }
    found = numbers_range(values, count, 0);
    assert_true(found.low == range.low && found.high == range.high);
    const bool filled = number_dictionary_fill(&dictionary, values, count, &range, most);
    assert_true(filled == (distinct <= most));
    if (filled) {
        assert_true(dictionary.count >= distinct && dictionary.count <= most);
        assert_int_equal(distinct_of(dictionary.entries, dictionary.count), dictionary.count);
        for (size_t i = 0; i < count; i++) {
            assert_true(dictionary.codes[i] < dictionary.count);
            assert_true(dictionary.entries[dictionary.codes[i]] == values[i]);
        }
    }
    number_dictionary_end(&dictionary);
}

static void a_dictionary_gives_every_value_back(void **state)
{
    (void)state;
    static const uint64_t spans[] = {1,   2,    3,     16,    17,    255,     256,
                                     257, 3000, 65534, 65535, 65536, 1000000, UINT64_C(1) << 40};
    static const uint64_t lows[] = {0, 4096, UINT64_MAX - 200};
    static const size_t counts[] = {1, 2, 100, 1024, 1025, VALUES};
    static const size_t mosts[] = {0, 1, 16, 256, 20000, DICTIONARY_ENTRIES};
    uint64_t seed = 7, *values = malloc(VALUES * sizeof *values);
    assert_non_null(values);
    for (size_t s = 0; s < sizeof spans / sizeof *spans; s++)
        for (size_t l = 0; l < sizeof lows / sizeof *lows; l++)
            for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
                const uint64_t steps = next_random(&seed) % MIX + 1; /* some values are left out */
                for (size_t i = 0; i < counts[c]; i++)
                    values[i] = lows[l] + next_random(&seed) % spans[s] / steps * steps;
                const size_t distinct = distinct_of(values, counts[c]);
                for (size_t m = 0; m < sizeof mosts / sizeof *mosts; m++)
                    check_dictionary(values, counts[c], distinct, mosts[m]);
            }
    free(values);
}

/* Values that follow from others take their codes; one that does not is found at any place. */
static void a_column_follows_the_codes_of_another(void **state)
{
    (void)state;
    enum { COUNT = 5000, ADDRESSES = 300 };
    uint64_t seed = 11, values[COUNT], others[COUNT], entries[ADDRESSES];
    struct number_dictionary dictionary = {0};
    assert_true(number_dictionary_start(&dictionary, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        values[i] = next_random(&seed) % ADDRESSES << 20;
        others[i] = (values[i] >> 21) + 7; /* the same for two values */
    }
    const struct number_range range = numbers_range(values, COUNT, 0);
    const size_t distinct = distinct_of(values, COUNT);
    assert_true(number_dictionary_fill(&dictionary, values, COUNT, &range, DICTIONARY_ENTRIES));
    assert_int_equal(dictionary.count, distinct);
    assert_true(number_dictionary_follow(&dictionary, others, COUNT, entries));
    for (size_t i = 0; i < COUNT; i++) assert_true(entries[dictionary.codes[i]] == others[i]);
    for (size_t i = 0; i < COUNT; i++) {
        others[i]++;
        assert_false(number_dictionary_follow(&dictionary, others, COUNT, entries));
        others[i]--;
    }
    assert_false(number_dictionary_follow(&dictionary, others, 1, entries)); /* too few for all */
    for (size_t i = 0; i < COUNT; i++) values[i] = i * 39 % 256; /* codes in another order */
    assert_true(number_dictionary_fill(&dictionary, values, COUNT, &(struct number_range){0, 255},
                                       DICTIONARY_ENTRIES));
    assert_int_equal(dictionary.codes[1], 39);
    assert_false(number_dictionary_follow(&dictionary, values, COUNT, entries));
    number_dictionary_end(&dictionary);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_every_width_are_packed),
        cmocka_unit_test(codes_have_the_width_of_their_entries),
        cmocka_unit_test(a_dictionary_gives_every_value_back),
        cmocka_unit_test(a_column_follows_the_codes_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
