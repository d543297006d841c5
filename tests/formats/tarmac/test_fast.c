/* SPDX-License-Identifier: MIT */
/*
 * test_fast.c: lines decoded by layouts give the same records as the rules: published traces, and
 * common lines with a few bytes changed.  The comparison is the fuzz target's, which aborts.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "formats/tarmac/common_lines.h"
#include "formats/tarmac/lines.h"
#include "formats/tarmac/reading.h"
#include "fuzz/fuzz.h"
#include "support/fast_ways.h"

static void published_traces_are_the_same(void **state)
{
    (void)state;
    static const char *const paths[] = {
        "traces/tarmac/forms/seed-example.tarmac",
        "traces/tarmac/forms/seed-forms.tarmac",
        "traces/tarmac/calltest32.tarmac",
        "traces/tarmac/calltest64.tarmac",
        "traces/tarmac/fastmodel/quicksort.tarmac",
        "traces/tarmac/fastmodel/calculator-aarch64-fastmodel.tarmac",
        "traces/tarmac/gem5/calculator-aarch64-gem5.tarmac",
        "traces/tarmac/es/calculator-aarch64-es-ld-st-style.tarmac",
    };
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        size_t size;
        char *bytes = published(paths[i], &size);
        if (!bytes) {
            print_message("%s is not here (set SPOOR_SHARED): skipped\n", paths[i]);
            skip();
        }
        LLVMFuzzerTestOneInput((const uint8_t *)bytes, size);
        free(bytes);
    }
}

/* splitmix64: repeatable. */
static uint64_t next(uint64_t *seed)
{
    uint64_t z = *seed += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* Changes a few bytes to others that are meaningful in such lines, or removes them. */
static size_t change(char *text, size_t size, uint64_t *seed)
{
    static const char bytes[] = "0123456789abcdefABCDEFxX-_:(), \n\r\tORITMW<>.clk";
    for (uint64_t changes = next(seed) % 6; changes > 0; changes--) {
        const size_t at = next(seed) % size;
        const char byte = bytes[next(seed) % (sizeof bytes - 1)];
        if (next(seed) % 3) {
            text[at] = byte;
        } else if (next(seed) % 2) {
            memmove(text + at, text + at + 1, --size - at);
        } else {
            memmove(text + at + 1, text + at, size - at);
            text[at] = byte;
            size++;
        }
    }
    return size;
}

static void changed_lines_are_the_same(void **state)
{
    (void)state;
    enum { ROUNDS = 10000, CHANGES = 8 };
    uint64_t seed = 14;
    for (int round = 0; round < ROUNDS; round++) {
        char text[sizeof common_lines + CHANGES];
        memcpy(text, common_lines, sizeof common_lines - 1);
        LLVMFuzzerTestOneInput((const uint8_t *)text, change(text, sizeof common_lines - 1, &seed));
    }
}

/* A line with the longest fields that a layout may have. */
#define LONG_MODE                                                                 \
    "28 clk cpu0 IT (1) 0123456789abcdef:0123456789abcdef_NS 0123456789abcdef O " \
    "sixteen_bytes_md : A"

/* Lines that are nearly of a known layout. */
static void near_lines_are_the_same(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "25 clk cpu0 R  14057B7EF767814F",
        "25 clk cpu0 R  ",
        "25 clk cpu0 R X2 ",
        "25 clk cpu0 IT (1)",
        "25 clk cpu0 IT (01) 00023000:000015223000 91000423 O EL1h_n : ADD",
        "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n : ",
        "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n :",
        "25 clk cpu0 IT (1) 00023000:000015223000 91000423 O EL1h_n : ADD \r",
        "28 clk cpu0 MR8 0620e008:00001b40e008_NS 00000000_00066b61 ",
        "28 clk cpu0 IT (1) 0123456789abcdef:0123456789abcdef_NS 0123456789abcdef O EL1h_n : ADD",
        LONG_MODE,
        "28 clk cpu0 MR16 0123456789abcdef:0123456789abcdef_NS 0123456789abcdef_0123456789abcdef",
        "28 clk cpu0 MR8",
        "28 clk cpu0 MR",
        "28 clk cpu0 M",
        "28 clk cpu0 ",
        "28",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        LLVMFuzzerTestOneInput((const uint8_t *)lines[i], strlen(lines[i]));
}

/* Common lines cut at every byte: the decoder reads nothing beyond the end. */
static void cut_lines_are_the_same(void **state)
{
    (void)state;
    for (size_t size = 0; size < sizeof common_lines; size++)
        LLVMFuzzerTestOneInput((const uint8_t *)common_lines, size);
}

/* The decoder in use, and the number of lines that it decoded. */
static fast_way *way_counted;
static size_t lines_taken;

static const char *counted(const struct reading *reading, const char *at)
{
    const size_t count = reading->batch->count;
    const char *next = way_counted(reading, at);
    lines_taken += reading->batch->count - count;
    return next;
}

static size_t count_taken(fast_way *way, const char *lines, unsigned times)
{
    const size_t size = strlen(lines);
    struct spoor_stream stream = {.path = "test",
                                  .format = &format_tarmac,
                                  .names = spoor_names_new(),
                                  .spellings = spoor_names_new()};
    const struct decoder decoder = {.names = stream.names, .spellings = stream.spellings};
    struct spoor_batch batch = {.stream = &stream, .text_size = times * size, .last = true};
    batch.text = calloc(1, times * size + 64);
    assert_non_null(batch.text);
    for (unsigned i = 0; i < times; i++) memcpy(batch.text + i * size, lines, size);
    way_counted = way;
    lines_taken = 0;
    dialect_decode_by(&dialect_tarmac, &decoder, &batch, counted);
    spoor_batch_free(&batch);
    spoor_names_free(stream.names);
    spoor_names_free(stream.spellings);
    return lines_taken;
}

/* Lines are decoded by many bytes at a time from the third occurrence on; the first line, which
 * teaches the head, from the fourth on. */
static void known_lines_are_taken(void **state)
{
    (void)state;
    static const char lines[] =
        "25 clk cpu0 IT (1) 00023019:0000152230af 9100d4be O EL1h_n : ADD      x1,x1,#1\n"
        "25 clk cpu0 R X2 14057B7EF769814F\n"
        "28 clk cpu0 MR8 0620e009:00001b40e00f_NS 00000000_0a966bcf\n"
        "28 clk cpu0 MW16 0620e018:00001b40e018 fedcba98765432100123456789abcdef\n"
        "29 clk cpu0 IT 8000 e1a0 T EL1h_n :   NOP\r\n";
    fast_way *ways[MAX_FAST_WAYS];
    const size_t count = find_fast_ways(ways);
    for (size_t i = 0; i < count; i++)
        if (ways[i]) assert_int_equal(count_taken(ways[i], lines, 5), 2 + 4 * 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_lines_are_taken),
        cmocka_unit_test(published_traces_are_the_same),
        cmocka_unit_test(changed_lines_are_the_same),
        cmocka_unit_test(near_lines_are_the_same),
        cmocka_unit_test(cut_lines_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
