/* SPDX-License-Identifier: MIT */
/*
 * test_numbers.c: dictionaries of numbers, and the loops over many numbers, against their
 * definition.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns/column_chunk.h"

enum { VALUES = 70000, MIX = 20, MAX_CODES = 1000 };

static unsigned code_at(const struct codes *codes, size_t index)
{
    uint16_t code = 0;
    memcpy(&code, codes_from(codes, index).at, codes->width); /* the lowest bytes */
    return code;
}

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

static void check_packing(const struct codes *codes, const uint16_t *expected, size_t count,
                          unsigned width)
{
    char bytes[2 * MAX_CODES + 1];
    bytes[count * width / 8] = 0x55;
    const char *end = codes_pack(bytes, codes, count, width);
    assert_ptr_equal(end, bytes + count * width / 8);
    assert_int_equal(*end, 0x55); /* nothing is written after the end */
    for (size_t i = 0; i < count; i++) assert_int_equal(unpacked(bytes, i, width), expected[i]);
}

static void codes_of_every_width_are_packed(void **state)
{
    (void)state;
    uint64_t seed = 1;
    uint16_t codes[MAX_CODES];
    uint8_t narrow[MAX_CODES];
    for (unsigned width = 1; width <= 16; width *= 2)
        for (size_t count = 0; count <= MAX_CODES; count += 8) {
            for (size_t i = 0; i < count; i++)
                codes[i] = (uint16_t)(next_random(&seed) & ((1U << width) - 1));
            for (size_t i = 0; i < count; i++) narrow[i] = (uint8_t)codes[i];
            check_packing(&(struct codes){codes, 2}, codes, count, width);
            if (width <= 8) check_packing(&(struct codes){narrow, 1}, codes, count, width);
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
        encode_codes(&out, &(struct codes){codes, 2}, 11, expected[i].entries);
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

/* A store of the values, which are appended in parts. */
static struct number_store store_of(const uint64_t *values, size_t count)
{
    enum { PART = 700 };
    struct number_store store = {0};
    const struct number_range nothing = {0, 0};
    for (size_t i = 0; i < count; i += PART) {
        const size_t some = count - i < PART ? count - i : PART;
        const struct number_range part = numbers_range(values + i, some, 0);
        const struct number_range all = numbers_range(values, i + some, 0);
        assert_true(number_store_append(&store, i, values + i, some, &part, &all, &nothing));
    }
    return store;
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
    struct number_store store = store_of(values, count);
    const bool filled = number_dictionary_fill(&dictionary, &store, count, &range, most);
    assert_true(filled == (distinct <= most));
    if (filled) {
        assert_true(dictionary.count >= distinct && dictionary.count <= most);
        assert_int_equal(distinct_of(dictionary.entries, dictionary.count), dictionary.count);
        for (size_t i = 0; i < count; i++) {
            assert_true(code_at(&dictionary.codes, i) < dictionary.count);
            assert_true(dictionary.entries[code_at(&dictionary.codes, i)] == values[i]);
        }
    }
    number_store_free(&store);
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
    struct number_store store = store_of(values, COUNT), followed = store_of(others, COUNT);
    assert_true(number_dictionary_fill(&dictionary, &store, COUNT, &range, DICTIONARY_ENTRIES));
    assert_int_equal(dictionary.count, distinct);
    assert_true(number_dictionary_follow(&dictionary, &followed, COUNT, entries));
    for (size_t i = 0; i < COUNT; i++)
        assert_true(entries[code_at(&dictionary.codes, i)] == others[i]);
    number_store_free(&followed);
    for (size_t i = 0; i < COUNT; i++) {
        others[i]++;
        followed = store_of(others, COUNT);
        assert_false(number_dictionary_follow(&dictionary, &followed, COUNT, entries));
        number_store_free(&followed);
        others[i]--;
    }
    followed = store_of(others, COUNT);
    assert_false(
        number_dictionary_follow(&dictionary, &followed, 1, entries)); /* too few for all */
    number_store_free(&followed);
    number_store_free(&store);
    for (size_t i = 0; i < COUNT; i++) values[i] = i * 39 % 256; /* codes in another order */
    store = store_of(values, COUNT);
    assert_true(number_dictionary_fill(&dictionary, &store, COUNT, &(struct number_range){0, 255},
                                       DICTIONARY_ENTRIES));
    assert_int_equal(code_at(&dictionary.codes, 1), 39);
    assert_false(number_dictionary_follow(&dictionary, &store, COUNT, entries));
    number_store_free(&store);
    number_dictionary_end(&dictionary);
}

/* Numbers of growing ranges, on either side, are stored again and stay the same. */
static void a_store_gives_every_number_back(void **state)
{
    (void)state;
    enum { PART = 100, PARTS = 40 };
    static const uint64_t starts[] = {0, 200, UINT64_MAX - 5, UINT64_C(1) << 63, UINT64_C(5) << 32};
    uint64_t seed = 3, values[PARTS * PART], buffer[PARTS * PART];
    for (size_t s = 0; s < sizeof starts / sizeof *starts; s++)
        for (unsigned growth = 0; growth < 4; growth++) {
            struct number_store store = {0};
            for (size_t part = 0; part < PARTS; part++) {
                const uint64_t span = (UINT64_C(1) << part * growth % 64) + part;
                uint64_t *block = values + part * PART;
                for (size_t i = 0; i < PART; i++) {
                    const uint64_t more = next_random(&seed) % span;
                    block[i] = starts[s] + (part % 2 ? more : 0 - more);
                }
                /* of signed numbers about the start, as those of a column of them */
                const uint64_t inverted = starts[s] ^ UINT64_C(1) << 63;
                uint64_t shifted[PARTS * PART];
                for (size_t i = 0; i < (part + 1) * PART; i++)
                    shifted[i] = values[i] - starts[s] + (UINT64_C(1) << 63);
                struct number_range one = numbers_range(shifted + part * PART, PART, 0);
                struct number_range all = numbers_range(shifted, (part + 1) * PART, 0);
                one = (struct number_range){one.low + inverted, one.high + inverted};
                all = (struct number_range){all.low + inverted, all.high + inverted};
                assert_true(number_store_append(&store, part * PART, block, PART, &one, &all,
                                                &(struct number_range){0, 0}));
                const uint64_t *got = number_store_get(&store, 0, (part + 1) * PART, buffer);
                assert_memory_equal(got, values, (part + 1) * PART * sizeof *got);
            }
            number_store_free(&store);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(codes_of_every_width_are_packed),
        cmocka_unit_test(codes_have_the_width_of_their_entries),
        cmocka_unit_test(a_store_gives_every_number_back),
        cmocka_unit_test(a_dictionary_gives_every_value_back),
        cmocka_unit_test(a_column_follows_the_codes_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
