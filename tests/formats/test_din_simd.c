/* SPDX-License-Identifier: MIT */
/*
 * test_din_simd.c: lines of din projected 64 bytes at a time give the references that the line
 * scanner gives, for lines as traces have them and with bytes changed, wherever the text ends.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "formats/run_way.h"
#include "formats/support.h"
#include "formats/din/reference_line.h"

#if CPU_MAY_HAVE_AVX2

extern const struct spoor_format format_din;

/* Lines at a time; NULL where they cannot be run. */
struct way {
    const char *name;
    reference_fast_lines *project;
};

/* The text has exactly the readable bytes behind it that the input room promises. */
static void project(const char *text, size_t size, bool by_order, reference_fast_lines *fast,
                    struct spoor_batch *batch)
{
    struct spoor_stream stream = {.path = "memory",
                                  .format = &format_din,
                                  .names = spoor_names_new(),
                                  .spellings = spoor_names_new()};
    const struct decoder decoder = {.names = stream.names, .spellings = stream.spellings};
    const struct projection projection = {.kind = PROJECT_REFERENCES,
                                          .options = {.pc_by_order = by_order}};
    struct reference_syntax syntax = din_syntax;
    syntax.fast = fast;
    *batch = (struct spoor_batch){.stream = &stream, .text = calloc(1, size + 64), .last = true};
    assert_non_null(batch->text);
    if (size) memcpy(batch->text, text, size);
    batch->text_size = size;
    reference_lines_project(&decoder, &projection, batch, &syntax);
    assert_false(batch->out_of_memory);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
}

static void assert_same_for(const struct way *way, const char *text, size_t size, bool by_order)
{
    struct spoor_batch plain, fast;
    project(text, size, by_order, NULL, &plain);
    project(text, size, by_order, way->project, &fast);
    const struct reference_view *a = plain.view, *b = fast.view;
    assert_int_equal(plain.count, fast.count);
    assert_int_equal(plain.fault_count, fast.fault_count);
    assert_int_equal(a->count, b->count);
    if (a->count) assert_memory_equal(a->items, b->items, a->count * sizeof *a->items);
    assert_int_equal(a->led, b->led);
    assert_int_equal(a->lead, b->lead);
    assert_int_equal(a->unled, b->unled);
    spoor_batch_free(&plain);
    spoor_batch_free(&fast);
}

static void assert_same(const struct way *way, const char *text, size_t size)
{
    assert_same_for(way, text, size, true);
    assert_same_for(way, text, size, false);
}

static const struct way *way_of(void **state)
{
    const struct way *way = *state;
    if (!way->project) skip();
    return way;
}

/* Addresses of every width, in either letter case. */
static void put_lines(struct text *out, struct numbers *numbers, int lines)
{
    while (lines-- > 0) {
        const unsigned label = (unsigned)numbers_below(numbers, 3);
        const unsigned long long address = numbers_next(numbers) >> numbers_below(numbers, 64);
        if (numbers_below(numbers, 8))
            text_printf(out, "%u %llx\n", label, address);
        else
            text_printf(out, "%u %llX\n", label, address);
    }
}

static void good_lines(void **state)
{
    const struct way *way = way_of(state);
    struct numbers numbers = {73};
    for (int round = 0; round < 300; round++) {
        struct text text = {0};
        put_lines(&text, &numbers, 60);
        assert_same(way, text.bytes, text.size - numbers_below(&numbers, 200));
        text_free(&text);
    }
}

/* Every byte there is, in each place of a line among good ones. */
static void any_byte_among_them(void **state)
{
    static const char line[] = "1 7ffe80aF\n";
    const struct way *way = way_of(state);
    struct numbers numbers = {79};
    for (size_t at = 0; at < sizeof line - 1; at++) {
        struct text text = {0};
        for (int byte = 0; byte < 256; byte++) {
            put_lines(&text, &numbers, 12);
            text_puts(&text, line);
            text.bytes[text.size - (sizeof line - 1) + at] = (char)(unsigned char)byte;
        }
        assert_same(way, text.bytes, text.size);
        text_free(&text);
    }
}

/* Too many digits, and too few. */
static void numbers_of_any_size(void **state)
{
    const struct way *way = way_of(state);
    struct numbers numbers = {83};
    struct text text = {0};
    for (int digits = 0; digits < 40; digits++) {
        put_lines(&text, &numbers, 12);
        text_puts(&text, "2 ");
        for (int i = 0; i < digits; i++) text_puts(&text, i % 2 ? "f" : "1");
        text_puts(&text, "\n");
    }
    assert_same(way, text.bytes, text.size);
    text_free(&text);
}

static int test_way(const struct way *way)
{
    struct CMUnitTest tests[] = {
        cmocka_unit_test(good_lines),
        cmocka_unit_test(any_byte_among_them),
        cmocka_unit_test(numbers_of_any_size),
    };
    return RUN_WAY(way, tests);
}

int main(void)
{
    const struct way avx2 = {"AVX2", cpu_has_avx2() ? din_project_avx2 : NULL};
    return test_way(&avx2);
}

#else

int main(void)
{
    return 77; /* skipped: this architecture has only one way */
}

#endif
